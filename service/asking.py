"""How does a question come in, and its answer go out, as JSON, as a stream or on the page?"""

import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial

import anyio.to_thread
from starlette.requests import Request

from service.answer import Answer, Done, Event, Meta, Question
from service.current import CurrentAnswering
from service.errors import Invalid, NotReady, VisitorLogError
from service.guards.visitor import VISITOR
from service.leaving import unless_left
from service.metrics import Metrics
from service.neutral import neutral
from service.prompt import Turn
from service.schemas import AskRequest

Keep = Callable[[Question, Answer], str | None]
_log = logging.getLogger(__name__)


class Asking:
    """Answers questions from what serves now, counts them, and keeps what may be kept."""

    def __init__(
        self,
        current: Callable[[], CurrentAnswering],
        metrics: Metrics,
        keep: Keep | None,
        max_question_chars: int,
    ) -> None:
        """Compose.

        Args:
            current: What serves now.
            metrics: Counts answers.
            keep: The visitor log; None where it is off.
            max_question_chars: Longest question.
        """
        self._current = current
        self._metrics = metrics
        self._keep = keep
        self._max_question_chars = max_question_chars

    def question(self, asked: AskRequest, asks: bytes) -> Question:
        """What is asked, within the limits.

        Args:
            asked: The fields.
            asks: The visitor.

        Raises:
            Invalid: It is too long, or blank once invisible characters are gone.
            NotReady: Nothing can answer.
        """
        check_length("question", asked.question, self._max_question_chars)
        if not neutral(asked.question).strip():
            raise Invalid("question: is blank")
        if not self._current().is_ready:
            raise NotReady("the content is not ready yet")
        turns = (Turn(message.role == "user", message.content) for message in asked.history)
        return Question(
            text=neutral(asked.question).strip(),
            language=asked.language,
            page=asked.page,
            history=tuple(turns),
            style=asked.citation_style,
            visitor=asks,
            consent=asked.consent if "consent" in asked.model_fields_set else None,
        )

    async def answer(self, question: Question, request: Request) -> Answer | None:
        """The complete answer; None where the visitor left before it."""
        return await unless_left(request.receive, partial(self.complete, question))

    async def complete(self, question: Question) -> Answer:
        """The complete answer."""
        started = time.monotonic()
        async with self._current().use() as answering:
            answer = await answering.answer(question)
        seconds = time.monotonic() - started
        self._metrics.answered(answer, seconds, seconds)
        return await self._kept(question, answer)

    async def events(self, question: Question) -> AsyncGenerator[Event, None]:
        """The events of an answer, with the receipt in the last one."""
        started = time.monotonic()
        first_s: float | None = None
        async with (
            self._current().use() as answering,
            aclosing(answering.events(question)) as events,
        ):
            async for event in events:
                if first_s is None and not isinstance(event, Meta):
                    first_s = time.monotonic() - started
                if isinstance(event, Done):
                    whole_s = time.monotonic() - started
                    self._metrics.answered(event.answer, first_s or whole_s, whole_s)
                    yield Done(await self._kept(question, event.answer))
                else:
                    yield event

    async def _kept(self, question: Question, answer: Answer) -> Answer:
        if self._keep is None:
            return answer
        try:
            receipt = await anyio.to_thread.run_sync(self._keep, question, answer)
        except VisitorLogError as error:
            _log.error("%s", error)
            return answer
        return replace(answer, receipt=receipt)


def check_length(field: str, text: str, limit: int) -> None:
    """Refuse a text that is too long, without repeating it.

    Raises:
        Invalid: It is.
    """
    if len(text) > limit:
        raise Invalid(f"{field} has {len(text)} characters, at most {limit} are allowed")


def visitor(request: Request) -> bytes:
    """Who sends the request, as the rate limit names them."""
    found = request.scope.get(VISITOR, b"")
    return found if isinstance(found, bytes) else b""
