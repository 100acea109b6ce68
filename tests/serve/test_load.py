# SPDX-License-Identifier: MIT
"""Load: many clients, slow readers, broken connections, malformed requests; and the cost per token of continuous
batching.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from llm import tiny
from waiting import LONG

from pyhexagon import LLM, Device
from pyhexagon.llm.engine.runner import ModelRunner
from serve.nonsense import nonsense
from serve.serving import NAME, Serving, serving

N_CLIENTS, N_REQUESTS, N_WRONG = 20, 40, 200  # tests/serve/endure.py uses larger numbers
PROMPTS = ["the", "and he in", "th er an", "he he he the in"]


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, n_parallel=8, n_waiting=N_REQUESTS, body_bytes=1 << 16) as one:
        yield one


def test_all_of_many_clients_are_answered_once_and_right(llm: LLM, here: Serving) -> None:
    asked: list[dict[str, Any]] = [
        {"prompt": PROMPTS[at % 4], "max_tokens": 3 + at % 7, "temperature": 1.5, "seed": at % 12}
        for at in range(N_REQUESTS)
    ]
    wanted = [llm.generate(one["prompt"], one["max_tokens"], 1.5, seed=one["seed"]).text for one in asked]

    async def client(http: httpx2.AsyncClient, given: list[dict[str, Any]]) -> list[str]:
        bodies = (one | {"stream": one["seed"] % 3 == 0} for one in given)
        return [text_of(await http.post("/v1/completions", json=body)) for body in bodies]

    async def everyone() -> list[list[str]]:
        async with httpx2.AsyncClient(base_url=here.url, timeout=LONG) as http:
            return await asyncio.gather(*(client(http, asked[at::N_CLIENTS]) for at in range(N_CLIENTS)))

    answers = asyncio.run(everyone())
    assert answers == [wanted[at::N_CLIENTS] for at in range(N_CLIENTS)]
    come_to_rest(here)


def come_to_rest(here: Serving) -> None:
    """Wait until no request runs or waits: a client receives its response shortly before the server ends the request.
    """
    while here.loaded.backend.counts != (0, 0):
        here.http().get("/health")


def text_of(response: httpx2.Response) -> str:
    assert response.status_code == 200, response.text
    if "event-stream" not in response.headers["content-type"]:
        return str(response.json()["choices"][0]["text"])
    events = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    assert events.pop() == "[DONE]"
    return "".join(json.loads(one)["choices"][0]["text"] for one in events)


def request(path: str, body: bytes) -> bytes:
    lines = f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}"
    return "\r\n".join((*lines, "", "")).encode() + body


def test_who_reads_slowly_or_not_at_all_keeps_nobody_waiting(llm: LLM, here: Serving) -> None:
    address = here.url.removeprefix("http://").split(":")
    body = json.dumps({"prompt": ["the"] * 2, "max_tokens": 60, "stream": True, "logprobs": 20, "temperature": 0})
    readers = []
    for _ in range(4):
        reader = socket.create_connection((address[0], int(address[1])))
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.sendall(request("/v1/completions", body.encode()))
        readers.append(reader)
    broken = socket.create_connection((address[0], int(address[1])))
    broken.sendall(request("/v1/completions", body.encode())[:-20])  # the rest is never sent
    made = here.client().completions.create(model=NAME, prompt="the", max_tokens=4, temperature=0)
    assert made.choices[0].text == llm.generate("the", 4, 0).text
    for reader in (*readers, broken):
        reader.close()
    come_to_rest(here)


def test_nonsense_is_refused(here: Serving) -> None:
    chance = random.Random(8)
    statuses: Counter[int] = Counter()
    http = here.http()
    for number in range(N_WRONG):
        method, path, headers, content = nonsense(chance)
        status = http.request(method, path, headers=headers, content=content).status_code
        assert 400 <= status < 500, (number, method, path, headers, content[:300])
        statuses[status] += 1
    assert {400, 404, 405, 413, 415} <= set(statuses)
    assert http.get("/health").json() == {"status": "ok"}
    come_to_rest(here)


def test_raw_nonsense_ends_the_connection_only(here: Serving) -> None:
    chance = random.Random(9)
    address = here.url.removeprefix("http://").split(":")
    for _ in range(50):
        with socket.create_connection((address[0], int(address[1])), timeout=LONG) as one:
            begin = chance.choice([b"GET / HTTP/1.1\r\n", b"", b"\x16\x03\x01", b"POST "])
            status = b""
            with suppress(OSError), one.makefile("rb") as answer:  # the server may have closed the connection
                one.sendall(begin + chance.randbytes(200))
                one.sendall(b"\r\n\r\n")
                one.shutdown(socket.SHUT_WR)
                status = answer.readline()
            assert not status or status.split()[1].startswith(b"4"), status
    assert here.http().get("/health").status_code == 200


def test_eight_clients_share_what_is_read_and_what_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qemu: str, figure: Any
) -> None:
    """The DSP reads the weights once per message, and a token takes no more packets than with one client."""
    path = tiny.write(tmp_path / "m.gguf", "llama")
    costs: list[tuple[int, int, int]] = []
    run = ModelRunner.send

    with Device("loopback:qemu") as device, LLM(path, 128, n_sequences=8, device=device) as llm:

        def counted(runner: ModelRunner[Any], batch: Any, *given: Any) -> Any:
            program_of = runner.stages.program

            def watched(*key: Any) -> Any:
                program = program_of(*key)
                return Watched(program, lambda packets, n: costs.append((len(batch), packets, n)))

            with monkeypatch.context() as patch:
                patch.setattr(runner.stages, "program", watched)
                return run(runner, batch, *given)

        monkeypatch.setattr(ModelRunner, "send", counted)
        prompts = [[1, *np.random.default_rng(at).integers(3, 300, 5).tolist()] for at in range(8)]
        with serving(llm, n_parallel=8) as here:
            client = here.client()
            client.completions.create(model=NAME, prompt=prompts[0], max_tokens=4, temperature=0)
            client.completions.create(model=NAME, prompt=prompts, max_tokens=6, temperature=0)
    alone = min(one for one in costs if one[0] == 1)
    of_eight = [one for one in costs if one[0] == 8][-1]
    weights = {n: read for n, _, read in costs}
    figure(
        f"serve: packets a token {alone[1]:,} for one client, {of_eight[1] / 8:,.0f} for each of eight; "
        f"bytes of weights {weights[1]:,} and {weights[8] / 8:,.0f}"
    )
    assert weights[8] / 8 <= weights[1] / 7
    assert of_eight[1] / 8 <= alone[1]


class Watched:
    """A program that counts its runs."""

    def __init__(self, program: Any, told: Any) -> None:
        self._program, self._told = program, told

    def run_numpy(self, numbers: Any) -> Any:
        results, report = self._program.run_with_report(numbers)
        packets = sum(op.packets or 0 for op in report.ops)
        self._told(packets, sum(op.dma_bytes for op in report.ops if op.op == "mul_mat"))
        return [np.array(one) for one in results]
