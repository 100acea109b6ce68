# SPDX-License-Identifier: MIT
"""Estimate the time of a step on a board from counted packets and bytes. No board has confirmed the model.

An op takes the longer of two times: its busiest thread's packets at one cycle each, or its bytes at the memory's speed,
because the next tile is prefetched while one is multiplied. A message costs its round trip. Ops do not overlap. The
memory bandwidth of a board's DSP is not known, so there is an estimate for each of several speeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

CYCLES_PER_SECOND: Final = 1.25e9  # assumed
BYTES_PER_SECOND: Final = 12.6e9  # llama.cpp's rate on a QCS6490's DSP: 1.32 GB per token at 9.6 t/s
MEMORY_SPEEDS: Final = (8e9, 10e9, BYTES_PER_SECOND, 17e9)
MESSAGE_SECONDS: Final = 90e-6  # 65 ms for 730 messages, measured by a user of llama.cpp

TEXT: Final = (
    f"a model, not a measurement: {CYCLES_PER_SECOND / 1e9:g} G packets/s on the busiest thread, "
    f"{BYTES_PER_SECOND / 1e9:g} GB/s of memory, {MESSAGE_SECONDS * 1e6:g} us a message"
)


class Estimate(NamedTuple):
    """Attributes:
    tokens_per_second: the estimate with ``BYTES_PER_SECOND``.
    cycles: per token, by kind of op.
    bound_by_memory: the fraction of the time in which ops are bandwidth-bound.
    compute_seconds: per token, with unlimited memory bandwidth.
    by_memory_speed: tokens per second, by bytes per second.
    """

    tokens_per_second: float
    cycles: dict[str, float]
    bound_by_memory: float
    compute_seconds: float
    by_memory_speed: dict[float, float]


def of(by_kind: Mapping[str, Mapping[str, Any]], messages: float) -> Estimate | None:
    """Return the estimate for a token.

    Args:
        by_kind: the cost of a token by kind of op: "packets_max_thread" and "bytes".
        messages: per token.

    Returns:
        None where packets are not counted.
    """
    if any(costs["packets_max_thread"] is None for costs in by_kind.values()):
        return None

    def cycles_at(speed: float) -> dict[str, float]:
        a_cycle = speed / CYCLES_PER_SECOND
        return {kind: max(costs["packets_max_thread"], costs["bytes"] / a_cycle) for kind, costs in by_kind.items()}

    def seconds(cycles: Mapping[str, float]) -> float:
        return sum(cycles.values()) / CYCLES_PER_SECOND + messages * MESSAGE_SECONDS

    cycles = cycles_at(BYTES_PER_SECOND)
    waiting = sum(cycles[kind] for kind, costs in by_kind.items() if cycles[kind] > costs["packets_max_thread"])
    return Estimate(
        tokens_per_second=1 / seconds(cycles),
        cycles=cycles,
        bound_by_memory=waiting / CYCLES_PER_SECOND / seconds(cycles),
        compute_seconds=seconds({kind: costs["packets_max_thread"] for kind, costs in by_kind.items()}),
        by_memory_speed={speed: 1 / seconds(cycles_at(speed)) for speed in MEMORY_SPEEDS},
    )
