"""How a level reaches the relay: at least once, over UDP, with a spool for bad weather."""

import socket
from collections import deque
from dataclasses import dataclass
from zlib import crc32

SPOOL_READINGS = 2016  # one week of readings, one every five minutes
MAX_DATAGRAM_BYTES = 256


@dataclass(frozen=True)
class Reading:
    """One level of one station."""

    station: str
    sequence: int
    unix_s: int
    level_mm: int


def encode(reading: Reading) -> bytes:
    """`TG1 station sequence time level checksum`, in ASCII."""
    body = f"TG1 {reading.station} {reading.sequence} {reading.unix_s} {reading.level_mm}"
    return f"{body} {crc32(body.encode()):08x}".encode()


class Publisher:
    """Publishes readings in the manner of MQTT's quality of service 1.

    A reading stays in the spool until the relay acknowledges its sequence number. When the
    spool is full the oldest reading is dropped, because the newest level is what a skipper
    needs.
    """

    def __init__(self, host: str, port: int, timeout_s: float = 2.0) -> None:
        self._address = (host, port)
        self._timeout_s = timeout_s
        self._spool: deque[Reading] = deque(maxlen=SPOOL_READINGS)

    @property
    def waiting(self) -> int:
        """Readings that no relay has acknowledged yet."""
        return len(self._spool)

    def publish(self, reading: Reading) -> None:
        """Put a reading into the spool; `flush` sends it."""
        self._spool.append(reading)

    def flush(self) -> int:
        """Send the spool in order; stop at the first reading that is not acknowledged.

        Returns:
            How many readings were acknowledged.
        """
        sent = 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            link.settimeout(self._timeout_s)
            while self._spool and self._acknowledged(link, self._spool[0]):
                self._spool.popleft()
                sent += 1
        return sent

    def _acknowledged(self, link: socket.socket, reading: Reading) -> bool:
        expected = f"ACK {reading.station} {reading.sequence}".encode()
        try:
            link.sendto(encode(reading), self._address)
            while True:
                answer, sender = link.recvfrom(MAX_DATAGRAM_BYTES)
                if sender == self._address and answer == expected:
                    return True
        except OSError:  # a time-out or no network: the reading waits in the spool
            return False
