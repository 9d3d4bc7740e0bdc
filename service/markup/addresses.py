"""Where does a bare address, an autolink or a tag with an address stand?"""

import re

from service.citations import trimmed_url
from service.markup.construct import Construct, window

MAX_URL_CHARS = 2048
MAX_TAG_CHARS = 1000
_PREFIXES = ("http://", "https://", "ftp://", "www.")
_BODY = re.compile(r"[^\s<>\"'`|\\^{}\x00]+")
# A sentence in Chinese, Japanese or Korean goes on behind an address without a space.
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9+.-]*)")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_MAIL = re.compile(r"<([\w.+-]+@[\w.-]+)>", re.ASCII)
_BEGUN = re.compile(r"</?[\w.+@-]*", re.ASCII)
_LINKING_TAGS = frozenset(
    ["a", "applet", "area", "audio", "base", "button", "embed", "form", "frame", "iframe", "img"]
) | frozenset(
    ["input", "link", "math", "meta", "object", "script", "source", "style", "svg", "video"]
)


def bare_url(text: str, at: int, final: bool) -> Construct | None:
    """The address that may begin at a letter; a single character of text; None: wait."""
    view = window(text, at, MAX_URL_CHARS, final)
    lowered = view.text[:8].lower()
    for prefix in _PREFIXES:
        if lowered.startswith(prefix):
            return _url(text, at, final, skip=len(prefix), resolvable=True)
        if view.is_open and prefix.startswith(lowered):
            return None
    return Construct("text", at + 1, view.text[0])


def scheme_rest(text: str, at: int, final: bool) -> Construct | None:
    """`://…` behind a scheme that is already visible: what follows it is dropped."""
    view = window(text, at, MAX_URL_CHARS, final)
    if view.text.startswith("://"):
        return _url(text, at, final, skip=3, resolvable=False)
    if view.is_open and "://".startswith(view.text):
        return None
    return Construct("text", at + 1, ":")


def _url(text: str, at: int, final: bool, skip: int, resolvable: bool) -> Construct | None:
    view = window(text, at, MAX_URL_CHARS, final)
    body = _BODY.match(view.text, skip)
    end = body.end() if body else skip
    if end == len(view.text) and view.is_open:
        return None
    long = trimmed_url(view.text[:end])
    if len(long) <= skip:
        return Construct("text", at + 1, view.text[0])
    wide = _WIDE.search(long, skip)
    short = trimmed_url(long[: wide.start()]) if wide and wide.start() > skip else long
    if not resolvable:
        return Construct("drop", at + len(short))
    return Construct("url", at + len(long), short, long)


def angle(text: str, at: int, final: bool) -> Construct | None:
    """An autolink, a tag that can load or link something, or `<` as text; None: wait."""
    view = window(text, at, MAX_TAG_CHARS, final)
    mail = _MAIL.match(view.text)
    if mail:
        return _mailbox(at + mail.end(), mail.group(1))
    if view.is_open and _BEGUN.fullmatch(view.text):
        return None
    name = _TAG_NAME.match(view.text)
    if name is None:
        return Construct("text", at + 1, "<")
    if view.text[name.end() : name.end() + 1] == ":":
        return _autolink(view.text, at, view.is_open)
    if name.group(1).lower() in _LINKING_TAGS:
        close = view.text.find(">")
        if close >= 0:
            return Construct("drop", at + close + 1)
        if view.is_open:
            return None
    return Construct("text", at + 1, "<")


def _autolink(view: str, at: int, is_open: bool) -> Construct | None:
    found = _AUTOLINK.match(view)
    if found:
        address = found.group(1)
        if address.lower().startswith("mailto:"):
            return _mailbox(at + found.end(), address[7:])
        return Construct("url", at + found.end(), address, address)
    if is_open and not re.search(r"[\s>]", view):
        return None
    # What is dropped further on must not make one of it.
    return Construct("text", at + 1, "< ")


def _mailbox(end: int, address: str) -> Construct:
    """A link to nothing that can be cited: what stands in it is read again, as any label."""
    return Construct("link", end, address)
