"""A measurement in a process of its own: JSON in, JSON out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from retrieval.errors import AskfolioError

ROOT = Path(__file__).parent.parent
# NumPy's products with one thread, as a query has: FAISS sets its own number.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


def run_child(
    module: str, *arguments: str, request: object = None, one_thread: bool = False
) -> dict[str, Any]:
    """Run `python -m module`, and read what it prints.

    Raises:
        AskfolioError: It failed; holds the end of what it said.
    """
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | (ONE_THREAD if one_thread else {}),
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise AskfolioError(f"python -m {module} failed:\n{ran.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer
