"""How does text from outside become harmless inside a prompt, without losing what it says?"""

import re

# Invisible: controls, soft hyphen, zero-width and bidi characters, tags, variation selectors.
_BASIC = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
)
_INVISIBLE = re.compile(rf"[{_BASIC}\ud800-\udfff\U000e0000-\U000e0fff]")
VISIBLE = rf"[^\s\x1c-\x1f{_BASIC}]"
"""Some visible character, for the description of the API (ECMA-262 and `re` read it alike)."""
_LINE_ENDS = re.compile(r"\r\n?|[\u0085\u2028\u2029]")
# Tokens of chat templates, which some local servers read inside a message too.
_TEMPLATE = re.compile(
    r"<\|(?=[^|\n]{0,40}\|?>)|<(?=/?s>)|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|"
    r"AVAILABLE_TOOLS|ARGS|CALL_ID|IMG|THINK|PREFIX|MIDDLE|SUFFIX)\])",
    re.IGNORECASE,
)
_DELIMITER = re.compile(
    r"<(?=/?(?:passage|passages|history|question)\b)|<(?=</?\w+>>)", re.IGNORECASE
)


def neutral(text: str, *secrets: str) -> str:
    """Text for the inside of a delimiter.

    Invisible characters go, template tokens and our own delimiters are spaced apart, and the
    random parts of the delimiters are taken out should the text have learnt them.

    Args:
        text: From a page, a repository or a visitor.
        secrets: Random parts of the delimiters around it.
    """
    text = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    for secret in secrets:
        text = text.replace(secret, "…")
    text = _TEMPLATE.sub(lambda found: f"{found.group()[0]} {found.group()[1:]}", text)
    return _DELIMITER.sub("< ", text)


def neutral_line(text: str, *secrets: str) -> str:
    """The same on one line: titles and headings cannot begin a field of their own."""
    return " ".join(neutral(text, *secrets).split())
