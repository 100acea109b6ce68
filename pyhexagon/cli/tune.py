# SPDX-License-Identifier: MIT
"""``pyhexagon tune``: measure on the board which transport, clocks and threads are best, and write the profile."""

from __future__ import annotations

import argparse
from typing import Any, Final

from pyhexagon.bench import tune
from pyhexagon.cli import on_board
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output

_OPTIONS: Final = ("knob", "candidate")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", metavar="D", help="the device, as for all commands (default cdsp)")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    with progress(None) as (starting, _):
        result = tune.run(options.device, starting)
    if output.as_json:
        output.json(result)
        return
    names = list(dict.fromkeys(name for line in result["lines"] for name in line["figures"]))
    columns = [*((name, False) for name in _OPTIONS), *((name, True) for name in names), ("", False)]
    output.table(columns, [_row(line, names) for line in result["lines"]], n_keys=len(_OPTIONS))
    output.facts(_facts(result))


def _row(line: dict[str, Any], names: list[str]) -> list[str]:
    figures = [f"{line['figures'][name]:.3g}" if name in line["figures"] else "" for name in names]
    return [line["knob"], _text(line["options"]), *figures, "chosen" if line["chosen"] else line["detail"]]


def _text(options: dict[str, Any]) -> str:
    return ", ".join(str(value) for value in options.values())


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    choice = ", ".join(f"{name} {value}" for name, value in result["choice"].items())
    if result["scripted"]:
        choice += " (a scripted board: no DSP was measured)"
    written = result["profile"] or f"none: {result['device']} is no DSP, the figures are those of this machine's CPU"
    return [("choice", choice or "none: nothing could be measured"), ("profile", written)]
