# SPDX-License-Identifier: MIT
"""What the sub-commands print with, and the options they share."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from pyhexagon.errors import HexagonError
from pyhexagon.process.transport import NAMES
from pyhexagon.trace import Trace
from pyhexagon.weights import Progress as ProgressFunction

_PIPE_WIDTH: Final = 250  # a table that nobody looks at must not be folded
_GAP: Final = 2  # between the columns of a table


def prepare_streams() -> None:
    """Where stdout or stderr was closed, nothing is printed; what stdout's encoding lacks is printed as an escape."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


class Output:
    """stdout for results and stderr for the rest."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._answered = False
        width = None if sys.stdout.isatty() else _PIPE_WIDTH
        self._console = Console(markup=False, highlight=False, width=width)

    def json(self, value: object) -> None:
        """Prints the answer, at once: a server goes on after it."""
        self._answered = True
        print(json.dumps(value, indent=2, allow_nan=False), flush=True)

    def table(
        self, columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]], *, n_keys: int = 0
    ) -> None:
        """Prints a table; a column is a title and whether it is a number.

        Args:
            n_keys: so many columns name the row. What a narrow terminal has no room for beside them follows below, with
                the names again.
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
            self._console.print(table)

    def facts(self, rows: Iterable[tuple[str, str]]) -> None:
        """Prints names and values."""
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(style="bold")
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(printable(name), printable(value))
        self._console.print(table)

    @contextmanager
    def progress(self, title: str) -> Iterator[ProgressFunction]:
        """A bar on stderr, where that is a terminal; gives the function that moves it."""
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(
            *columns, console=Console(stderr=True), transient=True, disable=self.as_json or not sys.stderr.isatty()
        ) as bar:
            task = bar.add_task(printable(title), total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def error(self, error: HexagonError, **more: object) -> None:
        """Prints an error; a JSON object gets ``more``, too."""
        if self.as_json and not self._answered:
            names = ("code", "name", "origin", "call", "detail", "hint")
            facts = {name: getattr(error, name) for name in names}
            self.json({"error": {"type": type(error).__name__, "message": str(error), **facts}, **more})
        else:
            print(f"pyhexagon: error: {printable(str(error))}", file=sys.stderr)


def add_device_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", metavar="D", help="cdsp (default, or the environment's PYHEXAGON_DEVICE), loopback, loopback:qemu"
    )
    parser.add_argument("--transport", choices=NAMES, help="default: the faster one that works")


def add_trace_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trace", metavar="FILE", type=Path, help="write a timeline of host and DSP for https://ui.perfetto.dev"
    )


def tracing(options: argparse.Namespace) -> AbstractContextManager[Trace | None]:
    """The trace that ``--trace`` asks for."""
    return Trace(options.trace) if options.trace else nullcontext()


def _parts(widths: Sequence[int], n_keys: int, room: int) -> list[list[int]]:
    """Which columns are printed side by side: all, or those that name a row and as many others as there is room for."""
    if not n_keys or sum(widths) + _GAP * (len(widths) - 1) <= room:
        return [list(range(len(widths)))]
    parts: list[list[int]] = []
    for column in range(n_keys, len(widths)):
        if not parts or sum(widths[at] + _GAP for at in parts[-1]) + widths[column] > room:
            parts.append(list(range(n_keys)))
        parts[-1].append(column)
    return parts


def printable(text: str) -> str:
    """Names come from files: no control sequence of theirs reaches the terminal."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
