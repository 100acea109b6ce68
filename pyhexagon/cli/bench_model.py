# SPDX-License-Identifier: MIT
"""``pyhexagon bench model``: prefill and decode speed of a language model, measured as llama-bench does."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyhexagon.bench import (
    against,
    estimate,
    matmul,
    mixes,
    model,
    random_model,
    sensors,
    silicon,
    silicon_estimate,
    timeline,
)
from pyhexagon.cli import bench_image, image_options, on_board
from pyhexagon.cli.bench_options import progress, threads
from pyhexagon.cli.output import Output, add_device_options, printable
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.models.store import resolve

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_MIB: Final = 1 << 20
_KINDS: Final = ("ops", "packets", "packets_max_thread", "bytes")


def add_parser(kinds: _SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = kinds.add_parser("model", help="prefill and decode speed of a language model, as llama-bench")
    add_what(parser)
    parser.add_argument("-p", type=counts, default=[512], metavar="N,...", help="prompt tokens (default 512)")
    parser.add_argument("-n", type=counts, default=[128], metavar="N,...", help="tokens to generate (default 128)")
    parser.add_argument(
        "-d", type=counts, default=[0], metavar="N,...", help="tokens in the KV cache before (default 0)"
    )
    parser.add_argument("-r", type=count, default=3, metavar="N", help="runs for times (default 3; 0: packets only)")
    parser.add_argument("--compute-depth", action="store_true", help="compute the KV cache; by default it is random")
    parser.add_argument("--threads", type=threads, default=[0], metavar="T,...", help="DSP threads (default: all)")
    parser.add_argument("-o", choices=("md", "csv", "json"), default="md", help="output format (default md)")
    parser.add_argument(
        "--estimate", action="store_true", help="estimate t/s on a board, by a model that no board has confirmed"
    )
    parser.add_argument(
        "--silicon", type=Path, metavar="FILE", help="with --estimate: use the figures of this result of bench silicon"
    )
    parser.add_argument("--mmproj", metavar="FILE", help="also encode an image with this mmproj file")
    image_options.add_weights(parser)
    parser.add_argument(
        "--cycles", action="store_true", help="also model cycles per kind of op; needs loopback:qemu"
    )
    parser.add_argument(
        "--against", choices=("llama.cpp",), help="measure llama.cpp's best build for this CPU in turns"
    )
    parser.add_argument(
        "--llama-cpp", metavar="PATH", help="with --against: a folder with llama.cpp's libraries, or its llama-bench"
    )
    add_device_options(parser)
    on_board.add_option(parser)
    parser.add_argument("--json", action="store_true", help="as -o json")
    parser.set_defaults(run=run)


def add_what(parser: argparse.ArgumentParser) -> None:
    """Add the options of the model: a file, or random weights."""
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("model", nargs="?", metavar="MODEL", help="a GGUF file, or a pulled model's name")
    group.add_argument(
        "--random", choices=random_model.SHAPES, metavar="ARCH:SIZE",
        help=f"a published model's shapes with random weights: {', '.join(random_model.SHAPES)}",
    )  # fmt: skip
    parser.add_argument(
        "--mix", choices=mixes.MIXES, default="", help="with --random: a published mix of types (default: all Q4_0)"
    )


def what(options: argparse.Namespace) -> tuple[str, Callable[[], AbstractContextManager[GGUFFile]]]:
    """Return the name of the model and the function that opens its file."""
    if options.random is None:
        if options.mix:
            raise ArgumentError("--mix is for --random")
        return Path(options.model).name, partial(GGUFFile, resolve(options.model))
    name = f"random {options.random} {options.mix}".rstrip()
    return name, partial(random_model.opened, options.random, options.mix)


def run(options: argparse.Namespace, output: Output) -> None:
    if options.against:
        _run_against(options, output)
        return
    if options.llama_cpp is not None:
        raise ArgumentError("--llama-cpp is for --against")
    sizes = options.p, options.n, options.d, options.r, options.compute_depth
    cases = model.ModelCases(*sizes, is_recorded=options.estimate)
    if not cases.tests():
        raise ArgumentError("-p, -n and -d leave nothing to measure: expected tokens of prompt, or to generate")
    if options.cycles:
        matmul.check_packets(options.device, options.transport)
    if options.silicon and not options.estimate:
        raise ArgumentError("--silicon is for --estimate")
    hardware = silicon.load(options.silicon) if options.silicon else None
    assumed = silicon_estimate.assumptions(hardware)
    name, open_file = what(options)
    records = []
    with progress(len(cases.tests()) * len(options.threads)) as (starting, done):
        given: dict[str, Any] = {
            "threads": options.threads, "device": options.device, "transport": options.transport
        }  # fmt: skip
        for record in model.run(cases, open_file, name, **given, starting=starting, cycles=options.cycles):
            if messages := record.pop("messages", None):
                n_tokens = record["n_prompt"] or 1
                record["estimate_range"] = {
                    case: n_tokens / timeline.simulate(messages, machine).seconds for case, machine in assumed.items()
                }
            records.append(record)
            done()
        images = []
        for n_threads in options.threads if options.mmproj is not None else ():
            starting("an image")
            given["threads"] = n_threads
            images.append(bench_image.record(
                options.mmproj, records, assumed if options.estimate else {}, **given, is_timed=options.r > 0,
                weights=options.mmproj_weights,
            ))  # fmt: skip
    if output.as_json or options.o == "json":
        output.json(records + images)
    elif options.o == "csv":
        _csv(records)
    else:
        notes = silicon_estimate.describe(assumed, hardware) if options.estimate else []
        _markdown(records, notes, has_cycles=options.cycles)
        for of_image in images:
            print("", *bench_image.lines(of_image), sep="\n")


def _run_against(options: argparse.Namespace, output: Output) -> None:
    """Run ``bench.against``, which takes one prompt length and one number of tokens, in an empty context."""
    refused = options.estimate, options.cycles, options.compute_depth, options.o == "csv", options.mmproj
    if options.random is not None or any(refused):
        raise ArgumentError("--against takes a file, without --estimate, --cycles, --compute-depth, --mmproj, -o csv")
    if options.d != [0] or max(map(len, (options.p, options.n, options.threads))) > 1:
        raise ArgumentError("--against takes one number each for -p, -n and --threads, and no -d")
    sizes = {"n_prompt": options.p[0], "n_gen": options.n[0], "rounds": options.r, "threads": options.threads[0]}
    given = {"device": options.device, "transport": options.transport, "llama": options.llama_cpp}
    with progress(options.r) as (starting, done):
        records = against.run(resolve(options.model), **sizes, **given, starting=starting, done=done)
    if output.as_json or options.o == "json":
        output.json(records)
        return
    titles = ["model", "device", "threads", "test", "t/s", "llama.cpp t/s", "ratio", "ratio of CPU time"]
    rows = [
        [
            record["model"], record["device"], str(record["threads"]), record["test"],
            f"{record['tokens_per_second']:.2f}", f"{record['llama_cpp_tokens_per_second']:.2f}",
            f"{record['ratio']:.3f}", "-" if record["cpu_ratio"] is None else f"{record['cpu_ratio']:.3f}",
        ]
        for record in records
    ]  # fmt: skip
    _print_table(titles, rows, n_names=2)
    first = records[0]
    print(f"\nllama.cpp: {printable(first['llama_cpp'])}, KV cache of {first['llama_cpp_kv']}; ours of {first['kv']}")
    print(f"load average {first['load']}")


def _markdown(records: Sequence[dict[str, Any]], assumed: Sequence[str], *, has_cycles: bool) -> None:
    """Print the tables; ``assumed`` describes the assumptions of an estimate, and is empty without one."""
    titles = ["model", "size", "device", "threads", "test", "t/s", "packets/token", "busiest", "MiB/token", "messages"]
    rails = list(dict.fromkeys(name for record in records for name in record["joules_token"]))
    titles += [f"J/token, {name}" for name in rails]
    titles += ["t/s on a board (a model): low / expected / high"] if assumed else []
    rows = []
    for record in records:
        row = [
            record["model"], f"{record['model_bytes'] / _MIB:.1f} MiB", record["device"], str(record["threads"]),
            record["test"], _speed(record), _number(record["packets_token"]),
            _number(record["packets_token_max_thread"]),
            "-" if record["packets"] is None else f"{record['memory_bytes_token'] / _MIB:.1f}",
            f"{record['messages_token']:.3g}",
        ]  # fmt: skip
        row += [f"{record['joules_token'][name]:.3g}" if name in record["joules_token"] else "-" for name in rails]
        if assumed:
            row.append(" / ".join(f"{speed:.1f}" for speed in record.get("estimate_range", {}).values()) or "-")
        rows.append(row)
    _print_table(titles, rows, n_names=3)
    for record in records:
        if record["packets"] is not None:
            print(f"\n{record['test']}, {record['threads']} threads, a token:\n")
            titles = ["op", "ops", "packets", "busiest", "bytes", "modelled cycles"]
            _print_table(titles + ["cycles of all threads"] * has_cycles, _kind_rows(record), n_names=1)
    if assumed:
        print("\nlow / expected / high: a model, not a measurement, of")
        print("\n".join(f"- {line}" for line in assumed))
        print(f"\nThe tables of modelled cycles and memory speeds: {estimate.TEXT}")
        _print_estimates([record for record in records if record["estimate"]])
    for record in records:
        before, after = record["sensors"]["before"], record["sensors"]["after"]
        if hot := [f"{name} {before['temperatures'].get(name, value):.0f} to {value:.0f} C"
                   for name, value in after["temperatures"].items()]:
            print(f"\n{record['test']}, {record['threads']} threads, temperatures: {', '.join(hot)}")
        if slowed := sensors.shown("throttled", after["throttled"]):
            print(f"{record['test']}, {record['threads']} threads, throttled: {slowed}")
    if records[0]["loopback"] and any(record["samples"] for record in records):
        print(f"\n{records[0]['device']}: no DSP was used, t/s are those of this machine's CPU")


def _print_estimates(records: Sequence[dict[str, Any]]) -> None:
    """Print estimated tokens per second on a board, by compute and by memory bandwidth."""
    if not records:
        return
    titles = ["test", "threads", "ms/token, compute alone", "MiB/token"]
    titles += [f"t/s at {speed / 1e9:g} GB/s" for speed in estimate.MEMORY_SPEEDS]
    rows = []
    for record in records:
        modelled = record["estimate"]
        row = [record["test"], str(record["threads"]), f"{modelled['compute_seconds'] * 1e3:.3f}"]
        row += [f"{record['memory_bytes_token'] / _MIB:.1f}"]
        rows.append(row + [f"{speed:.1f}" for speed in modelled["by_memory_speed"].values()])
    print()
    _print_table(titles, rows, n_names=1)


def _kind_rows(record: dict[str, Any]) -> list[list[str]]:
    by_kind = sorted(record["by_kind"].items(), key=lambda item: -item[1]["packets_max_thread"])
    cycles = record["estimate"]["cycles"]
    figures = {kind: [*(costs[name] for name in _KINDS), cycles[kind]] for kind, costs in by_kind}
    for kind, costs in by_kind:
        figures[kind] += [costs["cycles_model"]] if "cycles_model" in costs else []
    sums = [sum(column) for column in zip(*figures.values(), strict=True)]
    rows = [*figures.items(), ("together", sums)]
    return [[kind, f"{round(n_ops, 2):,g}", *map(_number, numbers)] for kind, (n_ops, *numbers) in rows]


def _speed(record: dict[str, Any]) -> str:
    average, deviation = record["tokens_per_second"], record["tokens_per_second_deviation"]
    if average is None:
        return "-"
    return f"{average:.2f} ± {deviation:.2f}" if deviation is not None else f"{average:.2f}"


def _print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, n_names: int) -> None:
    """Print a Markdown table; all columns except the first ones are numbers."""
    cells = [[*titles], *([printable(cell).replace("|", "\\|") for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = [
        "-" * width if at < n_names else "-" * (width - 1) + ":" for at, width in enumerate(widths)
    ]  # fmt: skip
    for row in (cells[0], rule, *cells[1:]):
        shown = (
            cell.ljust(width) if at < n_names else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print(f"| {' | '.join(shown)} |")


def _csv(records: Sequence[dict[str, Any]]) -> None:
    """Print one line per record; figures by kind become columns such as mul_mat_packets."""
    rows = []
    for record in records:
        row = {name: value for name, value in record.items() if not isinstance(value, (dict, list))}
        for kind, costs in record["by_kind"].items():
            row |= {f"{kind.replace(' ', '_')}_{name}": value for name, value in costs.items()}
        row |= {"estimated_tokens_per_second": (record["estimate"] or {}).get("tokens_per_second")}
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(sys.stdout, names)
    writer.writeheader()
    writer.writerows(rows)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def counts(text: str) -> list[int]:
    return [count(number) for number in text.split(",")]


def count(text: str) -> int:
    if not text.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"expected whole numbers such as 0,512, not {text!r}")
    return int(text)
