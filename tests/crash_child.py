"""Real syncs in forked children, each ended at a chosen point: `python -m tests.crash_child`.

A line of JSON on stdin is one sync, a line on stdout says how it ended. What is heavy is imported
once; a child is a process of its own with its own locks and files.

    {"configuration": "…/askfolio.toml", "operation": 7}     killed before its 7th file operation
    {"configuration": "…/askfolio.toml", "seconds": 0.05}    killed after this time
    {"configuration": "…/askfolio.toml", "bytes": 4096}      no file may grow beyond this size
    {"configuration": "…/askfolio.toml", "full_from": 7}     no space from its 7th file operation on
    {"configuration": "…/askfolio.toml"}                     goes through, and lists its operations
"""

import errno
import json
import math
import os
import resource
import signal
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EXIT_BUG = 99


def main() -> None:
    import faiss  # noqa: F401 - imported here, used by the children
    import httpx2  # noqa: F401
    import mistralai.client  # noqa: F401

    import ingestion.run  # noqa: F401
    from retrieval.tokens import TekkenCounter

    TekkenCounter.load()
    for line in sys.stdin:
        asked = json.loads(line)
        log = Path(asked["configuration"]).with_name("operations.txt")
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            _sync(asked, log)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(
            json.dumps(
                {
                    "code": os.waitstatus_to_exitcode(status),
                    "seconds": time.monotonic() - started,
                    "operations": log.read_text().splitlines() if log.exists() else [],
                }
            )
            + "\n"
        )
        sys.stdout.flush()


def _sync(asked: dict[str, Any], log: Path) -> None:
    code = EXIT_BUG
    try:
        code = _ended(asked, log)
    except BaseException:  # noqa: BLE001 - the child must not come back into the parent's loop
        traceback.print_exc()
    finally:
        os._exit(code)


def _ended(asked: dict[str, Any], log: Path) -> int:
    from ingestion.planning import SyncOptions
    from ingestion.run import synchronise
    from retrieval.configuration import load_configuration
    from retrieval.errors import AskfolioError
    from tests.interruptions import NEEDS_SPACE, watched

    configuration = load_configuration(Path(asked["configuration"]))
    operations: list[str] = []

    def before(operation: str) -> None:
        operations.append(operation)
        if len(operations) == asked.get("operation"):
            os.kill(os.getpid(), signal.SIGKILL)
        if len(operations) >= asked.get("full_from", math.inf) and operation.startswith(
            NEEDS_SPACE
        ):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if "bytes" in asked:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked["bytes"], limits[1]))
    if "seconds" in asked:
        signal.setitimer(signal.ITIMER_REAL, asked["seconds"])  # its signal ends the process
    try:
        with watched(configuration.knowledge_path, before):
            synchronise(configuration, SyncOptions(datetime.now(UTC), yes=True))
    except AskfolioError:
        return 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    log.write_text("\n".join(operations))
    return 0


if __name__ == "__main__":
    main()
