"""What does Hugo itself say about the site's pages, and where do our rules differ?

Its list decides what is published and at which address; our own rules do where it cannot be had.
"""

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from ingestion.errors import SourceError, SourceMissing, SourceUnreachable
from ingestion.hugo.program import MAX_OUTPUT_BYTES, find_hugo, run_hugo

_HEADER = ("path", "slug", "title", "date", "expiryDate", "publishDate", "draft", "permalink")
_ZERO_YEAR = "0001-"


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A row of `hugo list all`.

    Attributes:
        url: Permalink; "" where the page has none.
        draft: Whether it is one.
        publish: None for no date.
        expiry: None for no date.
    """

    url: str
    draft: bool
    publish: datetime | None
    expiry: datetime | None

    def reason_left_out(self, now: datetime) -> str:
        """Why it is not published at `now`; "" if it is."""
        if self.draft:
            return "draft"
        if self.publish and self.publish > now:
            return "future"
        if self.expiry and self.expiry <= now:
            return "expired"
        return "" if self.url else "not-rendered"


@dataclass(frozen=True, slots=True)
class Difference:
    """A page on which our rules and Hugo's list differ.

    Attributes:
        path: Relative to the site.
        ours: Our address, or the reason why we would leave it out.
        theirs: Hugo's.
    """

    path: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Authority:
    """Who decides, and on which word.

    Attributes:
        pages: Hugo's list by path; None where our own rules decide.
        source: Sentence for the owner.
    """

    pages: Mapping[str, ListedPage] | None
    source: str

    def verdict(self, path: str, ours: str, url: str, now: datetime) -> tuple[str, str]:
        """Reason and address of a page, Hugo's where it has a word.

        Args:
            path: Of the page.
            ours: Our reason to leave it out, or "". A page that is built without a page of its
                own (`not-rendered`) is in Hugo's list all the same: there our word counts.
            url: Our address.
            now: Aware.
        """
        if self.pages is None or ours == "not-rendered":
            return ours, url
        listed = self.pages.get(path)
        if listed is None:
            return ours or "not-rendered", url
        theirs = listed.reason_left_out(now)
        if ours and theirs:
            return ours, url
        return theirs, listed.url or url

    def difference(self, path: str, ours: str, url: str, now: datetime) -> Difference | None:
        """The difference between `verdict` and our own rules, if there is one."""
        reason, address = self.verdict(path, ours, url, now)
        mine, theirs = ours or url, reason or address
        if unquote(mine) == unquote(theirs):
            return None
        return Difference(path, mine, theirs)


AskAuthority = Callable[[Path, Path | None, str, datetime], Authority]
"""`ask_hugo`, or what stands in for it."""


def own_rules(root: Path, hugo_list: Path | None, base_url: str, now: datetime) -> Authority:
    """Our own rules alone, whatever Hugo there is."""
    del root, hugo_list, base_url, now
    return Authority(None, "our own rules")


def ask_hugo(root: Path, hugo_list: Path | None, base_url: str, now: datetime) -> Authority:
    """Hugo's list of the site in `root`.

    Args:
        root: The site.
        hugo_list: The output of `hugo list all`; None: the program is asked where there is one.
        base_url: Overrides the site's own.
        now: Clock of the answer.

    Raises:
        SourceMissing: `hugo_list` is named and not there.
        SourceError: `hugo_list` cannot be read as such a list.
    """
    if hugo_list:
        return Authority(read_hugo_list(_file_text(hugo_list)), f"Hugo's list in {hugo_list.name}")
    hugo = find_hugo()
    if hugo is None:
        return Authority(None, "our own rules: there is no hugo program")
    clock = now.isoformat(timespec="seconds")
    arguments = ["list", "all", "--source", str(root), "--noBuildLock", "--clock", clock]
    try:
        listed = read_hugo_list(run_hugo(hugo, arguments, base_url=base_url))
    except SourceError as error:
        return Authority(None, f"our own rules: {error}")
    return Authority(listed, "the hugo program")


def read_hugo_list(text: str) -> dict[str, ListedPage]:
    """The rows of `hugo list all`; lines that Hugo writes around them are not among them.

    Raises:
        SourceUnreachable: There is no such list in `text`.
    """
    header = text.find(",".join(_HEADER))
    if header < 0 or (header and text[header - 1] != "\n"):
        raise SourceUnreachable("what should be the output of `hugo list all` is no such list")
    pages: dict[str, ListedPage] = {}
    rows = csv.DictReader(io.StringIO(text[header:], newline=""))
    width = len(rows.fieldnames or ())
    try:
        for row in rows:
            page = _page(row) if len(row) == width and None not in row.values() else None
            if page:
                pages[row["path"].replace("\\", "/")] = page
    except csv.Error as error:
        raise SourceUnreachable(f"line {rows.line_num} of Hugo's list: {error}") from error
    return pages


def _page(row: Mapping[str, str]) -> ListedPage | None:
    if row["draft"] not in {"true", "false"}:
        return None
    try:
        publish, expiry = _date(row["publishDate"]), _date(row["expiryDate"])
    except ValueError:
        return None
    return ListedPage(row["permalink"], row["draft"] == "true", publish, expiry)


def _date(text: str) -> datetime | None:
    if text.startswith(_ZERO_YEAR):
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a date without a zone")
    return moment


def _file_text(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_OUTPUT_BYTES:
            raise SourceError(
                f"hugo_list names {file}, which has more than {MAX_OUTPUT_BYTES} bytes"
            )
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise SourceMissing(
            f"hugo_list names {file}, which cannot be read ({error.strerror}): write it with "
            "`hugo list all`, or remove hugo_list"
        ) from error
