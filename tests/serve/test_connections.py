# SPDX-License-Identifier: MIT
"""Connections: too many, half-closed, with two body lengths; and the shutdown of the server."""

from __future__ import annotations

import json
import os
import resource
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm.engine import engine_thread
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.serve import server
from pyhexagon.serve.apis import generation_response
from pyhexagon.serve.http import connections
from serve.serving import NAME, Serving, serving
from serve.test_load import come_to_rest, request
from serve.test_timeouts import HEAD, connected, everything

ENDLESS: dict[str, Any] = {"prompt": "the", "max_tokens": 200, "logit_bias": {"2": -1000}}


@pytest.fixture
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Block messages to the DSP until the event is set, as if the DSP did not answer."""
    go_on, run = threading.Event(), ModelRunner.send

    def later(runner: ModelRunner[Any], *given: Any) -> Any:
        assert go_on.wait(LONG)
        return run(runner, *given)

    monkeypatch.setattr(ModelRunner, "send", later)
    yield go_on
    go_on.set()


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def status_of(answer: bytes) -> bytes:
    return answer.split()[1] if answer else b""


def test_idle_connections_make_place_for_new_ones(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "room_for_connections", lambda: 20)
    with serving(llm) as here:
        idle = [connected(here) for _ in range(30)]
        try:
            for _ in range(20):
                with connected(here) as one:
                    one.sendall(HEAD + b"Connection: close\r\n\r\n")
                    assert status_of(everything(one)) == b"200"
            assert len(here.uvicorn.server_state.connections) <= 10  # one client address may have half of them
        finally:
            for one in idle:
                one.close()


def test_a_connection_for_which_there_is_no_room_is_told(
    llm: LLM, monkeypatch: pytest.MonkeyPatch, held: threading.Event
) -> None:
    monkeypatch.setattr(server, "room_for_connections", lambda: 4)
    with serving(llm) as here:
        at_work = [connected(here) for _ in range(2)]
        for one in at_work:
            one.sendall(request("/v1/completions", json.dumps(ENDLESS | {"stream": True}).encode()))
            assert one.recv(12) == b"HTTP/1.1 200"
        with connected(here) as one:
            answer = everything(one)
            assert status_of(answer) == b"503"
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_many_connections"
        held.set()
        for one in at_work:
            one.close()
        come_to_rest(here)


def test_incomplete_requests_of_many_addresses_lock_nobody_out(
    llm: LLM, monkeypatch: pytest.MonkeyPatch, held: threading.Event
) -> None:
    monkeypatch.setattr(server, "room_for_connections", lambda: 8)
    with serving(llm) as here, ExitStack() as stack:
        port = int(here.url.rpartition(":")[2])

        def connect(number: int) -> socket.socket:
            return stack.enter_context(
                socket.create_connection(("127.0.0.1", port), LONG, source_address=(f"127.0.1.{number}", 0))
            )

        at_work = connect(1)
        at_work.sendall(request("/v1/completions", json.dumps(ENDLESS | {"max_tokens": 2}).encode()))
        until(lambda: here.loaded.backend.counts != (0, 0))
        for number in range(2, 40):
            one = connect(number)
            one.sendall(request("/v1/completions", b"{}" * 50)[:-90])
        for number in range(40, 50):
            one = connect(number)
            one.sendall(request("/tokenize", b'{"content": "the"}'))
            assert status_of(one.recv(1000)) == b"200"
        held.set()
        assert status_of(at_work.recv(1000)) == b"200"  # what is complete stays


def test_connections_leave_descriptors_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "listdir", lambda _: ["fd"] * 40)
    for soft, room in ((1024, 888), (256, 120), (128, 8), (1 << 20, 1024), (resource.RLIM_INFINITY, 1024)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert connections.room_for_connections() == room


def test_two_lengths_of_a_body_are_refused_and_nothing_behind_it_is_read(here: Serving) -> None:
    lines = "POST /tokenize HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Content-Length: 5"
    body = b"0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(here) as one:
        one.sendall("\r\n".join((*lines, "Transfer-Encoding: chunked", "", "")).encode() + body)
        answer = everything(one)
    assert answer.count(b"HTTP/1.1") == 1
    assert status_of(answer) == b"400"
    assert b'"ambiguous_length"' in answer


STREAMS = ["/v1/completions", "/v1/chat/completions", "/v1/responses", "/v1/messages", "/completion", "/api/chat"]


def body_of(path: str, n: int, *, is_stream: bool) -> bytes:
    """Return the body of a request for n tokens."""
    message = {"role": "user", "content": "the"}
    prompt = {"messages": [message]} if "chat" in path or "messages" in path else {"prompt": "the", "input": "the"}
    more = {"options": {"num_predict": n}} if path == "/api/chat" else {"max_tokens": n, "max_output_tokens": n}
    return json.dumps(prompt | more | {"stream": is_stream}).encode()


@pytest.mark.parametrize("has_begun", [False, True])
@pytest.mark.parametrize("path", ["", *STREAMS])
def test_a_client_that_closed_its_half_is_answered(
    here: Serving, held: threading.Event, path: str, has_begun: bool
) -> None:
    """Before a stream begins, and after that."""
    with connected(here) as one:
        one.sendall(request(path or "/v1/completions", body_of(path, 3, is_stream=bool(path))))
        answer = one.recv(12) if path and has_begun else b""
        one.shutdown(socket.SHUT_WR)
        until(lambda: here.loaded.backend.counts != (0, 0))
        held.set()
        answer += everything(one)
    assert b"HTTP/1.1 200 OK" in answer
    assert answer.endswith(b"\r\n0\r\n\r\n") if path else b'"finish_reason":"' in answer
    come_to_rest(here)


@pytest.mark.parametrize("path", ["", *STREAMS])
def test_a_client_that_is_gone_is_not_taken_for_one_that_closed_its_half(
    here: Serving, held: threading.Event, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("pyhexagon.serve.http.timeouts._PROBE_SECONDS", 0.05)
    with connected(here) as one:
        one.sendall(request(path or "/v1/completions", body_of(path, 200, is_stream=bool(path))))
        if path:
            assert one.recv(12) == b"HTTP/1.1 200"
        until(lambda: here.loaded.backend.counts != (0, 0))
        one.setblocking(False)
        with suppress(BlockingIOError):
            while one.recv(1 << 16):  # to close it with unread bytes would send RST at once
                pass
    until(lambda: not here.uvicorn.server_state.connections)
    held.set()
    come_to_rest(here)
    assert here.server.metrics.statistics.cancelled == 1


def test_a_stream_that_is_broken_off_leaves_no_line_in_the_log(
    here: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    go_on = threading.Event()
    with connected(here) as one:
        one.sendall(request("/v1/completions", json.dumps(ENDLESS | {"stream": True}).encode()))
        one.recv(1)
        # The client goes while the event loop is busy, and chunks wait for it.
        here.uvicorn.servers[0].get_loop().call_soon_threadsafe(go_on.wait, LONG)
        until(lambda: here.loaded.backend.counts == (0, 0))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close sends RST
    go_on.set()
    until(lambda: not here.uvicorn.server_state.connections)
    come_to_rest(here)
    assert not caplog.records


@pytest.mark.parametrize("is_stream", [False, True])
def test_what_is_not_answered_when_the_server_ends_gets_503(llm: LLM, held: threading.Event, is_stream: bool) -> None:
    with serving(llm, grace=1) as here, connected(here) as one:
        one.sendall(request("/v1/completions", json.dumps(ENDLESS | {"stream": is_stream}).encode()))
        until(lambda: here.loaded.backend.counts != (0, 0))
        here.uvicorn.should_exit = True
        answer = everything(one)
        held.set()
    assert status_of(answer) == (b"200" if is_stream else b"503")
    assert b'"shutting_down"' in answer


def test_a_body_that_is_not_there_when_the_server_ends_gets_503(llm: LLM) -> None:
    with serving(llm, grace=1) as here, connected(here) as one:
        one.sendall(request("/v1/completions", b'{"prompt": "the"}')[:-3])
        until(lambda: here.uvicorn.server_state.tasks)
        here.uvicorn.should_exit = True
        assert status_of(everything(one)) == b"503"


def test_a_dsp_that_does_not_answer_is_not_healthy(
    here: Serving, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_thread, "_SILENT", 0.1)
    http = here.http()
    assert http.get("/health").status_code == 200
    asked = threading.Thread(target=here.client().completions.create, kwargs=ENDLESS | {"model": NAME})
    asked.start()
    until(lambda: http.get("/health").status_code == 503)
    health = http.get("/health")
    assert "the DSP has not answered for" in health.json()["problem"]
    assert "pyhexagon_up 0.0" in http.get("/metrics").text
    held.set()
    asked.join()
    assert http.get("/health").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("path", "ping"),
    [
        ("/v1/completions", b": ping\n\n"), ("/v1/chat/completions", b": ping\n\n"), ("/v1/responses", b": ping\n\n"),
        ("/v1/messages", b'event: ping\ndata: {"type":"ping"}\n\n'), ("/api/chat", b" "),
    ],
)  # fmt: skip
def test_a_stream_says_that_it_is_alive(
    here: Serving, held: threading.Event, monkeypatch: pytest.MonkeyPatch, path: str, ping: bytes
) -> None:
    monkeypatch.setattr(generation_response, "_PING_SECONDS", 0.01)
    pushed = []
    pings = generation_response.GenerationResponse._ping

    async def counted(response: Any, push: Any) -> None:
        async def noted(content: bytes) -> None:
            pushed.append(content)
            if len(pushed) == 3:
                held.set()
            await push(content)

        await pings(response, noted)

    monkeypatch.setattr(generation_response.GenerationResponse, "_ping", counted)
    message = {"role": "user", "content": "the"}
    body = {"prompt": "the", "input": "the", "messages": [message], "max_tokens": 2, "stream": True}
    with here.http().stream("POST", path, json=body) as answer:
        content = b"".join(answer.iter_raw())
    assert pushed[:3] == [ping] * 3
    if path == "/api/chat":
        assert content.startswith(b"   ")
        *others, last = map(json.loads, content.splitlines())
        assert last["done"]
        assert not any(each["done"] for each in others)
    else:
        assert content.count(ping) >= 3
        for part in content.split(ping):  # pings stand between events
            assert not part or part.endswith(b"\n")
    come_to_rest(here)
