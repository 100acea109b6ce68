# SPDX-License-Identifier: MIT
"""A short soak test: a round of requests leaves no sockets and no objects behind. tests/serve/endure.py has the long
one.
"""

from __future__ import annotations

import gc
import os
import random
import time
from collections import Counter

from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm import template_workers
from pyhexagon.llm.request import GenerationRequest
from pyhexagon.serve.backend import QueuedRequest
from pyhexagon.serve.delivery import Inbox
from serve import endure
from serve.serving import serving


def held() -> Counter[str]:
    """Of this process: sockets, and objects of requests. The number of idle template workers depends on the moment."""
    template_workers._close_all()
    numbers = os.listdir("/proc/self/fd")
    targets = [os.path.realpath(f"/proc/self/fd/{number}").rpartition("/")[2] for number in numbers]
    n_sockets = sum(one.startswith("socket:") for one in targets)
    gc.collect()
    kinds = (QueuedRequest, GenerationRequest, Inbox)
    objects = Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, kinds))
    return Counter({"socket": n_sockets}) + objects


def settled() -> Counter[str]:
    """Return what is held when it has not changed for a second: closed connections keep their sockets for a moment."""
    while True:
        before = held()
        time.sleep(1)
        if held() == before:
            return before


def test_a_round_leaves_nothing_behind(llm: LLM) -> None:
    all_wanted = [endure.wanted(llm, number) for number in range(12)]
    chance = random.Random(3)
    with serving(llm, n_parallel=8, n_waiting=200, body_bytes=1 << 16) as here:
        results = endure.once(here, all_wanted, chance, 24)
        before, allocated = settled(), llm.device._memory.allocated
        for _ in range(2):
            results += endure.once(here, all_wanted, chance, 24)
        end = time.monotonic() + LONG
        while held() != before and time.monotonic() < end:  # a socket is closed a moment after its connection is
            time.sleep(0.05)
        assert held() == before
        assert llm.device._memory.allocated == allocated
    assert results == {"right": 72, "nonsense 4xx": 60, "gone away": 12}
