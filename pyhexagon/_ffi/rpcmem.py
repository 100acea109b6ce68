# SPDX-License-Identifier: MIT
"""Shared memory that the DSP accesses in place (rpcmem.h): functions over a ``Library``, and an owning object."""

from __future__ import annotations

import sys
from typing import Final

import numpy as np

from pyhexagon import interrupts
from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Library
from pyhexagon.errors import ArgumentError, DspMemoryError

PAGE: Final = 4096
MAX_SIZE: Final = 0x7FFFFFFF
"""The library registers each buffer with an int: from 2 GiB on, its fd could be attached to unrelated memory."""

_HEAP: Final = ffi.integer_const("RPCMEM_HEAP_ID_SYSTEM")  # ignored on Linux
_FLAGS: Final = ffi.integer_const("RPCMEM_DEFAULT_FLAGS")


def rpcmem_alloc(library: Library, size: int, owned: list[CData] | None = None) -> tuple[int, int]:
    """Allocate shared memory, page-aligned and zero-copy for invokes.

    Args:
        library: the loaded library.
        size: bytes.
        owned: an empty list that receives the pointer for ``release`` atomically: Ctrl-C cannot come in between.

    Returns:
        The address and the dma-buf fd; both belong to the library until ``rpcmem_free``.

    Raises:
        ArgumentError: the size is below 1, or 2 GiB or more.
        DspMemoryError: no memory, or no dma-heap device: the library does not say which.
    """
    if not 0 < size <= MAX_SIZE:
        raise ArgumentError(f"a buffer has 1 to {MAX_SIZE} bytes, not {size}", call="rpcmem_alloc")
    allocate = library.rpcmem_alloc2 if "rpcmem_alloc2" in library.features else library.rpcmem_alloc
    pointers = [] if owned is None else owned
    try:
        pointers.extend(map(allocate, (_HEAP,), (_FLAGS,), (size,)))
        (pointer,) = pointers
        if not pointer:
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
        release(library, pointers)
        raise


def rpcmem_free(library: Library, address: int) -> None:
    """Free a buffer by its address. Unmap it first; no view of it may be alive."""
    library.rpcmem_free(ffi.cast("void *", address))


def release(library: Library, owned: list[CData]) -> None:
    """Free the pointers in the list and empty it atomically: Ctrl-C cannot come in between."""
    owned[:] = filter(library.rpcmem_free, owned)  # it returns None, so the list becomes empty


def view(address: int, size: int) -> memoryview:
    """Return the memory as a writable memoryview of bytes, without a copy.

    The view owns nothing: neither it nor an array over it may be used after ``rpcmem_free``. ``weakref.ref(view.obj)``
    dies with the last of them and so tells whether any is alive (``view.release()`` does not: NumPy arrays outlive it).
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

    def free(self) -> None:
        """Free the memory; the caller has unmapped it and checked that nobody uses it."""
        if self._owned and self._library.usable:
            release(self._library, self._owned)
            self.fd = -1
            self.view, self.bytes = self.view[:0], self.bytes[:0]

    def __del__(self) -> None:  # for buffers that outlive their device; a session references its mapped buffers
        try:
            if getattr(self, "_owned", None) and not sys.is_finalizing():  # Ctrl-C may have come at the very beginning
                self.free()
        except KeyboardInterrupt:
            self.__del__()
            interrupts.raise_again()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} fd={self.fd} {self.size} bytes>"
