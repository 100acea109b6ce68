# SPDX-License-Identifier: MIT
"""Repack weights on all cores.

The work is cut into jobs of some tiles each. The calling thread takes jobs like all others, and only it reports
progress. After an interrupt (Ctrl-C) or an error no further job starts; running jobs write into views of buffers, which
are not freed while these views live.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from math import prod
from types import TracebackType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.gguf.reading import Rows
from pyhexagon.process.callthread import Call, CallThread
from pyhexagon.tensor import Tensor

U8 = npt.NDArray[np.uint8]
Progress = Callable[[int], None]

_JOB_BYTES: Final = 1 << 20  # GGUF bytes per job: dispatch is cheap beside it, and weights have many


class _Job(NamedTuple):
    """Rows of a matrix, and the tiles that they fill."""

    dtype: GGMLQuantizationType
    rows: Rows
    first: int
    last: int
    k: int
    tiles: U8

    def run(self) -> int:
        """Repack the rows; return the GGUF bytes read."""
        blocks = self.rows(self.first, self.last)
        quants.repack(self.dtype, blocks, len(blocks), self.k, self.tiles)
        return blocks.nbytes


class _Batch:
    """A queue of jobs that several threads work on."""

    def __init__(self, jobs: Iterator[_Job]) -> None:
        self.left = deque(jobs)
        self._done: list[int] = []

    def work(self, progress: Progress | None = None) -> None:
        """Run jobs until the queue is empty."""
        try:
            while self.left:
                try:
                    job = self.left.popleft()
                except IndexError:  # another thread took the last
                    return
                self._done.append(job.run())
                del job
                if progress is not None:
                    progress(sum(self._done))
        except BaseException:
            self.left.clear()
            raise

    @property
    def done(self) -> int:
        """GGUF bytes repacked so far."""
        return sum(self._done)


class Packers:
    """Repacking threads, one per core including the caller; use them in one ``with`` statement."""

    def __init__(self) -> None:
        self._threads: list[CallThread] = []

    def __enter__(self) -> Packers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for thread in self._threads:
            thread.end()

    def fill(self, tensor: Tensor, rows: Rows, progress: Progress) -> None:
        """Repack rows of GGUF bytes into a weight.

        Args:
            rows: returns the bytes of rows; several matrices have consecutive row numbers. Called once per row.
            progress: called on this thread with the bytes done; at the end with all of them.
        """
        batch = _Batch(_jobs(tensor, rows))
        n_others = min(len(batch.left), len(os.sched_getaffinity(0))) - 1
        while len(self._threads) < n_others:
            self._threads.append(CallThread(f"pyhexagon-repack-{len(self._threads)}"))
        calls = [Call(batch.work) for _ in range(n_others)]
        seen = 0

        def report(n_bytes: int) -> None:
            nonlocal seen
            if n_bytes > seen:
                seen = n_bytes
                progress(n_bytes)

        try:
            for thread, call in zip(self._threads, calls, strict=False):
                thread.post(call)
            batch.work(report)
            for call in calls:
                call.wait(threading.TIMEOUT_MAX)
        except BaseException:
            batch.left.clear()
            raise
        report(batch.done)


def _jobs(tensor: Tensor, rows: Rows) -> Iterator[_Job]:
    *leading, n, k = tensor.shape
    info = quants.dtype_info(tensor.gguf_type)
    tile_bytes = quants.tile_bytes(tensor.gguf_type, 1, k)
    step = max(1, _JOB_BYTES // (quants.TILE_ROWS * (k // info.block_size) * info.block_bytes)) * quants.TILE_ROWS
    for part in tensor.parts:
        size = quants.tile_bytes(tensor.gguf_type, part.end - part.first, k)
        room = part.buffer.array(np.uint8, (prod(leading), size), "C")
        for matrix, tiles in enumerate(room):
            for first in range(part.first, part.end, step):
                last = min(first + step, part.end)
                at = (first - part.first) // quants.TILE_ROWS * tile_bytes
                n_bytes = quants.tile_bytes(tensor.gguf_type, last - first, k)
                before = matrix * n
                yield _Job(tensor.gguf_type, rows, before + first, before + last, k, tiles[at : at + n_bytes])
