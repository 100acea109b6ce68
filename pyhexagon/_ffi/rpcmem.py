# SPDX-License-Identifier: MIT
"""Shared memory that the DSP accesses in place (rpcmem.h): functions over a ``Library``, and an owning object."""

from __future__ import annotations

import weakref
from typing import Final

import numpy as np

from pyhexagon._ffi import dmabuf
from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Library
from pyhexagon.errors import ArgumentError, DspMemoryError

PAGE: Final = 4096
MAX_SIZE: Final = 0x7FFFFFFF
"""The library registers each buffer with an int: from 2 GiB on, its fd could be attached to unrelated memory."""

_HEAP: Final = ffi.integer_const("RPCMEM_HEAP_ID_SYSTEM")  # ignored on Linux
_FLAGS: Final = ffi.integer_const("RPCMEM_DEFAULT_FLAGS")


def rpcmem_alloc(library: Library, size: int, owned: list[CData]) -> tuple[int, int]:
    """Allocate shared memory, page-aligned and zero-copy for invokes.

    Args:
        library: the loaded library.
        size: bytes.
        owned: an empty list that receives the pointer. ``release`` frees the memory, and so does the pointer when it
            is garbage. All of that is C, so Ctrl-C cannot split it; it can come at the beginning of a ``__del__``.

    Returns:
        The address and the dma-buf fd.

    Raises:
        ArgumentError: the size is below 1, or 2 GiB or more.
        DspMemoryError: no memory, or no dma-heap device: the library does not say which.
    """
    if not 0 < size <= MAX_SIZE:
        raise ArgumentError(f"a buffer has 1 to {MAX_SIZE} bytes, not {size}", call="rpcmem_alloc")
    allocate = library.rpcmem_alloc2 if "rpcmem_alloc2" in library.features else library.rpcmem_alloc
    try:
        owned.extend(map(ffi.gc, map(allocate, (_HEAP,), (_FLAGS,), (size,)), (library.rpcmem_free,)))
        (pointer,) = owned
        library.allocated.add(weakref.ref(pointer, library.allocated.discard))
        if not pointer:
            ffi.gc(pointer, None)
            raise DspMemoryError(
                f"cannot allocate {size} bytes of shared memory",
                call="rpcmem_alloc",
                hint="free memory, and check that your user may open /dev/dma_heap/system",
            )
        fd = library.rpcmem_to_fd(pointer)
        if fd < 0:
            raise DspMemoryError("the buffer has no fd", call="rpcmem_to_fd")
        return int(ffi.cast("uintptr_t", pointer)), fd
    except BaseException:
        release(owned)
        raise


def release(owned: list[CData]) -> None:
    """Free the pointers in the list and empty it atomically: Ctrl-C cannot come in between."""
    owned[:] = filter(ffi.release, owned)  # it returns None, so the list becomes empty


def view(address: int, size: int) -> memoryview:
    """Return the memory as a writable memoryview of bytes, without a copy.

    The view owns nothing: neither it nor an array over it may be used once the memory is freed.
    ``weakref.ref(view.obj)`` dies with the last of them and so tells whether any is alive (``view.release()`` does not:
    NumPy arrays outlive it).
    """
    return memoryview(ffi.buffer(ffi.cast("char *", address), size))


class SharedMemory:
    """An allocation of shared memory, freed when its last reference is gone.

    Attributes:
        address: of its first byte.
        size: in bytes.
        fd: the dma-buf fd that names it in requests; -1 once freed.
        view, bytes: the whole memory, for this package's own copies.
    """

    __slots__ = ("__weakref__", "_library", "_owned", "address", "bytes", "fd", "size", "view")

    def __init__(self, library: Library, size: int) -> None:
        self._owned: list[CData] = []
        self._library = library
        self.fd = -1
        self.size = size
        self.view = memoryview(b"")
        self.bytes = np.frombuffer(self.view, np.uint8)
        self.address, self.fd = rpcmem_alloc(library, size, self._owned)
        self.view = view(self.address, size)
        self.bytes = np.frombuffer(self.view, np.uint8)

    def clean(self) -> None:
        """Make the CPU's writes visible to a DSP whose accesses are not coherent; ``dmabuf.sync`` has the errors."""
        dmabuf.sync(self._library, self.fd, dmabuf.CLEAN)

    def invalidate(self) -> None:
        """Make the CPU read what such a DSP wrote."""
        dmabuf.sync(self._library, self.fd, dmabuf.INVALIDATE)

    def free(self) -> None:
        """Free the memory; the caller has unmapped it and checked that nobody uses it."""
        if self._owned and self._library.usable:
            release(self._owned)
            self.fd = -1
            self.view, self.bytes = self.view[:0], self.bytes[:0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} fd={self.fd} {self.size} bytes>"
