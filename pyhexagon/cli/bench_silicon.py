# SPDX-License-Identifier: MIT
"""``pyhexagon bench silicon``: measure what the project assumes about the hardware, beside the predictions."""

from __future__ import annotations

import argparse
import json
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyhexagon import files
from pyhexagon._ffi import contract
from pyhexagon.bench import random_model, sensors, silicon
from pyhexagon.cli import on_board
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_MODEL: Final = "llama:1B"
_COLUMNS: Final = (("probe", False), ("predicted", True), ("measured", True), ("unit", False), ("verdict", False))


def add_parser(kinds: _SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = kinds.add_parser(
        "silicon", help="clock, packets, memory, DMA, dispatch and calls of the hardware, beside what is assumed"
    )
    parser.add_argument(
        "--power", choices=sorted(contract.POWER), default="performance", help="vote for clocks (default performance)"
    )
    parser.add_argument(
        "--thermals", type=_seconds, default=0, metavar="SECONDS",
        help="then decode with random weights of a 1B model for so long (600), with temperatures and clocks",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the JSON to a file")
    parser.add_argument("--device", metavar="D", help="the device, as for all commands (default cdsp)")
    on_board.add_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < inf:
        raise argparse.ArgumentTypeError(f"expected seconds such as 600, not {text!r}")
    return seconds


def run(options: argparse.Namespace, output: Output) -> None:
    if options.out is not None:
        files.check(options.out)
    with progress(None) as (starting, _):
        model = partial(random_model.opened, _MODEL)
        result = silicon.run(options.device, options.power, starting, seconds=options.thermals, open_file=model)
    if options.out is not None:
        text = json.dumps(result, indent=1).encode()
        files.save(options.out, lambda file: file.writelines([text]))
    if output.as_json:
        output.json(result)
        return
    output.table(_COLUMNS, [_row(line) for line in result["lines"]], n_keys=1)
    output.facts(_facts(result))


def _row(line: dict[str, Any]) -> list[str]:
    exact = line["low"] == line["high"]
    predicted = f"{line['low']:g}" if exact else f"{line['low']:g} to {line['high']:g}"
    return [line["probe"], predicted, _number(line), line["unit"], line["verdict"]]


def _number(line: dict[str, Any]) -> str:
    if line["measured"] is None:
        return "-"
    return f"{int(line['measured']):#x}" if line["unit"] == "AEE code" else f"{line['measured']:.3g}"


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    facts = [("device", f"{result['device']}, {result['threads']} threads, power {result['power']}")]
    facts += [(line["probe"], line["detail"]) for line in result["lines"] if line["verdict"] == "failed"]
    after = result["sensors"]["after"]
    facts += [(name, text) for name in ("temperatures", "throttled") if (text := sensors.shown(name, after[name]))]
    if result["scripted"]:
        facts.append(("", "a scripted board (PYHEXAGON_LOOPBACK): no DSP was measured"))
    elif result["loopback"]:
        facts.append(("", f"{result['device']}: no DSP was measured, the figures describe this machine's CPU"))
    return facts
