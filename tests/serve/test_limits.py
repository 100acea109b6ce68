# SPDX-License-Identifier: MIT
"""Clients that ask for too much do not delay the requests of others."""

from __future__ import annotations

import gc
import json
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import anyio
import httpx2
import openai
import pytest
from effort import counted
from llguidance.gbnf_to_lark import is_lark_syntax
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm import Tokenizer
from pyhexagon.llm.engine.fair_queue import FairQueue
from pyhexagon.llm.engine.grammar import Grammars, _lark
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.llm.engine.scheduler import Scheduler
from pyhexagon.serve.apis import service
from pyhexagon.serve.http import guard, schema
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.limits import Quota
from pyhexagon.serve.models.pooled_model import Prompts
from serve.serving import NAME, Serving, serving
from serve.test_connections import until

LARGEST = 65_000  # characters of a grammar; a schema is given some more
HUGE = 4_000_000  # bytes of a body: the server takes 4 MiB
JSON = {"content-type": "application/json"}


@pytest.fixture
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, n_parallel=2) as one:
        yield one


class Watch:
    """Functions of the server that a test watches, and holds up until it has seen enough.

    Attributes:
        go_on: the functions wait for it.
        threads: names of those that call them.
        n: calls at present.
        most: calls at once.
    """

    def __init__(self) -> None:
        self.go_on, self.threads = threading.Event(), set[str]()
        self.n = self.most = 0
        self._lock = threading.Lock()

    def of(self, function: Callable[..., Any], is_watched: Callable[..., bool] = lambda *_, **__: True) -> Any:
        """Return the function, watched when the arguments say so."""

        def watched(*given: Any, **more: Any) -> Any:
            if not is_watched(*given, **more):
                return function(*given, **more)
            with self._lock:
                self.threads.add(threading.current_thread().name)
                self.n += 1
                self.most = max(self.most, self.n)
            try:
                assert self.go_on.wait(LONG)
                return function(*given, **more)
            finally:
                with self._lock:
                    self.n -= 1

        return watched

    def check(self, here: Serving) -> None:
        """Assert that others are answered although a function is held up."""
        until(lambda: self.n)
        assert here.http().get("/health").status_code == 200
        given: dict[str, Any] = {"prompt": "the", "max_tokens": 40, "logit_bias": {"2": -1000}, "stream": True}
        assert list(here.client().completions.create(model=NAME, **given))[-1].choices[0].finish_reason == "length"
        assert self.n == 1
        self.go_on.set()

    def check_threads(self) -> None:
        assert self.threads
        assert not self.threads & {"pyhexagon-engine", "event loop", "MainThread"}
        assert self.most == 1


def test_a_long_text_is_tokenized_while_other_threads_run(llm: LLM) -> None:
    text = "".join(random.Random(1).choices(["the ", "and ", "he", "th er ", "in"], k=200_000))
    n_turns, is_inside, is_over = 0, threading.Event(), threading.Event()

    def count() -> None:
        """Count the turns of this thread while the other one is within the tokenizer, as long as it stays there."""
        nonlocal n_turns
        while not is_over.wait(0.0005):
            n_turns = n_turns + 1 if is_inside.is_set() else 0

    counter = threading.Thread(target=count)
    counter.start()
    most, end = 0, time.monotonic() + LONG
    while most < 10 and time.monotonic() < end:  # a busy machine may leave the other thread waiting for a core
        is_inside.set()
        ids = llm.tokenizer.encode(text)
        most = max(most, n_turns)
        is_inside.clear()
    is_over.set()
    counter.join()
    assert most >= 10  # 2 at most if the tokenizer holds the GIL
    pieces = [text[at : at + 100] for at in range(0, 3000, 100)]
    assert llm.tokenizer.decode(ids) == text
    assert [llm.tokenizer.encode(one, add_special=False) for one in pieces[:3]]


