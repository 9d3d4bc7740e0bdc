"""A page with a form that works without JavaScript."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from service.answer import Answer
from service.errors import Malformed
from service.notices import notice
from service.pages.html import link, text
from service.pages.labels import Labels, labels
from service.passage_links import passage_link
from service.reading import read_fields
from service.schemas import AskRequest

_MAX_FIELDS = 20
LogMode = Literal["off", "counts", "consent", "anonymous"]


@dataclass(frozen=True, slots=True)
class PageState:
    """What the page shows.

    Attributes:
        language: Of its words.
        owner: Whose site it is, or "".
        is_generated: A model writes the answers.
        log_mode: What is kept.
        has_privacy: There is a page about that.
        max_question_chars: Longest question.
        question: What was asked, to be asked again or changed.
        answer: What came of it, or None.
        problem: Why it was not answered, or "".
    """

    language: str
    owner: str
    is_generated: bool
    log_mode: LogMode
    has_privacy: bool
    max_question_chars: int
    question: str = ""
    answer: Answer | None = None
    problem: str = ""


def form_request(body: bytes, log_mode: LogMode) -> AskRequest:
    """What the form asks.

    Raises:
        Malformed: It is no form in UTF-8, or has no question.
        Invalid: The question is blank.
    """
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MAX_FIELDS,
            errors="strict",
        )
    except ValueError as error:
        raise Malformed("the body is no form in UTF-8") from error
    fields = dict(pairs)
    asked = fields.get("question", "")
    if not asked.strip():
        raise Malformed("there is no question")
    if log_mode == "anonymous" and "keep_not" not in fields:
        return read_fields(AskRequest, {"question": asked})
    consent = log_mode == "consent" and "keep" in fields
    return read_fields(AskRequest, {"question": asked, "consent": consent})


def page_title(state: PageState) -> str:
    """The heading."""
    words = labels(state.language)
    return words.title_of.format(owner=state.owner) if state.owner else words.title


def page_body(state: PageState) -> str:
    """The page below its heading, as HTML."""
    words = labels(state.language)
    return "\n".join((*_head(state), *_answer(state, words), *_form(state, words)))


def _head(state: PageState) -> Iterator[str]:
    # Article 50 of the AI Act: said before the first question, and not in small print.
    said = notice(state.language, "generated" if state.is_generated else "excerpts")
    yield f'<p class="notice" role="note">{text(said)}</p>'
    if state.problem:
        problem = labels(state.language).wrong.format(reason=state.problem)
        yield f'<p role="alert">{text(problem)}</p>'


def _answer(state: PageState, words: Labels) -> Iterator[str]:
    answer = state.answer
    if answer is None:
        return
    yield f"<h2>{text(words.answer)}</h2>"
    yield (
        f'<div class="answer" data-ai-generated="true" lang="{text(answer.language)}">'
        f"{text(answer.text)}</div>"
    )
    if answer.contact and answer.contact not in answer.text:
        yield f"<p>{link(answer.contact, answer.contact)}</p>"
    if answer.citations:
        yield f"<h2>{text(words.sources)}</h2>\n<ul>"
        for citation in answer.citations:
            title = f"{citation.title} – {citation.heading}" if citation.heading else citation.title
            url = passage_link(citation.url or "", citation.passage)
            yield f"<li>[{citation.n}] {link(url, title)}</li>"
        yield "</ul>"
    yield f"<p>{text(answer.notice)}</p>"
    if answer.receipt:
        yield f"<p>{text(words.receipt.format(receipt=answer.receipt))}</p>"


def _form(state: PageState, words: Labels) -> Iterator[str]:
    yield '<form method="post" action="/">'
    yield f'<p><label for="question">{text(words.question)}</label></p>'
    yield (
        f'<p><textarea id="question" name="question" rows="3" required '
        f'maxlength="{state.max_question_chars}">{text(state.question)}</textarea></p>'
    )
    if state.log_mode in ("consent", "anonymous"):
        name = "keep" if state.log_mode == "consent" else "keep_not"
        label = words.keep if state.log_mode == "consent" else words.keep_not
        yield (
            f'<p><input type="checkbox" id="{name}" name="{name}" value="1"> '
            f'<label for="{name}">{text(label)}</label></p>'
        )
    yield f"<p><button>{text(words.ask)}</button></p>\n</form>"
    if state.has_privacy:
        yield f'<p><a href="/privacy">{text(words.privacy)}</a></p>'
