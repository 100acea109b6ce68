# SPDX-License-Identifier: MIT
"""The actor of a replica: a board that holds a whole model, for ``Router``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from pyhexagon.cluster.board import machine
from pyhexagon.cluster.connecting import versions
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import LLM
from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.backend import EmbeddingWork, GenerationWork, QueuedRequest
from pyhexagon.serve.models.scheduler import Scheduler

COUNTED: Final = ("steps", "dsp_deaths")  # counters of ``Metrics`` that the router collects from replicas

Work = GenerationWork | EmbeddingWork


class Replica:
    """A model on one board, and a scheduler with continuous batching.

    Args:
        path: of the model's file on the board.
        device: name of the device.
        n_parallel: most sequences in a batch.
        options: keyword arguments of ``LLM``.
    """

    def __init__(self, path: str, device: str | None, n_parallel: int, options: Mapping[str, Any]) -> None:
        self._device = Device(device)
        self._llm = LLM(path, n_sequences=n_parallel, device=self._device, **options)
        self._metrics = Metrics()
        self._scheduler = Scheduler(self._llm, self._metrics, n_parallel=n_parallel, n_waiting=1 << 20)
        self._scheduler.__enter__()
        self._n_parts, self._since = 0, time.monotonic()

    async def facts(self) -> Mapping[str, Any]:
        """Return host, versions, device, throughput and counters of the board, as ``StageBoard.facts``."""
        info = self._device.info()
        figures = self._scheduler.figures()
        seconds = figures["dsp_seconds"]
        counted = {name: self._metrics.registry.get_sample_value(f"pyhexagon_{name}_total") for name in COUNTED}
        return {
            **machine(), "versions": versions(), "skel": f"{info.arch} {info.build_id}", "device": info.device,
            "layers": "all", "memory_bytes": info.memory_bytes, "rows": self._n_parts, "busy_seconds": seconds,
            "rows_per_second": self._n_parts / seconds if seconds else 0.0, "figures": figures | counted,
        }  # fmt: skip

    async def answer(self, work: Work, client: str, seconds: float) -> AsyncIterator[list[Any] | ServeError]:
        """Yield the chunks of a request after each step; an error is the last item.

        Args:
            work: of the request.
            client: identifies the client, for fair queueing.
            seconds: until the deadline of the request.
        """
        loop, made = asyncio.get_running_loop(), asyncio.Queue[tuple[list[Any], ServeError | None, bool]]()

        def deliver(*one: Any) -> None:
            loop.call_soon_threadsafe(made.put_nowait, one)

        job = QueuedRequest(client, work, deliver, time.monotonic() + seconds)
        try:
            self._scheduler.prepare(job)
            self._scheduler.submit([job])
            is_end = False
            while not is_end:
                parts, error, is_end = await made.get()
                self._n_parts += len(parts)
                if parts:
                    yield parts
                if error is not None:
                    yield error
        except ArgumentError as problem:
            yield wrong(str(problem))
        finally:
            self._scheduler.cancel([job])
