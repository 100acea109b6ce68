# SPDX-License-Identifier: MIT
"""CPU and DSP share the rows of a program's products (docs/cpu.md).

A compiled product leaves its last tiles of weights to the CPU, and has a meeting (idl/contract.h) where both sides
exchange flags and the CPU's results. While a request is in flight, a team of CPU threads goes through its products.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, Literal

import numpy as np

from pyhexagon import interrupts
from pyhexagon._ffi import contract
from pyhexagon._ffi.sharing import NOTHING, Counts, Product, Products, Team
from pyhexagon.errors import ArgumentError
from pyhexagon.memory.buffer import Buffer, Pin
from pyhexagon.memory.memory import Memory
from pyhexagon.process import locate
from pyhexagon.process.cores import n_fast_cores
from pyhexagon.process.session import Session
from pyhexagon.program.compile import Piece
from pyhexagon.program.rendezvous import MOST_SHARED, Meeting
from pyhexagon.program.report import Report
from pyhexagon.program.wire import WireRequest
from pyhexagon.quants import TILE_ROWS

LIBRARY: Final = "libpyhexagon_sharing.so"
MAX_SHARE: Final = 0.9
PATIENCE_US: Final = 200  # of the DSP for the CPU's tiles of one product
MAX_THREADS: Final = 4
_DSP_WORDS: Final = 4  # reached, closed, n_taken, wait_ns


CPUShare = float | Literal["auto"]
"""A part of a matmul's weight rows; "auto" is the profile's, or else 0."""


def checked_share(share: CPUShare) -> float | None:
    """Return a share of the rows for the CPU as float, or None for "auto".

    Raises:
        ArgumentError: it is neither "auto" nor a number from 0 to 0.9.
    """
    if share == "auto":
        return None
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= MAX_SHARE:
        raise ArgumentError(f"cpu_share is {share!r}: expected 'auto' or a number from 0 to {MAX_SHARE}")
    return float(share)


def cpu_tiles(share: float, n_tiles: int) -> int:
    """Return how many of a product's tiles the CPU computes: the DSP has one at least."""
    return min(round(share * n_tiles), n_tiles - 1)


@dataclass
class Totals:
    """Sums over the runs of a device.

    Attributes:
        n_runs: requests with shared products.
        n_meetings: their products.
        rows: the weight rows of these products.
        cpu_rows: the part of them that the CPU has computed.
        taken_rows: rows of the CPU that it had not computed in time, so the DSP did.
        n_quantized: how often a CPU thread quantized the activations of matmuls.
        dsp_wait_ns: how long the DSP waited for the CPU.
        busy_ns, wait_ns: of all CPU threads: computing, and waiting for the DSP.
    """

    n_runs: int = 0
    n_meetings: int = 0
    rows: int = 0
    cpu_rows: int = 0
    taken_rows: int = 0
    n_quantized: int = 0
    dsp_wait_ns: int = 0
    busy_ns: int = 0
    wait_ns: int = 0


