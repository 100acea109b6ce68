# SPDX-License-Identifier: MIT
"""Long load tests of the server: ``python -m serve.endure load``, ``nonsense``, ``soak MINUTES`` or ``cost [MODEL]``,
in ``tests``.

CI has no time for these: 1,000 requests of 100 clients, 10,000 malformed requests, a soak test in which memory and open
files must not grow, and the CPU time per token of the server's two threads. The program prints one JSON object, and
exits with 1 if a result is wrong.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2

from pyhexagon import LLM
from serve.nonsense import nonsense
from serve.serving import Serving, model, serving

PROMPTS = ["the", "and he in", "th er an", "he he he the in", "in the and he er"]
TIMEOUT = 600.0


def wanted(llm: LLM, number: int) -> dict[str, Any]:
    """Return a request, and the text of its completion."""
    given: dict[str, Any] = {"prompt": PROMPTS[number % 5], "max_tokens": 3 + number % 9, "temperature": 1.5}
    given["seed"] = number % 30
    text = llm.generate(given["prompt"], given["max_tokens"], 1.5, seed=given["seed"]).text
    return {"given": given, "text": text}


async def requests(here: Serving, all_wanted: list[dict[str, Any]], n_clients: int, n: int) -> Counter[str]:
    """Send n requests from n_clients concurrent clients, and count the results."""
    results: Counter[str] = Counter()
    numbers = iter(range(n))

    async def client(http: httpx2.AsyncClient) -> None:
        for number in numbers:
            one = all_wanted[number % len(all_wanted)]
            answer = await http.post("/v1/completions", json=one["given"])
            is_right = answer.status_code == 200 and answer.json()["choices"][0]["text"] == one["text"]
            results["right" if is_right else f"wrong: {answer.status_code}"] += 1

    limits = httpx2.Limits(max_connections=n_clients)
    async with httpx2.AsyncClient(base_url=here.url, timeout=TIMEOUT, limits=limits) as http:
        await asyncio.gather(*(client(http) for _ in range(n_clients)))
    return results


def held() -> dict[str, int]:
    """Return the resident memory in KiB, the open files and the threads of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    threads = len(list(Path("/proc/self/task").iterdir()))
    return {"kib": pages * 4, "files": len(list(Path("/proc/self/fd").iterdir())), "threads": threads}


def once(here: Serving, all_wanted: list[dict[str, Any]], chance: random.Random, n: int = 64) -> Counter[str]:
    """Send requests, malformed requests and requests whose client disconnects, and wait until the server is idle."""
    results = asyncio.run(requests(here, all_wanted, 16, n))
    with httpx2.Client(base_url=here.url, timeout=TIMEOUT) as http:
        for _ in range(20):
            method, path, headers, content = nonsense(chance)
            status = http.request(method, path, headers=headers, content=content).status_code
            results[f"nonsense {status // 100}xx"] += 1
        for _ in range(4):
            given = all_wanted[chance.randrange(len(all_wanted))]["given"] | {"stream": True, "max_tokens": 200}
            with http.stream("POST", "/v1/completions", json=given) as answer:
                next(answer.iter_lines())
            results["gone away"] += 1
    while here.loaded.backend.counts != (0, 0) or here.uvicorn.server_state.connections:
        time.sleep(0.05)
    return results


