# SPDX-License-Identifier: MIT
"""What the scripts share: parsers, results and errors in the form of the commands of ``pyhexagon``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError, HexagonError


def parser(name: str, summary: str | None) -> argparse.ArgumentParser:
    """Return the parser of ``python -m benchmarks.NAME``, with ``--json``."""
    made = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=summary,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def run(
    parser: argparse.ArgumentParser,
    work: Callable[[argparse.Namespace, Output], int | None],
    arguments: Sequence[str] | None,
) -> int:
    """Parse the arguments (None: those of the process), do the work, and return the exit code.

    An error of ``HexagonError`` is one line on stderr, or a JSON object, and exit code 1.
    """
    options = parser.parse_args(arguments)
    output = Output(as_json=options.json)
    try:
        return work(options, output) or 0
    except HexagonError as error:
        output.error(error)
        return 1


def records(path: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Read the records that a command of ``pyhexagon bench`` printed with ``--json``.

    Args:
        names: the figures that each of them has.

    Raises:
        ArgumentError: the file does not hold such records.
    """
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{path}: {error}") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) and {*names} <= one.keys() for one in found):
        raise ArgumentError(f"{path} does not hold records with {', '.join(names)}")
    return found
