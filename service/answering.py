"""How is a question answered from one generation?

Retrieval by the context policy, the prompt, the model's text through outcome markers and
citations; or the best sentences, where no model is configured or it fails.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial

import anyio.to_thread

from retrieval.errors import ProviderError
from retrieval.generation import Generation
from retrieval.retriever import HybridRetriever
from service.answer import Answer, Degraded, Done, Event, Question
from service.chat import ChatModel, Message
from service.composing import Composer, Prepared
from service.language import is_in_other_language
from service.metrics import Metrics
from service.notices import Wording, sentences
from service.plain_text import sentences as prose
from service.preparing import Preparing
from service.spending.bill import Bill
from service.spending.spending import Begun, Spending

MAX_ANSWER_TOKENS = 900
_log = logging.getLogger(__name__)


class Answering:
    """Answers questions from one open generation.

    Attributes:
        generation: What is answered from.
        retriever: Ranks its passages, for search.
    """

    def __init__(
        self,
        generation: Generation,
        retriever: HybridRetriever,
        preparing: Preparing,
        chat: ChatModel | None,
        spending: Spending | None,
        metrics: Metrics,
    ) -> None:
        """Compose.

        Args:
            generation: Closed by `close`.
            retriever: Over the same generation.
            preparing: Over the same generation.
            chat: Writes the answers, closed by the caller; None to show excerpts.
            spending: Allows and settles what costs money; None where nothing is counted.
            metrics: Counts tokens.
        """
        self.generation = generation
        self.retriever = retriever
        self._preparing = preparing
        self._chat = chat
        self._spending = spending
        self._metrics = metrics

    def may_embed(self, visitor: bytes, query: str) -> bool:
        """Whether the budget allows to embed this query; it is spent then."""
        return self._spending is None or self._spending.may_embed(visitor, query)

    def close(self) -> None:
        """Close the generation."""
        self.generation.close()

    async def answer(self, question: Question) -> Answer:
        """The complete answer; excerpts where the model fails at any point."""
        prepared, is_relevant = await anyio.to_thread.run_sync(self._prepare, question)
        events: list[Event] = []
        try:
            async with aclosing(self._events(question, prepared, is_relevant)) as arriving:
                events = [event async for event in arriving]
        except ProviderError as error:
            _log.warning("the answer broke off: %s", type(error).__name__)
            events = await self._excerpts(prepared, "excerpts")
        return next(event.answer for event in events if isinstance(event, Done))

    async def events(self, question: Question) -> AsyncGenerator[Event, None]:
        """Meta, then citations and tokens as they come, then Done.

        Raises:
            ProviderError: The model failed after a part of its answer was given out.
        """
        prepared, is_relevant = await anyio.to_thread.run_sync(self._prepare, question)
        async with aclosing(self._events(question, prepared, is_relevant)) as events:
            async for event in events:
                yield event

    def _prepare(self, question: Question) -> tuple[Prepared, bool]:
        """What is known, and whether it is worth answering from; one way to a thread for both."""
        may_embed = partial(self.may_embed, question.visitor)
        prepared = self._preparing.prepare(question, may_embed)
        has_model = self._chat is not None
        return prepared, self._preparing.is_relevant(prepared, has_model=has_model)

    async def _events(
        self, question: Question, prepared: Prepared, is_relevant: bool
    ) -> AsyncGenerator[Event, None]:
        is_generated = self._chat is not None and not prepared.is_spent
        wording: Wording = "generated" if is_generated else "excerpts"
        composer = Composer(prepared, wording, prepared.degraded)
        yield composer.meta()
        if not is_relevant:
            for event in composer.refuse("unknown"):
                yield event
        elif self._chat is None or prepared.is_spent:
            degraded = prepared.degraded if self._chat is None else "excerpts"
            for event in await self._excerpts(prepared, degraded):
                yield event
        else:
            completed = self._completed(self._chat, composer, question, prepared)
            async with aclosing(completed) as events:
                async for event in events:
                    yield event

    async def _completed(
        self, chat: ChatModel, composer: Composer, question: Question, prepared: Prepared
    ) -> AsyncGenerator[Event, None]:
        """The model's answer; excerpts where it fails before anything was given out."""
        has_begun = False
        try:
            generated = self._generated(chat, composer, question, prepared)
            async with aclosing(generated) as events:
                async for event in events:
                    has_begun = True
                    yield event
        except ProviderError as error:
            if has_begun:
                raise
            _log.warning("no answer from the chat provider: %s", type(error).__name__)
            for event in await self._excerpts(prepared, "excerpts"):
                yield event

    async def _generated(
        self, chat: ChatModel, composer: Composer, question: Question, prepared: Prepared
    ) -> AsyncGenerator[Event, None]:
        messages, begun = await anyio.to_thread.run_sync(self._begin, question, prepared)
        if begun is None and self._spending is not None:
            for event in await self._excerpts(prepared, "excerpts"):
                yield event
            return
        completion = chat.stream(messages, MAX_ANSWER_TOKENS, f"kb-{prepared.generation}")
        bill = Bill(self._spending, begun, completion, self._metrics)
        with bill:
            async with aclosing(completion):
                async for part in completion:
                    bill.given.append(part)
                    for event in composer.feed(part):
                        yield event
        for event in composer.finish():
            yield event
            if isinstance(event, Done) and event.answer.outcome == "answered":
                await anyio.to_thread.run_sync(self._check_language, event.answer)

    def _check_language(self, answer: Answer) -> None:
        """What was streamed cannot be taken back: the owner learns of it from the metrics."""
        if is_in_other_language(" ".join(prose(answer.text)), answer.language):
            self._metrics.answered_in_other_language()

    def _begin(
        self, question: Question, prepared: Prepared
    ) -> tuple[Sequence[Message], Begun | None]:
        messages = self._preparing.messages(question, prepared)
        if self._spending is None:
            return messages, None
        return messages, self._spending.begin(question.visitor, messages, MAX_ANSWER_TOKENS)

    async def _excerpts(self, prepared: Prepared, degraded: Degraded | None) -> list[Event]:
        composer = Composer(prepared, "excerpts", degraded)
        text = await anyio.to_thread.run_sync(self._excerpt_text, prepared)
        if not text:
            return list(composer.refuse("unknown"))
        return [*composer.feed(text), *composer.finish()]

    def _excerpt_text(self, prepared: Prepared) -> str:
        retrieval, language = prepared.retrieval, prepared.language
        chosen = self._preparing.excerpts.choose(retrieval.query, retrieval.chunks, language)
        if not chosen:
            return ""
        lines = [f"- {excerpt.text} [{excerpt.number}]" for excerpt in chosen]
        return "\n".join((sentences(language).excerpts_label, "", *lines))
