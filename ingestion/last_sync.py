"""`last_sync.json`: when the last sync ran and how it ended, also of one that failed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ingestion.errors import SyncRunning
from ingestion.knowledge_folder import KnowledgeFolder
from ingestion.report import EXIT_DONE, EXIT_PARTLY, SyncReport
from retrieval.errors import AskfolioError
from retrieval.status import read_last_sync

EXIT_INTERRUPTED = 130


@contextmanager
def recorded(
    knowledge: Path, exit_code: Callable[[AskfolioError], int], *, dry_run: bool
) -> Iterator[Callable[[SyncReport], None]]:
    """Write down how the sync in the block ends; a dry run is not written down.

    `time` is that of this sync, `last_success` that of the last one that ended with 0 or 4.

    Args:
        knowledge: The folder; one that does not exist is not made.
        exit_code: What the command line makes of an error.
        dry_run: Write nothing.
    """

    def write(code: int, content: Mapping[str, object]) -> None:
        if dry_run or not knowledge.is_dir():
            return
        folder = KnowledgeFolder(knowledge)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        succeeded = code in (EXIT_DONE, EXIT_PARTLY)
        before = (read_last_sync(knowledge) or {}).get("last_success")
        last = {"last_success": time if succeeded else before, "generation": folder.current()}
        folder.write_last_sync({"time": time, "exit_code": code} | last | dict(content))

    def record(report: SyncReport) -> None:
        content = {k: v for k, v in report.to_json().items() if k != "documents"}
        write(report.exit_code, content)

    try:
        yield record
    except SyncRunning:
        raise
    except (AskfolioError, KeyboardInterrupt) as error:
        interrupted = not isinstance(error, AskfolioError)
        code = EXIT_INTERRUPTED if interrupted else exit_code(error)  # type: ignore[arg-type]
        reason = "interrupted; what arrived is stored" if interrupted else str(error)
        try:
            write(code, {"errors": [{"source": "", "path": "", "reason": reason}]})
        except OSError:
            raise error from None  # the disk that the sync met full is still full
        raise
