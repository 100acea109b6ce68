# SPDX-License-Identifier: MIT
"""Checks of what a session provides: queue, memory, ops. They run in the child process (stages.py)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pyhexagon import selftest
from pyhexagon.device import Device
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.session import Probe
from pyhexagon.memory import capacity

_LITTLE: Final = 64 << 20
_SHAPE: Final = (70, 256, 3)
_TOLERANCE: Final = 5e-3  # relative to the largest value; the arithmetic is fixed point (docs/arithmetic.md)
_LESS: Final = "nothing: pyhexagon uses plain invokes by itself, and --transport invoke saves the trial at each open"
_INTERRUPTED: Final = "AEE_EINTERRUPTED (0x2e"


def echo_dspqueue(probe: Probe) -> str:
    """Make a round trip through a dspqueue, in a separate session."""
    probe.close()
    if "dspqueue" not in probe.library.features:
        raise Problem(f"{probe.library.path} has no dspqueue: requests travel by invoke", _LESS, warning=True)
    with Device(probe.target.name, library=probe.target.library) as device:
        figures = device.info().transports
    result = figures["dspqueue"]
    if isinstance(result, str):
        reason = result.partition(" Hint: ")[0].rstrip(".")
        if _INTERRUPTED in reason:
            reason += " at the first echo: this kernel or firmware does not serve the queue, and no op crashed"
        raise Problem(f"dspqueue does not work, plain invokes do: {reason}", _LESS, warning=True)
    return ", ".join(f"{name} {figure:.0f} us" for name, figure in figures.items() if isinstance(figure, float))


def notifications(probe: Probe) -> str:
    """Ask in a separate session for what FastRPC may refuse without harm: status notifications and poll mode."""
    probe.close()
    options: dict[str, Any] = {"transport": "invoke", "latency": "poll", "latency_us": 0}
    with Device(probe.target.name, library=probe.target.library, **options) as device:
        info = device.info()
    poll = info.votes["latency"].removeprefix("poll").removeprefix(", ") or "available"
    return f"status notifications: {info.notifications}; poll mode: {poll}"


def memory(probe: Probe) -> str:
    """Measure how much shared memory one process can allocate and map, at most half of the free memory; free it all."""
    total, limited = capacity.measure(probe.map, probe.unmap)
    if total < _LITTLE:
        raise Problem(
            f"only {total >> 20} MiB can be allocated and mapped in one session: too little memory is free, or other "
            "programs hold memory of the DSP",
            "free -h && sudo fuser -v /dev/fastrpc-cdsp",
            warning=total > 0,
        )
    more = "" if limited else " or more: only half of the free memory was tried"
    return f"{total >> 20} MiB can be allocated and mapped in one session{more}"


def matmul(probe: Probe) -> str:
    """Compare a matmul with NumPy's."""
    probe.close()
    n, k, m = _SHAPE
    rng = np.random.default_rng(1)
    w = rng.standard_normal((n, k), dtype=np.float32)
    x = rng.standard_normal((m, k), dtype=np.float32)
    with Device(probe.target.name, library=probe.target.library) as device, device.weight(w) as weight:
        got = np.array(device.matmul(x, weight))
    want = x.astype(np.float64) @ w.T.astype(np.float64)
    distance = float(np.abs(got - want).max() / np.abs(want).max())
    if not distance <= _TOLERANCE:
        raise Problem(
            f"a product differs from NumPy's by {distance:.2g} of its largest value, the limit is {_TOLERANCE:g}",
            "pyhexagon selftest, and attach its output to a bug report",
        )
    return f"a product of {m}x{k} and {n}x{k} differs from NumPy's by {distance:.1g} of its largest value"


def self_test(probe: Probe) -> str:
    """Run the recorded cases of every op and compare every bit."""
    probe.close()
    cases = selftest.recorded()
    with Device(probe.target.name, library=probe.target.library) as device:
        outcomes = list(selftest.run(device, cases))
    bad = [outcome for outcome in outcomes if outcome.problem]
    if bad:
        raise Problem(
            f"{len(bad)} of {len(outcomes)} results are wrong; the first: {bad[0].kernels} kernels, {bad[0].case}: "
            f"{bad[0].problem}",
            "pyhexagon selftest, and attach its output to a bug report",
        )
    return f"{len({case.op for case in cases})} ops, {len(cases)} cases, all bits as recorded"
