"""Does a path match one of Hugo's glob patterns?"""

import re
from functools import lru_cache

_MARKS = re.compile(r"\*\*|\\.|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)
_PLAIN = {"**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}
MAX_PATTERN_CHARS = 1000


@lru_cache(maxsize=512)
def glob(pattern: str) -> re.Pattern[str]:
    """`pattern` as a regular expression for `fullmatch`.

    `*` and `?` stay within one segment, `**` crosses `/`, `{a,b}` are alternatives, `[…]` is a
    class. Case is the caller's.
    """
    expression, depth = "", 0
    for mark in _MARKS.findall(pattern[:MAX_PATTERN_CHARS]):
        depth += (mark == "{") - (mark == "}")
        if mark == "," and depth > 0:
            expression += "|"
        elif len(mark) > 2 and mark[0] == "[":
            inner = mark[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            expression += "[" + ("^" + inner[1:] if inner[0] in "!^" else inner) + "]"
        elif mark[0] == "\\" and len(mark) == 2:
            expression += re.escape(mark[1])
        else:
            expression += _PLAIN.get(mark) or re.escape(mark)
    try:
        return re.compile(expression, re.DOTALL)
    except re.error:
        # An unbalanced pattern is an error in Hugo; here it matches its own spelling.
        return re.compile(re.escape(pattern))


def matches(pattern: str, text: str) -> bool:
    """Whether the whole of `text` fits `pattern`."""
    return glob(pattern).fullmatch(text) is not None
