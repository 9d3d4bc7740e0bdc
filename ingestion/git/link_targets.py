"""Which address does a relative link in a repository file lead to?"""

import re
from urllib.parse import quote, unquote_to_bytes, urljoin

from ingestion.git.links import FileLinks

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PARTS = re.compile(r"(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?P<fragment>#.*)?", re.DOTALL)
_KEPT = "/!$*+,-.:;=@_~%?&#"
_MAX_CHARS = 2000


def link_target(
    links: FileLinks, commit: str, name: bytes, destination: str, *, is_image: bool
) -> str:
    """Absolute address at the commit; "" for a destination that stays as it is.

    A path is relative to the file's folder, or to the root of the repository with `/` in front; an
    image leads to its content. On a known host a path that leaves the repository is what the
    host makes of it (`../../issues`); on another it stays.

    Args:
        links: How files of the repository are linked.
        commit: Full id.
        name: Path of the file that holds the link.
        destination: As the Markdown parser reads it, without escapes.
        is_image: Whether it is shown in place.
    """
    page = links.page_url(commit, name)
    absolute = _SCHEME.match(destination) or destination.startswith(("//", "\\"))
    if page is None or absolute or not destination.strip() or len(destination) > _MAX_CHARS:
        return ""
    parts = _PARTS.fullmatch(destination)
    if parts is None or (is_image and not parts["path"]):
        return ""
    address = page if not parts["path"] else _path_address(links, commit, name, parts["path"], page)
    if is_image and links.raw and parts["path"]:
        inside = _inside(name, parts["path"])
        address = links.raw_url(commit, inside) if inside else address
    if not address:
        return ""
    query = "" if "?" in address else parts["query"] or ""
    return _closed(address + quote(query + (parts["fragment"] or ""), safe=_KEPT))


def _path_address(links: FileLinks, commit: str, name: bytes, path: str, page: str) -> str:
    inside = _inside(name, path)
    if inside:
        return links.page_url(commit, inside) or ""
    return urljoin(page, quote(unquote_to_bytes(path), safe="/!$*+,-.:;=@_~")) if links.raw else ""


def _inside(name: bytes, path: str) -> bytes:
    """The path in the repository; empty for its root and for what lies outside."""
    raw = unquote_to_bytes(path)
    place = [] if raw.startswith(b"/") else name.split(b"/")[:-1]
    for part in raw.split(b"/"):
        if part == b"..":
            if not place:
                return b""
            place.pop()
        elif part not in (b"", b"."):
            place.append(part)
    return b"/".join(place)


def _closed(address: str) -> str:
    """Without what would end a destination in Markdown or an attribute in HTML."""
    return address.replace("(", "%28").replace(")", "%29").replace("'", "%27")
