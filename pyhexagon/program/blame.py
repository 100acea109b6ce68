# SPDX-License-Identifier: MIT
"""Name the user kernel that was running when a DSP process died or did not answer."""

from __future__ import annotations

from pyhexagon.errors import DeviceLostError, DspTimeoutError
from pyhexagon.process.session import Session
from pyhexagon.program.compile import Piece


def named(error: DeviceLostError | DspTimeoutError, piece: Piece[Session]) -> DeviceLostError | DspTimeoutError:
    """Return the error of a lost session with the user kernel that was running, and its place, if a piece calls any."""
    called = {op.node.kernel.number: op.node.kernel for op, *_ in piece.ops if op.node.kernel is not None}
    if not called:
        return error
    running, _ = piece.session.kernel_note()
    has_crashed = isinstance(error, DeviceLostError)
    if running in called:
        kernel = called[running]
        where = kernel.where(piece.session.loopback_log()) if has_crashed else ""
        what = "crashed in" if has_crashed else "did not answer in time, in"
        detail = f"the DSP process {what} the kernel {kernel.name}{where}"
    else:
        detail = f"{error.detail}; the program calls kernels of yours: {', '.join(one.name for one in called.values())}"
    return type(error)(
        detail, hint=error.hint or "device.reopen() opens a new session, and loads weights and kernels again"
    )
