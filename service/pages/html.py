"""How is a page written so that nothing in it can run, load or leave it?"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse

_STYLE = (
    "body{font:1.05rem/1.6 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1b1b;background:#fff}textarea{width:100%;box-sizing:border-box;font:inherit;padding:"
    ".5rem}button{font:inherit;padding:.4rem 1.2rem}.answer{white-space:pre-wrap;"
    "overflow-wrap:anywhere}.notice{border-left:.3rem solid #00558c;padding-left:.8rem}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}a{color:#8cc8ff}"
    ".notice{border-color:#8cc8ff}}"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    # The origin must go along with the form, an address to another site must not.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


def html_response(
    title: str,
    language: str,
    body: str,
    status: int = 200,
    further_headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """A whole page; `body` is HTML, everything else is text."""
    content = (
        f'<!doctype html>\n<html lang="{text(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="robots" content="noindex">\n<title>{text(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{text(title)}</h1>\n{body}\n"
        "</main>\n</body>\n</html>\n"
    )
    return HTMLResponse(content, status, {**_HEADERS, **(further_headers or {})})


def text(value: str) -> str:
    """Text that is no markup, in an element or an attribute."""
    return escape(value, quote=True)


def link(address: str, label: str) -> str:
    """A link where the address is one that a page may hold; its label otherwise."""
    if urlsplit(address).scheme not in ("http", "https", "mailto"):
        return text(label)
    return f'<a href="{text(address)}" rel="noopener">{text(label)}</a>'
