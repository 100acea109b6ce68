# SPDX-License-Identifier: MIT
"""Draw MACs per packet by type and batch, with the ceiling and the peers of peers.py; needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.peer_figures import CEILINGS, peers_at
from pyhexagon import extras, files
from pyhexagon.errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES: Final = (".png", ".svg")
_BLUES: Final = (0.4, 0.9)  # range of the colour map, from the smallest to the largest batch
_MARKERS: Final = {"ggml-hexagon": ("D", "#d94801"), "tinygrad": ("^", "#238b45"), "chraac": ("s", "#6a51a3")}
_GROUP: Final = 0.8  # of the distance between two types
_WIDEST_BAR: Final = 0.4
_MARKER_HEIGHT: Final = 9  # in packets; also the height of a number above a bar


def check(path: Path) -> None:
    """Check that the picture can be drawn, before hours of work."""
    if path.suffix.lower() not in SUFFIXES:
        raise ArgumentError(f"a picture is a .png or .svg file, not {path}")
    files.check(path)
    if find_spec("matplotlib") is None:
        raise UnsupportedError("pictures need matplotlib", hint=f"{extras.PIP} install -r benchmarks/requirements.txt")


def draw(records: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw one panel per shape and number of threads; skip cases without packets.

    Raises:
        UnsupportedError: no case has packets, as the device does not count them.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels: dict[tuple[int, int, int], list[dict[str, Any]]] = {}
    for record in records:
        if record["macs_per_packet"] is not None:
            panels.setdefault((record["n"], record["k"], record["threads"]), []).append(record)
    if not panels:
        raise UnsupportedError("no picture: none of the cases has packets", hint="use --device loopback:qemu")
    widest = max(len({record["type"] for record in panel}) for panel in panels.values())
    figure = Figure(figsize=(max(8.0, 2.2 + 0.85 * widest), 5.2 * len(panels)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, ((n, k, threads), panel) in zip(
        figure.subplots(len(panels), squeeze=False)[:, 0], panels.items(), strict=True
    ):
        _draw_panel(axes, panel, threads)
        axes.set_title(
            f"Matmul with weights {n} x {k}, {threads} thread{'s' * (threads > 1)}, {panel[0]['device']} "
            f"({panel[0]['arch']}): whole ops",
            loc="left", fontsize=11,
        )  # fmt: skip
    save(figure, path)


def save(figure: Figure, path: Path) -> None:
    """Write the picture; equal pictures give equal bytes."""
    import matplotlib

    def write(file: IO[bytes]) -> None:
        with matplotlib.rc_context({"svg.hashsalt": "pyhexagon", "svg.fonttype": "none"}):
            kind = path.suffix[1:].lower()
            figure.savefig(file, dpi=150, format=kind, metadata={"Date": None} if kind == "svg" else None)

    files.save(path, write)


def _free_height(height: float, markers: Sequence[float]) -> float:
    """Return a height for a bar's number that no marker covers."""
    top = height + 1.5
    for marker in sorted(markers):
        if top - _MARKER_HEIGHT / 2 < marker < top + 1.5 * _MARKER_HEIGHT:
            top = marker + _MARKER_HEIGHT / 2
    return top


def _draw_panel(axes: Axes, records: Sequence[dict[str, Any]], threads: int) -> None:
    from matplotlib import colormaps

    batches = sorted({record["m"] for record in records})
    figures = {(record["type"], record["m"]): record["macs_per_packet"] for record in records}
    types = list(dict.fromkeys(record["type"] for record in records))  # in the requested order
    width = min(_GROUP / len(batches), _WIDEST_BAR)
    colours = colormaps["Blues"](np.linspace(*_BLUES, len(batches)))
    seen: set[str] = set()
    for column, m in enumerate(batches):
        places = [place for place, dtype in enumerate(types) if (dtype, m) in figures]
        at = [place + (column - (len(batches) - 1) / 2) * width for place in places]
        heights = [figures[types[place], m] for place in places]
        axes.bar(at, heights, width * 0.94, color=colours[column], label=f"pyhexagon, M = {m}", zorder=2)
        for x, place, height in zip(at, places, heights, strict=True):
            peers = peers_at(types[place], m, threads)
            top = _free_height(height, [peer.macs_per_packet for peer in peers])
            axes.text(x, top, f"{height:.0f}", ha="center", va="bottom", fontsize=8)
            for peer in peers:
                marker, edge = _MARKERS[peer.name]
                label = f"{peer.name}{' (static, inner loop)' if peer.static else ''}, core kernel"
                axes.plot(
                    x, peer.macs_per_packet, marker, color="white" if peer.static else edge, markeredgecolor=edge,
                    markeredgewidth=1.5, markersize=7, zorder=4, clip_on=False, linestyle="none",
                    label=label if label not in seen else None,
                )  # fmt: skip
                seen.add(label)
    for ceiling, style in zip((CEILINGS[0], CEILINGS[-1]), ("-", "--"), strict=True):
        axes.axhline(ceiling.macs_per_packet, color="#444444", linestyle=style, linewidth=1.2, zorder=1)
        axes.text(
            len(types) - 0.45, ceiling.macs_per_packet + 3, f"{ceiling.macs_per_packet}: {ceiling.what}",
            ha="right", va="bottom", fontsize=8, color="#444444",
        )  # fmt: skip
    axes.set_xticks(range(len(types)), types)
    axes.set_xlim(-0.6, len(types) - 0.4)
    axes.set_ylim(0, 285)
    axes.set_ylabel("multiply-accumulates per packet")
    axes.grid(axis="y", color="#dddddd", linewidth=0.7, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda at: not labels[at].startswith("pyhexagon"))
    axes.legend(
        [handles[at] for at in order], [labels[at] for at in order],
        loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=3, fontsize=9, frameon=False,
    )  # fmt: skip

