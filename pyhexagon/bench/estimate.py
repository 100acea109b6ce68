# SPDX-License-Identifier: MIT
"""A model of how long a step takes on a board, from what was counted. No board has confirmed it.

An op takes as long as its busiest thread computes, a packet a cycle, or as long as memory needs for its bytes,
whichever is longer: the next tile is copied while one is multiplied. A message costs its round trip. Ops follow one
another. What the memory of a board gives its DSP is not known, so there is an estimate for each of several speeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

CYCLES_PER_SECOND: Final = 1.25e9  # assumed
BYTES_PER_SECOND: Final = 12.6e9  # what llama.cpp moved on a QCS6490's DSP: 1.32 GB a token at 9.6 t/s
MEMORY_SPEEDS: Final = (8e9, 10e9, BYTES_PER_SECOND, 17e9)
MESSAGE_SECONDS: Final = 90e-6  # 65 ms for 730 messages, measured by a user of llama.cpp

TEXT: Final = (
    f"a model, not a measurement: {CYCLES_PER_SECOND / 1e9:g} G packets/s on the busiest thread, "
    f"{BYTES_PER_SECOND / 1e9:g} GB/s of memory, {MESSAGE_SECONDS * 1e6:g} us a message"
)


class Estimate(NamedTuple):
    """Attributes:
    tokens_per_second: that the model gives, with ``BYTES_PER_SECOND``.
    cycles: a token, of each kind of op.
    bound_by_memory: the part of the time in which memory decides.
    compute_seconds: a token, were memory without a limit.
    by_memory_speed: tokens per second, by bytes per second.
    """

    tokens_per_second: float
    cycles: dict[str, float]
    bound_by_memory: float
    compute_seconds: float
    by_memory_speed: dict[float, float]


def of(by_kind: Mapping[str, Mapping[str, Any]], messages: float) -> Estimate | None:
    """The estimate for a token.

    Args:
        by_kind: what a token costs by kind of op: "packets_max_thread" and "bytes".
        messages: a token.

    Returns:
        None where nothing counts packets.
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
