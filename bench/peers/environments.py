"""A virtual environment for each library, so that nothing of it touches the product's."""

import json
import subprocess
import venv
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from retrieval.errors import AskfolioError

DONE_FILE = "requirements.txt"


@dataclass(frozen=True, slots=True)
class Peer:
    """A library.

    Attributes:
        name: Shown in tables.
        module: Which drives it, run in its environment.
        requirements: What is installed there, NumPy of the product's version beside it.
    """

    name: str
    module: str
    requirements: tuple[str, ...]


PEERS = (
    Peer(
        "LangChain EnsembleRetriever",
        "bench.peers.with_langchain",
        ("langchain-classic>=1,<2", "langchain-community>=0.4,<0.5", "faiss-cpu", "rank-bm25"),
    ),
    Peer(
        "LlamaIndex reciprocal rerank",
        "bench.peers.with_llamaindex",
        (
            "llama-index-core>=0.14,<0.15",
            "llama-index-retrievers-bm25",
            "llama-index-vector-stores-faiss",
            "faiss-cpu",
        ),
    ),
    Peer("LanceDB hybrid", "bench.peers.with_lancedb", ("lancedb>=0.40", "numpy")),
)


def interpreter(peer: Peer, folder: Path) -> Path:
    """Python of the library's environment in `folder`, which is made where it is not there yet.

    Raises:
        AskfolioError: The packages cannot be installed.
    """
    place = folder / peer.module.rpartition(".")[2]
    python = place / "bin" / "python"
    # The same FAISS below every library and the product.
    wanted = [
        f"faiss-cpu=={version('faiss-cpu')}" if name == "faiss-cpu" else name
        for name in peer.requirements
    ]
    done = place / DONE_FILE
    if done.is_file() and done.read_text(encoding="utf-8").split() == wanted:
        return python
    venv.create(place, clear=True, with_pip=True)
    ran = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise AskfolioError(f"{peer.name} cannot be installed:\n{ran.stderr[-2000:]}")
    done.write_text("\n".join(wanted), encoding="utf-8")
    return python


def installed(python: Path) -> dict[str, str]:
    """Name and version of every distribution of an environment."""
    program = (
        "import json; from importlib.metadata import distributions; "
        "print(json.dumps({d.name: d.version for d in distributions()}))"
    )
    ran = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)

    found: dict[str, str] = json.loads(ran.stdout)
    return found
