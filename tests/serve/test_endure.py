# SPDX-License-Identifier: MIT
"""Rounds of requests leave no sockets, no objects and no memory behind. tests/serve/endure.py and
benchmarks/serve_memory.py have the long ones.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from llm import tiny
from waiting import LONG, PACKAGE

from pyhexagon import LLM, Device, workers
from pyhexagon.llm.engine.request import Request
from pyhexagon.serve.apis.generation_response import Inbox
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.loading import DeviceLoader
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from serve import endure, mixed
from serve.serving import NAME, Serving, model, serving, serving_of
from serve.test_connections import until

N_MIXED = 40  # requests of five kinds
MOST_KEPT = 16  # bytes for each of them


def held() -> Counter[str]:
    """Of this process: sockets, and objects of requests. The number of idle workers depends on the moment."""
    workers._close_all()
    numbers = os.listdir("/proc/self/fd")
    targets = [os.path.realpath(f"/proc/self/fd/{number}").rpartition("/")[2] for number in numbers]
    n_sockets = sum(one.startswith("socket:") for one in targets)
    gc.collect()
    kinds = (Request, Inbox)
    objects = Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, kinds))
    return Counter({"socket": n_sockets}) + objects


def settle(here: Serving) -> None:
    """Let the event loop close the sockets of connections that have ended."""
    loop = here.uvicorn.servers[0].get_loop()
    for _ in range(5):
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(LONG)


def test_a_round_leaves_nothing_behind(llm: LLM, seed: int) -> None:
    all_wanted = [endure.wanted(llm, number) for number in range(12)]
    chance = random.Random(seed)
    with serving(llm, n_parallel=8, n_waiting=200, body_bytes=1 << 16) as here:
        results = endure.once(here, all_wanted, chance, 24)
        settle(here)
        before, allocated = held(), llm.device._memory.allocated
        for _ in range(2):
            results += endure.once(here, all_wanted, chance, 24)
        settle(here)
        until(lambda: held() == before)
        assert llm.device._memory.allocated == allocated
    assert results == {"right": 72, "nonsense 4xx": 60, "gone away": 12}


def allocated() -> dict[str, int]:
    """Return the bytes that lines of the server have allocated and not freed, by file. Programs for other batches, and
    what the caches of the model hold, depend on which requests meet; tests/llm/test_costs.py looks at these.
    """
    workers._close_all()
    gc.collect()
    ours = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, f"{PACKAGE}/serve/*")])
    return {one.traceback[0].filename: one.size for one in ours.statistics("filename")}


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Serving]:
    """Serve a language model and an embedder."""
    paths = {NAME: str(model(tmp_path)), "e": str(tiny.write_encoder(tmp_path / "e.gguf", "bert"))}
    limits, metrics = Limits(n_parallel=8), Metrics()
    models = [PooledModel(name, path) for name, path in paths.items()]
    with Device("loopback") as device:
        loader = DeviceLoader([device], limits, metrics, n_ctx=256)
        with (
            ModelPool(models, "loopback", loader, n_bytes=1 << 30, n_waiting=limits.n_waiting) as pool,
            serving_of(Server(pool, metrics, limits=limits, keys=Keys(()), hosts=guard.LOCAL)) as one,
        ):
            yield one


def test_the_same_requests_again_leave_no_memory_behind(pool: Serving) -> None:
    def once() -> None:
        async def everyone() -> None:
            async with httpx2.AsyncClient(base_url=pool.url, timeout=LONG) as http:
                for first in range(0, N_MIXED, 8):
                    await asyncio.gather(*(mixed.send(http, first + at) for at in range(8)))

        asyncio.run(everyone())
        loaded = [one.text for one in pool.server.pool.models if one.text]
        until(lambda: all(one.backend.counts == (0, 0) for one in loaded) and not pool.uvicorn.server_state.connections)
        settle(pool)

    once()
    tracemalloc.start()
    try:
        seen = []
        for _ in range(3):
            once()
            seen.append(allocated())
    finally:
        tracemalloc.stop()
    grown = {name: size - seen[0].get(name, 0) for name, size in seen[2].items()}
    assert sum(grown.values()) < 2 * N_MIXED * MOST_KEPT, grown
