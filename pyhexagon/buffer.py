# SPDX-License-Identifier: MIT
"""A buffer: a piece of memory that host and DSP both read and write.

Its life: allocated by rpcmem, mapped into the sessions that need it (fastrpc_mmap, then the skel's map_buffer), named
in batches by its fd, unmapped, freed. It belongs to the host: when the DSP process dies the memory and what is in it
stay, and mapping it into the next session makes it usable again. That is how weights survive ``Device.reopen()``.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import rpcmem
from pyhexagon._ffi.library import CData, Library

if TYPE_CHECKING:
    from pyhexagon.session import Session

PAGE: Final = 4096


class LettingGo:
    """Tells those who wait for buffers that pins were released.

    Attributes:
        lock: of what follows.
        turns: how often pins were.
        n_waiting: who wait for that.
        told: what they wait on.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.turns = 0
        self.n_waiting = 0
        self.told = threading.Condition()

    def tell(self) -> None:
        """A pin was released."""
        with self.lock:
            self.turns += 1
            if not self.n_waiting:
                return
        self.notify()

    def notify(self) -> None:
        """Has those who wait look again."""
        with self.told:
            self.told.notify_all()


class Pin:
    """Keeps buffers where they are while a request uses them, until it is released or nobody has it any more.

    Args:
        letting_go: what is told of the release.
    """

    __slots__ = ("__weakref__", "_letting_go", "buffers")

    def __init__(self, buffers: Iterable[Buffer], letting_go: LettingGo | None = None) -> None:
        self.buffers = tuple(buffers)
        self._letting_go = letting_go
        for buffer in self.buffers:
            buffer.pins.add(weakref.ref(self, buffer.pins.discard))  # C only: Ctrl-C cannot come in between

    def release(self) -> None:
        """The DSP is done with the buffers. Again is a no-op."""
        for buffer in self.buffers:
            buffer.pins.discard(weakref.ref(self))
        if self._letting_go is not None:
            self._letting_go.tell()


class Buffer:
    """A piece of shared memory; made by ``Memory``.

    Attributes:
        size: bytes.
        fd: its number in requests; -1 once freed.
        bytes: all of it, for this package's own copies. Not tracked: arrays for users come from ``array``.
        pooled: whether it is for activations and results, and not for a weight or for messages.
        reusable: whether the pool may hand it out again. Not what the DSP may have written without writing its caches
            back: that is unmapped first.
        pins: of the requests that use it and that the DSP has not answered yet.
        views: of NumPy that are in use.
        version: changes when the host may have begun to write it.
        mapped: the sessions in which requests may name it.
        home: the session that holds it, if it is a weight.
        unseen: for a weight: whether the host wrote it since the DSP process of ``home`` last looked.
    """

    __slots__ = (
        "__weakref__", "_address", "_library", "_owned",
        "bytes", "fd", "home", "mapped", "pins", "pooled", "reusable", "size", "unseen", "version", "views",
    )  # fmt: skip

    def __init__(self, library: Library, size: int, *, pooled: bool) -> None:
        self._owned: list[CData] = []
        self._library = library
        self.fd = -1
        self.size = size
        self.pooled = pooled
        self.reusable = pooled
        self.version = 0
        self.pins: set[weakref.ref[Pin]] = set()
        self.mapped: set[Session] = set()
        self.home: Session | None = None
        self.unseen = True
        self.views: set[weakref.ref[_View]] = set()
        self.bytes: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self._address, self.fd = rpcmem.rpcmem_alloc(library, size, self._owned)
        self.bytes = np.frombuffer(rpcmem.view(self._address, size), np.uint8)

    @property
    def address(self) -> int:
        return self._address

    @property
    def busy(self) -> str:
        """What keeps this buffer from being freed, or an empty string."""
        if self.pins:
            return "the DSP has not answered a request that uses it"
        n_views = len(self.views)
        return f"{n_views} NumPy view{'s' * (n_views > 1)} of it in use" if n_views else ""

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...], order: Literal["C", "F"]) -> npt.NDArray[Any]:
        """An array over the memory; the buffer stays until it and every array made from it are gone."""
        view = _View(self, self._address, self.size)
        self.views.add(weakref.ref(view, self.views.discard))  # C only, wherever the garbage collector calls it
        self.version += 1
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, np.asarray(view), 0, order=order)
        return array

    def free(self) -> None:
        """Gives the memory back; the caller has unmapped it and seen that it is not busy."""
        if self._owned and self._library.usable:
            rpcmem.release(self._library, self._owned)
            self.fd = -1
            self.bytes = self.bytes[:0]

    def __del__(self) -> None:  # of one that outlived its device; a session keeps what it maps
        if getattr(self, "_owned", None) and not sys.is_finalizing():  # Ctrl-C may have come at the very beginning
            self.free()

    def __repr__(self) -> str:
        return f"<Buffer fd={self.fd} {self.size} bytes>"


class _View:
    """What the arrays over a buffer are made of: each of them holds it, and it holds the buffer."""

    __slots__ = ("__array_interface__", "__weakref__", "_buffer")

    def __init__(self, buffer: Buffer, address: int, size: int) -> None:
        self._buffer = buffer
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, False)}
