"""What is kept of an answered question, in each mode?

counts: one number a day and outcome. consent: masked text where this request asked for it.
anonymous: masked text unless this request asked not to.
"""

import secrets
from datetime import UTC, datetime, timedelta

from retrieval.configuration import Configuration
from service.answer import Answer, Question
from service.visitor_log.masking import masked
from service.visitor_log.store import Kept, LogStore

_RECEIPT_BYTES = 18


class VisitorLog:
    """The log of a running service; blocks, so it is used from threads."""

    def __init__(self, configuration: Configuration) -> None:
        """Prepare; nothing is written."""
        self._mode = configuration.log.mode
        self._retention = timedelta(days=configuration.log.retention_days)
        self._store = LogStore(configuration.log_path)

    def keep(self, question: Question, answer: Answer) -> str | None:
        """Keep what the mode says; the receipt where there is text to erase.

        Raises:
            VisitorLogError: The log cannot be written.
        """
        day = datetime.now(UTC).date().isoformat()
        if self._mode == "counts":
            self._store.count(day, answer.outcome)
        if not self._may_keep_text(question.consent):
            return None
        receipt = secrets.token_urlsafe(_RECEIPT_BYTES)
        pages = tuple(citation.url or citation.title for citation in answer.citations)
        text = masked(question.text)
        self._store.add(receipt, Kept(day, text, answer.outcome, answer.language, pages))
        return receipt

    def erase(self, receipt: str) -> bool:
        """Delete what a receipt stands for; whether there was something.

        Raises:
            VisitorLogError: The log cannot be written.
        """
        return self._store.erase(receipt)

    def purge(self) -> int:
        """Delete what is older than the retention; the number of rows.

        Raises:
            VisitorLogError: The log cannot be written.
        """
        oldest = datetime.now(UTC).date() - self._retention
        return self._store.purge((oldest + timedelta(days=1)).isoformat())

    def purge_all(self) -> int:
        """Delete everything.

        Raises:
            VisitorLogError: The log cannot be written.
        """
        return self._store.purge(None)

    def _may_keep_text(self, consent: bool | None) -> bool:
        if self._mode == "consent":
            return consent is True
        return self._mode == "anonymous" and consent is not False
