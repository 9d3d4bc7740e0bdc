"""What lies at a web address? Fetched politely: bounded in size and time, http and https only."""

import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import IO
from urllib.parse import quote, urlsplit

from ingestion.errors import DocumentUnreadable, SourceUnreachable

USER_AGENT = "askfolio"
TIMEOUT_S = 15.0
DEADLINE_S = 60.0
_PIECE_BYTES = 1 << 16
_SCHEMES = frozenset({"http", "https"})
_PORTS = {"http": 80, "https": 443}


class AddressRefused(SourceUnreachable):
    """An address answers with an error status.

    Attributes:
        status: As sent.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was sent.

    Attributes:
        address: Where it lies, redirects followed.
        body: Its bytes.
        content_type: Lower case, without parameters.
        charset: As the header names it; "" where it does not.
        robots: The X-Robots-Tag header, lower case.
    """

    address: str
    body: bytes
    content_type: str
    charset: str
    robots: str


def origin_of(address: str) -> str:
    """`scheme://host[:port]` in lower case without a default port; "" for what has none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _SCHEMES or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    suffix = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{suffix}"


def fetch(address: str, max_bytes: int, origin: str = "") -> Fetched:
    """The content of `address`.

    Args:
        address: http or https.
        max_bytes: Limit of the body.
        origin: No redirect leaves it; "" where a redirect may lead to any https host.

    Raises:
        SourceUnreachable: No answer, an answer that takes too long, a redirect that is not allowed.
        AddressRefused: An error status.
        DocumentUnreadable: More than `max_bytes`.
    """
    if not origin_of(address):
        raise SourceUnreachable(f"{address} is no http or https address: correct site.url")
    request = urllib.request.Request(_ascii(address), headers={"User-Agent": USER_AGENT})
    try:
        with _opener(origin).open(request, timeout=TIMEOUT_S) as response:
            return _fetched(response, address, max_bytes)
    except urllib.error.HTTPError as error:
        error.close()
        raise AddressRefused(f"{address} answers {error.code}", error.code) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise SourceUnreachable(f"{address} cannot be reached: {reason}") from error


def _fetched(response: http.client.HTTPResponse, address: str, max_bytes: int) -> Fetched:
    end = time.monotonic() + DEADLINE_S
    body = bytearray()
    while piece := response.read1(_PIECE_BYTES):
        body += piece
        if len(body) > max_bytes:
            raise DocumentUnreadable(f"too-large: {address} is more than {max_bytes} bytes")
        if time.monotonic() > end:
            raise SourceUnreachable(f"{address} takes longer than {DEADLINE_S:.0f} s")
    return Fetched(
        response.geturl(),
        bytes(body),
        response.headers.get_content_type(),
        response.headers.get_content_charset("") or "",
        (response.headers.get("X-Robots-Tag") or "").lower(),
    )


def _opener(origin: str) -> urllib.request.OpenerDirector:
    """An opener for the web alone: urllib's own default opens files and FTP too."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(origin),
    ):
        opener.add_handler(handler)
    return opener


class _Redirects(urllib.request.HTTPRedirectHandler):
    max_redirections = 5

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        target = origin_of(newurl)
        insecure = req.full_url.startswith("https:") and not target.startswith("https:")
        if not target or insecure or (self._origin and target != self._origin):
            raise SourceUnreachable(f"{req.full_url} leads to {newurl}, which is not followed")
        # Known handlers pass the headers of a Message; typeshed wants the response's own class.
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _ascii(address: str) -> str:
    """The address as it goes over the wire: path percent-encoded, host in IDNA."""
    parts = urlsplit(address)
    host = parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._")
    return parts._replace(netloc=host, path=path, query=query, fragment="").geturl()
