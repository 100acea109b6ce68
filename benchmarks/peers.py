# SPDX-License-Identifier: MIT
"""Show matmuls beside figures of other projects' core kernels, with sources, and beside the ceilings.

    .venv/bin/pyhexagon bench matmul --device loopback:qemu --types all --json > matmul.json
    .venv/bin/python -m benchmarks.peers matmul.json --picture matmul.svg
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import command, peer_figures, picture
from pyhexagon.cli.output import Output

_FIGURES: Final = (
    "type", "n", "k", "m", "threads", "device", "arch", "loopback", "packets", "macs_per_packet", "us_total", "error",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("peers", __doc__)
    parser.add_argument("records", type=Path, metavar="RECORDS", help="the JSON of bench matmul")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="plot MACs per packet to a .png or .svg")
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, output: Output) -> None:
    if options.picture is not None:
        picture.check(options.picture)
    records = command.records(options.records, _FIGURES)
    if options.picture is not None:
        picture.draw(records, options.picture)
    records = [record | peer_figures.comparison(record) for record in records if record["error"] is None]
    if output.as_json:
        output.json(records)
    else:
        _show(records, output)


def _show(records: list[dict[str, Any]], output: Output) -> None:
    rows: list[list[str]] = []
    sources: dict[str, None] = {}
    for record in records:
        case = [record["type"], f"{record['n']} x {record['k']}", str(record["m"]), str(record["threads"])]
        ours = _number(record["macs_per_packet"], ".1f")
        for peer in record["peers"]:
            ratio = record["macs_per_packet"] / peer["macs_per_packet"] if record["macs_per_packet"] else None
            its = [peer["name"], str(peer["m"]), f"{peer['macs_per_packet']:g}"]
            rows.append([*case, ours, *its, _number(ratio, ".1f")])
            sources[f"{peer['name']}: {peer['source']}"] = None
    titles = ("type", "N x K", "M", "threads", "MAC/packet", "peer", "its M", "its MAC/packet", "times")
    output.table([(title, title not in ("type", "N x K", "peer")) for title in titles], rows, n_keys=4)
    for source in sources:
        output.facts([("", source)])
    _show_times(records, output)
    print()
    output.facts([(f"ceiling {ceiling.macs_per_packet}", ceiling.what) for ceiling in peer_figures.CEILINGS])


def _show_times(records: list[dict[str, Any]], output: Output) -> None:
    """Print published times next to the measured ones."""
    for record in records:
        for one in record["published_times"]:
            took = f"{one['microseconds']:,} us"
            if one["dequantizing"] is not None:
                took += f", of them {one['dequantizing']:,} dequantizing"
            if record["loopback"]:
                packets = _number(record["packets"], ",")
                ours = f"ours {packets} packets: no DSP was used, so there is no time to compare"
            else:
                ours = f"ours {record['us_total']:,.0f} us on {record['device']}"
            title = f"{record['type']} {record['n']}x{record['k']} M={record['m']}"
            output.facts([(title, f"{one['name']} {took} ({one['source']}); {ours}")])


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


if __name__ == "__main__":
    sys.exit(main())
