# SPDX-License-Identifier: MIT
"""Memory of a server over mixed requests: chats, streams, tool calls, embeddings, and clients that disconnect.

    python benchmarks/serve_memory.py [REQUESTS]

The server is a process of its own with two tiny models of the tests. The workers of chat templates are its children and
do not count: they end when they become large. A few hundred requests still fill caches and the allocator's arenas; with
10,000, the default, 1 KiB per request is a leak.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import numpy as np

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from llm import tiny  # noqa: E402
from serve.mixed import send  # noqa: E402
from serve.serving import model  # noqa: E402

N_REQUESTS = 10_000
N_CLIENTS = 8
N_SAMPLES = 20
TIMEOUT = 600.0


async def measured(url: str, pid: int, n_requests: int) -> list[int]:
    """Send all requests after a warm-up; return the server's memory at its end and after each part of them."""
    samples = []
    n_warm = n_requests // 3
    async with httpx2.AsyncClient(base_url=url, timeout=TIMEOUT) as http:

        async def client(numbers: Iterator[int]) -> None:
            for number in numbers:
                await send(http, number)

        for start in (0, *range(n_warm, n_warm + n_requests, n_requests // N_SAMPLES)):
            numbers = iter(range(start, start + (n_requests // N_SAMPLES if start else n_warm)))
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


def main() -> int:
    """Print the growth per request and in all."""
    n_requests = int(sys.argv[1]) if len(sys.argv) > 1 else N_REQUESTS
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as (url, pid):
        samples = asyncio.run(measured(url, pid, n_requests))
    slope = float(np.polyfit(np.arange(len(samples)) * (n_requests / N_SAMPLES), samples, 1)[0])
    grown = samples[-1] - samples[0]
    print(f"{n_requests:,} mixed requests, {slope:,.0f} bytes per request, {grown >> 10:,} KiB in all")
    print("KiB:", *(sample >> 10 for sample in samples))
    return 0


if __name__ == "__main__":
    sys.exit(main())
