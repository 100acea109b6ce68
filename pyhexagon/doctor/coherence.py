# SPDX-License-Identifier: MIT
"""Check of the cache coherence between the CPU and the DSP."""

from __future__ import annotations

from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.process.coherence import read_coherence


def coherence(board: Board) -> str:
    """Check that the device tree declares the DSP's context banks coherent with the CPU's caches."""
    found = read_coherence(board.root, board.processor)
    if found.incoherent:
        raise Problem(
            f"{found.text}; {found.incoherent[0]} has none: every request cleans and invalidates the CPU's caches of "
            "its buffers with DMA_BUF_IOCTL_SYNC, which takes time",
            "sudo apt update && sudo apt full-upgrade && sudo reboot, for a device tree with dma-coherent in the "
            "compute-cb nodes; until then compare results with pyhexagon selftest",
            warning=True,
        )
    return found.text
