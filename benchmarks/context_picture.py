# SPDX-License-Identifier: MIT
"""Draw the records of ``bench context``: tokens per second and memory by context length; needs matplotlib.

    .venv/bin/pyhexagon bench context 2K,32K model.gguf --json > context.json
    .venv/bin/python -m benchmarks.context_picture context.json "a model" context.svg
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks import command, picture
from pyhexagon.bench import estimate
from pyhexagon.cli.output import Output

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINES: Final = (("prompt", "#2171b5"), ("generation", "#d94801"))
_PARTS: Final = (("model", "#2171b5"), ("context", "#6baed6"), ("compute", "#bdbdbd"))
_MIB: Final = 1 << 20


def draw(records: Sequence[dict[str, Any]], name: str, path: Path) -> None:
    """Draw prompt speed, generation speed, and memory. Speeds are estimates for a board if packets are counted, else
    measured."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    *speeds, memory = figure.subplots(1, 3)
    is_modelled = records[0]["generation"]["estimate"] is not None
    for axes, (kind, colour) in zip(speeds, _LINES, strict=True):
        _draw_speeds(axes, records, kind, colour, is_modelled=is_modelled)
    _draw_memory(memory, records)
    how = f"\n{estimate.TEXT}" if is_modelled else f", measured on {records[0]['device']}"
    figure.suptitle(f"{name}, cache {records[0]['kv']}{how}", fontsize=10, x=0.01, ha="left")
    picture.save(figure, path)


def _draw_speeds(
    axes: Axes, records: Sequence[dict[str, Any]], kind: str, colour: str, *, is_modelled: bool
) -> None:
    """Draw the speeds of prompts or of generation."""
    lengths, tests = [record["n_ctx"] for record in records], [record[kind] for record in records]
    speeds = [(test["estimate"] if is_modelled else test)["tokens_per_second"] for test in tests]
    n_tokens = tests[0]["n_prompt"] or tests[0]["n_gen"]
    what = f"{kind}, {n_tokens} token{'s' * (n_tokens > 1)} at the end"
    axes.plot(lengths, speeds, "o-", color=colour, label=what, zorder=3)
    on_cpu = [(record["n_ctx"], record["cpu"][kind]) for record in records if record["cpu"] is not None]
    on_cpu = [one for one in on_cpu if one[1] is not None]
    if on_cpu:
        label = f"{kind}, llama.cpp on this CPU"
        axes.plot(*zip(*on_cpu, strict=True), "s--", color=colour, label=label, zorder=2)
    axes.set_ylabel("tokens per second, estimated for a board" if is_modelled else "tokens per second")
    axes.set_ylim(bottom=0)
    _finish(axes, lengths)


def _draw_memory(axes: Axes, records: Sequence[dict[str, Any]]) -> None:
    lengths = [record["n_ctx"] for record in records]
    parts = [[record["memory"][name] / _MIB for record in records] for name, _ in _PARTS]
    axes.stackplot(lengths, parts, labels=[name for name, _ in _PARTS], colors=[colour for _, colour in _PARTS])
    axes.set_ylabel("MiB of DSP memory")
    _finish(axes, lengths)


def _finish(axes: Axes, lengths: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [f"{length // 1024}K" if length % 1024 == 0 else str(length) for length in lengths])
    axes.minorticks_off()
    axes.set_xlabel("tokens of context")
    axes.grid(axis="y", color="#dddddd", linewidth=0.7, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=9, frameon=False)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("context_picture", __doc__)
    parser.add_argument("records", type=Path, metavar="RECORDS", help="the JSON of bench context")
    parser.add_argument("name", metavar="NAME", help="the title: a name of the model")
    parser.add_argument("picture", type=Path, metavar="PICTURE", help="a .png or .svg file")
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, _: Output) -> None:
    picture.check(options.picture)
    draw(command.records(options.records, ("n_ctx", "prompt", "generation", "memory")), options.name, options.picture)


if __name__ == "__main__":
    sys.exit(main())
