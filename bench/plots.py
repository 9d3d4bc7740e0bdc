"""Recall against time, and growth with the corpus: PNG and SVG by matplotlib (extra `bench`)."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.timing import percentiles
from retrieval.errors import ConfigurationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("png", "svg")
DENSE_MARKERS = (("flat", "s"), ("sq8", "D"), ("ivf-pq", "o"))

One = Mapping[str, Any]


def check_installed() -> None:
    """Is there something to draw with?

    Raises:
        ConfigurationError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ConfigurationError("plots need matplotlib: pip install 'askfolio[bench]'")


def plot(results: Sequence[One], folder: Path) -> list[Path]:
    """Draw both plots of one or several results into `folder`; the files that were written.

    Raises:
        ConfigurationError: matplotlib is not installed.
    """
    check_installed()
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "askfolio"  # the same figures give the same file
    from matplotlib import pyplot

    written = []
    for name, draw in (("recall", _draw_recall), ("growth", _draw_growth)):
        figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
        draw(axes, results)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
        for kind in FORMATS:
            file = folder / f"{name}.{kind}"
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(file, dpi=110, metadata=metadata)
            written.append(file)
        pyplot.close(figure)
    return written


def _draw_recall(axes: "Axes", results: Sequence[One]) -> None:
    for data, chunks, measured in _corpora(results):
        for kind, marker in DENSE_MARKERS:
            points = sorted(
                (_cpu(one), one["recall"])
                for one in measured
                if (one["part"], one["kind"]) == ("dense", kind)
            )
            if points:
                times, recalls = zip(*points, strict=True)
                axes.plot(times, recalls, marker=marker, label=f"{kind}, {chunks:,}{data}")
    axes.set(xscale="log", xlabel="CPU ms a query (median)", ylabel="recall@10 against flat")


def _draw_growth(axes: "Axes", results: Sequence[One]) -> None:
    lines: dict[str, list[tuple[int, float]]] = {}
    for data, chunks, measured in _corpora(results):
        for one in measured:
            if one["chosen"] and not data:
                lines.setdefault(f"{one['part']}: {one['kind']}", []).append((chunks, _cpu(one)))
    for label in sorted(lines):
        sizes, times = zip(*sorted(lines[label]), strict=True)
        axes.plot(sizes, times, marker="o", label=label)
    axes.set(xscale="log", yscale="log", xlabel="chunks", ylabel="CPU ms a query (median)")


def _corpora(results: Sequence[One]) -> Iterator[tuple[str, int, list[One]]]:
    """What sort of vectors, how many chunks, and what was measured of them."""
    for result in results:
        data = "" if result["options"]["clustered"] else ", no clusters"
        for chunks in sorted({one["chunks"] for one in result["measurements"]}):
            yield data, chunks, [one for one in result["measurements"] if one["chunks"] == chunks]


def _cpu(one: One) -> float:
    return percentiles(one["times"]["cpu_ms"])["p50"]
