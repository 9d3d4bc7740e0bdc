"""From a configuration to something that answers."""

from functools import partial

from retrieval.configuration import Configuration
from retrieval.context import Contexts
from retrieval.generation import Generation, open_generation
from retrieval.opening import query_embedder
from retrieval.retriever import HybridRetriever
from service.answer import Question
from service.answering import Answering
from service.preparing import HistoryLimits, Preparing
from service.schemas import AskResponse
from service.site import owner
from service.upstream import Upstream, open_upstream


def open_answering(
    configuration: Configuration, upstream: Upstream, generation: Generation | None = None
) -> Answering:
    """Answers from `generation`, or from the current one; `close` it.

    Raises:
        GenerationError: Nothing was synced yet, or it cannot be used.
    """
    opened = generation or open_generation(configuration.knowledge_path)
    try:
        found, why_not = query_embedder(configuration, opened)
        embedder = upstream.guarded(found)
        settings, service = configuration.retrieval, configuration.service
        retriever = HybridRetriever(opened, embedder, settings, why_not)
        preparing = Preparing(
            opened,
            Contexts(opened, retriever, settings),
            partial(retriever.retrieve, k=settings.k, mode="keyword"),
            owner(configuration, opened.store),
            HistoryLimits(service.max_history_messages, service.max_history_chars),
        )
        spending = upstream.spending(configuration, embedder)
        return Answering(opened, retriever, preparing, upstream.chat, spending, upstream.metrics)
    except BaseException:
        opened.close()
        raise


async def answer_once(
    configuration: Configuration, question: str, language: str | None = None
) -> AskResponse:
    """Open, answer one question, close: `askfolio ask`.

    Raises:
        ConfigurationError: No key for a configured provider.
        GenerationError: Nothing was synced yet, or it cannot be used.
    """
    upstream = open_upstream(configuration)
    answering = open_answering(configuration, upstream)
    try:
        return AskResponse.of(await answering.answer(Question(question, language)))
    finally:
        answering.close()
        await upstream.aclose()
