# SPDX-License-Identifier: MIT
"""Pipelines and replicas on Ray: several nodes on this machine, each with a loopback of its own."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from waiting import LONG

from cluster.conftest import Nodes, free_boards, is_there, until
from pyhexagon import LLM, ClusterError, DeviceLostError, DspMemoryError
from pyhexagon.cluster import Pipeline, Router, connecting
from pyhexagon.cluster.pipeline import Boards
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.partition import sizes

N_CTX = 256
N_KILLS = int(os.environ.get("PYHEXAGON_TEST_KILLS", "2"))
PROMPT = [1, 5, 9, 10]
PROMPTS = [[1, 2], [1, 3, 4], [1] * 130, [1, 2, 7]]
MIB = 1 << 20
ANSWER = 48  # tokens of a completion: enough to kill a board meanwhile

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def wanted(model: Path) -> Any:
    with LLM(model, N_CTX, n_sequences=4, device="loopback") as llm:
        together = [one.tokens for one in llm.generate_all(PROMPTS, 6, temperature=0)]
        return llm.logits(PROMPTS[2]), together, llm.generate(PROMPT, ANSWER, temperature=0).tokens


@pytest.fixture(scope="module")
def pipeline(nodes: Nodes, model: Path) -> Iterator[Pipeline]:
    with Pipeline(model, N_CTX, n_sequences=4, n_stages=2, address=nodes.address) as made:
        yield made


def test_three_stages_give_the_bits_of_one_device_and_leave_nothing(nodes: Nodes, model: Path, wanted: Any) -> None:
    with Pipeline(model, N_CTX, n_sequences=4, n_stages=3, address=nodes.address) as made:
        facts = made.device.facts()
        assert [one["layers"] for one in facts] == ["0 to 1", "2 to 3", "4 to 5"]
        assert all(one["resident_bytes"] - one["memory_bytes"] < 256 * MIB for one in facts)
        assert np.array_equal(made.logits(PROMPTS[2]), wanted[0])
        assert [one.tokens for one in made.generate_all(PROMPTS, 6, temperature=0)] == wanted[1]
    until(lambda: free_boards() == 3, "a board is still held")
    until(lambda: not any(is_there(one["pid"]) for one in facts), "a process is still there")


def test_an_actor_killed_in_the_middle(pipeline: Pipeline, wanted: Any) -> None:
    """The error is typed. After the board's restart, generation continues with the same tokens."""
    chance = random.Random(4)
    for _ in range(N_KILLS):
        pid = chance.choice(pipeline.device.facts())["pid"]
        stream, tokens = pipeline.stream(PROMPT, ANSWER, temperature=0), list[int]()
        n_before = chance.randrange(ANSWER // 2)
        while len(tokens) < n_before:
            tokens.append(next(stream).token)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(DeviceLostError):
            tokens += (part.token for part in stream)
        assert tuple(tokens) == wanted[2][: len(tokens)]
        with pytest.raises(DeviceLostError, match="reopen"):
            pipeline.generate(PROMPT, 1)
        pipeline.device.reopen(5 * LONG)
        rest = pipeline.generate([*PROMPT, *tokens], ANSWER - len(tokens), temperature=0)
        assert (*tokens, *rest.tokens) == wanted[2]
        assert not is_there(pid)


def test_a_stage_that_is_slow_gives_the_same(pipeline: Pipeline, wanted: Any) -> None:
    pid = pipeline.device.facts()[1]["pid"]
    tokens = list[int]()
    for part in pipeline.stream(PROMPT, 20, temperature=0):
        tokens.append(part.token)
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.02, os.kill, (pid, signal.SIGCONT)).start()
    time.sleep(0.05)
    os.kill(pid, signal.SIGCONT)
    assert tuple(tokens) == wanted[2][:20]


@pytest.mark.parametrize("is_whole", [True, False], ids=["all of it", "its raylet"])
def test_a_node_killed_in_the_middle(
    nodes: Nodes, model: Path, pipeline: Pipeline, wanted: Any, is_whole: bool
) -> None:
    """The error is typed, also while the node is away. After its restart, generation continues with the same tokens."""
    pipeline.close()
    until(lambda: free_boards() == 3, "a board is still held")
    with Pipeline(model, N_CTX, n_sequences=4, n_stages=3, address=nodes.address) as made:
        stream = made.stream(PROMPT, ANSWER, temperature=0)
        tokens = [next(stream).token for _ in range(5)]
        pids = nodes.kill_one(is_whole=is_whole)

        def go_on() -> None:
            tokens.extend(part.token for part in stream)
            assert not is_whole  # without its raylet a board may complete a request, but it does not run on
            until(lambda: made.generate(PROMPT, 1) is None, "nobody misses the raylet")

        with pytest.raises(DeviceLostError):
            go_on()
        with pytest.raises(DeviceLostError, match="not all boards are back"):
            made.device.reopen(1)
        until(lambda: not any(map(is_there, pids)), "a process of the dead node is still there")
        nodes.add()
        made.device.reopen(5 * LONG)
        n_left = ANSWER - len(tokens)
        rest = made.generate([*PROMPT, *tokens], n_left, temperature=0).tokens if n_left else ()
        assert (*tokens, *rest) == wanted[2]
    until(lambda: free_boards() == 3, "a board is still held")


