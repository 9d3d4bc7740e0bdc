"""What is kept about visitors, and what is sent to whom? Made from the running configuration."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from retrieval.configuration import Answer, Configuration, Embedding
from service.pages.html import html_response, link, text
from service.upstream import is_generated

_REGIONS = {
    "eu": "European Union",
    "us": "United States",
    "global": "not tied to a region",
}
_OWN_SERVER = "as its operator runs it: this software does not know"
_KEPT = {
    "off": "Nothing: no question, answer, address, time or session, on disk or in any log.",
    "counts": "The number of answers of each outcome a day. No text, no address, no time.",
    "consent": (
        "Only where you agree for a question: its text with e-mail addresses and phone numbers "
        "masked, the day, the language, the outcome and the pages that the answer names. "
        "No address, no time. The receipt in the answer erases it."
    ),
    "anonymous": (
        "Unless you say no for a question: its text with e-mail addresses and phone numbers "
        "masked, the day, the language, the outcome and the pages that the answer names. No "
        "address, no time. Text that you write can still tell who you are, so write no personal "
        "data. The receipt in the answer erases it."
    ),
}


class _Out(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SentOut(_Out):
    """Something that leaves the host."""

    to: str
    region: str
    what: str
    purpose: Literal["search", "answer"]


class KeptOut(_Out):
    """What the visitor log keeps.

    Attributes:
        days: After so many days it is deleted; None where nothing is kept.
        legal_basis: As the owner names it; None where nothing is kept without asking.
    """

    mode: Literal["off", "counts", "consent", "anonymous"]
    what: str
    days: int | None
    legal_basis: str | None
    erase: str | None


class PrivacyResponse(_Out):
    """`GET /privacy`."""

    owner: str
    contact: str | None
    automated: str
    sent: list[SentOut]
    kept: KeptOut
    memory: str
    cookies: Literal[False] = False
    notes: list[str]


def privacy(configuration: Configuration, contact: str | None, embedder_id: str) -> PrivacyResponse:
    """What holds for this process.

    Args:
        configuration: As it runs.
        contact: Where to ask, or None.
        embedder_id: Of the generation that serves; "" for keyword search alone.
    """
    return PrivacyResponse(
        owner=next((site.owner for site in configuration.site if site.owner), ""),
        contact=contact,
        automated="Answers come from an automated system, an AI, not from a person.",
        sent=list(_sent(configuration, embedder_id)),
        kept=_kept(configuration),
        memory=_memory(configuration),
        notes=[
            "Nothing is stored in your browser.",
            "A web server in front of this service can keep logs of its own.",
        ],
    )


def _memory(configuration: Configuration) -> str:
    shared = configuration.service.rate_storage
    where = "memory, and in a Redis that the owner of this site runs," if shared else "memory"
    return (
        "To limit how often somebody asks, a keyed hash of the network address is held in "
        f"{where} for a short time. Its key is random and dies with the process."
    )


def privacy_page(found: PrivacyResponse) -> Response:
    """The same for a reader."""
    return html_response(
        "Privacy", "en", "\n".join(_lines(found)), further_headers={"vary": "Accept"}
    )


def _sent(configuration: Configuration, embedder_id: str) -> Iterator[SentOut]:
    if embedder_id.startswith("mistral:"):
        yield _to(configuration.embedding, "The question.", "search")
    if is_generated(configuration):
        what = "The question, up to a few earlier messages of the conversation, and passages of "
        yield _to(configuration.answer, f"{what}the site that may answer it.", "answer")


def _to(section: Embedding | Answer, what: str, purpose: Literal["search", "answer"]) -> SentOut:
    if section.server_url:
        to, region = "a server that the owner of this site chose", _OWN_SERVER
    else:
        to, region = "Mistral AI, under its own terms of retention", _REGIONS[section.server]
    return SentOut(to=to, region=region, what=what, purpose=purpose)


def _kept(configuration: Configuration) -> KeptOut:
    log = configuration.log
    keeps_text = log.mode in ("consent", "anonymous")
    return KeptOut(
        mode=log.mode,
        what=_KEPT[log.mode],
        days=None if log.mode == "off" else log.retention_days,
        legal_basis=log.legal_basis if log.mode == "anonymous" else None,
        erase='POST /log/erase {"receipt": "..."}' if keeps_text else None,
    )


def _lines(found: PrivacyResponse) -> Iterator[str]:
    yield f'<p class="notice">{text(found.automated)}</p>'
    if found.owner:
        yield f"<p>This service belongs to {text(found.owner)}.</p>"
    if found.contact:
        yield f"<p>Contact: {link(found.contact, found.contact)}</p>"
    yield f"<h2>What is kept</h2>\n<p>{text(found.kept.what)}</p>"
    if found.kept.days is not None:
        yield f"<p>It is deleted after {found.kept.days} days.</p>"
    if found.kept.legal_basis:
        yield f"<p>Legal basis: {text(found.kept.legal_basis)}</p>"
    yield "<h2>What is sent, and to whom</h2>"
    if not found.sent:
        yield "<p>Nothing leaves the host of this service.</p>"
    for sent in found.sent:
        yield f"<p>To {text(sent.to)} (region: {text(sent.region)}): {text(sent.what)}</p>"
    yield f"<h2>In memory</h2>\n<p>{text(found.memory)}</p>"
    yield from (f"<p>{text(note)}</p>" for note in found.notes)
