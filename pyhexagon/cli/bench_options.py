# SPDX-License-Identifier: MIT
"""What the benchmarks' commands share: the form of their options, and their progress bar."""

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

_MOST: Final = (1 << 31) - 1  # rows or columns that a buffer of less than 2 GiB could hold


@contextmanager
def progress(n_steps: int | None) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """A bar on stderr, where that is a terminal; gives a function that names a step and one that ends it.

    Args:
        n_steps: None where that is not known.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True, markup=False)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("measuring", total=n_steps)
        yield lambda name: bar.update(task, description=name), lambda: bar.advance(task)


def types(text: str) -> list[GGMLQuantizationType] | None:
    """Names as GGUF spells them; None for all."""
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
