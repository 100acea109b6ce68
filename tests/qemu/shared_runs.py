# SPDX-License-Identifier: MIT
"""Matmuls that CPU and DSP share: a program for tests, and a process that runs it and that a test stops.

As a process it prints the DSP process's number, and then, for each of N_STOPS runs, how many rows the CPU has computed
and how many the DSP has taken back; it stops itself (SIGSTOP) when it has sent the request of a run. It fails if a run
has other bits than the DSP alone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pd

from pyhexagon import Device
from pyhexagon._ffi.dspqueue import Queue, QueueBuffer
from pyhexagon.program.program import Program

K: Final = 512
N_LAYERS: Final = 6
M: Final = 4
N_STOPS: Final = 4
X: Final = np.random.default_rng(1).standard_normal((M, K), dtype=np.float32)


def opened(share: float) -> Device:
    return Device("loopback:qemu", cpu_share=share, threads=2, transport="dspqueue")


def compiled(device: Device) -> Program:
    """Return a program of fused matmuls, element-wise ops and matmuls of their results."""
    rng = np.random.default_rng(2)
    weights = [device.weight(rng.standard_normal((K, K), dtype=np.float32) / 16, dtype="Q8_0") for _ in range(3)]
    with device.program() as p:
        h = p.input((M, K))
        for _ in range(N_LAYERS):
            gate, up, down = (p.matmul(h, w) for w in weights)
            h = p.rms_norm(p.add(p.swiglu(gate, up), down))
        p.output(h)
    return p.compile()


def bits(array: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    return np.array(array).view(np.uint32)


def expected() -> npt.NDArray[np.uint32]:
    """Return the bits of the result that the DSP computes alone."""
    with opened(0.0) as device:
        return bits(compiled(device)(X))


def main() -> None:
    want, write = expected(), Queue.write_noblock

    def write_and_stop(queue: Queue, message: bytes, buffers: Sequence[QueueBuffer] = ()) -> bool:
        is_written = write(queue, message, buffers)
        os.kill(os.getpid(), signal.SIGSTOP)
        return is_written

    with opened(0.5) as device:
        program = compiled(device)
        program(X)
        print(*pd.children(), flush=True)
        Queue.write_noblock = write_and_stop  # type: ignore[method-assign, assignment]
        for _ in range(N_STOPS):
            (y,), report = program.run_with_report(X)
            np.testing.assert_array_equal(bits(y), want)
            rows = [(op.cpu_rows, op.taken_rows) for op in report.ops]
            print(*np.sum(rows, axis=0), flush=True)
        Queue.write_noblock = write  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
