"""The gauge's main loop: bursts of echoes on standard input, levels to the relay.

Usage: python -m tidegauge.station NAME SENSOR_HEIGHT_M RELAY_HOST RELAY_PORT < bursts.txt
A line is one burst: the air temperature in degrees Celsius, then echo times in microseconds.
"""

import sys
import time
from collections.abc import Iterable

from tidegauge.filters import TooFewEchoes, filtered_distance
from tidegauge.level import Station, distance_from_echo, water_level
from tidegauge.publisher import Publisher, Reading


def level_of_burst(station: Station, line: str) -> int:
    """Level in millimetres for one line of input.

    Raises:
        TooFewEchoes: The burst is too disturbed to be used.
    """
    celsius, *echoes = (float(word) for word in line.split())
    distances = [distance_from_echo(echo_us, celsius) for echo_us in echoes]
    return water_level(station, filtered_distance(distances))


def run(station: Station, publisher: Publisher, bursts: Iterable[str]) -> None:
    """Publish one reading per burst; a disturbed burst gives no reading at all."""
    for sequence, line in enumerate(bursts, start=1):
        try:
            level_mm = level_of_burst(station, line)
        except TooFewEchoes as problem:
            print(f"burst {sequence}: {problem}", file=sys.stderr)
            continue
        publisher.publish(Reading(station.name, sequence, int(time.time()), level_mm))
        publisher.flush()


if __name__ == "__main__":
    name, height_m, host, port = sys.argv[1:]
    run(Station(name, float(height_m)), Publisher(host, int(port)), sys.stdin)
