# SPDX-License-Identifier: MIT
"""Latency and throughput of a server under load: concurrent clients that stream completions.

Each client is a thread that sends its next request when the last one has ended (a closed loop). A request has a
connection of its own, because servers close idle connections when others wait, and its clock starts when the connection
is open. Prompts have a fixed number of random tokens, so that prefix caching does not shorten them.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np

from pyhexagon.errors import ArgumentError, HexagonError

Record = dict[str, Any]
PERCENTILES: Final = (50, 90, 99)
_TIMEOUT: Final = 600.0  # seconds without a byte
_TEXT: Final = "The quick brown fox jumps over the lazy dog while seven wizards quietly judge boxing matches in a barn."
_PROBLEMS: Final = (OSError, http.client.HTTPException, ValueError, LookupError, TypeError)  # of a server's answer


@dataclass(frozen=True)
class Load:
    """What the clients of a run send.

    Attributes:
        n_clients: concurrent clients.
        n_requests: of all clients together.
        n_prompt, n_gen: prompt tokens of a request, and the most tokens of its completion.
    """

    n_clients: int
    n_requests: int
    n_prompt: int
    n_gen: int

    def __post_init__(self) -> None:
        if min(self.n_clients, self.n_requests, self.n_prompt, self.n_gen) < 1:
            raise ArgumentError("--clients, --requests, -p and -n are at least 1")


@dataclass
class Samples:
    """The measurements of one server, which its clients append to; a request that fails is in ``failures`` only.

    Attributes:
        first: times to first token in seconds, one for each request.
        gaps: inter-token latencies in seconds: the times between a request's chunks with text.
        speeds: tokens per second after the first token, one for each request.
        n_tokens: of each completion.
        seconds: the duration of all rounds.
        failures: messages.
    """

    first: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    n_tokens: list[int] = field(default_factory=list)
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    def record(self) -> Record:
        """Return the percentiles in milliseconds and tokens per second, and the tokens per second of all clients.

        Raises:
            HexagonError: all requests failed.
        """
        if not self.first:
            raise HexagonError(f"no request succeeded: {self.failures[0]}")
        return {
            "requests": len(self.first), "failed": len(self.failures), "failure": next(iter(self.failures), ""),
            "tokens": sum(self.n_tokens), "seconds": self.seconds, "throughput": sum(self.n_tokens) / self.seconds,
            "ttft_ms": _percentiles(self.first, 1e3), "inter_token_ms": _percentiles(self.gaps, 1e3),
            "tokens_per_second": _percentiles(self.speeds, 1),
        }  # fmt: skip


def _percentiles(values: Sequence[float], scale: float) -> dict[str, float | None]:
    found = np.percentile(values, PERCENTILES).tolist() if values else [None] * len(PERCENTILES)
    return {f"p{at}": None if one is None else one * scale for at, one in zip(PERCENTILES, found, strict=True)}


class MeasuredServer:
    """A server to measure.

    Args:
        url: its base URL.
        name: of the model; empty: the first one that the server lists.

    Raises:
        HexagonError: no server answers there, or it lacks ``/v1/models`` or llama.cpp's ``/tokenize``.
    """

    def __init__(self, url: str, name: str = "") -> None:
        self.url, self.samples = url.rstrip("/"), Samples()
        try:
            with closing(self._connect()) as connection:
                self.name = name or str(self._json(connection, "GET", "/v1/models")["data"][0]["id"])
                asked = {"model": self.name, "content": _TEXT}
                self._tokens: list[int] = self._json(connection, "POST", "/tokenize", asked)["tokens"]
        except _PROBLEMS as problem:
            raise HexagonError(f"{self.url} cannot be measured: {problem}") from None

    def _connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=_TIMEOUT)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: Record | None = None
    ) -> http.client.HTTPResponse:
        """Send a request, and return the response as soon as its head is there.

        Raises:
            HexagonError: the status is not 200.
        """
        key = os.environ.get("PYHEXAGON_API_KEY")
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        content = None if body is None else json.dumps(body).encode()
        connection.request(method, urlsplit(self.url).path + path, content, headers)
        response = connection.getresponse()
        if response.status != http.client.OK:
            raise HexagonError(f"{path}: {response.status} {response.read().decode(errors='replace')[:300]}")
        return response

    def _json(self, connection: http.client.HTTPConnection, *given: Any) -> Any:
        return json.loads(self._send(connection, *given).read())

    def run(self, load: Load, seed: int, done: Callable[[], None] = lambda: None) -> None:
        """Run a load once, and add its measurements to ``samples``.

        Args:
            seed: of the prompts; servers that are compared get the same prompts.
            done: called after each request.
        """
        numbers = deque(range(load.n_requests))

        def client() -> None:
            while True:
                try:
                    number = numbers.popleft()
                except IndexError:
                    return
                prompt = np.random.default_rng((seed, number)).choice(self._tokens, load.n_prompt).tolist()
                try:
                    with closing(self._connect()) as connection:
                        connection.connect()
                        self._complete(connection, prompt, load.n_gen)
                except (*_PROBLEMS, HexagonError) as problem:
                    self.samples.failures.append(str(problem) or type(problem).__name__)
                done()

        start = time.perf_counter()
        with ThreadPoolExecutor(load.n_clients) as pool:
            try:
                for one in [pool.submit(client) for _ in range(load.n_clients)]:
                    one.result()
            except BaseException:  # Ctrl-C: the clients end after their requests
                numbers.clear()
                raise
        self.samples.seconds += time.perf_counter() - start

    def _complete(self, connection: http.client.HTTPConnection, prompt: list[int], n_gen: int) -> None:
        """Stream a completion, and add its measurements."""
        body = {"model": self.name, "prompt": prompt, "max_tokens": n_gen, "temperature": 0}
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        start = time.perf_counter()
        times: list[float] = []
        n_tokens = 0
        for line in self._send(connection, "POST", "/v1/completions", body):
            if not line.startswith(b"data: {"):
                continue
            now, chunk = time.perf_counter(), json.loads(line[6:])
            if "error" in chunk:
                raise HexagonError(str(chunk["error"].get("message", chunk["error"]))[:300])
            if any(choice["text"] for choice in chunk["choices"]):
                times.append(now)
            n_tokens = (chunk.get("usage") or {}).get("completion_tokens", n_tokens)
        if not times:
            raise HexagonError("the completion has no text")
        samples = self.samples
        samples.first.append(times[0] - start)
        samples.gaps += np.diff(times).tolist()
        samples.n_tokens.append(n_tokens)
        if n_tokens > 1 and times[1:]:
            samples.speeds.append((n_tokens - 1) / (times[-1] - times[0]))


def run(
    measured: Sequence[MeasuredServer], load: Load, rounds: int, starting: Callable[[str], None],
    done: Callable[[], None],
) -> list[Record]:  # fmt: skip
    """Measure servers in turns, after a warm-up with one request of each client.

    Args:
        rounds: each of them runs the load once on each server.
        starting: called with the name of each step before it starts.
        done: called after each request that counts.

    Returns:
        A record of each server, as of ``Samples.record``.

    Raises:
        ArgumentError: ``rounds`` is below 1.
        HexagonError: all requests to a server failed.
    """
    if rounds < 1:
        raise ArgumentError("-r is at least 1")
    starting("warm-up")
    for server in measured:
        server.run(Load(load.n_clients, load.n_clients, load.n_prompt, load.n_gen), rounds)
        server.samples = Samples()
    for number in range(rounds):
        starting(f"round {number + 1} of {rounds}")
        for server in measured:
            server.run(load, number, done)
    return [{"url": server.url, "model": server.name} | server.samples.record() for server in measured]
