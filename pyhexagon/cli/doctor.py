# SPDX-License-Identifier: MIT
"""``pyhexagon doctor``: what is wrong with this board, and which command mends it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pyhexagon import files
from pyhexagon.cli.output import Output
from pyhexagon.doctor import Doctor, Findings

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("doctor", help="find out what keeps the device from working, and what mends it")
    parser.add_argument(
        "--device", metavar="D", help="cdsp (default, or the environment's PYHEXAGON_DEVICE), loopback, loopback:qemu"
    )
    parser.add_argument("--report", metavar="FILE", type=Path, help="write a file to attach to a bug report")
    return parser


def run(options: argparse.Namespace, output: Output) -> int:
    if options.report is not None:
        files.check(options.report)
    report = Doctor(options.device).run()
    if options.report is not None:
        report.write(options.report)
    if output.as_json:
        output.json(report.facts())
    else:
        _print(report, output)
    return 0 if report.ok else 1


def _print(report: Findings, output: Output) -> None:
    columns = (("check", False), ("status", False), ("finding", False), ("s", True))
    rows = [(one.name, one.status.value, one.finding, f"{one.seconds:.1f}") for one in report.results]
    output.table(columns, rows)
    first = report.first_problem
    if first is None:
        output.facts([("result", "nothing is wrong")])
        return
    result = "FAILED" if not report.ok else "works, with a warning"
    output.facts([
        ("result", result),
        ("first problem", first.name),
        ("finding", first.finding),
        ("remedy", first.remedy),
    ])
