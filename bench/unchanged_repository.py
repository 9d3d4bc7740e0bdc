"""What does the sync of a repository with nothing new cost, beside a fetch that brings nothing?

    python -m bench.unchanged_repository [--files 10000] [--repeats 21]

The process runs already, so that start-up is in neither; the two take turns. Times are medians of
wall seconds: most of both is spent in git.
"""

import argparse
import cProfile
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import load_configuration

CONFIGURATION = """\
[embedding]
provider = "none"
[[repository]]
name = "many"
url = "{url}"
"""
_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--profile", type=Path, help="Write cProfile data of one sync.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        os.environ["XDG_CACHE_HOME"] = str(root / "cache")
        url = _repository(root / "many", options.files).as_uri()
        file = root / "askfolio.toml"
        file.write_text(CONFIGURATION.format(url=url), encoding="utf-8")
        configuration = load_configuration(file)
        clone = root / "clone"
        _git(
            root,
            "clone",
            "--quiet",
            "--no-checkout",
            "--depth=1",
            "--filter=blob:none",
            url,
            str(clone),
        )

        def sync() -> None:
            report = synchronise(configuration, SyncOptions(datetime.now(UTC)))
            if report.errors:
                raise SystemExit(report.errors[0].reason)

        sync()
        pairs = [
            (_seconds(sync), _seconds(lambda: _git(clone, "fetch", "--quiet")))
            for _ in range(options.repeats)
        ]
        if options.profile:
            profile = cProfile.Profile()
            profile.runcall(sync)
            profile.dump_stats(options.profile)
    syncs, fetches = (median(times) for times in zip(*pairs, strict=True))
    print(
        json.dumps(
            {
                "files": options.files,
                "sync_s": round(syncs, 4),
                "git_fetch_s": round(fetches, 4),
                "sync_to_fetch": round(syncs / fetches, 2),
            },
            indent=1,
        )
    )


def _repository(root: Path, files: int) -> Path:
    for number in range(files):
        file = root / f"part{number % 100:02d}" / f"module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'def step{number}():\n    """Step {number}."""\n', encoding="utf-8")
    _git(root, "init", "--quiet")
    _git(root, "config", "uploadpack.allowFilter", "true")
    _git(root, "add", "--all")
    _git(root, *_IDENTITY, "commit", "--quiet", "--message", "All modules")
    return root


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


if __name__ == "__main__":
    main()
