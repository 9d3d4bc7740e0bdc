"""Which echoes of a burst are the water: a median, and how far an echo may stray from it."""

from collections.abc import Sequence
from statistics import median

BURST_ECHOES = 15
MINIMUM_ECHOES = 8
# 1.4826 makes the median absolute deviation an estimate of sigma for normal noise.
SIGMA_FROM_MAD = 1.4826


class TooFewEchoes(ValueError):
    """So many echoes were rejected that the burst says nothing about the water."""


def median_absolute_deviation(values: Sequence[float]) -> float:
    """Median distance of the values from their own median."""
    centre = median(values)
    return median(abs(value - centre) for value in values)


def reject_outliers(distances_m: Sequence[float], limit: float = 3.0) -> list[float]:
    """Keep the distances within `limit` sigmas of the median.

    A passing gull or a floating bottle is nearer to the sensor than the water and
    is rejected here; a mean would be pulled towards it.
    """
    centre = median(distances_m)
    spread = SIGMA_FROM_MAD * median_absolute_deviation(distances_m)
    # On a mirror-flat day the spread is 0: one millimetre is the sensor's resolution.
    allowed = max(limit * spread, 0.001)
    return [distance for distance in distances_m if abs(distance - centre) <= allowed]


def filtered_distance(distances_m: Sequence[float]) -> float:
    """Distance to the water in metres: the median of the echoes that were kept.

    Raises:
        TooFewEchoes: Fewer than MINIMUM_ECHOES are left.
    """
    kept = reject_outliers(distances_m) if distances_m else []
    if len(kept) < MINIMUM_ECHOES:
        raise TooFewEchoes(f"{len(kept)} echoes left of {len(distances_m)}, need {MINIMUM_ECHOES}")
    return median(kept)
