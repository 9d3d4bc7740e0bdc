"""In which ways is a secret written?"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ingestion.git.secret_values import (
    is_assigned,
    is_bare,
    is_bare_in_code,
    is_mixed,
    is_password,
    is_random,
    is_scrambled,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to write a secret.

    Every repetition is possessive, bounded, or ends at a character that it excludes: a text that
    was made to be slow takes time in proportion to its length.

    Attributes:
        why: What it finds.
        expression: Its group `value` is judged.
        is_secret: Whether such a value is one.
        in_settings: None: everywhere. True: only where values need no quotes. False: only in code.
    """

    why: str
    expression: re.Pattern[str]
    is_secret: Callable[[str], bool]
    in_settings: bool | None = None


WORDS = re.compile(
    r"(?P<name>(?:pass(?:word|wd|phrase|code)?|pwd|secret|token(?!i[sz]|s[\s:=_-])|api[_-]?key|"
    r"access[_-]?key|auth[_-]?key|account[_-]?key|service[_-]?key|private[_-]?key|"
    r"encryption[_-]?key|signing[_-]?key|client[_-]?key|master[_-]?key|credentials?|"
    r"contrase[nñ]a|passwort|kennwort|mot[_-]?de[_-]?passe|senha|totp|identified by|"
    r"(?:auth(?<=\bauth)|_auth(?<=\b_auth))\b)[\w-]{0,40}+(?<!name)(?<!ref)(?<!file)(?<!path))"
    r"|_key|key(?<=\bkey)\b|salt(?<=\bsalt)\b|hmac(?<=\bhmac)\b"
)
"""Names of secrets with the rest of the word, and words after which a digest may be a secret.

What ends in `name`, `ref`, `file` or `path` says where a secret is, such as Kubernetes' secretName.
For a text in lower case: that, and a letter first in each, makes the search five times as fast.
"""

_VALUE = (
    # A separator belongs to the value unless the next name follows on it.
    r"(?P<value>(?:[^\s\"'`,;#&]|[,;#&](?![\w.-]{1,40}[=:])){6,400}+)"
)
_QUOTED = (
    r"(?P<quote>[\"'`])"
    r"(?P<value>(?:[^\"'`\\\n]|\\(?:[^\n]|\n[ \t]{0,40})|(?!(?P=quote))[\"'`]){6,4000}+)(?P=quote)"
)
_IS = r"[\"'\])*_`]{0,4}+[ \t]{0,8}+(?::?=|:)[*_`]{0,3}+[ \t]{0,8}+"

AFTER_A_NAME = (
    Rule(
        "a string that is assigned, compared or handed over",
        re.compile(
            r"[\"'`\])]{0,3}+\s{0,8}+(?:(?::=|=>|[:=!]{1,3}|:[ \t]?[&\w .<>\[\]?]{1,30}=|\()"
            rf"[\s(]{{0,12}}+|,[ \t]{{0,8}}+)@?[bruf]?{_QUOTED}"
        ),
        is_assigned,
    ),
    Rule(
        "a value without quotes, in YAML with an anchor or a tag",
        re.compile(rf"{_IS}(?:&\w{{1,40}}[ \t]|!{{1,2}}\w{{0,20}}[ \t])?{_VALUE}"),
        is_bare,
        in_settings=True,
    ),
    Rule(
        "a variable of the environment, in code",
        re.compile(rf"(?<=[A-Z0-9_])={_VALUE}"),
        is_bare,
        in_settings=False,
    ),
    Rule(
        "a random value without quotes, in code",
        re.compile(rf"{_IS}{_VALUE}"),
        is_bare_in_code,
        in_settings=False,
    ),
    Rule(
        "a value alone on the next line, as in YAML",
        re.compile(
            r"[\"']?:[ \t]{0,8}+(?:[>|][-+\d]{0,2})?[ \t]{0,8}+\n[ \t]{1,40}+(?:- )?[\"']?"
            r"(?P<value>[^\s\"':]{6,400}+)[\"']?[ \t]{0,8}+(?=\n|\Z)"
        ),
        is_bare,
        in_settings=True,
    ),
    Rule(
        "a name and a value side by side, as in Kubernetes and XML",
        re.compile(
            r"[\s\"',:{]{1,40}+(?:value|default)[\"']?[ \t]{0,4}+[:=][ \t]{0,4}+"
            r"[\"']?(?P<value>[^\s\"'`]{6,400}+)"
        ),
        is_bare,
    ),
    Rule(
        "the content of an element",
        re.compile(
            r"[\"'*:]{0,3}+[ \t]?(?:>|<\w{1,20}+>|</\w{1,20}+>\s{0,40}+<\w{1,20}+>)"
            r"(?P<value>[^\s<>]{6,400}+)</"
        ),
        is_assigned,
    ),
    Rule(
        "the next word, as in a sentence, a table, a shell or SQL",
        re.compile(
            r"[\"'*_`)]{0,3}+[ \t]{1,8}+(?:(?:is|was|to|by|as)[ \t]{1,4}+|\|[ \t]{0,8}+)?"
            r"[\"'`*]{0,2}+(?P<value>[^\s\"'`|]{8,400}+)"
        ),
        is_scrambled,
    ),
)

