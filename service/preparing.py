"""What is known about a question before an answer begins: language, passages, relevance, prompt."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from retrieval.context import Contexts
from retrieval.generation import Generation
from retrieval.types import Retrieval
from service.answer import Degraded, Question
from service.chat import Message
from service.citations import Sources
from service.composing import Prepared
from service.extractive import Excerpts
from service.follow_up import search_text
from service.language import answer_language
from service.neutral import neutral
from service.prompt import Asked, Turn, build_prompt
from service.relevance import MIN_COVERAGE, MIN_COVERAGE_FOR_MODEL, Signals, is_relevant
from service.site import Owner


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """How much of a conversation is read; the oldest messages are dropped."""

    messages: int
    chars: int


class Preparing:
    """Everything about a question that needs the generation; blocks, so it runs in a thread."""

    def __init__(
        self,
        generation: Generation,
        contexts: Contexts,
        by_words: Callable[[str], Retrieval],
        owner: Owner,
        history: HistoryLimits,
    ) -> None:
        """Compose.

        Args:
            generation: Closed by the caller.
            contexts: Chooses passages by the context policy.
            by_words: Chooses them by keywords alone.
            owner: Whose site it is.
            history: How much of a conversation is read.
        """
        self._generation = generation
        self._contexts = contexts
        self._by_words = by_words
        self._owner = owner
        self._history = history
        manifest = generation.manifest
        self.excerpts = Excerpts(generation.keyword, generation.store, manifest.languages)

    def prepare(self, question: Question, may_embed: Callable[[str], bool]) -> Prepared:
        """Decide the language and choose the passages.

        Args:
            question: What is asked.
            may_embed: Whether the budget allows to embed this query; it is spent then.
        """
        manifest = self._generation.manifest
        language = answer_language(question.text, question.language, manifest.languages)
        history = tuple(bounded(question.history, self._history))
        searched = search_text(neutral(question.text), history, self.excerpts.content_words)
        is_whole = self._contexts.policy.mode == "full-context"
        is_spent = not is_whole and not may_embed(searched)
        retrieval = (
            self._by_words(searched) if is_spent else self._contexts.retrieve(searched, language)
        )
        return Prepared(
            retrieval=retrieval,
            sources=Sources(retrieval.chunks, self._generation.store.link_target),
            generation=manifest.generation,
            language=language,
            contact=self._owner.contact,
            style=question.style,
            degraded="keyword-only" if is_spent else self._degraded(retrieval),
            is_spent=is_spent,
        )

    def is_relevant(self, prepared: Prepared, *, has_model: bool) -> bool:
        """Whether the passages speak about the question; see `service.relevance`."""
        retrieval, manifest = prepared.retrieval, self._generation.manifest
        spoken = {code.split("-", 1)[0] for code in manifest.languages}
        given_whole = has_model and retrieval.mode in ("full-context", "mixed")
        by_words_alone = not (given_whole or retrieval.mode == "hybrid")
        is_decisive = retrieval.chunks and (by_words_alone or not has_model)
        enough = MIN_COVERAGE_FOR_MODEL if has_model else MIN_COVERAGE
        return is_relevant(
            Signals(
                passages=len(retrieval.chunks),
                coverage=self.excerpts.coverage(retrieval.query, enough) if is_decisive else 0.0,
                speaks_language=prepared.language.split("-", 1)[0] in spoken,
                by_words_alone=by_words_alone,
                model_decides=has_model,
            )
        )

    def messages(self, question: Question, prepared: Prepared) -> list[Message]:
        """The prompt."""
        store, nonce = self._generation.store, self._generation.manifest.nonce
        page = store.link_target(question.page) if question.page else None
        asked = Asked(
            question=question.text,
            language=prepared.language,
            delimiter=secrets.token_hex(8),
            page=f"{page.title}, {page.url}" if page else "",
            history=tuple(bounded(question.history, self._history)),
        )
        owner = self._owner
        passages = prepared.retrieval.chunks
        return build_prompt(passages, asked, owner.name, owner.contact or "", nonce)

    def _degraded(self, retrieval: Retrieval) -> Degraded | None:
        # A generation without vectors was made so; one with vectors lacks the query's.
        has_vectors = self._generation.dense is not None
        return "keyword-only" if retrieval.degraded and has_vectors else None


def bounded(history: tuple[Turn, ...], limits: HistoryLimits) -> Iterator[Turn]:
    """The newest messages that fit, oldest first."""
    kept: list[Turn] = []
    left = limits.chars
    for turn in reversed(history[-limits.messages :] if limits.messages else ()):
        left -= len(turn.content)
        if left < 0:
            break
        kept.append(turn)
    return reversed(kept)
