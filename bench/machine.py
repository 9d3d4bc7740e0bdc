"""On what was it measured? Every result file says so."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

KIBIBYTE = 1024  # the kernel's "kB"
PACKAGES = ("faiss-cpu", "numpy", "rank-bm25", "tantivy")


def environment(seed: int) -> Mapping[str, object]:
    """Processor, cores, memory, versions, commit, command and seed."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
        "commit": _commit(),
        # Paths by their names: where something lies on this machine is nobody's business.
        "command": [Path(argument).name or argument for argument in sys.orig_argv],
        "seed": seed,
    }


def resident_mb(process: int | str = "self") -> float:
    """Resident memory of a process now, this one by default, pages of mapped files included."""
    return _status_mb(process, "VmRSS")


def anonymous_mb(process: int | str = "self") -> float:
    """What of it is no page of a file, which the kernel could give to others at any time."""
    return _status_mb(process, "RssAnon")


def _status_mb(process: int | str, name: str) -> float:
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return round(int(line.split()[1]) * KIBIBYTE / 1e6, 1)
    return 0.0


def peak_mb() -> float:
    """The most that was resident of this process so far.

    Not `ru_maxrss`: a child begins with that of the process that started it.
    """
    return _status_mb("self", "VmHWM")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _commit() -> str:
    ran = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip() if ran.returncode == 0 else ""
