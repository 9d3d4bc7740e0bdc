"""How high is the water: from echo time to level above chart datum."""

from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True)
class Station:
    """A gauge on its pier.

    Attributes:
        name: Short name without spaces; part of every datagram.
        sensor_height_m: Height of the sensor's face above chart datum.
    """

    name: str
    sensor_height_m: float


def speed_of_sound(celsius: float) -> float:
    """Metres per second in dry air: c = 331.3 * sqrt(1 + T / 273.15)."""
    return 331.3 * sqrt(1 + celsius / 273.15)


def distance_from_echo(echo_us: float, celsius: float) -> float:
    """Distance in metres for an echo time in microseconds; the sound goes there and back."""
    return speed_of_sound(celsius) * echo_us * 1e-6 / 2


def water_level(station: Station, distance_m: float) -> int:
    """Water level in millimetres above chart datum; negative below it.

    level = sensor height - distance to the water
    """
    return round((station.sensor_height_m - distance_m) * 1000)
