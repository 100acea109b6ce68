# SPDX-License-Identifier: MIT
"""The HTTP routes of the server."""

from __future__ import annotations

import asyncio
import logging
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar
from weakref import WeakSet

import anyio
import numpy as np
import numpy.typing as npt
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.llm import openai_format
from pyhexagon.llm.openai_format import Record
from pyhexagon.serve import answers, anthropic, guard
from pyhexagon.serve import asked as asked_of
from pyhexagon.serve.asked import Asking, Generating
from pyhexagon.serve.backend import Backend, EmbeddingWork, QueuedRequest, ServedModel
from pyhexagon.serve.delivery import GenerationResponse, Inbox
from pyhexagon.serve.errors import ServeError, log_failure, wrong
from pyhexagon.serve.fields import Fields, parsed
from pyhexagon.serve.http import HEADERS, JSON, failure
from pyhexagon.serve.keys import Keys
from pyhexagon.serve.limits import Limits
from pyhexagon.serve.metrics import Metrics
from pyhexagon.serve.page import page
from pyhexagon.serve.prompts import Prompts
from pyhexagon.serve.quota import Quota
from pyhexagon.serve.shape import AnswerShape

_LOG: Final = logging.getLogger("pyhexagon.serve")
T = TypeVar("T")
Reader = Callable[[Fields, Asking], tuple[Generating, AnswerShape]]  # parses a request
_ENDS: Final = ServeError(503, "the server ends", code="shutting_down", retry_after=5)
_READERS: Final = 8  # request bodies parsed at once
_LONG_BODY: Final = 16 << 10  # bytes
_GROUP: Final = 16  # inputs embedded before other requests have their turn
_MOST_EMBEDDED: Final = 2048


def _embedded(vector: npt.NDArray[np.float32], form: str) -> object:
    return vector.tolist() if form == "float" else b64encode(vector.astype("<f4").tobytes()).decode()


