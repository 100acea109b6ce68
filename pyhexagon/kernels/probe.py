# SPDX-License-Identifier: MIT
"""The user kernel that comes compiled with the skel (dsp/kernels/probe.c): doctor and ``bench silicon`` load it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract
from pyhexagon.errors import UnsupportedError
from pyhexagon.kernels import load, toolchain
from pyhexagon.kernels.kernel import Code, Kernel
from pyhexagon.kernels.signature import Params, Results
from pyhexagon.process.locate import installed
from pyhexagon.process.user_kernels import Image

if TYPE_CHECKING:
    from pyhexagon.device import Device

FILE: Final = "libpyhexagon_kernel.so"
_NUMBER: Final = contract.MAX_USER_KERNELS - 1  # the last one that a device gives to a kernel


def image(device: Device) -> Image:
    """Return the compiled kernel for a device.

    Raises:
        UnsupportedError: this installation was built without it.
    """
    folder = "v68" if device._kernel_target == toolchain.HEXAGON else "host"
    try:
        return Image("probe", installed(f"{folder}/{FILE}").read_bytes())
    except OSError:
        raise UnsupportedError(f"this installation has no compiled kernel ({folder}/{FILE})") from None


def load_once(device: Device) -> tuple[bool, float]:
    """Load the kernel into the device's session and unload it.

    Returns:
        Whether the DSP took it from memory (otherwise from a file), and the seconds that the load took.

    Raises:
        UnsupportedError: as ``image``. KernelError: the DSP refuses it.
    """
    loaded = image(device)
    start = time.perf_counter()
    is_from_memory = device._session.load_kernel(_NUMBER, loaded)
    seconds = time.perf_counter() - start
    device._session.unload_kernel(_NUMBER)
    return is_from_memory, seconds


def kernel(device: Device) -> Kernel:
    """Return the kernel, loaded, which takes int32 rows of at most 1,024 elements and a ``mask``.

    Raises:
        UnsupportedError: as ``image``. KernelError: the DSP refuses it.
    """
    code = Code("", "probe.c", (), {device._kernel_target: image(device).data})
    return load.make(device, "probe", code, Params({"mask": np.uint32}), Results(), isolated=False)


def expected(x: npt.NDArray[np.int32], mask: int) -> npt.NDArray[Any]:
    """Return what the kernel computes."""
    rows = np.arange(x.shape[0], dtype=np.uint32)[:, None]
    result: npt.NDArray[Any] = ((x.view(np.uint32) ^ np.uint32(mask)) + rows).view(np.int32)
    return result
