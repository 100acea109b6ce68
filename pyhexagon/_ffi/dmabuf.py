# SPDX-License-Identifier: MIT
"""Maintenance of the CPU's caches for shared memory (linux/dma-buf.h), where the DSP's accesses are not coherent."""

from __future__ import annotations

import errno
import os
import struct
from fcntl import ioctl
from typing import Final

from pyhexagon._ffi.library import Library
from pyhexagon.errors import HexagonError

CLEAN: Final = 6  # DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE
INVALIDATE: Final = 1  # DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ
_SYNC: Final = 0x40086200  # DMA_BUF_IOCTL_SYNC
_AGAIN: Final = (errno.EINTR, errno.EAGAIN)  # the kernel's documentation asks to repeat the ioctl then


def sync(library: Library, fd: int, flags: int) -> None:
    """Clean or invalidate the CPU's cache lines of a whole dma-buf, and wait until that is done.

    The kernel does it for each mapping of the buffer into a DSP process; a buffer without one needs it not, because
    mapping cleans. The loopback's memory is no dma-buf: it offers ``loopback_sync`` in place of the ioctl.

    Args:
        fd: of an allocation of ``rpcmem_alloc``.
        flags: ``CLEAN`` (the DSP then sees the CPU's writes) or ``INVALIDATE`` (the CPU then sees the DSP's).

    Raises:
        HexagonError: the kernel refused it.
    """
    while (problem := _problem(library, fd, flags)) in _AGAIN:
        pass
    if problem:
        what = "clean" if flags == CLEAN else "invalidate"
        raise HexagonError(
            f"cannot {what} the CPU's caches of the buffer with fd {fd}: {os.strerror(problem)} (errno {problem})",
            call="DMA_BUF_IOCTL_SYNC",
            hint="without it the DSP reads old inputs, or the CPU old results: use a device tree with dma-coherent, or "
            "a kernel whose dma-heap supports the ioctl",
        )


def _problem(library: Library, fd: int, flags: int) -> int:
    """Make the call and return 0 or its errno."""
    if library.is_loopback:
        return library.loopback_sync(fd, flags)
    try:
        ioctl(fd, _SYNC, struct.pack("=Q", flags))
    except OSError as error:
        return error.errno or errno.EIO
    return 0
