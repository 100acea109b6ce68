# SPDX-License-Identifier: MIT
"""The check of the memory that the skel works in, in the child process (stages.py)."""

from __future__ import annotations

from typing import Final

from pyhexagon.doctor.findings import Problem, without_hint
from pyhexagon.doctor.session import Probe
from pyhexagon.errors import DspMemoryError
from pyhexagon.process.stub import Stub

_SIZE: Final = 16 << 20  # more than the scratch memory of a product


def workspace(probe: Probe) -> str:
    """Start the skel's threads, map a workspace into the DSP process, and try whether the process's heap grows."""
    stub = Stub(probe.library, probe.handle())
    stub.start(0, 0)  # takes the stacks from the heap
    buffer = None
    try:
        buffer = probe.map(_SIZE)
        if buffer is None:
            raise Problem(
                f"no workspace of {_SIZE >> 20} MiB can be allocated and mapped: too little memory is free, or other "
                "programs hold memory of the DSP",
                "free -h && sudo fuser -v /dev/fastrpc-cdsp",
            )
        stub.add_workspace(buffer.fd, buffer.size)
        heap = _heap(stub)
    finally:
        stub.stop()  # unmaps the workspace
        if buffer is not None:
            probe.unmap(buffer)
    return f"a workspace of {_SIZE >> 20} MiB is mapped; {heap}"


def _heap(stub: Stub) -> str:
    try:
        stub.try_heap(_SIZE)
    except DspMemoryError as error:
        return (
            f"the heap of the DSP process does not grow by {_SIZE >> 20} MiB ({without_hint(error)}), and pyhexagon "
            "does not need that"
        )
    return f"the heap of the DSP process grows by {_SIZE >> 20} MiB, too"
