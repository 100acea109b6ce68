# SPDX-License-Identifier: MIT
"""The assumptions of a timeline (timeline.py), which a result of ``bench silicon``, or the user, replaces.

No board has confirmed them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Final, NamedTuple

from pyhexagon.bench import estimate
from pyhexagon.errors import ArgumentError

CASES: Final = ("low", "expected", "high")
_LOOP: Final = "loop Q4_0 4 rows/"  # the probe of a prompt's inner loop, for all threads


class Assumptions(NamedTuple):
    """Attributes:
    cycles_per_packet: on the busiest thread, while other threads run.
    bytes_per_second: that DMA brings to the DSP, for all threads.
    message_seconds: of a round trip.
    demand_bytes_per_second: of loads that miss the caches on all threads.
    barrier_seconds: to dispatch an op to the threads, and to wait for them.
    piece_bytes: of weights that a thread copies at once.
    l2_bytes: rows of an op that do not fit miss the L2 cache.
    cpu_bytes_per_second: of weights that the CPU's threads read.
    combined_bytes_per_second: of CPU and DSP at the same time.
    meeting_seconds: of CPU and DSP behind a product whose rows they share.
    """

    cycles_per_packet: float
    bytes_per_second: float
    cycles_per_second: float = estimate.CYCLES_PER_SECOND
    message_seconds: float = estimate.MESSAGE_SECONDS
    demand_bytes_per_second: float = 2.5e9
    barrier_seconds: float = 0.5e-6
    piece_bytes: float = 1 << 17
    l2_bytes: float = 1 << 20
    cpu_bytes_per_second: float = 17e9
    combined_bytes_per_second: float = 20e9
    meeting_seconds: float = 5e-6


_UNITS: Final = {
    "cycles_per_packet": (1.0, "cycles a packet"),
    "bytes_per_second": (1e9, "GB/s of memory"),
    "cycles_per_second": (1e9, "GHz"),
    "message_seconds": (1e-6, "us a message"),
    "demand_bytes_per_second": (1e9, "GB/s of demand misses"),
    "barrier_seconds": (1e-6, "us to dispatch an op and wait for its threads"),
    "piece_bytes": (1024.0, "KiB of weights in a copy"),
    "l2_bytes": (1024.0, "KiB of L2 cache"),
    "cpu_bytes_per_second": (1e9, "GB/s of the CPU"),
    "combined_bytes_per_second": (1e9, "GB/s of CPU and DSP together"),
    "meeting_seconds": (1e-6, "us a meeting of CPU and DSP"),
}


def assumptions(
    silicon: Mapping[str, Any] | None = None, given: Mapping[str, float] | None = None
) -> dict[str, Assumptions]:
    """Return the assumptions of each of ``CASES``.

    Args:
        silicon: a result of ``bench silicon``, whose figures replace the assumptions in all cases.
        given: values by the names of ``Assumptions``, which replace both.

    Raises:
        ArgumentError: the result is that of a loopback, which measures no DSP; or a name or value is wrong.
    """
    given = given or {}
    for name, value in given.items():
        if name not in _UNITS:
            raise ArgumentError(f"no assumption {name!r}: expected one of {', '.join(_UNITS)}")
        if not 0 < value < inf:
            raise ArgumentError(f"{name} is {value!r}: expected a positive number")
    replaced = {**({} if silicon is None else _measured(silicon)), **given}
    ranges = {
        "cycles_per_packet": (3.2, 2.0, 1.0),
        "bytes_per_second": (8e9, estimate.BYTES_PER_SECOND, 17e9),
        "demand_bytes_per_second": (1.5e9, 2.5e9, 5e9),
    }
    return {
        case: Assumptions(**{name: values[at] for name, values in ranges.items()} | replaced)
        for at, case in enumerate(CASES)
    }


def describe(
    cases: Mapping[str, Assumptions],
    silicon: Mapping[str, Any] | None = None,
    given: Mapping[str, float] | None = None,
) -> list[str]:
    """Return a line for each assumption: its values in the order of ``CASES``, and where they come from."""
    sources = dict.fromkeys({} if silicon is None else _measured(silicon), "measured")
    sources |= dict.fromkeys(given or {}, "given")
    lines = []
    for name, (factor, unit) in _UNITS.items():
        values = dict.fromkeys(f"{getattr(case, name) / factor:.4g}" for case in cases.values())
        lines.append(f"{' / '.join(values)} {unit}: {sources.get(name, 'assumed')}")
    return lines


def _measured(silicon: Mapping[str, Any]) -> dict[str, float]:
    """Return the assumptions that a result replaces, by name; a line without a figure replaces none."""
    if silicon["loopback"] and not silicon["scripted"]:
        raise ArgumentError("this result of bench silicon is that of a loopback: no DSP was measured")
    lines = {line["probe"]: line["measured"] for line in silicon["lines"] if line["measured"] is not None}
    threads = min(silicon["threads"], 4)
    found = {}
    if (clock := lines.get("clock")) is not None:
        found["cycles_per_second"] = clock * 1e9
    if (packet := lines.get(f"{_LOOP}{threads}")) is not None:
        found["cycles_per_packet"] = packet
    memory = [figure for name, figure in lines.items() if name.startswith(("dma ", "load ddr l2fetch"))]
    if memory:
        found["bytes_per_second"] = max(memory) * 1e9
    messages = [figure for name, figure in lines.items() if name in ("invoke after 0 ms", "dspqueue after 0 ms")]
    if messages:
        found["message_seconds"] = min(messages) / 1e6
    if (misses := lines.get(f"load ddr/{threads}")) is not None:
        found["demand_bytes_per_second"] = misses * 1e9
    if (dispatch := lines.get("dispatch by spin")) is not None:
        found["barrier_seconds"] = dispatch / 1e6
    return found
