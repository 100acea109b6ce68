# SPDX-License-Identifier: MIT
"""Measure one row times 16384 x 16384 weights of every type, DSP and CPU, or show results of several machines.

    .venv/bin/python -m benchmarks.board --json > q6a.json
    .venv/bin/python -m benchmarks.board q6a.json other.json --picture both.svg
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import baseline, board_picture, board_result, command, peer_figures, picture
from pyhexagon import files, quants
from pyhexagon.cli.bench_options import progress, shape, types
from pyhexagon.cli.output import Output, add_device_options

_COLUMNS: Final = (
    ("type", False), ("N x K", False), ("repacking us", True), ("total us", True), ("host", True), ("transport", True),
    ("DSP", True), ("quantizing", True), ("computing", True), ("GB/s", True), ("NMSE", True), ("this CPU us", True),
    ("NumPy us", True), ("llama.cpp us", True), ("times the CPU", True),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("board", __doc__)
    parser.add_argument(
        "results", type=Path, nargs="*", metavar="FILE",
        help="show these JSON results of earlier runs instead of measuring",
    )  # fmt: skip
    add_case_options(parser)
    parser.add_argument("--announce", action="store_true", help="print each step to stderr, for benchmarks.on_board")
    return command.run(parser, _run, arguments)


def add_case_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of what to measure and plot."""
    parser.add_argument("--types", type=types, default=None, help="such as Q4_0,Q8_0, or all (default)")
    parser.add_argument("--shape", type=shape, default=board_result.SHAPE, metavar="NxK", help="default 16384x16384")
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="DSP threads (default 0: all)")
    parser.add_argument(
        "--llama", metavar="FILE", help=f"llama.cpp's {baseline.LLAMA_TOOL}, to measure its CPU kernels (default: PATH)"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="plot the times to a .png or .svg")
    add_device_options(parser)


def case_arguments(options: argparse.Namespace) -> list[str]:
    """Return the options of what to measure as arguments for another ``benchmarks.board``."""
    given = {
        "types": ",".join(dtype.name for dtype in options.types) if options.types else "all",
        "shape": "x".join(map(str, options.shape)),
        "threads": str(options.threads),
        **{name: getattr(options, name) for name in ("llama", "device", "transport")},
    }
    return [part for name, value in given.items() if value is not None for part in (f"--{name}", value)]


def _run(options: argparse.Namespace, output: Output) -> int:
    files.check_distinct(options.picture, *options.results)
    if options.picture is not None:
        picture.check(options.picture)
    return show([board_result.read(path) for path in options.results] or [_measure(options)], output, options.picture)


def show(results: Sequence[board_result.Result], output: Output, path: Path | None) -> int:
    """Print the results, and plot them to the path if given; return 1 if no case ran."""
    if output.as_json:
        output.json(results[0] if len(results) == 1 else results)
    else:
        for result in results:
            _show(result, output)
    if all(record["error"] is not None for result in results for record in result["records"]):
        return 1
    if path is not None:
        board_picture.draw(results, path)
    return 0


def _measure(options: argparse.Namespace) -> board_result.Result:
    llama = baseline.find_llama(options.llama)
    plan = board_result.make_plan(options.types or quants.tile_types(), options.shape, options.threads, llama)
    with progress(board_result.n_steps(plan, llama)) as (starting, done):

        def start(name: str) -> None:
            starting(name)
            done()
            if options.announce:
                print(name, file=sys.stderr, flush=True)

        return board_result.run(plan, llama, options.device, options.transport, start)


def _show(result: board_result.Result, output: Output) -> None:
    output.facts(_facts(result))
    output.table(_COLUMNS, (_row(result, record) for record in result["records"] if record["error"] is None), n_keys=2)
    problems = [
        (f"{record['type']} {record['n']}x{record['k']} was not run", record["error"])
        for record in result["records"]
        if record["error"] is not None
    ]
    problems += [(f"NumPy {one['n']}x{one['k']} was not run", one["error"]) for one in result["numpy"] if one["error"]]
    problems += [
        (f"{one['type']} {one['n']}x{one['k']} was not run on this CPU", one["error"])
        for one in result.get("cpu", [])
        if one["error"] is not None
    ]
    if result["llama"] is None:
        problems.append(("llama.cpp was not run", f"{baseline.LLAMA_TOOL} is not on PATH; --llama FILE names it"))
    elif result["llama"]["error"]:
        problems.append(("llama.cpp was not run", result["llama"]["error"]))
    output.facts(problems)
    output.facts(_published(result))
    print()


def _facts(result: board_result.Result) -> Iterator[tuple[str, str]]:
    where = result["environment"]
    device = where["device"]
    yield "machine", board_result.name(result)
    yield "system", ", ".join(str(where[key]) for key in ("os", "kernel") if where[key])
    yield "DSP", f"{device['arch']}, {device['threads']} threads, {device['transport']}"
    for clock in where["cpu_clocks"]:
        yield f"CPUs {clock['cpus']}", f"{clock['governor']}, {clock['min_khz']} to {clock['max_khz']} kHz"
    if device["loopback"]:
        yield "times", "no DSP was used: this machine's CPU or an emulator took them"


def _row(result: board_result.Result, record: dict[str, Any]) -> list[str]:
    of_engine = board_result.engine_us(result, record)
    of_numpy, of_llama = board_result.cpu_us(result, record)
    best = min((us for us in (of_engine, of_numpy, of_llama) if us is not None), default=None)
    compute = record["us_dsp"] - record["us_quantise"]
    return [
        record["type"],
        f"{record['n']} x {record['k']}",
        f"{record['us_upload']:,.0f}",
        f"{record['us_total']:,.0f}",
        f"{record['us_python']:,.0f}",
        f"{record['us_transport']:,.0f}",
        f"{record['us_dsp']:,.0f}",
        f"{record['us_quantise']:,.0f}",
        f"{compute:,.0f}",
        f"{record['weight_bytes'] / record['us_dsp'] / 1e3:.1f}",
        f"{record['nmse']:.2e}",
        "-" if of_engine is None else f"{of_engine:,.0f}",
        "-" if of_numpy is None else f"{of_numpy:,.0f}",
        "-" if of_llama is None else f"{of_llama:,.0f}",
        "-" if best is None else f"{best / record['us_total']:.2f}",
    ]


def _published(result: board_result.Result) -> Iterator[tuple[str, str]]:
    for record in result["records"]:
        for one in peer_figures.times_of(record["type"], record["n"], record["k"], record["m"]):
            part = "" if one.dequantizing is None else f", of them {one.dequantizing:,} dequantizing"
            yield f"published: {one.type}", f"{one.name} {one.microseconds:,} us{part} ({one.source})"


if __name__ == "__main__":
    sys.exit(main())
