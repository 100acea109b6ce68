# SPDX-License-Identifier: MIT
"""Estimate tokens per second on a board as a range, from assumptions that a result of ``bench silicon`` replaces.

The model is that of estimate.py: an op takes the longer of its busiest thread's packets and its bytes; a message costs
its round trip. No board has confirmed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pyhexagon.bench import estimate
from pyhexagon.errors import ArgumentError

CASES: Final = ("low", "expected", "high")
_LOOP: Final = "loop Q4_0 4 rows/"  # the probe of a prompt's inner loop, for all threads


class Assumptions(NamedTuple):
    """Attributes:
    cycles_per_packet: on the busiest thread, while other threads run.
    message_seconds: of a round trip.
    """

    cycles_per_packet: float
    bytes_per_second: float
    cycles_per_second: float
    message_seconds: float

    def tokens_per_second(self, by_kind: Mapping[str, Mapping[str, Any]], messages: float) -> float:
        """Return the estimate for the costs of a token by kind of op, as ``estimate.of`` takes them."""
        a_packet = self.cycles_per_packet / self.cycles_per_second
        seconds: float = sum(
            max(costs["packets_max_thread"] * a_packet, costs["bytes"] / self.bytes_per_second)
            for costs in by_kind.values()
        )
        return 1 / (seconds + messages * self.message_seconds)


def assumptions(silicon: Mapping[str, Any] | None = None) -> dict[str, Assumptions]:
    """Return the assumptions of each of ``CASES``.

    Args:
        silicon: a result of ``bench silicon``, whose figures replace the assumptions in all cases.

    Raises:
        ArgumentError: the result is that of a loopback, which measures no DSP.
    """
    clock, message = estimate.CYCLES_PER_SECOND, estimate.MESSAGE_SECONDS
    ranges = zip(CASES, (3.2, 2.0, 1.0), (8e9, estimate.BYTES_PER_SECOND, 17e9), strict=True)
    cases = {case: Assumptions(packet, memory, clock, message) for case, packet, memory in ranges}
    if silicon is None:
        return cases
    measured = _measured(silicon)
    return {case: one._replace(**measured) for case, one in cases.items()}


def describe(cases: Mapping[str, Assumptions], silicon: Mapping[str, Any] | None = None) -> list[str]:
    """Return a line for each assumption: its values in the order of ``CASES``, or that it was measured."""
    measured = {} if silicon is None else _measured(silicon)
    units = {
        "cycles_per_packet": (1.0, "cycles a packet"),
        "bytes_per_second": (1e9, "GB/s of memory"),
        "cycles_per_second": (1e9, "GHz"),
        "message_seconds": (1e-6, "us a message"),
    }
    lines = []
    for name, (factor, unit) in units.items():
        values = dict.fromkeys(f"{getattr(one, name) / factor:.3g}" for one in cases.values())
        lines.append(f"{' / '.join(values)} {unit}: {'measured' if name in measured else 'assumed'}")
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
    memory = [figure for name, figure in lines.items() if name.startswith(("dma ", "load ddr"))]
    if memory:
        found["bytes_per_second"] = max(memory) * 1e9
    messages = [figure for name, figure in lines.items() if name in ("invoke after 0 ms", "dspqueue after 0 ms")]
    if messages:
        found["message_seconds"] = min(messages) / 1e6
    return found
