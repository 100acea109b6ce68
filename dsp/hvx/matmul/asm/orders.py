# SPDX-License-Identifier: MIT
"""The committed instruction orders, orders/<type>.txt: the packet of each instruction of an iteration.

A loop begins with a line "<form>: <interval> packets". The lines below it list, in program order (the order in which
steps.py and its neighbours add instructions), the packet of each instruction, counted from the start of its
iteration. A line begins with the number of its first instruction. An instruction in packet t shares packet t %
interval of the loop body with instructions of other iterations; t // interval is its pipeline stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ORDERS = Path(__file__).resolve().parent / "orders"
PER_LINE = 20


class Order(NamedTuple):
    """The packets of one iteration's instructions, and how many packets after it the next iteration begins."""

    interval: int
    times: Sequence[int]


def path(type_name: str) -> Path:
    return ORDERS / f"{type_name}.txt"


def read(type_name: str) -> dict[str, Order]:
    """The orders of a type's loops, by form; none if there is no file."""
    found: dict[str, Order] = {}
    if not path(type_name).exists():
        return found
    times: list[int] = []
    for line in path(type_name).read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("#")[0].partition(":")
        if rest.endswith(" packets"):
            times = []
            found[name] = Order(int(rest.removesuffix(" packets")), times)
        elif rest:
            times += [int(time) for time in rest.split()]
    return found


def write(type_name: str, orders: Mapping[str, Order]) -> None:
    """Replaces a type's file."""
    lines = [
        f"# The packet of each instruction of hvx_sum_{type_name}_<form>: see ../orders.py. search.py writes this file."
    ]
    for form, order in orders.items():
        lines += ["", f"{form}: {order.interval} packets"]
        for first in range(0, len(order.times), PER_LINE):
            lines.append(f"{first:4}:" + "".join(f" {time:3}" for time in order.times[first : first + PER_LINE]))
    path(type_name).write_text("\n".join(lines) + "\n", encoding="utf-8")
