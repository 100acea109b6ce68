# SPDX-License-Identifier: MIT
"""Files read by position. If another process truncates a mapped file, touching a lost page ends the process (SIGBUS); a
read of lost bytes only fails. So data that is loaded is read, not mapped."""

from __future__ import annotations

import mmap
import os
import select
import stat
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import HexagonError

Rows = Callable[[int, int], npt.NDArray[np.uint8]]
"""Returns the bytes of a range of a weight's rows, (rows, bytes per row), on any thread."""

_CHUNK: Final = 1 << 18
_NO_RESERVE: Final = 0x4000  # Linux's MAP_NORESERVE: only pages that are written count as memory


class OpenFile:
    """A regular file, open for reads from any thread. Its fd is closed when the object is garbage.

    Attributes:
        path: of the file.
        error: the class of exceptions to raise.
        fd: the file descriptor.
        size: the size in bytes when it was opened.

    Raises:
        error: the file cannot be opened, is not a regular file, or is empty.
    """

    def __init__(self, path: str, error: type[HexagonError]) -> None:
        self.path, self.error = path, error
        # An epoll object closes whatever fd it wraps in C, without a warning. A __del__ could lose the fd: Ctrl-C can
        # interrupt it before its first statement. For the same reason, only C code runs between open and the wrapper.
        self._owners: list[select.epoll] = []
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
                raise error(f"{path}: not a regular file")
            self._owners.extend(map(select.epoll.fromfd, map(os.open, (path,), (os.O_RDONLY | os.O_CLOEXEC,))))
            self.fd = self._owners[0].fileno()
            self.size = os.fstat(self.fd).st_size
        except (OSError, ValueError) as problem:
            if isinstance(problem, HexagonError):
                raise
            raise error(f"{path}: {getattr(problem, 'strerror', None) or problem}") from problem
        if not self.size:
            raise error(f"{path}: the file is empty")

    def read_into(self, room: memoryview, at: int) -> None:
        """Fill ``room``, a memoryview of bytes, with the file's bytes from ``at`` on.

        Raises:
            error: the file ends before, because it was truncated, or cannot be read.
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
        """Return a copy of the rows ``first`` to ``last`` of a tensor at ``at``: uint8 (last - first, row_bytes)."""
        room = np.empty((last - first, row_bytes), np.uint8)
        self.read_into(room.reshape(-1).data, at + first * row_bytes)
        return room


class Copy:
    """Memory of a file's size that is filled with the file's bytes on demand.

    Raises:
        HexagonError: the file's error class; the address space is exhausted, or the file was truncated.

    Attributes:
        bytes: the memory; only parts that were read take physical memory, and other parts are zeros.
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
        """Read the bytes from ``begin`` to ``end`` if necessary. Return the end of the bytes now present."""
        last = max(begin, min(end, self._file.size) - 1) // _CHUNK
        for chunk in range(begin // _CHUNK, last + 1):
            if chunk not in self._filled and chunk * _CHUNK < self._file.size:
                at = chunk * _CHUNK
                self._file.read_into(self._view[at : min(at + _CHUNK, self._file.size)], at)
                self._filled.add(chunk)
        return min((last + 1) * _CHUNK, self._file.size)