def soak(here: Serving, llm: LLM, all_wanted: list[dict[str, Any]], minutes: float) -> dict[str, Any]:
    """Repeat ``once`` for some minutes, and return the results with samples of the memory and open files."""
    end, chance = time.monotonic() + 60 * minutes, random.Random(5)
    samples, results = [], Counter[str]()
    while time.monotonic() < end:
        results += once(here, all_wanted, chance)
        samples.append(held() | {"dsp": llm.device.info().memory_bytes})
    return {"results": dict(results), "rounds": len(samples), "samples": samples[:: max(1, len(samples) // 12)]}


def is_good_soak(told: dict[str, Any]) -> bool:
    """Return whether a soak test passed.

    All responses are right. After the first third, the open files and the DSP memory do not change, and the peak
    resident memory of the last third is at most 3 % above that of the second.
    """
    n = len(told["samples"])
    later = told["samples"][n // 3 :]
    memory = [max(one["kib"] for one in part) for part in (later[: n // 3], later[n // 3 :])]
    is_right = all(name == "right" or "4xx" in name or name == "gone away" for name in told["results"])
    return is_right and len({(one["files"], one["dsp"]) for one in later}) == 1 and memory[1] <= 1.03 * memory[0]


async def read_streams(url: str, n_clients: int, n_tokens: int) -> None:
    """Read the streams of n_clients concurrent clients; runs in a process of its own."""
    given = {"max_tokens": n_tokens, "temperature": 0, "stream": True}

    async def client(number: int) -> None:
        async with http.stream("POST", "/v1/completions", json=given | {"prompt": PROMPTS[number % 5]}) as answer:
            assert answer.status_code == 200
            async for _ in answer.aiter_raw():
                pass

    limits = httpx2.Limits(max_connections=n_clients)
    async with httpx2.AsyncClient(base_url=url, timeout=TIMEOUT, limits=limits) as http:
        await asyncio.gather(*(client(number) for number in range(n_clients)))


def costs(path: Path, n_tokens: int = 200) -> dict[str, Any]:
    """Return the CPU time per token in microseconds, by thread and number of clients. The engine runs on the
    scheduler's thread.
    """
    told: dict[str, Any] = {}
    with LLM(path, 256, n_sequences=32, device="loopback") as llm, serving(llm, n_parallel=32) as here:
        for n_clients in (1, 8, 32, 1, 8, 32):  # the second run of each is reported
            threads = {
                one.name: time.pthread_getcpuclockid(one.ident)
                for one in threading.enumerate()
                if one.name in ("pyhexagon-engine", "event loop") and one.ident is not None
            }
            before = {name: time.clock_gettime(clock) for name, clock in threads.items()}
            statistics = here.server.metrics.statistics
            engine, start, n_before = llm.work[1], time.monotonic(), statistics.generated_tokens
            command = [sys.executable, "-m", "serve.endure", "read", here.url, str(n_clients), str(n_tokens)]
            subprocess.run(command, check=True)
            n = (statistics.generated_tokens - n_before) / 1e6
            us = {name: round((time.clock_gettime(clock) - before[name]) / n) for name, clock in threads.items()}
            told[str(n_clients)] = us | {
                "engine (wall)": round((llm.work[1] - engine) / n), "wall": round((time.monotonic() - start) / n)
            }  # fmt: skip
    return told


def main() -> int:
    """Run the command line."""
    what = sys.argv[1]
    if what == "read":
        asyncio.run(read_streams(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
        return 0
    if what == "cost":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(sys.argv[2]) if len(sys.argv) > 2 else model(Path(folder))
            print(json.dumps(costs(path)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = model(Path(folder))
        with LLM(path, 256, n_sequences=8, device="loopback") as llm:
            all_wanted = [wanted(llm, number) for number in range(90)]
            with serving(llm, n_parallel=8, n_waiting=200, body_bytes=1 << 16) as here:
                start = time.monotonic()
                if what == "load":
                    results = asyncio.run(requests(here, all_wanted, 100, 1000))
                    told: dict[str, Any] = {"results": dict(results)}
                    is_good = results == {"right": 1000}
                elif what == "nonsense":
                    results, chance = Counter[str](), random.Random(11)
                    with httpx2.Client(base_url=here.url, timeout=TIMEOUT) as http:
                        for _ in range(10_000):
                            method, address, headers, content = nonsense(chance)
                            status = http.request(method, address, headers=headers, content=content).status_code
                            results[str(status)] += 1
                    told = {"results": dict(results)}
                    is_good = all(status.startswith("4") for status in results)
                else:
                    told = soak(here, llm, all_wanted, float(sys.argv[2]))
                    is_good = is_good_soak(told)
                print(json.dumps(told | {"seconds": round(time.monotonic() - start, 1), "good": is_good}))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
