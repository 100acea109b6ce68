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
from pyhexagon.llm.engine.engine_thread import EngineThread, Statistics
from pyhexagon.llm.engine.request import Request

COUNTED: Final = ("steps", "deaths")  # counts of ``Statistics`` that the router collects from replicas


class Replica:
    """A model on one board, and an engine thread with continuous batching.

    Args:
        path: of the model's file on the board.
        device: name of the device.
        n_parallel: most sequences in a batch.
        options: keyword arguments of ``LLM``.
    """

    def __init__(self, path: str, device: str | None, n_parallel: int, options: Mapping[str, Any]) -> None:
        self._device = Device(device)
        self._llm = LLM(path, n_sequences=n_parallel, device=self._device, **options)
        self._statistics = Statistics()
        self._engine = EngineThread(self._llm, self._statistics, n_parallel=n_parallel, n_waiting=1 << 20)
        self._engine.__enter__()
        self._n_parts, self._since = 0, time.monotonic()

    async def facts(self) -> Mapping[str, Any]:
        """Return host, versions, device, throughput and counters of the board, as ``StageBoard.facts``."""
        info = self._device.info()
        figures = self._engine.figures()
        seconds = figures["dsp_seconds"]
        counted = {name: getattr(self._statistics, name) for name in COUNTED}
        return {
            **machine(), "versions": versions(), "skel": f"{info.arch} {info.build_id}", "device": info.device,
            "layers": "all", "memory_bytes": info.memory_bytes, "rows": self._n_parts, "busy_seconds": seconds,
            "rows_per_second": self._n_parts / seconds if seconds else 0.0, "figures": figures | counted,
        }  # fmt: skip

    async def answer(self, plain: Request, seconds: float) -> AsyncIterator[list[Any] | Exception]:
        """Yield the outputs of a request after each step; an error is the last item.

        Args:
            plain: of ``Request.plain``.
            seconds: until the deadline of the request.
        """
        loop, made = asyncio.get_running_loop(), asyncio.Queue[tuple[list[Any], Exception | None, bool]]()

        def deliver(*event: Any) -> None:
            loop.call_soon_threadsafe(made.put_nowait, event)

        request = plain.plain(deadline=time.monotonic() + seconds, deliver=deliver)
        try:
            self._engine.prepare(request)
            self._engine.submit([request])
            is_end = False
            while not is_end:
                parts, error, is_end = await made.get()
                self._n_parts += len(parts)
                if parts:
                    yield parts
                if error is not None:
                    yield error
        except ArgumentError as problem:
            yield problem
        finally:
            self._engine.cancel([request])
