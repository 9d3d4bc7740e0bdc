"""What does a heading say: to the reader, and to the renderer that makes its id?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

from markdown_it.token import Token

_NAMED_ENTITY = re.compile(r"&[A-Za-z][A-Za-z0-9]*;")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)|'(?=\d\ds\b)")
_TYPOGRAPHIC = re.compile(r"---|--|\.\.\.|<<|>>|'|\"")
_DASHES = {"---": "—", "--": "–", "...": "…", "<<": "«", ">>": "»"}
_REPLACED = re.compile(r"---|--|\.\.\.|<<|>>")
_DELIMITERS = re.compile(r"[*_~\[]")
_ADDRESS = re.compile(
    r"(?:(?<=[ *_~(])|(?<=--|<<|>>)|(?<=\.\.\.)|^)(?:"
    r"www\.[-a-zA-Z0-9@:%._+~#=]{1,256}\.[a-z]+(?:[/#?][-a-zA-Z0-9@:%_+.~#!?&/=();,'\">^{}\[\]`]*)?"
    r"|(?:https?|ftp)://[-a-zA-Z0-9@:%._+~#=]{1,256}\.[a-z]+(?::\d+)?"
    r"(?:[/#?][-a-zA-Z0-9@:%_+.~#$!?&/=();,'\">^{}\[\]`]*)?"
    r"|[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?>[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63})+)(?![-_])"
    r")"
)
_TRAILING = "?!.,:*_~"


def visible_text(tokens: Sequence[Token], *, typographer: bool = False) -> str:
    """Rendered text of inline tokens, without markup: what the reader sees."""
    parts: list[str] = []
    for token in tokens:
        if token.type == "text":
            parts.append(token.content)
        elif token.type in {"text_special", "code_inline"}:
            # A private mark keeps code and escapes from the typographer.
            parts.append(token.content.replace("'", "\ue000").replace("-", "\ue001"))
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif token.type == "image":
            parts.append(visible_text(token.children or [], typographer=typographer))
    text = "".join(parts)
    if typographer:
        text = _smartened(text)
    return text.replace("\ue000", "'").replace("\ue001", "-")


def goldmark_text(tokens: Sequence[Token], *, typographer: bool = True) -> str:
    """The text from which Hugo makes a heading's id (`render.TextPlain` in Hugo's source).

    Hugo takes all top-level pieces of the heading, but of emphasis, links and images only their
    first child, of bare addresses and tags nothing, and leaves numeric entities unresolved.
    """
    parts: list[str] = []
    index = 0
    open_labels = 0
    while index < len(tokens):
        token = tokens[index]
        end = _end(tokens, index)
        if token.nesting == 1 or token.type == "image":
            parts.append(_first_child(_inside(tokens, index, end), token, typographer))
        elif token.type == "text":
            after_node = not index or tokens[index - 1].type not in {"text", "text_special"}
            text = _without_addresses(token.content, open_labels, after_node=after_node)
            parts.append(_REPLACED.sub(_dash, text) if typographer else text)
            open_labels = max(0, open_labels + _labels(token.content))
        else:
            parts.append(_leaf(token))
        index = end + 1
    return "".join(parts)


def _labels(text: str) -> int:
    return text.count("[") - text.count("]")


def _without_addresses(text: str, open_labels: int, *, after_node: bool) -> str:
    """Text without its bare addresses; goldmark finds none behind a `[` that is still open."""

    def shortened(match: re.Match[str]) -> str:
        inside = max(0, open_labels + _labels(text[: match.start()]))
        return match[0] if inside else _trailing_only(match)

    lead = "" if after_node else "x"
    return _ADDRESS.sub(shortened, lead + text)[len(lead) :]


def _dash(match: re.Match[str]) -> str:
    return _DASHES[match[0]]


def _trailing_only(match: re.Match[str]) -> str:
    """What of a bare address is no part of the link."""
    address = match[0]
    link = address.rstrip(_TRAILING)
    surplus = link.count(")") - link.count("(") if link.endswith(")") else 0
    return address[len(link) - max(surplus, 0) :]


def _leaf(token: Token) -> str:
    if token.type == "code_inline":  # named entities are resolved for the id, numeric ones are not
        return _NAMED_ENTITY.sub(lambda match: unescape(match[0]), token.content)
    if token.type == "text_special":
        numeric = token.markup.startswith("&#")
        return token.markup if numeric else token.content
    return "\n" if token.type in {"softbreak", "hardbreak"} else ""


def _end(tokens: Sequence[Token], index: int) -> int:
    """Index of the token that closes the one at `index`."""
    depth = 0
    for position in range(index, len(tokens)):
        depth += tokens[position].nesting
        if depth <= 0:
            return position
    return len(tokens) - 1


def _inside(tokens: Sequence[Token], index: int, end: int) -> Sequence[Token]:
    if tokens[index].type == "image":
        return tokens[index].children or []
    return tokens[index + 1 : end]


def _first_child(inside: Sequence[Token], parent: Token, typographer: bool) -> str:
    tokens = [token for token in inside if token.type != "text" or token.content]
    if not tokens or parent.info == "auto":
        return ""
    first = tokens[0]
    if first.nesting == 1 or first.type == "image":
        return _first_child(_inside(tokens, 0, _end(tokens, 0)), first, typographer)
    if first.type not in {"text", "text_special"}:
        return _leaf(first)
    in_link = parent.type in {"link_open", "image"}
    return _first_run(tokens, _Cuts(typographer=typographer, addresses=not in_link))


@dataclass(frozen=True, slots=True)
class _Cuts:
    """What goldmark makes a node of its own in running text."""

    typographer: bool
    addresses: bool

    def first(self, text: str) -> tuple[int, bool] | None:
        """Where the first node ends, and whether it starts with a replaced mark."""
        mark = _TYPOGRAPHIC.search(text) if self.typographer else None
        address = _ADDRESS.search(text) if self.addresses else None
        delimiter = _DELIMITERS.search(text)
        places = [match.start() for match in (mark, address) if match]
        places += [delimiter.end()] if delimiter else []
        if not places:
            return None
        return min(places), mark is not None and mark.start() == 0


def _first_run(tokens: Sequence[Token], cuts: _Cuts) -> str:
    """Text up to the first piece that goldmark keeps as a node of its own."""
    run = ""
    for token in tokens:
        if token.type == "text_special":
            run += _leaf(token)
        elif token.type != "text":
            return run + (_leaf(token) if token.type == "softbreak" else "")
        elif cut := cuts.first(token.content):
            place, replaced = cut
            # A replaced mark in first place is itself the first child.
            return "’" if replaced and not run else run + token.content[:place]
        else:
            run += token.content
    return run


def _smartened(text: str) -> str:
    text = _APOSTROPHE.sub("’", text)
    return _TYPOGRAPHIC.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    mark = match[0]
    if mark in _DASHES:
        return _DASHES[mark]
    before = match.string[match.start() - 1 : match.start()]
    opens = not before or before.isspace() or before in "([{—–-«"
    after = match.string[match.end() : match.end() + 1]
    if opens and not after.strip():
        return mark
    return ("“" if opens else "”") if mark == '"' else ("‘" if opens else "’")
