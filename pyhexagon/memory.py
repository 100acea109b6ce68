# SPDX-License-Identifier: MIT
"""Shared memory of a device: buffers that host and DSP both read and write, and a pool of them.

Life of a buffer: allocated by rpcmem, mapped into the session (fastrpc_mmap, then the skel's map_buffer), named in
batches by its fd, unmapped, freed. It belongs to the host: when the DSP process dies the memory and what is in it stay,
and mapping it into the next session makes it usable again. That is how weights survive ``Device.reopen()``.

Three things keep a buffer from being freed or used again: an open Tensor, NumPy arrays that look into it ("views"), and
a batch that the DSP has not answered yet ("pins"). Asking for it nevertheless raises BusyError. A Tensor that is merely
dropped leaves its buffer in ``Memory.dropped``; it is collected at the next call, never inside the garbage collector,
because freeing talks to the DSP.

A lost session cannot unmap. Buffers freed then are kept aside until the session is closed.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import rpcmem
from pyhexagon._ffi.library import Library
from pyhexagon.errors import ArgumentError, ClosedError, DspMemoryError

if TYPE_CHECKING:
    from pyhexagon.session import Session

PAGE: Final = 4096
POOL_LIMIT: Final = 64 << 20  # bytes of free buffers that are kept for the next result


class Buffer:
    """A piece of shared memory; made by ``Memory.allocate``.

    Attributes:
        size: bytes.
        fd: its number in batches; -1 once freed.
        bytes: all of it, for this package's own copies. Not tracked: arrays for users come from ``array``.
    """

    __slots__ = ("__weakref__", "_address", "_library", "_views", "bytes", "fd", "pins", "pooled", "size")

    def __init__(self, library: Library, size: int, *, pooled: bool) -> None:
        self._library = library
        self.fd = -1
        self._address, self.fd = rpcmem.rpcmem_alloc(library, size)
        self.size = size
        self.pooled = pooled
        self.pins = 0
        self._views: set[object] = set()
        self.bytes: npt.NDArray[np.uint8] = np.frombuffer(rpcmem.view(self._address, size), np.uint8)

    @property
    def address(self) -> int:
        return self._address

    @property
    def busy(self) -> str:
        """What keeps this buffer from being freed, or an empty string."""
        if self.pins:
            return "the DSP has not answered a batch that uses it"
        n_views = len(self._views)
        return f"{n_views} NumPy view{'s' * (n_views > 1)} of it in use" if n_views else ""

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...], order: Literal["C", "F"]) -> npt.NDArray[Any]:
        """An array over the memory; the buffer stays until it and every array made from it are gone."""
        # The array from frombuffer is the base of all the others: NumPy does not look through it for an older one.
        base = np.frombuffer(rpcmem.view(self._address, self.size), np.uint8)
        view = object()
        self._views.add(view)
        weakref.finalize(base, self._view_gone, view).atexit = False  # and its reference to self keeps the memory
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, base, 0, order=order)
        return array

    def _view_gone(self, view: object) -> None:
        self._views.discard(view)  # takes no lock: the garbage collector may call it anywhere

    def free(self) -> None:
        """Gives the memory back; the caller has unmapped it and seen that it is not busy."""
        if self.fd >= 0 and self._library.usable:
            self.fd = -1
            self.bytes = self.bytes[:0]
            rpcmem.rpcmem_free(self._library, self._address)

    def __del__(self) -> None:  # of one that outlived its device; a session keeps what it maps
        if self.fd >= 0 and not sys.is_finalizing():
            self.free()

    def __repr__(self) -> str:
        return f"<Buffer fd={self.fd} {self.size} bytes>"


class Memory:
    """All the shared memory of one device.

    Attributes:
        lock: guards who owns which buffer: a Tensor gives its buffer up, makes a view of it or has it pinned under
            this lock. Held for bookkeeping only, never while C is called.
        dropped: buffers of Tensors that were collected without ``close``.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._session: Session | None = None
        self.lock = threading.Lock()
        self._live: set[Buffer] = set()
        self._free: dict[int, list[Buffer]] = {}
        self._unmappable: list[Buffer] = []
        self.dropped: deque[Buffer] = deque()

    @property
    def allocated(self) -> int:
        """Bytes of shared memory, those free in the pool included."""
        with self.lock:
            return sum(buffer.size for buffer in self._live)

    @property
    def pooled(self) -> int:
        """Bytes of it that are free in the pool."""
        with self.lock:
            return self._pooled()

    def _pooled(self) -> int:
        return sum(size * len(buffers) for size, buffers in self._free.items())

    def attach(self, session: Session) -> None:
        """Maps every buffer into a new session."""
        self._session = session
        with self.lock:
            live = list(self._live)
        for buffer in live:
            session.map(buffer)

    def detach(self) -> None:
        """The session is closed and has unmapped all: what waited for that is freed."""
        self._session = None
        with self.lock:
            waiting, self._unmappable = self._unmappable, []
        for buffer in waiting:
            self._discard(buffer)
        self.trim()

    def allocate(self, n_bytes: int, *, pooled: bool) -> Buffer:
        """A mapped buffer of at least ``n_bytes``, its content undefined.

        Args:
            pooled: for activations and results: round up to a size class and keep the buffer for the next one.
        """
        session = self._session
        if session is None:
            raise ClosedError("the device is closed")
        session.check()
        self._collect()
        size = size_class(n_bytes) if pooled else -(-n_bytes // PAGE) * PAGE
        if size > rpcmem.MAX_SIZE:
            size = -(-n_bytes // PAGE) * PAGE
        if size > rpcmem.MAX_SIZE:
            raise ArgumentError(
                f"a buffer holds less than 2 GiB (2,147,483,648 bytes), {n_bytes:,} were asked for",
                hint="cut the array or the batch into parts",
            )
        with self.lock:
            if pooled and (buffers := self._free.get(size)):
                return buffers.pop()
        try:
            return self._allocate(session, size, pooled)
        except DspMemoryError:
            if not self.trim():
                raise
            return self._allocate(session, size, pooled)

    def _allocate(self, session: Session, size: int, pooled: bool) -> Buffer:
        try:
            buffer = Buffer(self._library, size, pooled=pooled)
        except DspMemoryError as error:
            raise self._out_of_memory(size, error) from None
        with self.lock:
            self._live.add(buffer)
        try:
            session.map(buffer)
        except BaseException as error:
            buffer.pooled = False
            self.dropped.append(buffer)  # unmapped and freed in its turn: after Ctrl-C the call may still be running
            if isinstance(error, DspMemoryError):
                raise self._out_of_memory(size, error) from None
            raise
        return buffer

    def _out_of_memory(self, size: int, error: DspMemoryError) -> DspMemoryError:
        with self.lock:
            n_live, n_bytes = len(self._live), sum(buffer.size for buffer in self._live)
        return DspMemoryError(
            f"{size:,} bytes of DSP memory were refused; this device holds {n_bytes:,} bytes in {n_live} buffers",
            call=error.call,
            code=error.code,
            hint=error.hint or "close tensors that are no longer needed",
        )

    def release(self, buffer: Buffer) -> None:
        """Takes a buffer that nobody owns or uses any more: into the pool, or freed."""
        session = self._session
        with self.lock:
            if buffer.pooled and session and not session.lost and self._pooled() + buffer.size <= POOL_LIMIT:
                self._free.setdefault(buffer.size, []).append(buffer)
                return
        self._discard(buffer)

    def _discard(self, buffer: Buffer) -> None:
        session = self._session
        if session is not None and not session.unmap(buffer):
            with self.lock:
                self._unmappable.append(buffer)
                self._live.discard(buffer)
            return
        with self.lock:
            self._live.discard(buffer)
        buffer.free()

    def _collect(self) -> None:
        """Releases what was dropped, except what is busy."""
        for _ in range(len(self.dropped)):
            try:
                buffer = self.dropped.popleft()
            except IndexError:  # another thread took it
                return
            if buffer.busy:
                self.dropped.append(buffer)
            else:
                self.release(buffer)

    def trim(self) -> bool:
        """Frees what the pool keeps; returns whether there was anything."""
        self._collect()
        with self.lock:
            buffers = [buffer for same_size in self._free.values() for buffer in same_size]
            self._free.clear()
        for buffer in buffers:
            self._discard(buffer)
        return bool(buffers)

    def unpin(self, buffers: Iterable[Buffer]) -> None:
        """The DSP is done with the buffers of a batch."""
        with self.lock:
            for buffer in buffers:
                buffer.pins -= 1


def size_class(n_bytes: int) -> int:
    """The next of 4, 8, 12, 16, 24, 32, 48 ... KiB: a third of a buffer is unused at most, but for the smallest."""
    if n_bytes <= PAGE:
        return PAGE
    power = 1 << (n_bytes - 1).bit_length()
    three_quarters = power // 4 * 3
    return three_quarters if three_quarters >= n_bytes and three_quarters % PAGE == 0 else power