class Sharing:
    """How a device shares its products.

    Attributes:
        share: the part of each product's weight rows for the CPU.
        patience_us: how long the DSP waits for the CPU when it has computed its own rows of a product.
        grace_us: how long it then waits for tiles that no CPU thread has begun; it takes these back.
        n_threads: of a team.
        totals: what has run where.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.patience_us = PATIENCE_US
        self.grace_us = 0
        n_cpus = len(os.sched_getaffinity(0))
        self.n_threads = max(1, min(MAX_THREADS, n_fast_cores(), n_cpus - 1))  # one CPU is Python's
        self.level = locate.cpu_level()
        self.totals = Totals()
        self._teams: list[Team] = []  # idle: runs of several sessions may overlap

    def n_tiles(self, number: int, n_tiles: int) -> int:
        """Return how many of a product's tiles the CPU computes, see ``cpu_tiles``.

        Args:
            number: of the op in its program; a subclass may share some ops more than others.
        """
        return cpu_tiles(self.share, n_tiles)

    def take_team(self) -> Team:
        """Return an idle team, or a new one."""
        try:
            return self._teams.pop()
        except IndexError:
            return Team(locate.installed(f"host/{self.level}/{LIBRARY}"), self.n_threads)

    def give_back(self, team: Team) -> None:
        self._teams.append(team)

    def close(self) -> None:
        """End the idle threads."""
        self._teams.clear()

    def __str__(self) -> str:
        totals, threads = self.totals, f"{self.n_threads} CPU thread{'s' * (self.n_threads > 1)}"
        text = f"{self.share:.0%} of the rows of matmuls for {threads} ({self.level})"
        if totals.rows:
            text += f"; of {totals.rows:,} rows, the CPU computed {totals.cpu_rows:,}"
            text += f" and the DSP took back {totals.taken_rows:,}"
        return text


class Meetings:
    """The memory of a program's meetings, and the numbers of its runs."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._buffer: Buffer | None = None
        self._numbers = count(1)

    def number(self) -> int:
        """Return a number for the next run: not 0, which is in new memory."""
        return next(self._numbers) & 0xFFFFFFFF or next(self._numbers) & 0xFFFFFFFF

    def buffer(self, n_bytes: int) -> Buffer:
        """Return the memory. Its flags are zeros or numbers that earlier runs of the same meetings left."""
        if self._buffer is None or self._buffer.size < n_bytes:
            self.abandon()
            buffer = self._memory.allocate(n_bytes)
            buffer.reusable = False  # the DSP leaves cache lines of it
            buffer.bytes[:] = 0
            self._buffer = buffer
        return self._buffer

    def abandon(self) -> None:
        """Allocate new memory for the next run: an earlier run may still use this one, or its meetings differ."""
        if self._buffer is not None:
            self._memory.dropped.append(self._buffer)
            self._buffer = None

    def __del__(self) -> None:
        try:
            if hasattr(self, "_buffer"):  # Ctrl-C may have come in __init__
                self.abandon()
        except KeyboardInterrupt:
            self.__del__()
            interrupts.raise_again()