class Server:
    """The HTTP routes of a model.

    Args:
        model: its tokenizer and chat template.
        backend: runs the requests.
        metrics: shared with the backend.
        name: model name for clients.
        hosts: accepted values of the Host header; none: all.
        device: name of the device, as of ``Device``; the chat page shows it.
    """

    def __init__(
        self, model: ServedModel, backend: Backend, metrics: Metrics, *, name: str, limits: Limits, keys: Keys,
        hosts: frozenset[str] = frozenset(), device: str = "cdsp",
    ) -> None:  # fmt: skip
        self.model, self.backend, self.metrics, self.name, self.limits = model, backend, metrics, name, limits
        self._keys, self._hosts, self._device = keys, hosts, device
        self._prompts = Prompts(model)
        self._inboxes: WeakSet[Inbox] = WeakSet()  # of requests without a complete response
        self._bodies = Quota(limits.all_body_bytes)
        self._readers, self._long_readers = anyio.CapacityLimiter(_READERS), anyio.CapacityLimiter(1)
        self._created = int(time.time())
        routes = [
            Route("/v1/completions", self._completions, methods=["POST"]),
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/messages", self._messages, methods=["POST"]),
            Route("/v1/messages/count_tokens", self._count_tokens, methods=["POST"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/tokenize", self._tokenize, methods=["POST"]),
            Route("/detokenize", self._detokenize, methods=["POST"]),
            Route("/apply-template", self._apply_template, methods=["POST"]),
            Route("/", self._page),
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

    def end(self) -> None:
        """Fail all open requests. Call it on the event loop."""
        for inbox in list(self._inboxes):
            inbox.fail(_ENDS)

    def _inbox(self) -> Inbox:
        inbox = Inbox()
        self._inboxes.add(inbox)
        return inbox

    def admitted(self, scope: Scope) -> str:
        """Return the client of a request, for fair scheduling.

        Raises:
            ServeError: the host name or the API key is refused.
        """
        guard.check_host(scope, self._hosts)
        return guard.client_of(scope, self._keys)

    # --- Completions ---

    async def _completions(self, request: Request) -> Response:
        return await self._generate(request, answers.completion)

    async def _chat(self, request: Request) -> Response:
        return await self._generate(request, answers.chat)

    async def _messages(self, request: Request) -> Response:
        return await self._generate(request, anthropic.generation)

    async def _count_tokens(self, request: Request) -> Response:
        asking = self._asking(request)
        return JSON({"input_tokens": await self._of_body(request, lambda fields: anthropic.n_tokens(fields, asking))})

    def _asking(self, request: Request) -> Asking:
        return Asking(self._prompts, self.name, request.state.client)

    async def _generate(self, request: Request, read: Reader) -> Response:
        inbox = self._inbox()
        until = time.monotonic() + self.limits.seconds
        asking = self._asking(request)
        asked, shape, jobs = await self._of_body(request, lambda fields: self._read(fields, read, inbox, asking, until))
        self.backend.submit(jobs)
        self.metrics.prompt_tokens.inc(sum(map(len, asked.prompts)))
        seconds = self.limits.seconds + 10
        return GenerationResponse(inbox, asked, shape, jobs, backend=self.backend, seconds=seconds)

    def _read(
        self, fields: Fields, read: Reader, inbox: Inbox, asking: Asking, until: float
    ) -> tuple[Generating, AnswerShape, list[QueuedRequest]]:
        self._check_model(fields)
        asked, shape = read(fields, asking)
        salt = asking.client if self.limits.is_cache_per_client else ""
        jobs: list[QueuedRequest] = []
        for prompt in asked.prompts:
            for number in range(asked.n):
                index = len(jobs)
                after = jobs[index - number] if number else None
                work = asked.text(prompt, number, salt)
                jobs.append(QueuedRequest(asking.client, work, inbox.deliverer(index), until, after))
                self.backend.prepare(jobs[-1])
        return asked, shape, jobs

    # --- Embeddings, tokens, templates ---

    async def _embeddings(self, request: Request) -> Response:
        until = time.monotonic() + self.limits.seconds
        texts, form = await self._of_body(request, self._read_embeddings)
        inbox = self._inbox()
        groups = [texts[at : at + _GROUP] for at in range(0, len(texts), _GROUP)]
        jobs = [
            QueuedRequest(request.state.client, EmbeddingWork(group), inbox.deliverer(index), until)
            for index, group in enumerate(groups)
        ]
        for job in jobs:
            self.backend.prepare(job)
        self.backend.submit(jobs)
        rows: list[list[Any]] = [[] for _ in jobs]

        async def collect() -> None:
            async for index, made in inbox.events(len(jobs)):
                rows[index] += made

        try:
            await guard.unless_gone(request.receive, collect)
        finally:
            self.backend.cancel(jobs)
        if sum(map(len, rows)) != len(texts):
            raise ServeError(499, "the client went away")
        n_tokens = sum(map(len, texts))
        self.metrics.prompt_tokens.inc(n_tokens)
        embeddings = [_embedded(vector, form) for group in rows for vector in group]
        return JSON(openai_format.embedding_list(embeddings, self.name, n_tokens))

    def _read_embeddings(self, fields: Fields) -> tuple[list[list[int]], str]:
        self._check_model(fields)
        if fields.get("dimensions") is not None:
            raise fields.wrong("dimensions", "nothing: a vector is as long as the model makes it")
        texts = asked_of.texts(fields, "input", self._prompts, _MOST_EMBEDDED)
        asked_of.check_room(texts, 0, self.model, "input")
        if not self.model.can_embed:
            raise wrong("the model does not say how it makes embeddings", "model")
        return texts, fields.choice("encoding_format", "float", "base64")

    async def _tokenize(self, request: Request) -> Response:
        def encode(fields: Fields) -> list[int]:
            add, special = fields.flag("add_special"), fields.flag("parse_special", True)
            return self._prompts.encode(fields.text("content"), "content", special=special, add_special=add)

        return JSON({"tokens": await self._of_body(request, encode)})

    async def _detokenize(self, request: Request) -> Response:
        def decode(fields: Fields) -> str:
            if not isinstance(fields.get("tokens"), list):
                raise fields.wrong("tokens", "a list of tokens")
            ids = asked_of.ids_of(fields.get("tokens"), fields, "tokens", self._prompts)
            return self.model.tokenizer.decode(ids)

        return JSON({"content": await self._of_body(request, decode)})

    async def _apply_template(self, request: Request) -> Response:
        return JSON({"prompt": await self._of_body(request, lambda fields: asked_of.rendered(fields, self.model))})

    async def _of_body(self, request: Request, read: Callable[[Fields], T]) -> T:
        """Parse a request body on a worker thread and return what ``read`` makes of its fields.

        Long bodies are parsed one at a time: that takes long, and the event loop and the scheduler need the other
        cores.
        """
        async with guard.body_of(request, request.state.client, self.limits.body_bytes, self._bodies) as content:
            limiter = self._long_readers if len(content) > _LONG_BODY else self._readers
            return await to_thread.run_sync(lambda: read(parsed(content)), limiter=limiter)

    def _check_model(self, fields: Fields) -> None:
        name = fields.text("model", self.name)
        if name != self.name:
            raise ServeError(404, f"there is no model {name[:80]!r}: it is {self.name!r}", code="model_not_found")

    async def _refused(self, request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return failure(ServeError(error.status_code, error.detail), request.url.path)
        if not isinstance(error, ServeError):
            error = wrong(str(error).replace(self.model.path, self.name))
        return failure(error, request.url.path)

    async def _mistaken(self, request: Request, error: Exception) -> Response:
        log_failure(_LOG, f"{request.method} {request.url.path} failed", error)
        told = ServeError(500, "the server made a mistake: its log tells more", code="internal_error")
        return failure(told, request.url.path)

    # --- Models, page, health, metrics ---

    def _record(self) -> Record:
        return {
            "id": self.name, "object": "model", "created": self._created, "owned_by": "pyhexagon",
            "device": self._device,
        }  # fmt: skip

    async def _models(self, _: Request) -> Response:
        return JSON({"object": "list", "data": [self._record()]})

    async def _one_model(self, request: Request) -> Response:
        if request.path_params["name"] != self.name:
            raise ServeError(404, f"there is no such model: it is {self.name!r}", code="model_not_found")
        return JSON(self._record())

    async def _page(self, _: Request) -> Response:
        return page()

    async def _health(self, _: Request) -> Response:
        problem = self.backend.problem
        if problem:
            return JSON({"status": "unavailable", "problem": problem[:2000]}, 503)
        return JSON({"status": "ok"})

    async def _metrics(self, _: Request) -> Response:
        kind = "text/plain; version=0.0.4; charset=utf-8"
        text = await to_thread.run_sync(self.metrics.text)
        return Response(text, headers={**HEADERS, "content-type": kind})


class _Guarded:
    """Middleware that authorizes and counts requests."""

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
            await failure(error, scope["path"])(scope, receive, counted)
        else:
            try:
                with suppress(Exception):  # logged, and reported to the client
                    await self._app(scope, receive, counted)
            except asyncio.CancelledError:  # the server shuts down
                if not status:
                    await failure(_ENDS, scope["path"])(scope, receive, counted)
        finally:
            known = scope.get("route")
            path = known.path if isinstance(known, Route) else "other"
            self._server.metrics.requests.labels(path, str(status)).inc()
