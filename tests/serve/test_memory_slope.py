# SPDX-License-Identifier: MIT
"""Memory of a server over mixed requests: chats, streams, tool calls, embeddings, and clients that disconnect.

The server is a process of its own with two models. The workers of chat templates are its children and do not count:
they end when they become large. Some hundred requests by default; 10,000 once per release:

    PYHEXAGON_SERVE_REQUESTS=10000 python -m pytest tests/serve/test_memory_slope.py
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from llm import tiny
from waiting import LONG

from serve.serving import NAME, model

N_LONG = int(os.environ.get("PYHEXAGON_SERVE_REQUESTS", "0"))
N_REQUESTS = N_LONG or 120
N_CLIENTS = 8
N_SAMPLES = 20
SLOPE = 1024  # bytes per request
GROWTH = 8 << 20  # bytes in a short run: caches and the allocator's arenas still fill
WORDS = ("the", "and", "he", "in", "er", "an", "th")
TOOL = {"type": "function", "function": {"name": "f", "parameters": {
    "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False,
}}}  # fmt: skip


def bodies(number: int) -> tuple[str, dict[str, Any]]:
    """Return the path and the body of a request; five kinds take turns, and no prompt comes twice in a row."""
    text = " ".join(WORDS[number // 7**digit % 7] for digit in range(4 + number % 9))
    chat: dict[str, Any] = {"model": NAME, "messages": [{"role": "user", "content": text}], "max_tokens": 8}
    chat |= {"seed": number, "temperature": 1.5}
    kinds: list[dict[str, Any]] = [{}, {"stream": True}, {"tools": [TOOL], "tool_choice": "required"}]
    if number % 5 < 3:
        return "/v1/chat/completions", chat | kinds[number % 5]
    if number % 5 == 3:
        return "/v1/embeddings", {"model": "e", "input": [text, "the"]}
    return "/v1/chat/completions", chat | {"stream": True, "max_tokens": 200, "logit_bias": {"2": -100}}


async def send(http: httpx2.AsyncClient, number: int) -> None:
    """Send a request; the client of every fifth one disconnects after the first line."""
    path, body = bodies(number)
    async with http.stream("POST", path, json=body) as answer:
        assert answer.status_code == 200, await answer.aread()
        if number % 5 == 4:
            await anext(answer.aiter_lines())
        else:
            await answer.aread()


async def measured(url: str, pid: int) -> list[int]:
    """Send all requests after a warm-up; return the server's memory at its end and after each part of them."""
    samples = []
    n_warm = N_REQUESTS // 3
    async with httpx2.AsyncClient(base_url=url, timeout=LONG) as http:

        async def client(numbers: Iterator[int]) -> None:
            for number in numbers:
                await send(http, number)

        for start in (0, *range(n_warm, n_warm + N_REQUESTS, N_REQUESTS // N_SAMPLES)):
            numbers = iter(range(start, start + (N_REQUESTS // N_SAMPLES if start else n_warm)))
            await asyncio.gather(*(client(numbers) for _ in range(N_CLIENTS)))
            samples.append(memory(pid))
    return samples


def memory(pid: int) -> int:
    """Return a process's anonymous memory, its swapped pages and its shared memory, in bytes."""
    lines = (line.split() for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return sum(int(words[1]) for words in lines if words[0] in ("RssAnon:", "VmSwap:", "RssShmem:")) << 10


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the URL and the process number of a server with a language model and an embedder."""
    models = [str(model(folder)), str(tiny.write_encoder(folder / "e.gguf", "bert"))]
    options = ["--device", "cpu", "--port", "0", "--json", "--keep-alive", "-1", "-c", "256", "--no-config"]
    command = [sys.executable, "-m", "pyhexagon", "serve", *models, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            told = ""
            while not told.endswith("}\n"):
                told += process.stdout.readline()
            yield json.loads(told)["url"], process.pid
        finally:
            process.terminate()


def test_requests_leave_no_memory_behind(tmp_path: Path, figure: Callable[[str], None]) -> None:
    with server(tmp_path) as (url, pid):
        samples = asyncio.run(measured(url, pid))
    slope = float(np.polyfit(np.arange(len(samples)) * (N_REQUESTS / N_SAMPLES), samples, 1)[0])
    grown = samples[-1] - samples[0]
    figure(f"serve: {N_REQUESTS:,} mixed requests, {slope:,.0f} bytes per request, {grown >> 10:,} KiB in all")
    assert slope < SLOPE if N_LONG else grown < GROWTH, [sample >> 10 for sample in samples]
