"""What do secrets look like in a text?"""

import re

# Forms of tokens that their issuers publish, shorter than issued: a shortened token is one too.
TOKEN = re.compile(
    r"\bgh[pousr]_\w{16}|\bgithub_pat_\w{16}|\bgl(?:pat|ptt|rt|dt|ft|soat|cbt|agent|oas)-[\w-]{12}"
    r"|\bnpm_[A-Za-z0-9]{16}|\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12}|\bsk-[\w-]{20}"
    r"|\b(?:sk|rk)_(?:live|test)_\w{10}|\bwhsec_\w{16}|\bxox[abeoprs]-[\w-]{10}|\bxapp-[\w-]{10}"
    r"|\bAIza[\w-]{30}|\bya29\.[\w-]{20}|\bSG\.[\w-]{16,}\.[\w-]{16}|\bpypi-[\w-]{30}"
    r"|\bdo[opr]_v1_\w{16}|\bhf_[A-Za-z0-9]{20}|\bshp(?:at|ss|ca|pa)_\w{16}|\bglsa_\w{16}"
    r"|\blin_api_\w{16}|\bsq0[a-z]{3}-[\w-]{20}|\bhv[sb]\.[\w-]{20}|\bAGE-SECRET-KEY-1\w{10}"
    r"|\bdckr_pat_[\w-]{16}|\btskey-[\w-]{16}|\bsntr[yu]s?_\w{16}|\bNRAK-\w{16}|\bPMAK-\w{16}"
    r"|\bATATT3x[\w-]{16}|\bgsk_\w{20}|\br8_\w{20}|\bkey-[0-9a-f]{32}\b|\bnf[cp]_\w{16}"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8}|\b\d{8,10}:AA[\w-]{30}|\bhooks\.slack\.com/services/\w"
    r"|\bdiscord(?:app)?\.com/api/webhooks/\d"
)
_NAME = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token(?!i[sz]|s[\s:=_-])|api[_-]?key|access[_-]?key|auth[_-]?key|"
    r"account[_-]?key|service[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|"
    r"client[_-]?key|master[_-]?key|credentials?|contrase[nñ]a|passwort|kennwort|apikey|"
    r"mot[_-]?de[_-]?passe|senha|\b_?auth\b)"
)
QUOTED = re.compile(
    rf"{_NAME}[\w-]{{0,40}}[\"'\])]{{0,3}}\s{{0,8}}"
    r"(?:(?::=|=>|[:=!]{1,3}|\()[\s(]{0,12}|,[ \t]{0,8})@?[bruf]?"
    r"(?P<quote>[\"'`])(?P<value>[^\"'`\s]{6,})(?P=quote)",
    re.IGNORECASE,
)
BARE = re.compile(
    rf"{_NAME}[\w-]{{0,40}}[\"'\])]{{0,3}}[ \t]{{0,8}}[:=][ \t]{{0,8}}"
    r"(?P<value>[^\s\"'`,;#]{6,})",
    re.IGNORECASE,
)
VARIABLE = re.compile(r"[A-Z0-9_]+=")
HEADER = re.compile(r"\b(?:bearer|basic|token)\s+(?P<value>[\w+/=.~-]{16,})", re.IGNORECASE)
IN_ADDRESS = re.compile(r"://[^\s:/@\"'<>]{0,80}:(?P<value>[^\s/@\"'<>]{3,200})@")
HEX = re.compile(r"(?<![\w-])(?P<value>[0-9a-fA-F]{32,128})(?![\w-])")
HEX_WORD = re.compile(rf"{_NAME}|\bkey\b|_key|\bsalt\b|\bhmac\b", re.IGNORECASE)
BASE64 = re.compile(r"(?P<quote>[\"'])(?P<value>[\w+/=-]{20,})(?P=quote)")
STAND_INS = frozenset({"pass", "password", "passwd", "pwd", "pw", "secret", "token", "user"})
REFERENCE = re.compile(r"\$|\{|\}|<|>|%|\(|\)|\*{3}|\.{3}|x{4}|^(?:https?|file)://", re.IGNORECASE)
PLACE = re.compile(r"\.{0,2}/?[a-z]+(?:[./:_-]+[a-z0-9]+)*/?")
WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
CODE_VALUE = re.compile(r"[\[\]|&+]|^(?:self|os|process|config|settings|env|this|secrets|vars)\.")

BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-")
END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|^Private-MAC:")
KEY_LINE = re.compile(r"[\s\"'+#/*>|]*[A-Za-z0-9+/=]{16,}[\s\"'+,;\\n]*")
MAX_KEY_LINES = 200
UNQUOTED_FILES = re.compile(
    r"(?:^|/)(?:\.env[^/]*|dockerfile[^/]*|[^/]*\.(?:env|ini|cfg|conf|config|properties|toml|ya?ml|"
    r"sh|bash|zsh|service|example|sample|template|tpl|dist|md|markdown|mdx|rst|txt|adoc|tf|hcl|xml|"
    r"ps1|bat|cmd|sql|gradle|npmrc|yarnrc))$",
    re.IGNORECASE,
)