ANYWHERE = (
    Rule(
        "credentials in a header",
        re.compile(
            r"\b(?:bearer|basic|token)\s{1,8}+(?P<value>[\w+/=.~-]{16,400}+)", re.IGNORECASE
        ),
        is_random,
    ),
    Rule(
        "a token of one case in a header",
        re.compile(r"\bbearer[ \t]{1,8}+(?P<value>[\w+/=.~-]{16,400}+)", re.IGNORECASE),
        is_mixed,
    ),
    Rule(
        "a cookie",
        re.compile(r"\bcookie:[^\n=]{0,40}+=(?P<value>[^\s;\"']{16,400}+)", re.IGNORECASE),
        is_mixed,
    ),
    Rule(
        "a password in an address; it may hold an @",
        re.compile(r"://[^\s:/@\"'<>]{0,80}+:(?P<value>[^\s/\"'<>]{3,200})@"),
        is_password,
    ),
    Rule(
        "a random password in an address that holds a slash",
        re.compile(r"://[^\s:/@\"'<>]{1,80}+:(?P<value>[^\s@\"'<>]{6,200}+)@"),
        is_scrambled,
    ),
    Rule(
        "a token in place of the user in an address",
        re.compile(r"://(?P<value>[^\s:/@\"'<>]{16,200}+)@"),
        is_mixed,
    ),
    Rule(
        "user and password behind a flag",
        re.compile(r"\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,60}+:(?P<value>[^\s\"']{6,200}+)"),
        is_bare,
    ),
    Rule(
        "a password behind a flag",
        re.compile(r"\s-p[ ]?[\"']?(?P<value>[^\s\"']{8,200}+)"),
        is_scrambled,
    ),
    Rule(
        "a random string",
        re.compile(r"(?P<quote>[\"'])(?P<value>[\w+/=-]{20,}+)(?P=quote)"),
        is_random,
    ),
)

HEX = re.compile(r"(?<![\w-])[0-9a-fA-F]{32,128}+(?![\w-])")
"""A digest, or a secret where one of `WORDS` stands before it in the line."""

UNQUOTED_FILES = re.compile(
    r"(?:^|/)(?:\.env[^/]*|(?:dockerfile|containerfile|makefile)[^/]*|gnumakefile|justfile|procfile|"
    r"pkgbuild|[^/]*\.(?:env|ini|cfg|conf|config|properties|toml|ya?ml|"
    r"sh|bash|zsh|fish|service|example|sample|template|tpl|dist|md|markdown|mdx|rst|txt|adoc|tf|hcl|"
    r"xml|mk|ps1|bat|cmd|sql|gradle|npmrc|yarnrc))$",
    re.IGNORECASE,
)
"""Where values need no quotes, and prose."""
