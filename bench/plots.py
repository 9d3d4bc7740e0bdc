"""Recall against time, and growth with the corpus: PNG and SVG by matplotlib (extra `bench`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.timing import percentiles
from retrieval.errors import ConfigurationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("png", "svg")


def plot(result: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw both plots into `folder`; the files that were written.

    Raises:
        ConfigurationError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise ConfigurationError("plots need matplotlib: pip install 'askfolio[bench]'") from error
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "askfolio"  # the same figures give the same file
    from matplotlib import pyplot

    written = []
    for name, draw in (("recall", _draw_recall), ("growth", _draw_growth)):
        figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
        draw(axes, result["measurements"])
        for kind in FORMATS:
            file = folder / f"{name}.{kind}"
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(file, dpi=150, metadata=metadata)
            written.append(file)
        pyplot.close(figure)
    return written


def _draw_recall(axes: "Axes", measured: list[Mapping[str, Any]]) -> None:
    dense = [one for one in measured if one["part"] == "dense"]
    for chunks in sorted({one["chunks"] for one in dense}):
        for kind, marker in (("flat", "s"), ("sq8", "D"), ("ivf-pq", "o")):
            points = sorted(
                (_cpu(one), one["recall"])
                for one in dense
                if one["kind"] == kind and one["chunks"] == chunks
            )
            if points:
                times, recalls = zip(*points, strict=True)
                axes.plot(times, recalls, marker=marker, label=f"{kind}, {chunks:,} chunks")
    axes.set(xscale="log", xlabel="CPU ms a query (median)", ylabel="recall@10 against flat")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def _draw_growth(axes: "Axes", measured: list[Mapping[str, Any]]) -> None:
    chosen = [one for one in measured if one["chosen"]]
    for part, kind in sorted({(one["part"], one["kind"]) for one in chosen}):
        points = sorted(
            (one["chunks"], _cpu(one))
            for one in chosen
            if (one["part"], one["kind"]) == (part, kind)
        )
        sizes, times = zip(*points, strict=True)
        axes.plot(sizes, times, marker="o", label=f"{part}: {kind}")
    axes.set(xscale="log", yscale="log", xlabel="chunks", ylabel="CPU ms a query (median)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def _cpu(one: Mapping[str, Any]) -> float:
    return percentiles(one["times"]["cpu_ms"])["p50"]
