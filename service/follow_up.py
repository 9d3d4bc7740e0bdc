"""What is searched for, when a question leans on the conversation before it?"""

from collections.abc import Callable, Sequence

from service.prompt import Turn

MAX_CONTENT_WORDS = 1
MAX_SEARCH_CHARS = 2000


def search_text(question: str, history: Sequence[Turn], content_words: Callable[[str], int]) -> str:
    """The question, behind the visitor's last one where it says too little by itself.

    `And in Spanish?` needs what was asked before; a question that stands by itself is left alone,
    since whatever is added would draw the search away from it.

    Args:
        question: What is asked now.
        history: Earlier messages, oldest first.
        content_words: Counts the words of a text that are no function words.
    """
    if content_words(question) > MAX_CONTENT_WORDS:
        return question
    before = next((turn.content for turn in reversed(history) if turn.is_visitor), "")
    return f"{before[:MAX_SEARCH_CHARS]} {question}".strip()