class Answers:
    """Collects the tokens and the ends of a router's requests."""

    def __init__(self, router: Router) -> None:
        self.router = router
        self.tokens: dict[int, list[int]] = {}
        self.ends: dict[int, list[Any]] = {}
        self._lock = threading.Lock()

    def ask(self, number: int, ids: Sequence[int], n: int, **sampling: Any) -> Request:
        def deliver(made: list[Any], error: Any, is_end: bool) -> None:
            with self._lock:
                self.tokens.setdefault(number, []).extend(part.token for part in made)
                if is_end:
                    self.ends.setdefault(number, []).append(error)

        request = Request(ids, n, sampling, deadline=time.monotonic() + 10 * LONG, deliver=deliver)
        self.router.prepare(request)
        self.router.submit([request])
        return request

    def wait(self, n: int) -> None:
        until(lambda: len(self.ends) == n, f"{len(self.ends)} of {n} have ended")


def test_a_thousand_requests_over_three_replicas(nodes: Nodes, model: Path, pipeline: Pipeline) -> None:
    """Each request gets one right response, the load is balanced, and clients do not notice that a board dies."""
    pipeline.close()
    until(lambda: free_boards() == 3, "a board is still held")
    with LLM(model, N_CTX, n_sequences=4, device="loopback") as llm:
        right = [llm.generate(ids, 3, temperature=0).tokens for ids in PROMPTS]
        drawn = llm.generate(PROMPT, 60, temperature=1.0, seed=7).tokens
    with Router(
        model, n_ctx=N_CTX, n_parallel=8, n_waiting=2000, address=nodes.address
    ) as router:  # fmt: skip
        answers = Answers(router)
        for number in range(1000):
            answers.ask(number, PROMPTS[number % 4], 3, temperature=0)
        end = time.monotonic() + 5 * LONG
        while len(answers.ends) < 1000 and time.monotonic() < end:
            time.sleep(0.1)
        assert set(answers.ends) == set(range(1000))
        assert all(ends == [None] for ends in answers.ends.values())
        assert all(tuple(tokens) == right[number % 4] for number, tokens in answers.tokens.items())
        assert sum(router.n_answered) == 1000
        assert max(router.n_answered) <= 1.2 * min(router.n_answered)

        pids = [one["pid"] for one in router.facts()]
        for number in range(2000, 2006):
            answers.ask(number, PROMPT, 60, temperature=1.0, seed=7)
        until(lambda: len(answers.tokens.get(2000, ())) > 5, "it does not begin")
        os.kill(pids[0], signal.SIGKILL)
        answers.wait(1006)
        assert all(answers.ends[number] == [None] for number in range(2000, 2006))
        assert all(tuple(answers.tokens[number]) == drawn for number in range(2000, 2006))

        gone = answers.ask(3000, PROMPT, 200, temperature=0)
        until(lambda: bool(answers.tokens.get(3000)), "it does not begin")
        router.cancel([gone])
        answers.wait(1007)
        assert len(answers.tokens[3000]) < 200
    until(lambda: free_boards() == 3, "a board is still held")


def test_another_version_is_refused(
    nodes: Nodes, model: Path, pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.close()
    until(lambda: free_boards() == 3, "a board is still held")
    monkeypatch.setattr(connecting, "VERSION", "9.9")
    with pytest.raises(ClusterError, match=r"has pyhexagon .*, this machine 9.9. Hint: pyhexagon deploy"):
        Pipeline(model, N_CTX, address=nodes.address)
    until(lambda: free_boards() == 3, "a board is still held")


def test_boards_without_memory_and_other_models_are_refused(nodes: Nodes, model: Path, tmp_path: Path) -> None:
    with pytest.raises(DspMemoryError, match=r"layers of .* bytes in all"):
        Pipeline(model, 1 << 30, address=nodes.address)
    until(lambda: free_boards() == 3, "a board is still held")


def test_boards_of_different_memory(
    nodes: Nodes, model: Path, wanted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One board has room for a layer, one for all, one for none: an uneven partition gives the same bits."""
    with GGUFFile(model) as file:
        layers, fixed = sizes(file, checked(file), N_CTX, n_sequences=4, kind="q8_0")
    monkeypatch.setattr(Boards, "capacities", lambda _: [fixed + layers[0], fixed + sum(layers), 0])
    with Pipeline(model, N_CTX, n_sequences=4, n_stages=2, address=nodes.address) as made:
        assert [one["layers"] for one in made.device.facts()] == ["0 to 0", "1 to 5"]
        assert np.array_equal(made.logits(PROMPTS[2]), wanted[0])
    until(lambda: free_boards() == 3, "a board is still held")
    with pytest.raises(DspMemoryError, match="the devices can take"):
        Pipeline(model, N_CTX, n_sequences=4, n_stages=3, address=nodes.address)
    until(lambda: free_boards() == 3, "a board is still held")


def test_without_the_token_nobody_gets_in(nodes: Nodes) -> None:
    program = (
        "import sys\nfrom pyhexagon.cluster.connecting import connect\nfrom pyhexagon import ClusterError\n"
        f"try: connect({nodes.address!r})\nexcept ClusterError as error: sys.exit(f'refused: {{error}}')"
    )
    environment = os.environ | {"RAY_AUTH_TOKEN": "0" * 64}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=5 * LONG, check=False
    )
    assert "refused: cannot join the cluster" in done.stderr, done.stderr
    assert "auth_token" in done.stderr
