# SPDX-License-Identifier: MIT
"""``pyhexagon bench context``: speed and memory of a language model by context length."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from pyhexagon.bench import context, llama_builds
from pyhexagon.bench.model import ModelCases
from pyhexagon.cache import KINDS
from pyhexagon.cli import bench_model, on_board
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.errors import UnsupportedError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_MIB: Final = 1 << 20
_COLUMNS: Final = (
    ("context", True), ("prompt t/s", True), ("generation t/s", True), ("packets/token", True), ("model MiB", True),
    ("context MiB", True), ("compute MiB", True), ("together", True),
)  # fmt: skip
_CPU_COLUMNS: Final = (("CPU prompt t/s", True), ("CPU generation t/s", True))


def add_parser(kinds: _SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = kinds.add_parser("context", help="speed and memory of a language model by context length")
    parser.add_argument("lengths", type=_lengths, metavar="N,...", help="context lengths, such as 2K,32K,64K")
    bench_model.add_what(parser)
    parser.add_argument(
        "-p", type=int, default=128, metavar="N", help="prompt tokens at the end of the context (default 128)"
    )
    parser.add_argument("-n", type=int, default=16, metavar="N", help="tokens to generate at the end (default 16)")
    parser.add_argument("-r", type=int, default=1, metavar="N", help="runs for times (default 1; 0: packets only)")
    parser.add_argument("--kv", choices=KINDS, default="q8_0", help="type of the KV cache (default q8_0)")
    parser.add_argument("--no-cpu", action="store_true", help="without llama.cpp on the CPU, where it is found")
    add_device_options(parser)
    on_board.add_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> None:
    cases = ModelCases([options.p], [options.n], [], options.r, False)
    _, open_file = bench_model.what(options)
    build, missing = None, ""
    if options.random is None and options.r > 0 and not options.no_cpu:
        try:
            build = llama_builds.best()
        except UnsupportedError as error:
            missing = str(error)
    given = {"kind": options.kv, "device": options.device, "transport": options.transport, "on_cpu": build}
    with progress(len(options.lengths)) as (starting, done):
        records = []
        for record in context.run(options.lengths, open_file, cases, **given, starting=starting):
            records.append(record)
            done()
    if output.as_json:
        output.json(records)
        return
    columns = [*_COLUMNS, *(_CPU_COLUMNS if build else ())]
    output.table(columns, [_row(record) for record in records], n_keys=1)
    found = [record["cpu"] for record in records if build]
    notes = dict.fromkeys(point["problem"] or f"CPU: llama.cpp, {point['build']}" for point in found)
    output.facts([("", note) for note in (*notes, missing) if note])
    if records[0]["loopback"] and options.r:
        output.facts([("", f"{records[0]['device']}: no DSP was used, t/s are those of this machine's CPU")])


def _row(record: dict[str, Any]) -> list[str]:
    speeds = (record[name]["tokens_per_second"] for name in ("prompt", "generation"))
    packets = record["generation"]["packets_token"]
    sizes = (*record["memory"].values(), sum(record["memory"].values()))
    on_cpu = [record["cpu"][name] for name in ("prompt", "generation")] if record["cpu"] is not None else []
    return [
        f"{record['n_ctx']:,}",
        *("-" if speed is None else f"{speed:.2f}" for speed in speeds),
        "-" if packets is None else f"{packets:,.0f}",
        *(f"{size / _MIB:,.1f}" for size in sizes),
        *("-" if speed is None else f"{speed:.2f}" for speed in on_cpu),
    ]


def _lengths(text: str) -> list[int]:
    found = []
    for length in text.split(","):
        digits, thousands = (length[:-1], 1024) if length[-1:] in ("K", "k") else (length, 1)
        if not digits.isdecimal() or not int(digits):
            raise argparse.ArgumentTypeError(f"expected numbers such as 2K,32K,64K, not {text!r}")
        found.append(int(digits) * thousands)
    return found
