# SPDX-License-Identifier: MIT
"""Latency of /health, and gaps between the tokens of a stream, while clients send the largest prompts and grammars.

    python benchmarks/serve_latency.py

The server runs a tiny model of the tests in this process. tests/serve/test_limits.py asserts what runs on which thread.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from serve.serving import NAME, Serving, model, serving  # noqa: E402
from serve.test_limits import HUGE, chain, largest, many_properties, properties, words  # noqa: E402

from pyhexagon import LLM  # noqa: E402

ENDLESS: dict[str, Any] = {"model": NAME, "prompt": "the", "max_tokens": 250, "logit_bias": {"2": -1000}}
TIMEOUT = 600.0


def prompts() -> list[dict[str, Any]]:
    """Return eight bodies of 4 MB, which the server refuses."""
    text = "the " * (HUGE // 4)
    return [{"prompt": text, "max_tokens": 1}] * 4 + [{"messages": [{"role": "user", "content": text}]}] * 4


def grammars() -> list[dict[str, Any]]:
    """Return eight bodies with grammars and schemas of the largest size."""
    formats: list[dict[str, Any]] = [{"grammar": largest(make)} for make in (chain, words)]
    for make in (properties, many_properties):
        schema = {"name": "a", "schema": json.loads(largest(make))}
        formats.append({"response_format": {"type": "json_schema", "json_schema": schema}})
    return [{"prompt": "the", "max_tokens": 2, "n": 2, **one} for one in formats * 2]


def measured(here: Serving, bodies: list[dict[str, Any]]) -> tuple[list[float], list[float], float]:
    """Return the seconds of each /health and between tokens while the bodies are answered, and how long that takes."""
    health, gaps, is_over = list[float](), list[float](), False

    def read() -> None:
        while not is_over:
            last = 0.0
            for _ in here.client().completions.create(**ENDLESS, stream=True):
                now = time.perf_counter()
                gaps.extend([now - last] if last else [])
                last = now

    def send(body: dict[str, Any]) -> int:
        path = "/v1/chat/completions" if "messages" in body else "/v1/completions"
        with httpx2.Client(base_url=here.url, timeout=TIMEOUT) as client:
            return int(client.post(path, json=body).status_code)

    http = here.http()
    with ThreadPoolExecutor(9) as pool:
        reader = pool.submit(read)
        begin = time.perf_counter()
        sent = [pool.submit(send, body) for body in bodies]
        while not (health and gaps and all(one.done() for one in sent)):
            start = time.perf_counter()
            http.get("/health")
            health.append(time.perf_counter() - start)
        seconds = time.perf_counter() - begin
        is_over = True
        reader.result()
    return health, gaps, seconds


def line(name: str, samples: list[float]) -> str:
    """Return the median, the 99th percentile and the longest of some samples in milliseconds."""
    ordered = sorted(samples)
    figures = statistics.median(ordered), ordered[int(0.99 * len(ordered))], ordered[-1]
    return f"  {name:<16}" + "".join(f"{1000 * one:10.1f}" for one in figures) + f"{len(ordered):10,}"


def main() -> int:
    """Print a table for each kind of load."""
    loads: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "no load": list, "eight prompts of 4 MB": prompts, "eight grammars of 64 KB": grammars,
    }  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as folder,
        LLM(model(Path(folder)), 256, n_sequences=8, device="loopback") as llm,
        serving(llm, n_parallel=2) as here,
    ):
        for name, bodies in loads.items():
            health, gaps, seconds = measured(here, bodies())
            print(f"{name}, {seconds:.1f} s; ms: median, p99, longest, samples")
            print(line("/health", health))
            print(line("between tokens", gaps))
    return 0


if __name__ == "__main__":
    sys.exit(main())
