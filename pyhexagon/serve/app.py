# SPDX-License-Identifier: MIT
"""The addresses of the server."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import anyio
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.llm import LLM, Part
from pyhexagon.llm.engine import Running
from pyhexagon.serve import asked as asked_of
from pyhexagon.serve import guard
from pyhexagon.serve.answers import AnswerShape, ChatShape, CompletionShape, Record, as_json, usage
from pyhexagon.serve.asked import Generating
from pyhexagon.serve.errors import ServeError, wrong
from pyhexagon.serve.fields import Fields, parsed
from pyhexagon.serve.metrics import Metrics
from pyhexagon.serve.scheduler import Job, Scheduler

_LOG: Final = logging.getLogger("pyhexagon.serve")
_HEADERS: Final = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


@dataclass(frozen=True)
class Limits:
    """Of a server.

    Attributes:
        n_parallel: texts that go on at once.
        n_waiting: texts that may wait beside them.
        seconds: that a request may take in all.
        body_bytes: of a request.
    """

    n_parallel: int = 4
    n_waiting: int = 64
    seconds: float = 600.0
    body_bytes: int = 4 << 20


class JSON(Response):
    """An answer at once."""

    media_type = "application/json"

    def __init__(self, value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(as_json(value), status, {**_HEADERS, **(headers or {})})


def failure(error: ServeError) -> JSON:
    """What a client is told in place of an answer."""
    more = {"retry-after": str(error.retry_after)} if error.retry_after else {}
    more |= {"www-authenticate": "Bearer"} if error.status == 401 else {}
    return JSON(error.body(), error.status, more)


class _Inbox:
    """What the scheduler gives to the texts of one request, in the order in which it comes."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[int, list[Any], ServeError | None, bool]] = asyncio.Queue()

    def deliverer(self, index: int) -> Callable[[list[Any], ServeError | None, bool], None]:
        """For the scheduler's thread."""

        def deliver(made: list[Any], error: ServeError | None, is_end: bool) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._queue.put_nowait, (index, made, error, is_end))

        return deliver

    async def events(self, n: int) -> AsyncIterator[tuple[int, list[Any]]]:
        """Which text, and what it gave, until all n have ended.

        Raises:
            ServeError: one of them failed.
        """
        while n:
            index, made, error, is_end = await self._queue.get()
            if made:
                yield index, made
            if error is not None:
                raise error
            n -= is_end


class _Answer(Response):
    """Sends what jobs give, and cancels them when the client goes away or takes too long to read."""

    def __init__(self, server: Server, inbox: _Inbox, asked: Generating, shape: AnswerShape, jobs: list[Job]) -> None:
        super().__init__()
        self._server, self._inbox, self._asked, self._shape, self._jobs = server, inbox, asked, shape, jobs
        self._n_made = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._watch, receive, group.cancel_scope)
                with anyio.move_on_after(self._server.limits.seconds + 10):
                    await (self._stream(send) if self._asked.is_streamed else self._whole(scope, receive, send))
                group.cancel_scope.cancel()
        finally:
            self._server.scheduler.cancel(self._jobs)
            self._server.metrics.generated_tokens.inc(self._n_made)

    async def _watch(self, receive: Receive, scope: anyio.CancelScope) -> None:
        await guard.until_gone(receive)
        scope.cancel()

    def _usage(self) -> Record:
        return usage(sum(map(len, self._asked.prompts)), self._n_made)

    async def _whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts: list[list[Part]] = [[] for _ in self._jobs]
        try:
            async for index, made in self._inbox.events(len(self._jobs)):
                parts[index] += made
                self._n_made += len(made)
        except ServeError as error:
            await failure(error)(scope, receive, send)
            return
        choices = [self._shape.whole(index, made) for index, made in enumerate(parts)]
        await JSON(self._shape.answer(choices) | {"usage": self._usage()})(scope, receive, send)

    async def _stream(self, send: Send) -> None:
        headers = {**_HEADERS, "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no"}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        spoken: set[int] = set()
        try:
            async for index, made in self._inbox.events(len(self._jobs)):
                self._n_made += len(made)
                choices = [] if index in spoken else [self._shape.first(index)]
                spoken.add(index)
                choices.append(self._shape.chunk(index, made))
                for choice in choices:
                    if choice is not None:
                        await self._send(send, self._shape.answer([choice], is_chunk=True))
            if self._asked.has_usage:
                await self._send(send, self._shape.answer([], is_chunk=True) | {"usage": self._usage()})
        except ServeError as error:
            await self._send(send, error.body())
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})

    @staticmethod
    async def _send(send: Send, record: Record) -> None:
        await send({"type": "http.response.body", "body": b"data: " + as_json(record) + b"\n\n", "more_body": True})


