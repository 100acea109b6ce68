# SPDX-License-Identifier: MIT
"""Looks for seeds with which loops get shorter, to be written into table.py.

    python search.py SECONDS [TYPE:FORM...]    # of a processor for each loop; all of them if none is named

A seed is no more than a hint: with another order of steps it gives another loop, as right as any. Without one a loop
gets what the first few plans give.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from kernels import MAX_STAGES, SLACK, WINDOWS, prepare
from schedule import WIDE, Plan, best
from table import KERNELS


def search(type_name: str, form: str, seconds: float) -> str:
    """A line about the best seed found in that time of a processor."""
    kernel, scheduler = prepare(type_name, form)
    plans = kernel.plans(form)
    interval = best(scheduler, plans + [Plan(window) for window in WINDOWS], SLACK).interval
    first, tried, end = interval, 2, time.process_time() + seconds
    found = plans[0] if plans else Plan(0)
    while time.process_time() < end and interval > scheduler.bound():
        plan = Plan.of(tried // 3 + tried % 2 * WIDE)
        if tried % 3 and found.seed:  # something near the best so far
            plan = replace(found, changes=(*found.changes, tried))
        while (loop := scheduler.schedule(interval - 1, plan)) and loop.stages <= MAX_STAGES:
            interval, found = interval - 1, plan
        tried += 1
    seeds = (found.seed, *found.changes)
    return f"{type_name}:{form} {interval} packets (were {first}, {scheduler.bound()} at least), seeds {seeds}"


def main(argv: list[str]) -> int:
    """Command line."""
    names = argv[2:] or [f"{type_name}:{form}" for type_name in KERNELS for form in KERNELS[type_name].forms]
    for name in names:
        type_name, _, form = name.partition(":")
        print(search(type_name, form, float(argv[1])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