def test_a_text_that_cannot_fit_is_refused_before_it_is_tokenized(
    llm: LLM, here: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []
    encode = Tokenizer.encode

    def counted(tokenizer: Tokenizer, text: str, **more: Any) -> list[int]:
        lengths.append(len(text))
        return encode(tokenizer, text, **more)

    monkeypatch.setattr(Tokenizer, "encode", counted)
    http, most = here.http(), Prompts(llm).max_bytes
    assert most == 64 << 10
    text = "the " * (most // 4)
    message = {"role": "user", "content": text}
    for path, body, param in (
        ("/v1/completions", {"prompt": text + "a"}, "prompt"),
        ("/v1/completions", {"prompt": ["the", text + "\xe4"]}, "prompt"),
        ("/v1/chat/completions", {"messages": [message]}, "messages"),
        ("/v1/embeddings", {"input": text + "a"}, "input"),
        ("/tokenize", {"content": text + "a"}, "content"),
    ):
        answer = http.post(path, json=body)
        assert answer.status_code == 400
        told = answer.json()["error"]
        assert (told["param"], told["code"]) == (param, "context_length_exceeded")
    assert lengths == [3]
    assert len(http.post("/tokenize", json={"content": text}).json()["tokens"]) > 256  # may exceed the context length


def test_eight_huge_prompts_stop_neither_health_nor_a_stream(here: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """One body at a time is parsed, on a thread of its own."""
    bodies = [json.dumps({"prompt": "the " * (HUGE // 4), "max_tokens": 1}).encode()] * 4
    bodies += [json.dumps({"messages": [{"role": "user", "content": "the " * (HUGE // 4)}]}).encode()] * 4
    watch = Watch()
    monkeypatch.setattr(service, "parse", watch.of(schema.parse, lambda _, content: len(content) >= HUGE))

    def send(body: bytes) -> int:
        path = "/v1/chat/completions" if b"messages" in body[:20] else "/v1/completions"
        with httpx2.Client(base_url=here.url, timeout=LONG) as client:
            status: int = client.post(path, content=body, headers=JSON).status_code
            return status

    with ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(send, body) for body in bodies]
        until(lambda: here.server._bodies.held == sum(map(len, bodies)))  # all are there
        watch.check(here)
        assert [one.result() for one in sent] == [400] * 8
    watch.check_threads()


def test_a_client_that_asks_for_64_answers_does_not_lock_others_out(llm: LLM) -> None:
    keys = ("greedy-horse", "modest-horse")
    with serving(llm, keys, n_parallel=2, n_waiting=64) as here, ThreadPoolExecutor(4) as pool:
        greedy, modest = here.client(keys[0]), here.client(keys[1])
        ask: Any = greedy.completions.create
        many: dict[str, Any] = {"model": NAME, "prompt": "the", "max_tokens": 40, "logit_bias": {"2": -1000}}
        with pytest.raises(openai.RateLimitError, match="a client may have as many as stay free") as refused:
            greedy.completions.create(**many, n=64)
        assert refused.value.code == "queue_full"
        answers = [pool.submit(ask, **many, n=32) for _ in range(4)]
        until(lambda: here.loaded.backend.counts[1] >= 20)
        made = [modest.completions.create(**many) for _ in range(3)]
        assert here.loaded.backend.counts[1] > 0  # requests of the greedy client still wait
        assert all(one.usage and one.usage.completion_tokens == 40 for one in made)
        outcomes = [answer.exception() or answer.result() for answer in answers]
        n_refused = sum(isinstance(one, openai.RateLimitError) for one in outcomes)
        assert n_refused >= 2
        assert [len(one.choices) for one in outcomes if not isinstance(one, BaseException)] == [32] * (4 - n_refused)


def test_a_client_with_long_answers_gives_a_place_to_another_one(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ("greedy-horse", "modest-horse")
    long: dict[str, Any] = {"max_tokens": 200, "temperature": 1.5, "top_p": 1.0, "logit_bias": {2: -1000}}
    wanted = [llm.generate("the", seed=5 + at, **long).text for at in range(3)]
    go_on, send, end, n_sent = threading.Event(), ModelRunner.send, Scheduler.end, 0
    ends: list[tuple[str, int]] = []  # client and messages so far, in the order in which requests end

    def held(runner: ModelRunner[Any], *given: Any) -> Any:
        nonlocal n_sent
        n_sent += 1
        assert n_sent < 10 or go_on.wait(LONG)
        return send(runner, *given)

    def noted(scheduler: Scheduler, request: Request, *given: Any) -> None:
        ends.append((request.client, llm.work[0]))
        end(scheduler, request, *given)

    monkeypatch.setattr(ModelRunner, "send", held)
    monkeypatch.setattr(Scheduler, "end", noted)
    with serving(llm, keys, n_parallel=2) as here, ThreadPoolExecutor(2) as pool:
        asks: list[Any] = [here.client(key).completions.create for key in keys]
        answer = pool.submit(asks[0], model=NAME, prompt="the", n=3, seed=5, **long)
        until(lambda: here.loaded.backend.counts == (2, 1))
        other = pool.submit(asks[1], model=NAME, prompt="and he", max_tokens=4, temperature=0)
        until(lambda: here.loaded.backend.counts == (2, 2))
        before = llm.work[0]
        go_on.set()
        assert other.result().choices[0].text == llm.generate("and he", 4, 0).text
        choices = sorted(answer.result().choices, key=lambda one: int(one.index))
        assert [one.text for one in choices] == wanted
    assert [client for client, _ in ends].count(ends[0][0]) == 1
    assert ends[0][1] - before < 100  # fewer messages than one long completion takes


def test_a_quota_leaves_something_to_everybody() -> None:
    quota = Quota(64)
    for client, most in (("a", 32), ("b", 16), ("c", 8), ("d", 4), ("e", 2), ("f", 1), ("g", 1)):
        n = 0
        while quota.take(client):
            n += 1
        assert n == most
    assert quota.held == 64
    assert not quota.take("h")
    for client, most in (("a", 32), ("b", 16), ("c", 8), ("d", 4), ("e", 2), ("f", 1), ("g", 1)):
        quota.give_back(client, most)
    assert quota.held == 0
    assert quota.take("h", 32)
    assert not quota.take("i", 17)
    assert Quota(1).take("a")


def test_a_body_has_a_limit_in_however_many_pieces_it_comes() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(4):
            yield bytes(20)

    async def read(most: int) -> bytes:
        request: Any = SimpleNamespace(headers=JSON, stream=pieces)
        async with guard.body_of(request, "a", most, Quota(1 << 20)) as body:
            return body

    assert len(anyio.run(read, 80)) == 80
    with pytest.raises(ServeError, match="larger than 79 bytes"):
        anyio.run(read, 79)


def test_clients_take_turns() -> None:
    waiting = FairQueue[Any]()
    for client in "aaabbc":
        waiting.add(SimpleNamespace(client=client))
    assert "".join(waiting.next().client for _ in range(6)) == "abcaba"


def test_clients_with_as_many_requests_do_not_preempt_each_other(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    keys, preempted = ("first-horse", "second-horse"), []
    with serving(llm, keys, n_parallel=1) as here, ThreadPoolExecutor(2) as pool:
        monkeypatch.setattr(Scheduler, "suspend", lambda _, request: preempted.append(request))
        made = [
            pool.submit(here.client(key).completions.create, model=NAME, prompt="the", max_tokens=40, temperature=0)
            for key in keys
        ]
        assert len({one.result().choices[0].text for one in made}) == 1
    assert preempted == []


def test_bodies_in_memory_have_a_limit(llm: LLM) -> None:
    with serving(llm, body_bytes=1 << 16) as here:
        bodies = here.server._bodies = Quota(1 << 16)
        assert bodies.take("another", 1 << 15)
        http = here.http()
        answer = http.post("/tokenize", content=b'{"content": "%s"}' % (b"a" * 40_000), headers=JSON)
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "bodies_full")
        assert answer.headers["retry-after"] == "1"
        assert http.post("/tokenize", json={"content": "the"}).status_code == 200
        bodies.give_back("another", 1 << 15)
        assert http.post("/tokenize", content=b"{}" + b" " * 30_000, headers=JSON).status_code == 400
        assert bodies.held == 0


def chain(n: int) -> str:
    """A grammar of n rules, each of which refers to the next."""
    rules = [f'r{at} ::= "a" r{at + 1}?\n' for at in range(n)]
    return f'root ::= r0\n{"".join(rules)}r{n} ::= "z"\n'


def largest(make: Callable[[int], str]) -> str:
    """The largest grammar that is accepted."""
    n = 1
    while len(make(2 * n)) <= LARGEST:
        n *= 2
    for step in (n >> at for at in range(1, n.bit_length())):
        n += step if len(make(n + step)) <= LARGEST else 0
    return make(n)


def words(n: int) -> str:
    return "root ::= " + " | ".join(f'"{at:040x}"' for at in range(n))


def properties(n: int, width: int = 150) -> str:
    return json.dumps({"type": "object", "properties": {f"{at:0{width}x}": {} for at in range(n)}})


def many_properties(n: int) -> str:
    """A schema that compiles slowest; llguidance then refuses to generate so many alternatives."""
    return properties(n, 1)


def test_grammars_of_the_largest_size_do_not_stop_a_stream(
    llm: LLM, here: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    monkeypatch.setattr(Grammars, "processor", watch.of(Grammars.processor))
    grammars: list[dict[str, Any]] = [{"grammar": largest(make)} for make in (chain, words)]
    for make in (properties, many_properties):
        schema = {"name": "a", "schema": json.loads(largest(make))}
        grammars.append({"response_format": {"type": "json_schema", "json_schema": schema}})

    def send(given: dict[str, Any]) -> int:
        with httpx2.Client(base_url=here.url, timeout=10 * LONG) as client:
            body = {"prompt": "the", "max_tokens": 2, "n": 2, **given}
            answer = client.post("/v1/completions", json=body)
            return int(answer.status_code)

    with ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(send, one) for one in grammars * 2]
        watch.check(here)
        assert [one.result() for one in sent] == [200, 200, 200, 400] * 2
    watch.check_threads()
    made = llm._grammars
    until(lambda: gc.collect() is not None and not made._compiled)  # nothing stays


@pytest.mark.parametrize("make", [chain, words])
def test_a_grammar_of_the_largest_size_is_converted_in_few_steps(make: Callable[[int], str]) -> None:
    text = largest(make)
    with counted(40 * len(text), 0):
        assert is_lark_syntax(_lark(text))
