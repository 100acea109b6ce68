# SPDX-License-Identifier: MIT
"""A buffer: a piece of memory that host and DSP both read and write.

Its life: allocated by rpcmem, mapped into the sessions that need it (fastrpc_mmap, then the skel's map_buffer), named
in requests by its fd, unmapped, freed. It belongs to the host: when the DSP process dies the memory and what is in it
stay, and mapping it into the next session makes it usable again. That is how weights survive ``Device.reopen()``.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.process.changes import Changes
from pyhexagon.process.session import Session


class LettingGo:
    """Tells those who wait for buffers that pins were released.

    Attributes:
        lock: of what follows.
        turns: how often pins were.
        n_waiting: who wait for that.
        changes: what they wait on.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.turns = 0
        self.n_waiting = 0
        self.changes = Changes()

    def tell(self) -> None:
        """A pin was released."""
        with self.lock:
            self.turns += 1
            if not self.n_waiting:
                return
        self.notify()

    def notify(self) -> None:
        """Has those who wait look again."""
        with self.changes.lock:
            self.changes.notify()


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


class Buffer(SharedMemory):
    """Shared memory, and who uses it; made by ``Memory``. Arrays for users come from ``array``, which counts them.

    Attributes:
        pooled: whether it is for activations and results, and not for a weight or for messages.
        reusable: whether the pool may hand it out again. Not what the DSP may have written without writing its caches
            back: that is unmapped first.
        pins: of the requests that use it and that the DSP has not answered yet.
        views: of NumPy that are in use.
        version: changes when the host may have begun to write it.
        mapped: the sessions in which requests may name it.
        home: the session that holds it, if it is a weight.
        also: another one that does.
        seen: for a weight: the sessions whose DSP processes have looked since the host wrote it.
    """

    __slots__ = ("also", "home", "mapped", "pins", "pooled", "reusable", "seen", "version", "views")

    def __init__(self, library: Library, size: int, *, pooled: bool) -> None:
        self.pooled = pooled
        self.reusable = pooled
        self.version = 0
        self.pins: set[weakref.ref[Pin]] = set()
        self.mapped: set[Session] = set()
        self.home: Session | None = None
        self.also: Session | None = None
        self.seen: set[Session] = set()
        self.views: set[weakref.ref[_View]] = set()
        super().__init__(library, size)

    def lies_in(self, session: Session) -> bool:
        """Whether it is a weight that products may read there."""
        return session is self.home or session is self.also

    @property
    def busy(self) -> str:
        """What keeps this buffer from being freed, or an empty string."""
        if self.pins:
            return "the DSP has not answered a request that uses it"
        n_views = len(self.views)
        return f"{n_views} NumPy view{'s' * (n_views > 1)} of it in use" if n_views else ""

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...], order: Literal["C", "F"]) -> npt.NDArray[Any]:
        """An array over the memory; the buffer stays until it and every array made from it are gone."""
        view = _View((self.size,), np.uint8, self.view)
        view.buffer = self
        self.views.add(weakref.ref(view, self.views.discard))  # C only, wherever the garbage collector calls it
        self.version += 1
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, view, 0, order=order)
        return array


class _View(np.ndarray[tuple[int], np.dtype[np.uint8]]):
    """What the arrays over a buffer are made of: each of them holds it, and it holds the buffer.

    NumPy passes over exact arrays when it looks for the owner of an array's memory, but not over this class.
    """

    buffer: Buffer
    __hash__ = object.__hash__  # type: ignore[assignment]  # for a set of references to it
