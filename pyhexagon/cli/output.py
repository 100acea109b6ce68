# SPDX-License-Identifier: MIT
"""Output and shared options of the commands."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from pyhexagon._ffi import contract
from pyhexagon.cli import on_board
from pyhexagon.errors import HexagonError, KernelError
from pyhexagon.process.resources import LATENCIES
from pyhexagon.process.transport import NAMES
from pyhexagon.trace import Trace
from pyhexagon.weights import Progress as ProgressFunction

_PIPE_WIDTH: Final = 250  # a pipe gets unfolded tables
_GAP: Final = 2  # between the columns of a table


class Output:
    """Prints results to stdout and everything else to stderr."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._answered = False
        width = None if sys.stdout.isatty() else _PIPE_WIDTH
        self._console = Console(markup=False, highlight=False, width=width)

    def json(self, value: object) -> None:
        """Print the answer and flush it, as a server keeps running."""
        self._answered = True
        print(json.dumps(value, indent=2, allow_nan=False), flush=True)

    def table(
        self, columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]], *, n_keys: int = 0
    ) -> None:
        """Print a table; a column is a title and whether it is a number.

        Args:
            n_keys: number of columns that name a row. On a narrow terminal the table is split, and each part repeats
                these columns.
        """
        cells = [[printable(cell) for cell in row] for row in rows]
        widths = [max(map(cell_len, column)) for column in zip([title for title, _ in columns], *cells, strict=True)]
        for number, part in enumerate(_parts(widths, n_keys, self._console.width)):
            if number:
                print()
            table = Table(box=None, pad_edge=False, header_style="bold")
            for title, is_number in (columns[at] for at in part):
                table.add_column(title, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
            for row in cells:
                table.add_row(*(row[at] for at in part))
            self._print(table)

    def facts(self, rows: Iterable[tuple[str, str]]) -> None:
        """Print names and values."""
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(style="bold")
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(printable(name), printable(value))
        self._print(table)

    def _print(self, table: Table) -> None:
        """Print a table without the blanks that pad its last column."""
        with self._console.capture() as text:
            self._console.print(table)
        print(*(line.rstrip() for line in text.get().splitlines()), sep="\n")

    @contextmanager
    def progress(self, title: str) -> Iterator[ProgressFunction]:
        """Show a progress bar on stderr if it is a terminal; yield the function that moves it."""
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(
            *columns, console=Console(stderr=True), transient=True, disable=self.as_json or not sys.stderr.isatty()
        ) as bar:
            task = bar.add_task(printable(title), total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @contextmanager
    def seconds(self, title: str, total: float, *, is_beside_text: bool) -> Iterator[Callable[[float], None]]:
        """Show a progress bar of seconds, as ``progress``; yield the function that moves it.

        Args:
            is_beside_text: whether stdout gets text meanwhile, which shows progress enough on a terminal.
        """
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
        is_hidden = self.as_json or not sys.stderr.isatty() or (is_beside_text and sys.stdout.isatty())
        with Progress(*columns, console=Console(stderr=True), transient=True, disable=is_hidden) as bar:
            task = bar.add_task(printable(title), total=total or None)
            yield lambda done: bar.update(task, completed=done)

    def error(self, error: HexagonError, **more: object) -> None:
        """Print an error; a JSON object gets ``more``, too."""
        if hint := on_board.file_to_copy(error.detail):
            error = type(error)(error.detail, hint=hint)
        if self.as_json and not self._answered:
            names = ("code", "name", "origin", "call", "detail", "hint")
            facts = {name: getattr(error, name) for name in names}
            facts["hint"] = on_board.carried(error.hint)
            message = on_board.carried(str(error))
            self.json({"error": {"type": type(error).__name__, "message": message, **facts}, **more})
        else:
            message = on_board.carried(str(error))
            lines = message.split("\n") if isinstance(error, KernelError) else [message]  # a compiler has many
            message = "\n    ".join(map(printable, lines))
            print(f"pyhexagon{on_board.speaker()}: error: {message}", file=sys.stderr)


def add_device_options(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--device", metavar="D", help="cdsp (default, or PYHEXAGON_DEVICE), cdsp1, cpu, loopback, loopback:qemu"
    )
    parser.add_argument("--transport", choices=NAMES, help="transport of requests (default: the faster one that works)")


def add_vote_options(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--power", choices=sorted(contract.POWER), help="vote for clocks (default: the profile's, or performance)"
    )
    parser.add_argument(
        "--latency", choices=LATENCIES, help="how the CPU waits for an invoke (default: the profile's, or qos)"
    )
    parser.add_argument("--no-profile", action="store_true", help="ignore the profile that pyhexagon tune wrote")


def device_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of ``add_device_options`` and ``add_vote_options`` as those of ``Device``."""
    return {
        "transport": options.transport,
        "power": options.power,
        "latency": options.latency,
        "profile": not options.no_profile,
    }


def add_trace_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trace", metavar="FILE", type=Path, help="write a timeline of host and DSP for https://ui.perfetto.dev"
    )


def tracing(options: argparse.Namespace) -> AbstractContextManager[Trace | None]:
    """Return the trace that ``--trace`` asks for."""
    return Trace(options.trace) if options.trace else nullcontext()


def _parts(widths: Sequence[int], n_keys: int, room: int) -> list[list[int]]:
    """Return the columns of each part of a table: all, or the columns that name a row and as many others as fit."""
    if not n_keys or sum(widths) + _GAP * (len(widths) - 1) <= room:
        return [list(range(len(widths)))]
    parts: list[list[int]] = []
    for column in range(n_keys, len(widths)):
        if not parts or sum(widths[at] + _GAP for at in parts[-1]) + widths[column] > room:
            parts.append(list(range(n_keys)))
        parts[-1].append(column)
    return parts


def printable(text: str) -> str:
    """Return a text of a file without control characters, which could control the terminal."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
