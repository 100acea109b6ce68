# SPDX-License-Identifier: MIT
"""Types of options and the progress bar that the benchmarks share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from gguf import GGMLQuantizationType
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pyhexagon import quants
from pyhexagon._ffi import contract

_MOST: Final = (1 << 31) - 1  # rows or columns of a buffer below 2 GiB


@contextmanager
def progress(n_steps: int | None) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """Show a progress bar on stderr if it is a terminal; yield the functions that name a step and finish one.

    Args:
        n_steps: None if unknown.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True, markup=False)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("measuring", total=n_steps)
        yield lambda name: bar.update(task, description=name), lambda: bar.advance(task)


def types(text: str) -> list[GGMLQuantizationType] | None:
    """Return the types of a list of GGUF names; None for all."""
    if text == "all":
        return None
    by_name = {dtype.name: dtype for dtype in quants.supported()}
    wrong = [name for name in text.split(",") if name not in by_name]
    if wrong:
        raise argparse.ArgumentTypeError(f"no type {', '.join(wrong)}: the DSP takes {', '.join(by_name)}")
    return [by_name[name] for name in text.split(",")]


def shape(text: str) -> tuple[int, int]:
    try:
        n, k = map(int, text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a shape is NxK, such as 4096x4096, not {text!r}") from None
    if not (1 <= n <= _MOST and 1 <= k <= _MOST):
        raise argparse.ArgumentTypeError(f"a shape has 1 to {_MOST:,} rows and columns, not {text!r}")
    return n, k


def counts(text: str) -> list[int]:
    try:
        numbers = [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers such as 1,32, not {text!r}") from None
    if not 1 <= min(numbers) <= max(numbers) <= _MOST:
        raise argparse.ArgumentTypeError(f"expected numbers of 1 to {_MOST:,}, not {text!r}")
    return numbers


def threads(text: str) -> list[int]:
    numbers = counts(text)
    if max(numbers) > contract.MAX_THREADS:
        raise argparse.ArgumentTypeError(f"a device has at most {contract.MAX_THREADS} threads, not {max(numbers)}")
    return numbers
