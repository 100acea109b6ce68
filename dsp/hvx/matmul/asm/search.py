# SPDX-License-Identifier: MIT
"""Looks for shorter loops, and writes the instruction orders that it finds to orders/.

    python search.py SECONDS [TYPE:FORM...]    # processor time for each loop; all loops if none is named

The search places instructions greedily (placement.py), in orders drawn at random: some near program order, some near
the best order so far. A new loop, or a loop whose instructions have changed, needs one run of it. Then run
kernels.py.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from kernels import MAX_STAGES, prepare
from orders import Order, read, write
from placement import Placement, place
from schedule import Scheduler
from table import KERNELS

WINDOWS = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24)
SLACK = 60  # packets above the bound at which the search gives up


def attempt(scheduler: Scheduler, interval: int, placement: Placement) -> Order | None:
    """The order that a placement gives, if it makes a loop of `interval` packets."""
    times = place(scheduler, interval, placement)
    if times is None:
        return None
    try:
        loop = scheduler.loop(interval, times)
    except ValueError:
        return None
    return Order(interval, times) if loop.stages <= MAX_STAGES else None


def first_order(scheduler: Scheduler) -> Order:
    """The shortest loop in program order."""
    keys = range(len(scheduler.ops))
    for interval in range(scheduler.bound(), scheduler.bound() + SLACK + 1):
        for window in WINDOWS:
            order = attempt(scheduler, interval, Placement(keys, window))
            if order:
                return order
    raise RuntimeError(f"no order within {SLACK} packets of {scheduler.bound()}")


def placements(rng: random.Random, best: Placement | None, n: int) -> Iterator[Placement]:
    """Placements of n instructions to try: one from scratch, then two near the best one."""
    spread = rng.choice((20, 40)) * rng.random()
    keys = [i + spread * rng.random() for i in range(n)]
    yield Placement(keys, int((6 + 18 * rng.random()) * rng.choice((1, 2))), int(9 * rng.random()))
    for _ in range(2 if best else 0):
        assert best is not None
        share = rng.random() / 8
        keys = [i + spread * rng.random() if rng.random() < share else key for i, key in enumerate(best.keys)]
        yield Placement(keys, best.window, best.reserve)


def search(scheduler: Scheduler, order: Order, seconds: float) -> Order:
    """The shortest loop found in that time, or `order`."""
    rng, end = random.Random(0), time.process_time() + seconds
    best = None
    while time.process_time() < end and order.interval > scheduler.bound():
        for placement in placements(rng, best, len(scheduler.ops)):
            while found := attempt(scheduler, order.interval - 1, placement):
                order, best = found, placement
    return order


def improve(type_name: str, form: str, seconds: float) -> str:
    """Stores the best order found; a line about it."""
    scheduler = prepare(type_name, form)[1]
    orders = read(type_name)
    stored = orders.get(form)
    if stored is None or len(stored.times) != len(scheduler.ops):
        stored = first_order(scheduler)
    found = search(scheduler, stored, seconds)
    orders[form] = found
    write(type_name, {name: orders[name] for name in KERNELS[type_name].forms if name in orders})
    return f"{type_name}:{form} {found.interval} packets ({stored.interval} before, {scheduler.bound()} at least)"


def main(argv: list[str]) -> int:
    """Command line."""
    names = argv[2:] or [f"{type_name}:{form}" for type_name in KERNELS for form in KERNELS[type_name].forms]
    for name in names:
        type_name, _, form = name.partition(":")
        print(improve(type_name, form, float(argv[1])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