class Server:
    """A model's addresses.

    Args:
        name: what clients call the model.
        hosts: names that it answers to; none: to all.
    """

    def __init__(
        self, llm: LLM, name: str, limits: Limits, keys: guard.Keys, hosts: frozenset[str] = frozenset()
    ) -> None:
        self.llm, self.name, self.limits, self._keys, self._hosts = llm, name, limits, keys, hosts
        self.metrics = Metrics()
        self.scheduler = Scheduler(llm, self.metrics, n_parallel=limits.n_parallel, n_waiting=limits.n_waiting)
        self.metrics.watch(self._present)
        self._created = int(time.time())
        routes = [
            Route("/v1/completions", self._completions, methods=["POST"]),
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/models", self._models),
            Route("/v1/models/{name:path}", self._one_model),
            Route("/health", self._health),
            Route("/metrics", self._metrics),
        ]
        handlers: Any = {
            ServeError: self._refused, HTTPException: self._refused, ArgumentError: self._refused,
            UnsupportedError: self._refused, Exception: self._mistaken,
        }  # fmt: skip
        self.app: ASGIApp = _Guarded(Starlette(routes=routes, exception_handlers=handlers), self)

    def admitted(self, scope: Scope) -> str:
        """Whose turn a request takes.

        Raises:
            ServeError: it may not ask.
        """
        guard.check_host(scope, self._hosts)
        return guard.client_of(scope, self._keys)

    # --- Texts that go on ---

    async def _completions(self, request: Request) -> Response:
        return await self._generate(request, asked_of.completion, CompletionShape)

    async def _chat(self, request: Request) -> Response:
        return await self._generate(request, asked_of.chat, ChatShape)

    async def _generate(
        self, request: Request, read: Callable[[Fields, LLM], Generating], shape: type[CompletionShape | ChatShape]
    ) -> Response:
        content = await guard.body_of(request, self.limits.body_bytes)
        until = time.monotonic() + self.limits.seconds
        asked, texts = await to_thread.run_sync(self._read, content, read)
        inbox = _Inbox()
        jobs: list[Job] = []
        for index, text in enumerate(texts):
            after = jobs[index - index % asked.n] if index % asked.n else None
            jobs.append(Job(request.state.client, text, inbox.deliverer(index), until, after))
        self.scheduler.submit(jobs)
        self.metrics.prompt_tokens.inc(sum(map(len, asked.prompts)))
        return _Answer(self, inbox, asked, shape(asked, self.name, self.llm.tokenizer), jobs)

    def _read(
        self, content: bytes, read: Callable[[Fields, LLM], Generating]
    ) -> tuple[Generating, list[Running[Part]]]:
        fields = parsed(content)
        self._check_model(fields)
        asked = read(fields, self.llm)
        return asked, [
            self._course(asked, prompt, number) for prompt in asked.prompts for number in range(asked.n)
        ]  # fmt: skip

    def _course(self, asked: Generating, prompt: Sequence[int], number: int) -> Running[Part]:
        seed = None if asked.seed is None else asked.seed + number
        sampling = asked.sampling | {"seed": seed, "n_likeliest": asked.n_likeliest or 0}
        return Running(self.llm.stream(prompt, asked.n_most, **sampling).course)

    def _check_model(self, fields: Fields) -> None:
        name = fields.text("model", self.name)
        if name != self.name:
            raise ServeError(404, f"there is no model {name[:80]!r}: it is {self.name!r}", code="model_not_found")

    async def _refused(self, _: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return failure(ServeError(error.status_code, error.detail))
        return failure(error if isinstance(error, ServeError) else wrong(str(error).replace(self.llm.path, self.name)))

    async def _mistaken(self, request: Request, error: Exception) -> Response:
        _LOG.error("%s %s failed: %s", request.method, request.url.path, error, exc_info=error)
        return failure(ServeError(500, "the server made a mistake: its log tells more", code="internal_error"))

    # --- What there is ---

    def _record(self) -> Record:
        return {"id": self.name, "object": "model", "created": self._created, "owned_by": "pyhexagon"}

    async def _models(self, _: Request) -> Response:
        return JSON({"object": "list", "data": [self._record()]})

    async def _one_model(self, request: Request) -> Response:
        if request.path_params["name"] != self.name:
            raise ServeError(404, f"there is no such model: it is {self.name!r}", code="model_not_found")
        return JSON(self._record())

    async def _health(self, _: Request) -> Response:
        if self.scheduler.problem:
            return JSON({"status": "dsp lost"}, 503)
        return JSON({"status": "ok"})

    async def _metrics(self, _: Request) -> Response:
        kind = "text/plain; version=0.0.4; charset=utf-8"
        text = await to_thread.run_sync(self.metrics.text)
        return Response(text, headers={**_HEADERS, "content-type": kind})

    def _present(self) -> dict[str, float]:
        running, waiting = self.scheduler.counts
        messages, seconds = self.llm.work
        memory = {f"memory_{name}_bytes": size for name, size in self.llm.memory().items()}
        up = not self.scheduler.problem
        return memory | {
            "running": running, "waiting": waiting, "up": up, "messages": messages, "dsp_seconds": seconds,
        }  # fmt: skip


class _Guarded:
    """Lets in who may ask, and counts."""

    def __init__(self, app: ASGIApp, server: Server) -> None:
        self._app, self._server = app, server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def counted(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            scope.setdefault("state", {})["client"] = self._server.admitted(scope)
        except ServeError as error:
            await failure(error)(scope, receive, counted)
        else:
            with suppress(Exception):  # it was logged, and the client was told
                await self._app(scope, receive, counted)
        finally:
            known = scope.get("route")
            path = known.path if isinstance(known, Route) else "other"
            self._server.metrics.requests.labels(path, str(status)).inc()
