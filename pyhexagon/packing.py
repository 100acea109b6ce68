# SPDX-License-Identifier: MIT
"""Repacks weights on all cores.

Work is cut into jobs of some tiles each. The calling thread takes jobs like all others, and it alone tells how far the
work is. When it is interrupted (Ctrl-C) or an error ends it, no further job is begun; those under way write into views
of buffers, which are not freed as long as these live.
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
from pyhexagon.process.callthread import Call, CallThread
from pyhexagon.tensor import Tensor

U8 = npt.NDArray[np.uint8]
Told = Callable[[int], None]
ReadOnce = Callable[[U8], None]

_JOB_BYTES: Final = 2 << 20  # of GGUF: far more than handing a job over costs, far less than a weight


class _Job(NamedTuple):
    """Rows of a matrix, and the whole tiles that they make."""

    dtype: GGMLQuantizationType
    blocks: U8
    k: int
    tiles: U8
    read_once: ReadOnce

    def run(self) -> int:
        """Returns the bytes of GGUF that were read."""
        quants.repack(self.dtype, self.blocks, len(self.blocks), self.k, self.tiles)
        self.read_once(self.blocks)
        return self.blocks.nbytes


class _Batch:
    """Jobs that threads take in turns."""

    def __init__(self, jobs: Iterator[_Job]) -> None:
        self.left = deque(jobs)
        self._done: list[int] = []

    def work(self, told: Told | None = None) -> None:
        """Takes jobs as long as there are any."""
        try:
            while self.left:
                try:
                    job = self.left.popleft()
                except IndexError:  # another thread took the last
                    return
                self._done.append(job.run())
                del job
                if told is not None:
                    told(sum(self._done))
        except BaseException:
            self.left.clear()
            raise

    @property
    def done(self) -> int:
        """Bytes of GGUF."""
        return sum(self._done)


class Packers:
    """Threads that repack, as many as there are cores, the caller's among them. For one ``with`` statement."""

    def __init__(self) -> None:
        self._threads: list[CallThread] = []

    def __enter__(self) -> Packers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for thread in self._threads:
            thread.end()

    def fill(self, tensor: Tensor, blocks: U8, told: Told, read_once: ReadOnce = lambda _: None) -> None:
        """Repacks rows of GGUF's bytes into a weight.

        Args:
            blocks: of all its rows.
            told: called on this thread with the bytes done; at the end with all of them.
            read_once: called on any thread with the part of ``blocks`` that a job has read.
        """
        batch = _Batch(_jobs(tensor, blocks, read_once))
        n_others = min(len(batch.left), len(os.sched_getaffinity(0))) - 1
        while len(self._threads) < n_others:
            self._threads.append(CallThread(f"pyhexagon-repack-{len(self._threads)}"))
        calls = [Call(batch.work) for _ in range(n_others)]
        seen = 0

        def tell(n_bytes: int) -> None:
            nonlocal seen
            if n_bytes > seen:
                seen = n_bytes
                told(n_bytes)

        try:
            for thread, call in zip(self._threads, calls, strict=False):
                thread.post(call)
            batch.work(tell)
            for call in calls:
                call.wait(threading.TIMEOUT_MAX)
        except BaseException:
            batch.left.clear()
            raise
        read_once(blocks)  # what came with pages that others had given back already
        tell(batch.done)


def _jobs(tensor: Tensor, blocks: U8, read_once: ReadOnce) -> Iterator[_Job]:
    *leading, rows, k = tensor.shape
    matrices = blocks.reshape(prod(leading), rows, -1)
    tile_bytes = quants.tile_bytes(tensor.gguf_type, 1, k)
    step = max(1, _JOB_BYTES // (quants.TILE_ROWS * matrices.shape[2])) * quants.TILE_ROWS
    for part in tensor.parts:
        size = quants.tile_bytes(tensor.gguf_type, part.end - part.first, k)
        room = part.buffer.array(np.uint8, (len(matrices), size), "C")
        for matrix, tiles in zip(matrices, room, strict=True):
            for first in range(part.first, part.end, step):
                last = min(first + step, part.end)
                at = (first - part.first) // quants.TILE_ROWS * tile_bytes
                n_bytes = quants.tile_bytes(tensor.gguf_type, last - first, k)
                yield _Job(tensor.gguf_type, matrix[first:last], k, tiles[at : at + n_bytes], read_once)
