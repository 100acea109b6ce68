# SPDX-License-Identifier: MIT
"""Slow connections: clients that send no request, send it byte by byte, or do not read the response."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.serve import server
from pyhexagon.serve.http import timeouts
from pyhexagon.serve.http.timeouts import LimitedProtocol
from serve.serving import NAME, Serving, serving
from serve.test_load import come_to_rest, request

HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def here(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    monkeypatch.setattr(LimitedProtocol, "head_seconds", LONG)
    monkeypatch.setattr(server, "limit_readers", lambda listener: timeouts.limit_readers(listener, 0.5))
    with serving(llm, body_bytes=1 << 16) as one:
        yield one


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function that shortens the timeout of request heads to 0.1 s."""
    return lambda: monkeypatch.setattr(LimitedProtocol, "head_seconds", 0.1)


def connected(here: Serving) -> socket.socket:
    host, port = here.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=LONG)


def everything(one: socket.socket) -> bytes:
    """Return all bytes until the server closes the connection; these tests check that it does."""
    got = b""
    with suppress(ConnectionResetError):
        while piece := one.recv(1 << 16):
            got += piece
    return got


def drip(one: socket.socket, first: bytes) -> bytes:
    """Send some bytes at once and then one at a time until the server closes the connection; return what it sent."""
    one.sendall(first)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(everything(one)))
    reader.start()
    with suppress(OSError):
        while reader.is_alive():
            one.sendall(b"a")
            reader.join(0.02)
    reader.join()
    return got[0]


def test_a_connection_that_says_nothing_is_ended(here: Serving, soon: Callable[[], None]) -> None:
    soon()
    with connected(here) as one:
        assert everything(one).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("first", [b"G", HEAD, HEAD + b"X: "])
def test_a_head_that_comes_byte_by_byte_is_ended(here: Serving, soon: Callable[[], None], first: bytes) -> None:
    soon()
    with connected(here) as one:
        assert drip(one, first).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("asked", "status", "more"),
    [
        (HEAD + b"\r\n", b"200", HEAD),
        (b"POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", b"404", b"a body"),
    ],
)
def test_what_comes_behind_an_answer_is_ended(
    here: Serving, soon: Callable[[], None], asked: bytes, status: bytes, more: bytes
) -> None:
    """The timeouts hold after a response, too: for the next head, and for the body of a rejected request."""
    with connected(here) as one:
        one.sendall(asked)
        assert one.recv(12) == b"HTTP/1.1 " + status
        soon()
        assert b"HTTP/1.1 408 " in drip(one, more)


def test_while_it_is_answered_a_connection_has_no_limit(here: Serving) -> None:
    asked: dict[str, Any] = {"model": NAME, "prompt": "the", "max_tokens": 60, "temperature": 0}
    client = here.client()
    for _ in range(2):  # two requests on one connection
        for part in client.completions.create(**asked, stream=True):
            if part.choices[0].finish_reason is None:
                (connection,) = here.uvicorn.server_state.connections
                assert isinstance(connection, LimitedProtocol)
                assert connection._over is None


def test_who_never_reads_is_given_up_and_what_was_computed_for_it_ends(here: Serving) -> None:
    body = json.dumps({
        "prompt": ["the"] * 16, "max_tokens": 250, "stream": True, "logprobs": 20, "logit_bias": {"2": -1000},
    }).encode()  # fmt: skip
    host, port = here.url.removeprefix("http://").split(":")
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        one.connect((host, int(port)))
        one.sendall(request("/v1/completions", body))
        ended = threading.Event()
        while not here.server.metrics.statistics.cancelled:
            ended.wait(0.05)
    come_to_rest(here)
