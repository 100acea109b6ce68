# SPDX-License-Identifier: MIT
"""Looks for a seed with which a loop gets shorter, to be written into table.py.

    python search.py TYPE FORM SECONDS [FIRST_SEED]

A seed is no more than a hint: with another order of steps it gives another loop, as right as any.
"""

from __future__ import annotations

import sys
import time

from kernels import SLACK, WINDOWS, prepare
from schedule import Plan, best


def main(argv: list[str]) -> int:
    """Prints each seed that beats what came before."""
    _, scheduler = prepare(argv[1], argv[2])
    interval = best(scheduler, [Plan(window) for window in WINDOWS], SLACK).interval
    print(f"{interval} packets without a seed, {scheduler.bound()} at least", flush=True)
    seed, end = int(argv[4]) if len(argv) > 4 else 1, time.process_time() + float(argv[3])
    while time.process_time() < end and interval > scheduler.bound():
        while scheduler.schedule(interval - 1, Plan.of(seed)):
            interval -= 1
            print(f"{interval} packets with seed {seed}", flush=True)
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
