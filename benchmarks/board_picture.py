# SPDX-License-Identifier: MIT
"""Draw the times of ``benchmarks.board``: DSP and call time per type, with the CPU's; needs matplotlib.

The axis is logarithmic if one time is far above the others. Stacked parts would be misleading there, so bars are whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import TYPE_CHECKING, Final

from benchmarks import board_result
from benchmarks.picture import save
from pyhexagon.errors import UnsupportedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PARTS: Final = (("computing", "#2171b5"), ("quantizing activations", "#6baed6"), ("call overhead", "#bdbdbd"))
_WHOLE: Final = ("DSP and call", "#2171b5")
_DWARFS: Final = 10.0  # times the median
_TITLE: Final = 10  # characters of a title per inch of the picture
_MARKERS: Final = (("NumPy, float32", "o", "#d94801"), ("llama.cpp on the CPU", "D", "#238b45"))


def draw(results: Sequence[board_result.Result], path: Path) -> None:
    """Draw one panel for each machine and shape, all with the same axis.

    Raises:
        UnsupportedError: no case was run.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels = [
        (result, shape, [record for record in records if (record["n"], record["k"]) == shape])
        for result in results
        for records in [[record for record in result["records"] if record["error"] is None]]
        for shape in dict.fromkeys((record["n"], record["k"]) for record in records)
    ]
    if not panels:
        raise UnsupportedError("no picture: none of the cases was run")
    widest = max(len(records) for _, _, records in panels)
    figure = Figure(figsize=(max(8.0, 2.2 + 0.85 * widest), 4.8 * len(panels)), layout="constrained")
    FigureCanvasAgg(figure)
    rows = figure.subplots(len(panels), squeeze=False, sharey=True)[:, 0]
    is_log = _is_log([us for result, _, records in panels for record in records for us in _times(result, record)])
    for axes, (result, (n, k), records) in zip(rows, panels, strict=True):
        _draw_panel(axes, result, records, is_log=is_log)
        title = f"One row times weights {n} x {k}: {board_result.name(result)}"
        title = fill(title, round(_TITLE * figure.get_figwidth()))
        if result["environment"]["device"]["loopback"]:
            title += "\n(no DSP: times of this CPU or of an emulator)"
        axes.set_title(title, loc="left", fontsize=11)
    save(figure, path)


def _times(result: board_result.Result, record: board_result.Result) -> list[float]:
    """Return all times drawn for a case."""
    return [us for us in (record["us_total"], *board_result.cpu_us(result, record)) if us is not None]


def _is_log(times: Sequence[float]) -> bool:
    """Return whether one of the times is far above the others."""
    return max(times) > _DWARFS * median(times)


def _draw_panel(
    axes: Axes, result: board_result.Result, records: Sequence[board_result.Result], *, is_log: bool
) -> None:
    places = range(len(records))
    heights = [0.0] * len(records)
    parts = [
        [(record["us_dsp"] - record["us_quantise"]) / 1e3 for record in records],
        [record["us_quantise"] / 1e3 for record in records],
        [(record["us_total"] - record["us_dsp"]) / 1e3 for record in records],
    ]
    if is_log:
        parts = [[sum(column) for column in zip(*parts, strict=True)]]
        axes.set_yscale("log")
    for (name, colour), part in zip((_WHOLE,) if is_log else _PARTS, parts, strict=True):
        bars = axes.bar(places, part, 0.6, bottom=heights, color=colour, label=name, zorder=2)
        heights = [low + high for low, high in zip(heights, part, strict=True)]
    axes.bar_label(bars, [f"{height:.3g}" for height in heights], fontsize=8, padding=2)
    for (name, marker, colour), column in zip(
        _MARKERS, zip(*(board_result.cpu_us(result, record) for record in records), strict=True), strict=True
    ):
        seen = [(place, us / 1e3) for place, us in zip(places, column, strict=True) if us is not None]
        if seen:
            axes.plot(*zip(*seen, strict=True), marker, color=colour, label=name, zorder=4, linestyle="none")
    axes.set_xticks(places, [record["type"] for record in records])
    axes.set_ylabel("milliseconds, logarithmic" if is_log else "milliseconds")
    axes.grid(axis="y", color="#dddddd", linewidth=0.7, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=3, fontsize=9, frameon=False)
