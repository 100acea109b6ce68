# SPDX-License-Identifier: MIT
"""What ``/v1/responses`` remembers: how much of each client, for how long, in how many bytes, and for whom."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections import defaultdict
from typing import Any

import pytest

from pyhexagon import LLM
from pyhexagon.serve.apis import response_store
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.http.errors import ServeError
from serve.serving import NAME, serving


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def add(store: ResponseStore, client: str, number: int, n: int = 0) -> bool:
    return store.add(client, {"id": f"{client}{number}", "text": n * "a"}, [])


def held(store: ResponseStore) -> list[str]:
    return list(store._stored)


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 34, 48, 63, 64, 65, 100, 200])
def test_a_client_has_64_responses(n: int) -> None:
    store = ResponseStore()
    for number in range(n):
        assert add(store, "b", number)
        assert add(store, "a", number)
    for client in "ab":
        own = [name for name in held(store) if name.startswith(client)]
        assert own == [f"{client}{number}" for number in range(max(0, n - 64), n)]


def test_only_its_client_sees_and_deletes_a_response() -> None:
    store = ResponseStore()
    assert store.add("a", {"id": "a1", "text": "\ud800"}, [{"role": "user", "content": "\ud800ü"}])
    for use in (store.record, store.messages, store.delete):
        for client, name in (("b", "a1"), ("", "a1"), ("a", "a2"), ("a", "")):
            with pytest.raises(ServeError, match="there is no response"):
                use(client, name)
    assert json.loads(store.record("a", "a1")) == {"id": "a1", "text": "?"}
    assert store.messages("a", "a1") == [{"role": "user", "content": "\ud800ü"}]
    store.delete("a", "a1")
    assert (held(store), store._quota.held) == ([], 0)


def test_no_client_takes_the_room_of_another_within_an_hour(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(response_store, "_MOST_BYTES", 1 << 17)
    chance, clock = random.Random(seed), Clock()
    store, added = ResponseStore(clock), defaultdict[str, list[tuple[str, float]]](list)
    for number in range(3000):
        clock.now += chance.random() * chance.choice([1, 200])
        client = chance.choice("abcdefgh")
        before = set(held(store))
        n = int(2 ** chance.uniform(0, 18))
        if add(store, client, number, n):
            added[client].append((f"{client}{number}", clock.now))
            assert held(store)[-1] == f"{client}{number}"
        since = {name: at for names in added.values() for name, at in names}
        for name in before - set(held(store)):
            assert name.startswith(client) or clock.now - since[name] >= 3600
        assert store._quota.held == sum(one.n_bytes for one in store._stored.values()) <= 1 << 17
    assert all(len([name for name in held(store) if name.startswith(one)]) <= 64 for one in "abcdefgh")


def test_room_is_free_for_others_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_store, "_MOST_BYTES", 32 << 10)
    clock = Clock()
    store = ResponseStore(clock)
    for number in range(20):
        for client in range(40):
            add(store, f"client {client} ", number, 3_000 >> client // 4)
    assert not add(store, "new", 0, 4_000)
    clock.now = 3599
    assert not add(store, "new", 0, 4_000)
    clock.now = 3600
    assert add(store, "new", 0, 4_000)
    assert not add(store, "new", 1, 17 << 10)  # more than any client may have
    assert held(store)[-1] == "new0"


@pytest.mark.parametrize("value", ["[]", "{}", '{"a":1}', "1.5", '"a"', "[[]]", '"é"'])
def test_memory_is_as_large_as_the_limit_says(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_store, "_MOST_BYTES", 256 << 10)
    store = ResponseStore()
    tracemalloc.start()
    try:
        for number in range(40):
            content: Any = json.loads(f"[{','.join([value] * 1_000)}]")
            store.add("abc"[number % 3], {"id": str(number), "tools": content}, [{"content": content}])
        del content
        assert store._stored
        assert tracemalloc.get_traced_memory()[0] < (256 << 10) + 50_000
    finally:
        tracemalloc.stop()


def test_a_response_says_whether_it_is_remembered(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"model": NAME, "input": "the", "max_output_tokens": 2}
    with serving(llm) as here:
        http = here.http()
        made = http.post("/v1/responses", json=body | {"metadata": {"a" * 64: "b" * 512}}).json()
        assert made["store"] is True
        assert http.get(f"/v1/responses/{made['id']}").json() == made
        assert made["metadata"] == {"a" * 64: "b" * 512}
        monkeypatch.setattr(response_store, "_MOST_BYTES", 1000)
        made = http.post("/v1/responses", json=body).json()
        assert made["store"] is False
        assert http.get(f"/v1/responses/{made['id']}").status_code == 404
