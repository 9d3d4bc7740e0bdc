"""What does an answer cost in the end, however it ended?"""

from types import TracebackType

from retrieval.errors import ProviderError
from service.chat import Completion
from service.metrics import Metrics
from service.spending.spending import Begun, Spending


class Bill:
    """Settles an answer however it ends: complete, broken off, or left by the visitor.

    Attributes:
        given: The parts that arrived.
    """

    def __init__(
        self,
        spending: Spending | None,
        begun: Begun | None,
        completion: Completion,
        metrics: Metrics,
    ) -> None:
        self._spending = spending
        self._begun = begun
        self._completion = completion
        self._metrics = metrics
        self.given: list[str] = []

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        usage = self._completion.usage
        self._metrics.used(usage)
        if self._spending is None or self._begun is None:
            return
        if isinstance(error, ProviderError) and not self.given:
            self._spending.cancel(self._begun)
        else:
            self._spending.end(self._begun, usage, "".join(self.given))
