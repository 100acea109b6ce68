# SPDX-License-Identifier: MIT
"""Count what code does, instead of timing it: lines of Python that run, and bytes that are read from files.

Such numbers are the same on a busy machine. An endless loop ends at the limit; what C code does is not counted, and may
take as long as waiting.LONG says.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any
from unittest.mock import patch

from waiting import LONG


@dataclass
class Effort:
    """What a block did.

    Attributes:
        lines: of Python, in all modules, that ran on the calling thread.
        n_read: bytes that ``os.preadv`` has read, on any thread.
    """

    lines: int = 0
    n_read: int = 0


@contextmanager
def counted(most_lines: int, most_read: int) -> Iterator[Effort]:
    """Yield the effort of the block, and assert that it stays within the limits."""
    effort, preadv = Effort(), os.preadv

    def count(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            effort.lines += 1
            assert effort.lines <= most_lines, f"{frame.f_code.co_filename}:{frame.f_lineno} runs line {effort.lines}"
        return count

    def read(*arguments: Any) -> int:
        n_read = preadv(*arguments)
        effort.n_read += n_read
        assert effort.n_read <= most_read, f"{effort.n_read} bytes read"
        return n_read

    before, start = sys.gettrace(), time.thread_time()
    with patch("os.preadv", read):
        sys.settrace(count)
        try:
            yield effort
        finally:
            sys.settrace(before)
            assert effort.lines <= most_lines, "and an except clause has caught this"
    assert time.thread_time() - start < LONG
