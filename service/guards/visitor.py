"""Who sends this request? A keyed hash in memory, never an address on disk or in a log.

The address is that of the connection. Where it belongs to a trusted proxy, X-Forwarded-For is
walked from the right, since only what trusted proxies appended is not the visitor's own invention.
"""

import hashlib
import secrets
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from service.guards.asgi import Scope, header_values

VISITOR = "askfolio.visitor"
_MAX_HOPS = 32
_MAX_HEADER_CHARS = 4096
_V6_PREFIX_BITS = 64
_HASH_BYTES = 16
_KEY_BYTES = 32
Address = IPv4Address | IPv6Address


class Visitors:
    """Names visitors by hashes whose key lives and dies with the process and its workers."""

    def __init__(self, trusted_proxies: Sequence[str], key: bytes = b"") -> None:
        """Prepare.

        Args:
            trusted_proxies: Addresses or networks, valid by configuration.
            key: Of the hashes, where workers share one; else a random one.
        """
        self._trusted = [ip_network(network, strict=False) for network in trusted_proxies]
        self._key = key or new_key()

    def name(self, scope: Scope) -> bytes:
        """The visitor's hash; an IPv6 visitor is a whole /64, which one household has."""
        address = self.address(scope)
        if isinstance(address, IPv6Address):
            seen = address.packed[: _V6_PREFIX_BITS // 8]
        else:
            seen = address.packed if address else b""
        return hashlib.blake2b(seen, digest_size=_HASH_BYTES, key=self._key).digest()

    def address(self, scope: Scope) -> Address | None:
        """The first address from the right that is no trusted proxy; None for a local socket."""
        client = scope.get("client")
        found = parsed(client[0]) if client else None
        if not self._is_trusted(found):
            return found
        chain = ",".join(header_values(scope, b"x-forwarded-for"))[-_MAX_HEADER_CHARS:].split(",")
        for part in reversed(chain[-_MAX_HOPS:]):
            address = parsed(part)
            if address is None:  # nobody can say whose address that is: the proxy answers for it
                return found
            found = address
            if not self._is_trusted(address):
                return found
        return found

    def _is_trusted(self, address: Address | None) -> bool:
        if address is None:
            return False
        return any(
            address.version == network.version and address in network for network in self._trusted
        )


def new_key() -> bytes:
    """A random key for the hashes of visitors."""
    return secrets.token_bytes(_KEY_BYTES)


def parsed(text: str) -> Address | None:
    """An address with or without port; IPv4 inside IPv6 as IPv4; None where it is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address
