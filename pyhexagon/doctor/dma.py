# SPDX-License-Identifier: MIT
"""The check of user DMA, in the child process (stages.py)."""

from __future__ import annotations

from typing import Final

import numpy as np

from pyhexagon.device import Device
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.session import Probe

_N: Final = 4096  # 64 tiles of 64 rows, so that every thread has some
_K: Final = 32  # tiles are so small that several fit any VTCM


def weight_bytes(probe: Probe) -> str:
    """Multiply a weight that must come by DMA, and compare the bytes that DMA moved with the bytes of the weight."""
    probe.close()
    w = np.ones((_N, _K), np.float32)
    x = np.ones((1, _K), np.float32)
    with Device(probe.target.name, library=probe.target.library) as device:
        if not device.info().vtcm_bytes:
            return "not used: the session has no VTCM"
        with device.weight(w) as weight, device.program() as p:
            p.output(p.matmul(p.input(x.shape), weight))
            _, report = p.compile().run_with_report(x)
            expected = weight.nbytes
    moved = sum(op.dma_bytes for op in report.ops)
    if moved != expected or report.n_dma_failures:
        raise Problem(
            f"DMA moved {moved} of {expected} bytes of a weight, and {report.n_dma_failures} transfers failed; "
            f"the DSP read {report.n_dma_fallbacks} pieces from memory, which is slower",
            "report it with --report FILE",
        )
    return f"all {moved} bytes of a weight came by DMA"
