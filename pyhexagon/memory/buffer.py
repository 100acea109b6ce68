# SPDX-License-Identifier: MIT
"""A buffer: memory that host and DSP both read and write.

Its life: allocated by rpcmem, mapped into the sessions that need it (fastrpc_mmap, then the skel's map_buffer), named
in requests by its fd, unmapped, freed. It belongs to the host: when the DSP process dies, the memory and its content
stay, and mapping it into the next session makes it usable again. That is how weights survive ``Device.reopen()``.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.process.changes import Changes
from pyhexagon.process.session import Session


class PinReleases:
    """Wakes threads that wait for pins to be released.

    Attributes:
        lock: guards ``count`` and ``n_waiting``.
        count: the number of releases so far.
        n_waiting: the number of waiting threads.
        changes: the condition that they wait on.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.n_waiting = 0
        self.changes = Changes()

    def record(self) -> None:
        """Count a released pin and wake the waiting threads."""
        with self.lock:
            self.count += 1
            if not self.n_waiting:
                return
        self.notify()

    def notify(self) -> None:
        """Make the waiting threads check again."""
        with self.changes.lock:
            self.changes.notify()


class HostWrites:
    """The last time that the host began to write a buffer of a memory, so that programs compare versions only then.

    Attributes:
        latest: replaced by another object after the version of a buffer has increased; compared by identity.
    """

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest = object()


class Pin:
    """Keeps buffers mapped while a request uses them, until it is released or garbage.

    Args:
        releases: notified of the release.

    Attributes:
        reads: the buffers that the CPU reads after the request; only set where the CPU's caches need maintenance.
    """

    __slots__ = ("__weakref__", "_releases", "buffers", "reads")

    def __init__(self, buffers: Iterable[Buffer], releases: PinReleases | None = None) -> None:
        self.buffers = tuple(buffers)
        self.reads: Sequence[Buffer] = ()
        self._releases = releases
        for buffer in self.buffers:
            buffer.pins.add(weakref.ref(self, buffer.pins.discard))  # C only: Ctrl-C cannot come in between

    def clean(self) -> None:
        for buffer in self.buffers:
            buffer.clean()

    def invalidate(self) -> None:
        for buffer in self.reads:
            buffer.invalidate()

    def release(self) -> None:
        """Release the buffers: the DSP has finished with them. A second call is a no-op."""
        for buffer in self.buffers:
            buffer.pins.discard(weakref.ref(self))
        if self._releases is not None:
            self._releases.record()


class Buffer(SharedMemory):
    """Shared memory with a record of its users; created by ``Memory``. ``array`` makes and counts arrays for users.

    Attributes:
        pooled: whether it is for activations and results, not for a weight or for messages.
        reusable: whether the pool may hand it out again. Not so if the DSP may have written it without cleaning its
            caches: such a buffer is unmapped first.
        pins: the pins of requests that use it and that the DSP has not answered yet.
        views: the NumPy views in use.
        version: increases whenever the host may have begun to write it; by ``note_write``, unless no program can have
            it as a constant.
        cleaned: the version at the last clean of the CPU's caches; only kept where that is needed.
        mapped: the sessions in which requests may name it.
        home: the session that holds it, if it is a weight.
        second_home: a second session that holds it, or None.
        seen: for a weight, the sessions whose DSP processes have read it since the host wrote it.
        writes: of the memory that it belongs to.
    """

    __slots__ = (
        "cleaned", "home", "mapped", "pins", "pooled", "reusable", "second_home", "seen", "version", "views",
        "writes",
    )  # fmt: skip

    def __init__(self, library: Library, size: int, *, pooled: bool, writes: HostWrites | None = None) -> None:
        self.writes = writes or HostWrites()
        self.pooled = pooled
        self.reusable = pooled
        self.version = 0
        self.cleaned = -1
        self.pins: set[weakref.ref[Pin]] = set()
        self.mapped: set[Session] = set()
        self.home: Session | None = None
        self.second_home: Session | None = None
        self.seen: set[Session] = set()
        self.views: set[weakref.ref[_View]] = set()
        super().__init__(library, size)

    def is_resident_in(self, session: Session) -> bool:
        """Return whether it is a weight that ops of this session may read."""
        return session is self.home or session is self.second_home

    @property
    def busy(self) -> str:
        """The reason why this buffer cannot be freed, or an empty string."""
        if self.pins:
            return "the DSP has not answered a request that uses it"
        n_views = len(self.views)
        return f"{n_views} NumPy view{'s' * (n_views > 1)} of it in use" if n_views else ""

    def clean(self) -> None:
        """Clean the CPU's caches, unless the host has not written the buffer since the last clean."""
        if self.cleaned != self.version or self.views:
            version = self.version  # another thread may write it meanwhile
            super().clean()
            self.cleaned = version

    def note_write(self) -> None:
        """Record that the host, or an op of another session, may have begun to write it."""
        self.version += 1
        self.writes.latest = object()  # after the version: who sees the object sees the version

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...], order: Literal["C", "F"]) -> npt.NDArray[Any]:
        """Return an array over the memory; the buffer stays until every array derived from it is gone."""
        view = _View((self.size,), np.uint8, self.view)
        view.buffer = self
        self.views.add(weakref.ref(view, self.views.discard))  # C only, wherever the garbage collector calls it
        self.version += 1
        self.writes.latest = object()
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, view, 0, order=order)
        return array


class _View(np.ndarray[tuple[int], np.dtype[np.uint8]]):
    """The base of arrays over a buffer: each of them references it, and it references the buffer.

    NumPy skips exact arrays when it looks for the owner of an array's memory, but not this class.
    """

    buffer: Buffer
    __hash__ = object.__hash__  # type: ignore[assignment]  # for a set of references to it
