# SPDX-License-Identifier: MIT
"""``pyhexagon bench on-board``: run ``bench board`` of the deployed version over ssh, and fetch its result."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyhexagon import files
from pyhexagon.bench import board, picture
from pyhexagon.cli import bench_board, ssh_options
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output, printable
from pyhexagon.deploy.connection import Connection
from pyhexagon.errors import ArgumentError, DeployError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_LOOK: Final = 60.0  # seconds
_MEASURE: Final = 4 * 3600.0


def add_parser(kinds: _SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = kinds.add_parser("on-board", help="run bench board on a board over ssh, with the version deployed there")
    ssh_options.add(parser)
    bench_board.add_case_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="save the result as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> int:
    files.check_distinct(options.out, options.picture)
    if options.picture is not None:
        picture.check(options.picture)
    if options.out is not None:
        files.check(options.out)
    text = _measure(options)
    try:
        result = board.parse(text)
    except ArgumentError as error:
        raise DeployError(
            f"the answer of {options.host} {error}: {text[-300:]}", hint="pyhexagon deploy brings this version there"
        ) from None
    if options.out is not None:
        files.save(options.out, lambda file: file.writelines([text.encode()]))
    return bench_board.show([result], output, options.picture)


def _measure(options: argparse.Namespace) -> str:
    with Connection(options.host, ssh_options.arguments(options), options.prefix) as connection:
        current = connection.run("probe", timeout=_LOOK).values["current"]
        if not current:
            raise DeployError(
                f"nothing is deployed on {options.host} in {options.prefix}", hint="run pyhexagon deploy first"
            )
        command = ["bench", "board", "--json", "--announce", *bench_board.case_arguments(options)]
        with progress(None) as (starting, _):
            version = current.removeprefix("versions/")
            answer = connection.run(
                "run",
                version,
                *command,
                timeout=_MEASURE,
                note=lambda line: starting(printable(line)[:60]),
                good=(0, 1),
            )
        return answer.output
