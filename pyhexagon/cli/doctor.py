# SPDX-License-Identifier: MIT
"""``pyhexagon doctor``: find out why the device does not work, and which command fixes it."""

from __future__ import annotations

import argparse
from pathlib import Path

from pyhexagon import files
from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output
from pyhexagon.doctor import Doctor, Findings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", metavar="D", help="cdsp (default, or PYHEXAGON_DEVICE), cdsp1, cpu, loopback, loopback:qemu"
    )
    parser.add_argument("--report", metavar="FILE", type=Path, help="write a file to attach to a bug report")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    if options.report is not None:
        files.check(options.report)
    report = Doctor(options.device).run()
    if options.report is not None:
        report.write(options.report)
    if output.as_json:
        facts = report.facts()
        for check in filter(None, [facts["first_problem"], *facts["checks"]]):
            check["remedy"] = on_board.carried(check["remedy"])
        output.json(facts)
    else:
        _print(report, output)
    return 0 if report.ok else 1


def _print(report: Findings, output: Output) -> None:
    columns = (("check", False), ("status", False), ("finding", False), ("s", True))
    rows = [(result.name, result.status.value, result.finding, f"{result.seconds:.1f}") for result in report.results]
    output.table(columns, rows)
    first = report.first_problem
    board = [("board", host)] if (host := on_board.speaker().removeprefix(" on ")) else []
    if first is None:
        output.facts([*board, ("result", "nothing is wrong")])
        return
    result = "FAILED" if not report.ok else "works, with a warning"
    output.facts([
        *board,
        ("result", result),
        ("first problem", first.name),
        ("finding", first.finding),
        ("remedy", on_board.carried(first.remedy)),
    ])
