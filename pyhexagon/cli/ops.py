# SPDX-License-Identifier: MIT
"""``pyhexagon ops``: show which types each op takes, test the ops, and count packets."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from pyhexagon.cli import on_board
from pyhexagon.cli.bench_options import progress, threads
from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.ops_report import compare, perf, support
from pyhexagon.program.switches import check_stages

Record = dict[str, Any]

_PERF: Final = (
    "op", "type", "shape", "threads", "kernels", "elements", "packets", "packets_max_thread", "packets_per_32",
)  # fmt: skip
_CYCLES: Final = (
    "op", "type", "shape", "threads", "packets", "cycles_model", "a packet", "waits most in", "its packets",
)  # fmt: skip
_TEST: Final = (
    ("op", False), ("type", False), ("cases", True), ("right", True), ("largest NMSE", True), ("limit", True),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--support", action="store_true", help="show which types each op takes, and why not the others; needs no DSP"
    )
    what.add_argument(
        "--test", action="store_true",
        help="compare with float64, on the shapes of ggml's test-backend-ops and with weights up to 16384x16384",
    )  # fmt: skip
    what.add_argument("--perf", action="store_true", help="count packets on shapes of models")
    parser.add_argument(
        "--filter", type=_pattern, default="", metavar="REGEX",
        help="only cases that match, such as soft_max or 'MUL_MAT.*Q4'",
    )  # fmt: skip
    parser.add_argument(
        "--threads", type=threads, default=[1, 4], metavar="T,...", help="with --perf: DSP threads (default 1,4)"
    )
    parser.add_argument(
        "--cycles",
        action="store_true",
        help="with --perf: also model cycles per function; needs loopback:qemu, slower",
    )
    parser.add_argument("--csv", action="store_true", help="print comma-separated values")
    add_device_options(parser)
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    if options.support:
        return _support(options, output)
    return _test(options, output) if options.test else _perf(options, output)


def _support(options: argparse.Namespace, output: Output) -> int:
    with Device(options.device or "loopback", transport=options.transport) as device:  # all runtimes take the same
        found = _some(list(support.try_types(device, options.filter)), options)
    records = [row._asdict() for row in found]
    if _printed(records, options, output):
        return 0
    types = list(dict.fromkeys(row.type for row in found))
    rows: dict[str, list[str]] = {}
    of_op: dict[tuple[str, str], list[str]] = {}
    for row in found:
        rows.setdefault(row.op.upper(), []).append("yes" if row.supported else "-")
        if not row.supported:
            of_op.setdefault((row.op.upper(), _general(row.reason, row.type)), []).append(row.type)
    reasons: dict[tuple[str, str], list[str]] = {}
    for (op, reason), refused in of_op.items():
        reasons.setdefault((reason, " ".join(refused)), []).append(op)
    columns = [("op", False), *((name, False) for name in types)]
    output.table(columns, ([op, *row] for op, row in rows.items()), n_keys=1)
    print()
    why = [[reason, refused, " ".join(ops)] for (reason, refused), ops in reasons.items()]
    output.table([("why not T", False), ("T", False), ("ops", False)], why)
    return 0


def _general(reason: str, dtype: str) -> str:
    """Return a reason without the name of the type, so that types can share it."""
    return re.sub(rf"\b(?:a )?{dtype}\b(?: weight)?", "T", reason, count=1, flags=re.IGNORECASE)


def _test(options: argparse.Namespace, output: Output) -> int:
    chosen = _some(compare.chosen(options.filter), options)
    verdicts = []
    with Device(options.device, transport=options.transport) as device, progress(len(chosen)) as (begin, end):
        check_stages(device.switches)
        for verdict in compare.run(device, chosen):
            begin(verdict.case.op)
            verdicts.append(verdict)
            end()
    bad = [verdict for verdict in verdicts if verdict.problem]
    records = [
        {"op": verdict.case.op, "type": verdict.case.type or "F32", "shape": verdict.case.name, "nmse": verdict.nmse,
         "limit": verdict.limit, "passed": not (verdict.problem or verdict.lacks_memory), "problem": verdict.problem,
         "lacks_memory": verdict.lacks_memory, "seconds": verdict.seconds}
        for verdict in verdicts
    ]  # fmt: skip
    code = 1 if bad or len(verdicts) < len(chosen) else 0
    if _printed(records, options, output):
        return code
    groups: dict[tuple[str, str], list[compare.Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.case.op.upper(), verdict.case.type or "F32"), []).append(verdict)
    rows = [
        [op, dtype, str(len(group)), str(sum(verdict.nmse is not None and not verdict.problem for verdict in group)),
         f"{max(verdict.nmse or 0 for verdict in group):.1e}", f"{max(verdict.limit for verdict in group):.0e}"]
        for (op, dtype), group in groups.items()
    ]  # fmt: skip
    output.table(_TEST, rows)
    without = [verdict for verdict in verdicts if verdict.lacks_memory]
    output.facts([(compare.title(verdict.case), verdict.problem or verdict.lacks_memory) for verdict in bad + without])
    failed = f"FAILED: {len(bad)} wrong, {len(chosen) - len(verdicts)} not tried, of {len(chosen)} cases"
    passed = f"passed: {len(verdicts) - len(without)} cases"
    passed += f", {len(without)} were not tried: their weights do not fit" if without else ""
    output.facts([("result", failed if code else passed)])
    return code


def _perf(options: argparse.Namespace, output: Output) -> int:
    cases = [case for case in perf.cases() if perf.matches(case, options.filter)]
    _some(cases, options)
    records: list[Record] = []
    with progress(len(cases) * len(options.threads)) as (begin, end):
        for record in perf.run(
            options.device, options.transport, options.threads, options.filter, end, cycles=options.cycles
        ):
            begin(record["op"])
            records.append(record)
    if _printed(records, options, output):
        return 0
    if options.cycles:
        columns = [(name.replace("_", " "), name not in ("op", "type", "shape", "waits most in")) for name in _CYCLES]
        output.table(columns, (_cycles(record) for record in records))
    else:
        columns = [(name.replace("_", " "), name not in ("op", "type", "shape", "kernels")) for name in _PERF]
        output.table(columns, ([_cell(record[name]) for name in _PERF] for record in records))
    return 0


def _cycles(record: Record) -> list[str]:
    """Return packets and modelled cycles of an op, and the function with most stalls."""
    cells = [_cell(record[name]) for name in _CYCLES[:6]]
    if record["cycles_model"] is None:
        return [*cells, "-", "-", "-"]
    worst = max(record["functions"], key=lambda function: function["cycles"] - function["packets"])
    share = f"{record['cycles_model'] / record['packets']:.2f}"
    return [*cells, share, worst["name"], f"{worst['packets']:,}, {worst['cycles'] / worst['packets']:.2f} cycles each"]


def _printed(records: Sequence[Record], options: argparse.Namespace, output: Output) -> bool:
    """Print records as JSON or CSV if asked to, and return whether it did."""
    if output.as_json:
        output.json(records)
    elif options.csv:
        names = [name for name in records[0] if name != "functions"]
        writer = csv.DictWriter(sys.stdout, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return bool(output.as_json or options.csv)


def _some(found: list[Any], options: argparse.Namespace) -> list[Any]:
    if not found:
        raise HexagonError(f"nothing matches {options.filter!r}")
    return found


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None
    return text


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}" if isinstance(value, float) else str(value)
