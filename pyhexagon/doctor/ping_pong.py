# SPDX-License-Identifier: MIT
"""The check that CPU and DSP see each other's writes to shared memory, in the child process (stages.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.doctor import known
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.session import Probe
from pyhexagon.process.coherence import read_coherence

_SHAPE: Final = (1024, 1024)  # 4 MiB of float32
_N_ROUNDS: Final = 8  # with them, all elements of all patterns are different integers that float32 holds exactly
_LINE: Final = 64  # bytes of a cache line of the CPU
_N_CACHED: Final = 64  # rows, 256 KiB: they fit the CPU's caches beside the values just written


def ping_pong(probe: Probe) -> str:
    """Write new values to one buffer, let the DSP copy them to another, read and compare them, several times."""
    probe.close()
    with Device(probe.target.name, library=probe.target.library) as device:
        before = _pattern(0)
        for number, (pattern, got) in enumerate(rounds(device), 1):
            if not np.array_equal(got, pattern):
                raise _difference(probe, number, got, pattern, before)
            before = pattern
    return f"{_N_ROUNDS} copies of {before.nbytes >> 20} MiB, all values as written"


def rounds(device: Device) -> Iterator[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
    """Yield for each round what the CPU wrote, and what it read of the DSP's copy."""
    with device.empty(_SHAPE) as source, device.empty(_SHAPE) as copy, device.program() as p:
        p.output(p.cpy(p.input(_SHAPE)))
        program = p.compile()
        source.numpy()[...] = copy.numpy()[...] = _pattern(0)
        for number in range(1, _N_ROUNDS + 1):
            pattern = _pattern(number)
            source.numpy()[...] = pattern
            copy.numpy()[:_N_CACHED].sum()  # the CPU now caches old values where it reads first after the run
            program(source, out=copy)
            yield pattern, copy.numpy().copy()  # read once: a second read of the shared memory may find other values


def wrong_lines(got: npt.NDArray[np.float32], pattern: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    """Return the indices of the cache lines with wrong values."""
    return np.flatnonzero((got != pattern).reshape(-1, _LINE // got.itemsize).any(axis=1))


def _pattern(number: int) -> npt.NDArray[np.float32]:
    size = _SHAPE[0] * _SHAPE[1]
    return np.arange(number * size, (number + 1) * size, dtype=np.float32).reshape(_SHAPE)


def _difference(
    probe: Probe,
    number: int,
    got: npt.NDArray[np.float32],
    pattern: npt.NDArray[np.float32],
    before: npt.NDArray[np.float32],
) -> Problem:
    """Return the problem of a round with wrong values: values of the round before it mean stale cache lines."""
    wrong, lines = got != pattern, wrong_lines(got, pattern)
    found = (
        f"round {number} of {_N_ROUNDS}: {len(lines)} of {got.nbytes // _LINE} cache lines ({_LINE} bytes) of a copy "
        f"by the DSP are wrong, the first at byte {lines[0] * _LINE}"
    )
    if not np.array_equal(got[wrong], before[wrong]):
        return Problem(
            f"{found}; some have values of neither this round nor the round before it, so stale caches are not "
            "the only cause",
            "pyhexagon selftest, and attach its output to a bug report",
        )
    return Problem(
        f"{found}; they have the values of the round before it: the DSP read stale inputs or the CPU read stale "
        "results (the values do not show which), because dma-coherent is missing in the device tree or has no effect; "
        f"see the check coherence: {read_coherence(probe.board.root, probe.target.processor).text}",
        known.upgrade(probe.board),
    )
