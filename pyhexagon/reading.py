# SPDX-License-Identifier: MIT
"""Files read by position. A page of a mapped file that something else truncates ends the process (SIGBUS); a read of
bytes that are gone is an error, so what is loaded is read and not mapped."""

from __future__ import annotations

import mmap
import os
import stat
import weakref
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import HexagonError

Rows = Callable[[int, int], npt.NDArray[np.uint8]]
"""Gives the bytes of a weight's rows from one to another, (rows, bytes of a row), on any thread."""

_CHUNK: Final = 1 << 18
_NO_RESERVE: Final = 0x4000  # Linux's MAP_NORESERVE: only pages that are written count as memory


class OpenFile:
    """A regular file, open for reads from any thread. Its fd is closed when nobody refers to it any more.

    Attributes:
        path: of the file.
        error: what is raised.
        fd: its descriptor.
        size: bytes that it had when it was opened.

    Raises:
        error: it cannot be opened, or is no regular file or empty.
    """

    def __init__(self, path: str, error: type[HexagonError]) -> None:
        self.path, self.error = path, error
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
                raise error(f"{path}: not a regular file")
            self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            weakref.finalize(self, os.close, self.fd).atexit = False
            self.size = os.fstat(self.fd).st_size
        except (OSError, ValueError) as problem:
            if isinstance(problem, HexagonError):
                raise
            raise error(f"{path}: {getattr(problem, 'strerror', None) or problem}") from problem
        if not self.size:
            raise error(f"{path}: the file is empty")

    def read_into(self, room: memoryview, at: int) -> None:
        """Fill ``room``, which is of bytes, with those of the file from ``at`` on.

        Raises:
            error: the file ends before, because something truncated it, or cannot be read.
        """
        left = room
        while left:
            try:
                n_read = os.preadv(self.fd, [left], at)
            except OSError as problem:
                raise self.error(f"{self.path}: byte {at}: {problem.strerror}") from problem
            if not n_read:
                raise self.error(
                    f"{self.path}: truncated while it was read: it had {self.size} bytes, now it ends at or before "
                    f"byte {at}",
                    hint="replace a file that is in use by renaming another one to its name",
                )
            left, at = left[n_read:], at + n_read

    def rows(self, at: int, row_bytes: int, first: int, last: int) -> npt.NDArray[np.uint8]:
        """A copy of the rows ``first`` to ``last`` of a tensor at ``at``: uint8 (last - first, row_bytes)."""
        room = np.empty((last - first, row_bytes), np.uint8)
        self.read_into(room.reshape(-1).data, at + first * row_bytes)
        return room


class Copy:
    """Memory of a file's size, of which those parts that were asked for hold the file's bytes.

    Raises:
        HexagonError: the file's own, where there are no addresses left, or it was truncated.

    Attributes:
        bytes: the memory, of which only what was read takes any; what ``need`` was not called for is zeros.
    """

    def __init__(self, file: OpenFile) -> None:
        self._file = file
        try:
            self.bytes = mmap.mmap(-1, file.size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
        except OSError as problem:
            raise file.error(f"{file.path}: no room for {file.size} addresses: {problem.strerror}") from problem
        self._view = memoryview(self.bytes)
        self._filled: set[int] = set()

    def need(self, begin: int, end: int) -> int:
        """Read the bytes from ``begin`` to ``end``, unless they are here. Return where what is here now ends."""
        last = max(begin, min(end, self._file.size) - 1) // _CHUNK
        for chunk in range(begin // _CHUNK, last + 1):
            if chunk not in self._filled and chunk * _CHUNK < self._file.size:
                at = chunk * _CHUNK
                self._file.read_into(self._view[at : min(at + _CHUNK, self._file.size)], at)
                self._filled.add(chunk)
        return min((last + 1) * _CHUNK, self._file.size)
