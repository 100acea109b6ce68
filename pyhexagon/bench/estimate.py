# SPDX-License-Identifier: MIT
"""A model of how long a step takes on a board, from what was counted. No board has confirmed it.

An op takes as long as its busiest thread computes, a packet a cycle (the hot loops have no modelled stall), or as long
as memory needs for its bytes, whichever is longer: the next tile is copied while one is multiplied. A message costs its
round trip. Ops follow one another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

CYCLES_PER_SECOND: Final = 1.25e9  # assumed
BYTES_PER_SECOND: Final = 12.7e9  # what llama.cpp moved on a QCS6490's DSP: 1.32 GB a token at 9.6 t/s
MESSAGE_SECONDS: Final = 90e-6  # 65 ms for 730 messages, measured by a user of llama.cpp

TEXT: Final = (
    f"a model, not a measurement: {CYCLES_PER_SECOND / 1e9:g} G packets/s on the busiest thread, "
    f"{BYTES_PER_SECOND / 1e9:g} GB/s of memory, {MESSAGE_SECONDS * 1e6:g} us a message"
)


class Estimate(NamedTuple):
    """Attributes:
    tokens_per_second: that the model gives.
    cycles: a token, of each kind of op.
    bound_by_memory: the part of the time in which memory decides.
    """

    tokens_per_second: float
    cycles: dict[str, float]
    bound_by_memory: float


def of(by_kind: Mapping[str, Mapping[str, Any]], messages: float) -> Estimate | None:
    """The estimate for a token.

    Args:
        by_kind: what a token costs by kind of op: "packets_max_thread" and "bytes".
        messages: a token.

    Returns:
        None where nothing counts packets.
    """
    cycles, waiting = {}, 0.0
    for kind, costs in by_kind.items():
        if costs["packets_max_thread"] is None:
            return None
        moving = costs["bytes"] / BYTES_PER_SECOND * CYCLES_PER_SECOND
        cycles[kind] = max(costs["packets_max_thread"], moving)
        waiting += cycles[kind] if moving > costs["packets_max_thread"] else 0.0
    seconds = sum(cycles.values()) / CYCLES_PER_SECOND + messages * MESSAGE_SECONDS
    return Estimate(1 / seconds, cycles, waiting / CYCLES_PER_SECOND / seconds)
