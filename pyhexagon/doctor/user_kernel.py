# SPDX-License-Identifier: MIT
"""The check of user kernels, in the child process (stages.py)."""

from __future__ import annotations

from typing import Final

import numpy as np

from pyhexagon.device import Device
from pyhexagon.doctor.findings import Problem, without_hint
from pyhexagon.doctor.session import Probe
from pyhexagon.errors import KernelError, UnsupportedError
from pyhexagon.kernels import probe as compiled

_SHAPE: Final = (67, 331)  # several rows for each thread, each with elements behind its last vector
_MASK: Final = 0x5A5A_A5A5


def user_kernel(probe: Probe) -> str:
    """Load a compiled user kernel, run it, and compare its result."""
    probe.close()
    x = np.random.default_rng(0).integers(-(1 << 31), 1 << 31, _SHAPE, dtype=np.int32)
    with Device(probe.target.name, library=probe.target.library) as device:
        try:
            image = compiled.image(device)
        except UnsupportedError as error:
            return f"not checked: {error.detail}"
        try:
            is_from_memory, seconds = compiled.load_once(device)
            kernel = compiled.kernel(device)
        except KernelError as error:
            raise Problem(
                f"kernels of users do not load, all built-in ops work: {without_hint(error)}",
                "nothing, unless you use Device.kernel: then report it with --report FILE",
                warning=True,
            ) from None
        wrong = kernel(x, mask=_MASK).numpy() != compiled.expected(x, _MASK)
    if wrong.any():
        raise Problem(
            f"a user kernel gives {int(wrong.sum())} of {x.size} wrong values, the first in row "
            f"{int(np.argwhere(wrong)[0][0])}; built-in ops give right ones",
            "report it with --report FILE",
        )
    way = "from memory" if is_from_memory else "from a file, since the DSP's shell has no dlopenbuf"
    return f"a kernel of {len(image.data):,} bytes loads {way} in {seconds * 1e3:.2f} ms, all values are right"
