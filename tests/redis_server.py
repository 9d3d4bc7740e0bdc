"""A Redis of a test's own: no port, nothing on disk."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# Debian ships the server in redis-tools under the second name: it acts by the name it is called by,
# and the package redis-server, which holds the link, would start one for the whole machine.
PROGRAM = shutil.which("redis-server") or shutil.which("redis-check-rdb")
needs_redis = pytest.mark.skipif(
    PROGRAM is None, reason="Redis is not installed: `make browsers` installs it"
)


@contextmanager
def running_redis(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Its address, and its process."""
    assert PROGRAM is not None
    program, socket = folder / "redis-server", folder / "redis.sock"
    if not program.exists():
        program.symlink_to(PROGRAM)
    options = ("--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder)
    with subprocess.Popen([program, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert any("eady to accept connections" in line for line in process.stdout)
        try:
            yield f"unix://{socket}", process
        finally:
            process.terminate()
