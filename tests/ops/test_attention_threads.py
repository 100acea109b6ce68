# SPDX-License-Identifier: MIT
"""Load balancing of one row of attention over four threads: packets of the busiest over those of one thread."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pyhexagon import Device
from pyhexagon.cache import PAGE_TOKENS, new_pages

# Head size, KV heads, query heads of each, tokens. A thread's fixed cost weighs more over a short context:
# docs/attention.md, 12.
CASES = [
    ((64, 8, 4, 1024), 0.27),
    ((64, 8, 1, 2048), 0.27),
    ((64, 1, 4, 1024), 0.358),
    ((64, 1, 4, 2048), 0.31),
    ((64, 1, 4, 4096), 0.28),
    ((64, 1, 4, 8192), 0.27),
    ((64, 2, 4, 4096), 0.27),
    ((64, 2, 4, 2048), 0.281),
    ((64, 2, 7, 2048), 0.27),
    ((64, 2, 7, 4096), 0.27),
    ((64, 3, 3, 2048), 0.282),
    ((64, 3, 3, 4096), 0.27),
    ((64, 3, 4, 1024), 0.295),
    ((64, 3, 8, 2048), 0.27),
    ((128, 2, 4, 4096), 0.27),
    ((256, 1, 4, 1024), 0.327),
    ((256, 1, 4, 2048), 0.292),
    ((256, 1, 4, 4096), 0.27),
]


def packets(device: Device, size: int, kv_heads: int, group: int, n: int) -> tuple[int, int]:
    """Return the packets of a row over zeros: in total, and of the busiest thread."""
    tokens = new_pages(device, n // PAGE_TOKENS, kv_heads, size)
    p = device.program()
    q, table, position = (
        p.input((1, kv_heads * group, size)),
        p.input((tokens.shape[0],), "int32"),
        p.input((1,), "int32"),
    )
    p.output(p.flash_attn_ext(q, tokens, pages=table, positions=position))
    pages = np.arange(tokens.shape[0], dtype=np.int32)
    given = np.ones(q.shape, np.float32), pages, np.array([n - 1], np.int32)
    program = p.compile()
    program.run(*given)  # allocates the memory
    (op,) = program.run_with_report(*given)[1].ops
    tokens.close()
    assert op.packets is not None
    assert op.packets_max_thread is not None
    return op.packets, op.packets_max_thread


@pytest.mark.parametrize(("case", "limit"), CASES)
def test_the_busiest_of_four(
    devices: tuple[Device, Device], figure: Callable[[str], None], case: tuple[int, int, int, int], limit: float
) -> None:
    alone, _ = packets(devices[0], *case)
    _, busiest = packets(devices[1], *case)
    figure(f"{case}: {busiest} of {alone}, {busiest / alone:.3f}")
    assert busiest <= limit * alone
