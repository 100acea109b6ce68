# SPDX-License-Identifier: MIT
"""``pyhexagon bench``: benchmark matmuls and models on the DSP, the overhead of Python, and the hardware."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from typing import Any, Final

from pyhexagon import quants
from pyhexagon.bench import host, matmul
from pyhexagon.cli import bench_context, bench_model, bench_silicon, bench_speech
from pyhexagon.cli.bench_options import counts, progress, shape, threads, types
from pyhexagon.cli.output import Output, add_device_options, add_trace_option, tracing

_COLUMNS: Final = (
    ("type", False), ("N x K", False), ("M", True), ("threads", True), ("packets", True), ("busiest", True),
    ("MAC/packet", True), ("weight bytes", True), ("DMA bytes", True), ("NMSE", True), ("llama.cpp's", True),
    ("rows", True), ("us", True), ("Python", True), ("transport", True), ("DSP", True),
)  # fmt: skip
_CYCLE_COLUMNS: Final = (
    ("type", False), ("N x K", False), ("M", True), ("threads", True), ("function", False), ("packets", True),
    ("cycles", True), ("a packet", True), ("MAC/cycle", True),
)  # fmt: skip
_CSV: Final = (
    "type", "n", "k", "m", "threads", "packets", "packets_max_thread", "packets_request", "cycles_model", "dma_bytes",
    "weight_bytes", "gguf_bytes", "error",
)  # fmt: skip
_MOST_FUNCTIONS: Final = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(required=True, metavar="WHAT")
    products = kinds.add_parser("matmul", help="packets, bytes, error and time of matmuls with random weights")
    products.add_argument("--types", type=types, default=None, help="weight types, such as Q4_0,Q8_0, or all (default)")
    products.add_argument(
        "--shape", type=shape, nargs="+", default=[(4096, 4096)], metavar="NxK",
        help="shapes of weights (default 4096x4096)",
    )  # fmt: skip
    products.add_argument(
        "--batch", type=counts, default=[1, 32], metavar="M,...", help="rows of activations (default 1,32)"
    )
    products.add_argument("--threads", type=threads, default=[1], metavar="T,...", help="of the DSP (default 1)")
    products.add_argument(
        "--cycles", action="store_true", help="also model cycles per function; needs loopback:qemu, slower"
    )
    products.add_argument("--csv", action="store_true", help="print the reproducible figures as CSV, one line per case")
    add_trace_option(products)
    products.set_defaults(run=run_matmul)
    calls = kinds.add_parser("host", help="a small matmul from Python against a bare C call, and the cost of each step")
    calls.set_defaults(run=run_host)
    bench_model.add_parser(kinds)
    bench_context.add_parser(kinds)
    bench_silicon.add_parser(kinds)
    bench_speech.add_parser(kinds)
    for kind in (products, calls):
        add_device_options(kind)
        kind.add_argument("--json", action="store_true", help="print JSON")


def run_matmul(options: argparse.Namespace, output: Output) -> int:
    if options.cycles:
        matmul.check_packets(options.device, options.transport)
    plan = matmul.Cases(options.types or quants.tile_types(), options.shape, options.batch, options.threads)
    records = []
    with progress(plan.n_cases) as (starting, done), tracing(options) as trace:
        for record in matmul.run(plan, options.device, options.transport, starting, trace, cycles=options.cycles):
            records.append(record)
            done()
    if options.csv:
        writer = csv.DictWriter(sys.stdout, _CSV, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    elif output.as_json:
        output.json(records)
    else:
        _show(records, output)
    return int(all(record["error"] is not None for record in records))


def run_host(options: argparse.Namespace, output: Output) -> None:
    with progress(host.ROUNDS) as (_, done):
        result = host.run(options.device, options.transport, done)
    if output.as_json:
        output.json(result)
        return
    for figures in result["transports"]:
        output.facts(_host_facts(figures))
        print()
    output.facts([("device", result["device"]), ("bare", host.BARE)])


def _host_facts(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "transport", f"{figures['transport']}, {figures['runs']} runs, medians in microseconds"
    yield "matmul from Python", f"{figures['us_matmul']:9.2f}"
    yield "bare C call", f"{figures['us_bare']:9.2f}"
    yield "ratio", f"{figures['ratio']:9.2f}"
    yield "above the bare call", f"{figures['us_above']:9.2f}, of them:"
    for name, microseconds in figures["stages"].items():
        yield f"  {name}", f"{microseconds:9.2f}"


def _show(records: list[dict[str, Any]], output: Output) -> None:
    output.table(_COLUMNS, (_row(record) for record in records if record["error"] is None), n_keys=4)
    for record in records:
        if record["error"] is not None:
            title = f"{record['type']} {record['n']}x{record['k']} M={record['m']} threads={record['threads']}"
            output.facts([(f"{title} was not run", record["error"])])
    if any(record["functions"] for record in records):
        print()
        output.table(_CYCLE_COLUMNS, (row for record in records for row in _cycles(record)), n_keys=4)


def _cycles(record: dict[str, Any]) -> Iterator[list[str]]:
    """Yield rows with packets and modelled cycles: of the op, and of its most expensive functions."""
    if not record["functions"]:
        return
    case = [record["type"], f"{record['n']} x {record['k']}", str(record["m"]), str(record["threads"])]
    packets, cycles = record["packets"], record["cycles_model"]
    per_cycle = f"{record['macs_per_cycle']:.1f}"
    yield [*case, "the op", f"{packets:,}", f"{cycles:,}", f"{cycles / packets:.2f}", per_cycle]
    for function in record["functions"][:_MOST_FUNCTIONS]:
        costs = function["packets"], function["cycles"]
        yield [*case, function["name"], *(f"{cost:,}" for cost in costs), f"{costs[1] / costs[0]:.2f}", ""]


def _row(record: dict[str, Any]) -> list[str]:
    return [
        record["type"],
        f"{record['n']} x {record['k']}",
        str(record["m"]),
        str(record["threads"]),
        _number(record["packets"], ","),
        _number(record["packets_max_thread"], ","),
        _number(record["macs_per_packet"], ".1f"),
        f"{record['weight_bytes']:,}",
        f"{record['dma_bytes']:,}",
        f"{record['nmse']:.2e}",
        _number(record["nmse_llama"], ".2e"),
        str(record["nmse_rows"]),
        *(f"{record[f'us_{part}']:,.0f}" for part in ("total", "python", "transport", "dsp")),
    ]


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
