# SPDX-License-Identifier: MIT
"""The ``pyhexagon`` command: one module per sub-command, each with ``add_parser`` and ``run``.

Results go to stdout, as tables or, with ``--json``, as one JSON object, or a list of them. Exit codes: 0, 1 for an
error (one line on stderr, or ``{"error": ...}`` with ``--json``), 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from pyhexagon.cli import (
    bench,
    cache,
    chat,
    cluster,
    deploy,
    doctor,
    embed,
    evaluate,
    example,
    get_qemu,
    info,
    logs,
    map,
    matmul,
    on_board,
    ops,
    report,
    run,
    selftest,
    serve,
    show,
    tensors,
)
from pyhexagon.cli.output import Output, prepare_streams
from pyhexagon.errors import HexagonError
from pyhexagon.version import VERSION

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    try:
        prepare_streams()
        arguments = sys.argv[1:] if arguments is None else arguments
        code = _run(_parser().parse_args(arguments), arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:  # the disk that stdout goes to is full, or whoever read it has gone
        if not isinstance(error, BrokenPipeError):
            print(f"pyhexagon: error: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter's last flush fails, too
        return 1
    return code


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    output = Output(as_json=options.json)
    try:
        if getattr(options, "on", None) is not None and options.run is not report.run:
            return on_board.run(options, arguments)
        return options.run(options, output) or 0
    except HexagonError as error:
        output.error(error)
    except MemoryError as error:
        output.error(HexagonError(str(error) or "out of memory"))
    return 1


def _parser() -> argparse.ArgumentParser:
    description = "Matrix products and language models on Qualcomm's Hexagon DSP."
    parser = argparse.ArgumentParser(prog="pyhexagon", description=description)
    parser.add_argument("--version", action="version", version=f"pyhexagon {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (
        info, example, tensors, show, matmul, run, chat, serve, map, embed, evaluate, selftest, ops, logs, doctor,
        report, deploy, cluster, get_qemu, cache,
    ):  # fmt: skip
        command = module.add_parser(commands)
        command.add_argument("--json", action="store_true", help="print one JSON object")
        command.set_defaults(run=module.run)
    bench.add_parsers(commands)
    return parser
