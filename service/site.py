"""Whose site is it, where are private questions sent, and which pages may ask?"""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from retrieval.chunk_store import ChunkStore
from retrieval.configuration import Configuration
from retrieval.errors import ConfigurationError

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom the site is about.

    Attributes:
        name: "" where the configuration does not say.
        contact: An absolute address or mailto:, or None.
    """

    name: str
    contact: str | None


def owner(configuration: Configuration, store: ChunkStore) -> Owner:
    """The first site's owner and contact; a page of the generation by its real address."""
    name = next((site.owner for site in configuration.site if site.owner), "")
    for site in configuration.site:
        if site.contact:
            return Owner(name, _contact(site.contact, site.base_url, store))
    return Owner(name, None)


def _contact(contact: str, base_url: str, store: ChunkStore) -> str:
    if urlsplit(contact).scheme:
        return contact
    if "@" in contact and "/" not in contact:
        return f"mailto:{contact}"
    target = store.link_target(contact)
    if target is not None and target.url:
        return target.url
    base = base_url or next((page.url for page in store.documents() if page.url), "")
    return urljoin(base, contact) if base else contact


def configured_origins(configuration: Configuration) -> frozenset[str]:
    """Origins that the configuration allows; public_url beside them.

    Raises:
        ConfigurationError: An entry of service.origins or public_url is no origin.
    """
    service = configuration.service
    given = service.origins or tuple(site.base_url for site in configuration.site)
    found = {_origin(address) for address in given if address}
    if service.public_url:
        found.add(_origin(service.public_url))
    return frozenset(found)


def generation_origins(configuration: Configuration, store: ChunkStore) -> frozenset[str]:
    """Origins of the sites' pages, where the configuration names neither origins nor base_url."""
    if configuration.service.origins:
        return frozenset()
    sites = {site.name for site in configuration.site if not site.base_url}
    pages = (page.url for page in store.documents() if page.source in sites and page.url)
    return frozenset(_origins(pages))


def _origins(addresses: Iterable[str]) -> Iterable[str]:
    for address in addresses:
        if urlsplit(address).scheme in _PORTS:
            yield _origin(address)


def _origin(address: str) -> str:
    """`scheme://host[:port]` as a browser sends it: lower case, without the default port."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(f"service.origins: {address!r} is no origin: {error}") from error
    if parts.scheme not in _PORTS or not parts.hostname or "*" in address:
        raise ConfigurationError(
            f"service.origins: {address!r} is no origin: write scheme and host, such as "
            "https://example.org; every origin is named by itself"
        )
    host = parts.hostname.encode("idna").decode() if not parts.hostname.isascii() else ""
    host = host or (f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname)
    suffix = "" if port is None or port == _PORTS[parts.scheme] else f":{port}"
    return f"{parts.scheme}://{host}{suffix}"
