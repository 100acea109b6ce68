# SPDX-License-Identifier: MIT
"""``pyhexagon bench share``: the cost of sharing the rows of products between CPU and DSP."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from pyhexagon.bench import sharing
from pyhexagon.cli import bench_model
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output, add_device_options

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_COLUMNS: Final = (
    ("CPU share", True), ("t/s", True), ("meetings/token", True), ("CPU rows", True), ("taken back", True),
    ("CPU us/meeting", True), ("CPU waits", True), ("DSP waits", True),
)  # fmt: skip


def add_parser(kinds: _SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = kinds.add_parser("share", help="cost of sharing the rows of matmuls between CPU and DSP")
    bench_model.add_what(parser)
    parser.add_argument(
        "--cpu-share", type=_shares, default=[0.0, 0.3], metavar="S,...", help="of the rows (default 0,0.3)"
    )
    parser.add_argument("-n", type=int, default=16, metavar="N", help="tokens to generate (default 16)")
    parser.add_argument("--patience", type=int, metavar="US", help="how long the DSP waits for the CPU, microseconds")
    add_device_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> None:
    _, open_file = bench_model.what(options)
    records = []
    with progress(len(options.cpu_share)) as (_, done):
        where = {"device": options.device, "transport": options.transport}
        for record in sharing.run(options.cpu_share, options.n, open_file, **where, patience_us=options.patience):
            records.append(record)
            done()
    if output.as_json:
        output.json(records)
        return
    rows = []
    for record in records:
        every = max(record["rows_per_token"], 1)
        rows.append([
            f"{record['share']:g}",
            f"{record['tokens_per_second']:.2f}",
            f"{record['meetings_per_token']:.0f}",
            *(f"{record[name] / every:.1%}" for name in ("cpu_rows_per_token", "taken_rows_per_token")),
            *(f"{record[f'{name}_us_per_meeting']:.1f}" for name in ("cpu", "cpu_wait", "dsp_wait")),
        ])  # fmt: skip
    output.table(_COLUMNS, rows, n_keys=1)
    if records[0]["loopback"]:
        output.facts([("", f"{records[0]['device']}: no DSP was used, so t/s say nothing about a board")])


def _shares(text: str) -> list[float]:
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"a share is a number from 0 to 0.9, not {text!r}") from None
