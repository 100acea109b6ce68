# SPDX-License-Identifier: MIT
"""The user kernels of a device. Each of its sessions has all of them, under the same numbers."""

from __future__ import annotations

import os
import tempfile
import threading
from typing import NamedTuple

from pyhexagon._ffi import contract
from pyhexagon.errors import HexagonError, KernelError, UnsupportedError
from pyhexagon.process.stub import Stub


class Image(NamedTuple):
    """A compiled kernel: its bytes, and the name that faults are reported under."""

    name: str
    data: bytes


class UserKernels:
    """The kernels by number. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._images: dict[int, Image] = {}

    def add(self, image: Image) -> int:
        """Return a free number for an image.

        Raises:
            KernelError: a session loads no more of them.
        """
        with self._lock:
            for number in range(contract.MAX_USER_KERNELS):
                if number not in self._images:
                    self._images[number] = image
                    return number
        raise KernelError(
            f"{contract.MAX_USER_KERNELS} kernels are loaded", hint="close kernels that are no longer needed"
        )

    def remove(self, number: int) -> None:
        """Free a number. Sessions must have unloaded the kernel."""
        with self._lock:
            self._images.pop(number, None)

    def all(self) -> dict[int, Image]:
        """Return all kernels."""
        with self._lock:
            return dict(self._images)


def load(stub: Stub, number: int, image: Image) -> bool:
    """Load a kernel into the DSP process of an open handle: from memory, or if its shell cannot, from a file.

    Returns:
        Whether it was loaded from memory.

    Raises:
        SkelLoadError, ArgumentError: the DSP refuses it; the session's note says why.
    """
    try:
        stub.load_kernel(number, image.name, image.data)
    except UnsupportedError:  # no dlopenbuf
        with tempfile.NamedTemporaryFile(prefix=f"{image.name}.", suffix=".so") as file:
            file.write(image.data)
            file.flush()
            stub.load_kernel(number, image.name, os.fsencode(file.name) + b"\0", is_path=True)
        return False
    return True


def refused(image: Image, reason: str, error: HexagonError) -> KernelError:
    """Return the error for a kernel that the DSP has refused."""
    return KernelError(f"the DSP refuses the kernel {image.name}: {reason or error.detail}", hint=error.hint)
