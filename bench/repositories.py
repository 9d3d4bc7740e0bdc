"""Is every line of a repository in a chunk, and is every citation the text at its commit?

    python -m bench.repositories DIR... [--max-tokens 400] [--left-out]

Takes unpacked source distributions or checkouts (their own `.git` is not used), makes a repository
of each, reads and chunks it as a sync does, and compares with what `git cat-file` says: every file
is a document or reported, every line with a word is in a chunk, and each chunk's text is that of
the lines it cites. Seconds are of reading and chunking; memory is the peak of this process.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.chunking import chunk_document
from ingestion.git.content import decode
from ingestion.git.secrets import without_secrets
from ingestion.sources.repository import GitRepository
from retrieval.configuration import Chunking, Repository
from retrieval.tokens import TekkenCounter
from retrieval.types import Chunk, Document

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"\s*#{1,6}(?:\s|$)")
_UNDERLINE = re.compile(r"\s*(?:=+|-+)\s*")
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "bench"), ("EMAIL", "bench@localhost"))
}


@dataclass(slots=True)
class Checked:
    """What was found in one repository.

    Attributes:
        lost: `path:line` of lines with a word that no chunk holds.
        wrong: chunk ids whose text is not that of the lines they cite.
    """

    files: int = 0
    documents: int = 0
    chunks: int = 0
    tokens: int = 0
    unreported: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Print one JSON document; end with 1 where something is lost, wrong or not reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--max-tokens", type=int, default=Chunking().max_tokens)
    parser.add_argument("--left-out", action="store_true", help="list every file left out")
    options = parser.parse_args()
    results = {}
    for folder in options.folder:
        with tempfile.TemporaryDirectory() as place:
            results[folder.name] = _check(folder, Path(place), options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"repositories": results, "peak_memory_mib": peak}, indent=1))
    bad = any(found[name] for found in results.values() for name in ("lost", "wrong", "unreported"))
    raise SystemExit(1 if bad else 0)


def _check(folder: Path, place: Path, options: argparse.Namespace) -> dict[str, object]:
    made = place / "made"
    shutil.copytree(folder, made, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for arguments in (
        ("init", "--quiet", "-b", "main"),
        ("add", "-A", "-f", "."),
        ("commit", "--quiet", "--allow-empty", "-m", "as it was unpacked"),
    ):
        _git(made, *arguments)
    counter = TekkenCounter.load()
    started = time.perf_counter()
    listing = GitRepository(Repository(path=str(made)), place, place / "clones").listing()
    overlap = min(Chunking().overlap_tokens, options.max_tokens // 4)
    chunked = [
        (document, chunk_document(document, counter, options.max_tokens, overlap))
        for document in listing.documents
    ]
    seconds = time.perf_counter() - started
    found = Checked(documents=len(chunked))
    for document, chunks in chunked:
        found.chunks += len(chunks)
        found.tokens += sum(chunk.tokens for chunk in chunks)
        _compare(found, made, document, chunks)
    names = _git(made, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1]
    reported = {document.path for document, _ in chunked} | {one.path for one in listing.skipped}
    found.files = len(names)
    found.unreported = [name for name in names if name not in reported]
    found.left_out = Counter(one.reason.split(":")[0] for one in listing.skipped)
    result: dict[str, object] = {
        name: getattr(found, name) for name in Checked.__dataclass_fields__
    } | {"seconds": round(seconds, 2)}
    if options.left_out:
        result["skipped"] = {one.path: one.reason for one in listing.skipped}
    return result


def _compare(found: Checked, repository: Path, document: Document, chunks: Sequence[Chunk]) -> None:
    if any(chunk.start_line is None for chunk in chunks):
        return  # a notebook, whose cells have no lines
    content = _git(repository, "cat-file", "blob", f"HEAD:{document.path}")
    text = without_secrets(decode(content), document.path).text
    is_prose = document.kind == "text"
    lines = text.split("\n")
    hidden = _hidden_lines(text) if is_prose else set()
    held: set[int] = set()
    for chunk in chunks:
        first, last = chunk.start_line or 0, chunk.end_line or 0
        held |= set(range(first, last + 1))
        cited = "\n".join(lines[first - 1 : last])
        is_tight = chunk.text.count("\n") == last - first
        if not (chunk.text in cited and is_tight) and not hidden & set(range(first, last + 1)):
            found.wrong.append(chunk.chunk_id)
    for number, line in enumerate(lines, start=1):
        if number in held or number in hidden or not any(map(str.isalnum, line)):
            continue
        if not (is_prose and (_is_heading(lines, number) or _is_front_matter(lines, number))):
            found.lost.append(f"{document.path}:{number}")


def _hidden_lines(text: str) -> set[int]:
    """Lines of HTML comments, which a page does not show."""
    hidden: set[int] = set()
    for comment in _COMMENT.finditer(text):
        first = text.count("\n", 0, comment.start()) + 1
        hidden |= set(range(first, first + comment[0].count("\n") + 1))
    return hidden


def _is_heading(lines: Sequence[str], number: int) -> bool:
    """A heading right above a deeper one is said by the headings of that."""
    below = lines[number] if number < len(lines) else ""
    return bool(_HEADING.match(lines[number - 1]) or _UNDERLINE.fullmatch(below))


def _is_front_matter(lines: Sequence[str], number: int) -> bool:
    if lines[0] != "---" or "---" not in lines[1:]:
        return False
    return number <= lines.index("---", 1) + 1


def _git(folder: Path, *arguments: str) -> bytes:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull} | _IDENTITY
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
