"""`askfolio init`: the configuration file written for its owner."""

from pathlib import Path

from ingestion.errors import SourceMissing
from ingestion.sources import site_kind
from retrieval.errors import ConfigurationError

_SITE = """\
# askfolio: what is ingested and how it is answered. Every key: see the README.

[site]
name = "site"
path = "."                 # the root of the site
# base_url = "https://example.org/"   # default: the site's own configuration
# owner = "Ada Example"    # third person in answers
# contact = "/contact/"    # where private questions are sent
"""
_NO_SITE = """\
# askfolio: what is ingested and how it is answered. Every key: see the README.
# No site was found here: add sources with `askfolio add PATH`, or a [site] block.
"""


def write_first_configuration(file: Path) -> str:
    """Write `file` for the site that lies beside it; returns what was found there.

    Raises:
        ConfigurationError: The file exists or cannot be written.
    """
    if file.exists():
        raise ConfigurationError(f"{file} exists: edit it, or remove it first")
    root = file.absolute().parent
    try:
        kind = site_kind(root)
    except SourceMissing as error:
        raise ConfigurationError(f"{root} is no folder") from error
    holds_site = kind == "hugo" or any(root.rglob("*.md"))
    _write(file, _SITE if holds_site else _NO_SITE)
    return kind if holds_site else "none"


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}") from error