class SharedPiece:
    """The shared products of a piece."""

    def __init__(self, piece: Piece[Session], sharing: Sharing, meetings: Meetings) -> None:
        self._sharing, self._meetings = sharing, meetings
        self._items = piece.meetings
        groups = _groups(piece)
        products = [_product(piece, meeting, groups[meeting.op]) for meeting in piece.meetings]
        self._products = Products(products, len(piece.buffers))
        self._memory = products[0].meeting
        self._supplied = []
        for at, which in enumerate(piece.buffers):
            if isinstance(which, Buffer):
                self._products.addresses[at] = which.address
            else:
                self._supplied.append(at)
        self._rows = [_rows_of(piece, meeting) for meeting in piece.meetings]
        self._places = [(meeting.offset + contract.MEETING_HEAD_BYTES) // 4 for meeting in piece.meetings]
        self._last: dict[int, tuple[int, int]] = {}  # by op: rows of the CPU, and rows taken back, in the last run

    def run(self, session: Session, message: bytearray, request: WireRequest, timeout: float, pin: Pin) -> bytes:
        """Run a request while CPU threads compute their rows of its products; return the response."""
        run = self._begin(pin)
        try:
            response = session.run(message, request.response_bytes, timeout, run)
        except BaseException:
            self._give_up(pin.buffers)
            raise
        finally:
            counts = run.finish()
        if response.startswith(request.success):
            self._count(counts, pin.buffers)
        return response

    def annotate(self, report: Report) -> Report:
        """Return the report of the last run with the rows that ran on the CPU."""
        ops = list(report.ops)
        for index, (cpu_rows, taken_rows) in self._last.items():
            ops[index] = ops[index]._replace(cpu_rows=cpu_rows, taken_rows=taken_rows)
        return report._replace(ops=tuple(ops))

    def _begin(self, pin: Pin) -> SharedRun:
        """Let CPU threads take part in a request with these buffers."""
        for at in self._supplied:
            self._products.addresses[at] = pin.buffers[at].address
        run = SharedRun(self._sharing, pin)
        run.team.begin(self._products, self._meetings.number(), self._sharing.patience_us, self._sharing.grace_us)
        return run

    def _count(self, counts: Counts, buffers: Sequence[Buffer]) -> None:
        """Note what ran where in a run that has succeeded."""
        words, totals = buffers[self._memory].bytes.view(np.uint32), self._sharing.totals
        totals.n_runs += 1
        totals.n_meetings += len(self._items)
        totals.n_quantized += counts.n_quantized
        totals.busy_ns += counts.busy_ns
        totals.wait_ns += counts.wait_ns
        for item, place, (rows, cpu_rows) in zip(self._items, self._places, self._rows, strict=True):
            _, _, n_taken, wait_ns = words[place : place + _DSP_WORDS].tolist()
            self._last[item.op] = cpu_rows - n_taken, n_taken
            totals.rows += rows
            totals.cpu_rows += cpu_rows - n_taken
            totals.taken_rows += n_taken
            totals.dsp_wait_ns += wait_ns

    def _give_up(self, buffers: Sequence[Buffer]) -> None:
        """Leave the meetings to the DSP after a run that failed for the host: the DSP may still execute it, alone."""
        words = buffers[self._memory].bytes.view(np.uint32)
        for item in self._items:
            words[item.offset // 4 + 1] = 0  # phx_meeting_host.patience_us, of products that the DSP has not reached
        self._meetings.abandon()


class SharedRun:
    """A run in which a team takes part. It replaces the pin of the run's buffers, which stay until the team is idle.

    If Ctrl-C comes before ``finish``, the run ends when this object is collected.
    """

    def __init__(self, sharing: Sharing, pin: Pin) -> None:
        self._sharing = sharing
        self._pin = pin
        self._is_over = False
        self.team = sharing.take_team()

    def finish(self) -> Counts:
        """Wait until the threads are idle and return what they did."""
        if self._is_over:
            return NOTHING
        counts = self.team.finish()
        self._is_over = True
        self._sharing.give_back(self.team)
        return counts

    def release(self) -> None:
        """Release the buffers after a failed request."""
        self.finish()
        self._pin.release()

    def clean(self) -> None:
        self._pin.clean()

    def invalidate(self) -> None:
        self._pin.invalidate()

    def __del__(self) -> None:
        try:
            if hasattr(self, "team") and not self._is_over:
                self.team.finish()
        except KeyboardInterrupt:
            self.__del__()
            interrupts.raise_again()


def _groups(piece: Piece[Session]) -> list[int]:
    """Return a number for each op: matmuls that follow each other and multiply the same activations have the same."""
    groups: list[int] = []
    before = None
    for number, (op, sources, _) in enumerate(piece.ops):
        activations = sources[1] if op.node.row.name in MOST_SHARED else None
        groups.append(groups[-1] if activations is not None and activations == before else number)
        before = activations
    return groups


def _product(piece: Piece[Session], meeting: Meeting, group: int) -> Product:
    _, (weights, activations, *ids, place), _ = piece.ops[meeting.op]
    w, w_buffer, _ = piece.tensors[weights]
    x, x_buffer, _ = piece.tensors[activations]
    product = Product(
        int(w.storage.gguf_type), w.ne[0], w.ne[1], meeting.first_tile, w_buffer, x_buffer, piece.tensors[place][1],
        meeting.offset, x.offset, group, x.ne[1:], x.nb[1:],
    )  # fmt: skip
    for chosen, buffer, _ in (piece.tensors[index] for index in ids):
        product = product._replace(n_experts=w.ne[2], n_used=chosen.ne[0], ids=buffer)
        product = product._replace(ids_offset=chosen.offset, ids_stride=chosen.nb[1])
    return product


def _rows_of(piece: Piece[Session], meeting: Meeting) -> tuple[int, int]:
    """Return the number of weight rows of a product, and how many of them the CPU computes."""
    n = piece.tensors[piece.ops[meeting.op][1][0]][0].ne[1]
    return n, n - meeting.first_tile * TILE_ROWS
