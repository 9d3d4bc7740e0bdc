"""Why a request is refused, with its HTTP status and its code.

ServiceFailed
VisitorLogError
RequestRejected
    Malformed 400, OriginNotAllowed 403, BodyTooLarge 413, NotJson 415, Invalid 422,
    ModeUnavailable 409, RateLimited 429, NotReady 503, Overloaded 503
"""

from typing import ClassVar

from retrieval.errors import AskfolioError


class ServiceFailed(AskfolioError):
    """The service could not start."""


class VisitorLogError(AskfolioError):
    """The visitor log cannot be read or written."""


class RequestRejected(AskfolioError):
    """A request that is not answered; its message never holds what the visitor sent."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "malformed"


class Malformed(RequestRejected):
    """The body is no JSON object in UTF-8."""


class OriginNotAllowed(RequestRejected):
    """The page that asks is none of the allowed ones."""

    status = 403
    code = "origin_not_allowed"


class BodyTooLarge(RequestRejected):
    """The body has more bytes than allowed."""

    status = 413
    code = "too_large"


class NotJson(RequestRejected):
    """The content type is not application/json."""

    status = 415
    code = "not_json"


class Invalid(RequestRejected):
    """A field is missing, unknown, of another type, or too long."""

    status = 422
    code = "invalid"


class ModeUnavailable(RequestRejected):
    """The generation that serves has no vectors for this ranking."""

    status = 409
    code = "mode_unavailable"


class RateLimited(RequestRejected):
    """This visitor has sent too many requests."""

    status = 429
    code = "rate_limited"


class Overloaded(RequestRejected):
    """Too many requests are under way."""

    status = 503
    code = "overloaded"


class NotReady(RequestRejected):
    """No generation can be served."""

    status = 503
    code = "not_ready"
