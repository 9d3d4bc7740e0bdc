"""What does a host's API answer? One GET, bounded in size and time, and what a refusal means."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ingestion.errors import SourceUnreachable

MAX_ANSWER_BYTES = 16 << 20
TIMEOUT_S = 20.0
MAX_ANSWER_S = 60.0
_PIECE_BYTES = 1 << 16
_NOT_FOUND = 404
_REFUSED = frozenset({401, 403})
_TOO_MANY = 429


class NotOnHost(SourceUnreachable):
    """The host answers that there is no such thing, or with a page for people."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A parsed answer.

    Attributes:
        value: What the JSON holds.
        link: The `Link` header, which says whether there is a further page; None without one.
    """

    value: object
    link: str | None


class _SameHost(HTTPRedirectHandler):
    """Follows a redirect on the host itself; the token goes nowhere else."""

    def redirect_request(
        self,
        req: Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> Request | None:
        """The next request, or an error."""
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            raise URLError(f"it redirects to another host, {urlsplit(newurl).hostname}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def get_json(url: str, headers: Mapping[str, str]) -> Answer:
    """Ask for one document.

    Args:
        url: https, or http on loopback.
        headers: Authorization among them; it appears in no message.

    Raises:
        NotOnHost: 404, or no JSON.
        SourceUnreachable: No answer, a refusal, a rate limit, or too much.
    """
    sent = {"User-Agent": "askfolio", "Accept": "application/json", **headers}
    place = _shown(url)
    try:
        with build_opener(_SameHost()).open(Request(url, headers=sent), timeout=TIMEOUT_S) as got:
            content = _read(got, place)
            link = got.headers.get("Link")
    except HTTPError as error:
        with error:
            raise _refusal(error, place, has_token="Authorization" in headers) from error
    except (URLError, HTTPException, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise SourceUnreachable(f"{place} does not answer: {reason}") from error
    try:
        return Answer(json.loads(content), link)
    except (ValueError, RecursionError) as error:
        raise NotOnHost(f"{place} answered with no JSON: is this a Git host?") from error


def _read(stream: IO[bytes], place: str) -> bytes:
    deadline = time.monotonic() + MAX_ANSWER_S
    pieces = bytearray()
    while piece := stream.read(_PIECE_BYTES):
        pieces += piece
        if len(pieces) > MAX_ANSWER_BYTES:
            raise SourceUnreachable(f"{place} answered with more than {MAX_ANSWER_BYTES} bytes")
        if time.monotonic() > deadline:
            raise SourceUnreachable(f"{place} took longer than {MAX_ANSWER_S:.0f} s to answer")
    return bytes(pieces)


def _refusal(error: HTTPError, place: str, *, has_token: bool) -> SourceUnreachable:
    code = error.code
    if code == _NOT_FOUND:
        return NotOnHost(f"{place} is not there (404): check the name of the user or organisation")
    if code == _TOO_MANY or error.headers.get("X-RateLimit-Remaining") == "0":
        advice = "" if has_token else ", or name a token's variable with --token-env"
        return SourceUnreachable(
            f"{place} refuses further questions (rate limit, {code}): try again"
            f"{_when(error.headers)}{advice}"
        )
    if code in _REFUSED:
        advice = "the token is not accepted" if has_token else "it asks for a token (--token-env)"
        return SourceUnreachable(f"{place} refused ({code}): {advice}")
    return SourceUnreachable(f"{place} answered {code}: try again later")


def _when(headers: Message) -> str:
    """When the limit ends, as the host says it: in seconds, or as a time since 1970."""
    wait, reset = headers.get("Retry-After", ""), headers.get("X-RateLimit-Reset", "")
    if wait.isdecimal():
        return f" in {wait[:9]} s"
    if reset.isdecimal() and len(reset) <= 10:
        return f" after {datetime.fromtimestamp(int(reset), UTC):%Y-%m-%d %H:%M} UTC"
    return " later"


def _shown(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
