# SPDX-License-Identifier: MIT
"""What the routes of all APIs do: read a body, run its requests on the backend, and answer."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar
from weakref import WeakSet

import anyio
import numpy as np
import numpy.typing as npt
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon import workers
from pyhexagon.llm.engine.request import Request as EngineRequest
from pyhexagon.serve.apis.generation_response import GenerationResponse, Inbox
from pyhexagon.serve.apis.model_request import ContextRequest, ModelRequest
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.shape import AnswerShape
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.limits import Limits, Places, Quota
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.http.schema import Schema, parse
from pyhexagon.serve.models.backend import Backend
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import ModelUse, PooledModel, TextUse

T = TypeVar("T")
S = TypeVar("S", bound=Schema)
M = TypeVar("M", bound=ModelRequest)
Reader = Callable[[M, RequestContext], tuple[ParsedRequest, AnswerShape]]  # parses a request
Vectors = list[npt.NDArray[np.float32]]
ENDS: Final = ServeError(503, "the server ends", code="shutting_down", retry_after=5)
_READERS: Final = 8  # request bodies parsed at once
_IMAGE_READERS: Final = 4  # long bodies parsed at once, where images may be in them: the DSP takes most of the time
_PAGES: Final = 2  # texts of the chat page rendered at once
_LONG_BODY: Final = 16 << 10  # bytes
_GROUP: Final = 16  # inputs embedded before other requests have their turn
_GONE: Final = ServeError(499, "the client went away")


class _Unloaded(NamedTuple):
    """A model that has to be loaded for a request.

    Attributes:
        wanted_ctx: as of ``ContextRequest``.
    """

    model: PooledModel
    wanted_ctx: int


class ModelService:
    """Runs the requests of the models' clients.

    Args:
        pool: the models.
        metrics: of the server.
        limits: of requests.

    Attributes:
        created: when the server started, in seconds since 1970.
        uploads: bytes of bodies with audio files.
        pages: places for the texts of the chat page that are rendered at once.
        transcribing: places for transcriptions that run at once.
    """

    def __init__(self, pool: ModelPool, metrics: Metrics, limits: Limits) -> None:
        self.pool, self.metrics, self.limits, self.created = pool, metrics, limits, int(time.time())
        self._inboxes: WeakSet[Inbox] = WeakSet()  # of requests without a complete response
        self._bodies, self.uploads = Quota(limits.all_body_bytes), Quota(limits.all_upload_bytes)
        self._readers, self.pages = Places(_READERS), Places(_PAGES)
        self._long_readers = Places(_IMAGE_READERS if any(model.has_vision for model in pool.models) else 1)
        self.transcribing = Places(limits.n_parallel)
        self._threads = anyio.CapacityLimiter(_READERS + _IMAGE_READERS + _PAGES)

    def end(self) -> None:
        """Fail all open requests. Call it on the event loop."""
        for inbox in list(self._inboxes):
            inbox.fail(ENDS)

    async def of_body(
        self, request: Request, schema: type[S], read: Callable[[S], T], places: Places | None = None
    ) -> T:
        """Parse a request body on a worker thread and return what ``read`` makes of it.

        Long texts are parsed one at a time: that takes long, and the event loop and the schedulers need the other
        cores.

        Args:
            request: with the body.
            schema: of the body.
            read: what makes something of the parsed body.
            places: of which it takes one meanwhile; None: those for bodies of its size.
        """
        async with self._body(request, places) as on_worker:
            return await on_worker(schema, read)

    @asynccontextmanager
    async def _body(
        self, request: Request, places: Places | None = None
    ) -> AsyncIterator[Callable[[type[S], Callable[[S], T]], Awaitable[T]]]:
        """Read a body, and yield a function that parses it on a worker thread, each time anew."""
        async with guard.body_of(request, request.state.client, self.limits.body_bytes, self._bodies) as content:
            places = places or (self._long_readers if len(content) > _LONG_BODY else self._readers)
            yield partial(self._on_worker, request, content, places)

    async def _on_worker(
        self, request: Request, content: bytes, places: Places, schema: type[S], read: Callable[[S], T]
    ) -> T:
        """Parse a body on a worker thread, unless the client goes away."""
        cancellation, made = workers.Cancellation(), list[T]()

        def run() -> T:
            with workers.cancelled_by(cancellation):
                return read(parse(schema, content))

        async def work() -> None:
            async with places.one(request.state.client):
                made.append(await to_thread.run_sync(run, limiter=self._threads))

        await guard.unless_gone(request.receive, work, cancellation.cancel)
        if not made:
            raise _GONE
        return made[0]

    async def of_model(self, request: Request, schema: type[M], read: Callable[[M, RequestContext], T]) -> T:
        """As ``of_body``, for a request to a model. If there is one only, the request may have any name for it."""
        use, made = await self._of_model(request, schema, read, any_name=True)
        use.end()
        return made

    async def _of_model(
        self, request: Request, schema: type[M], read: Callable[[M, RequestContext], T], *, any_name: bool = False
    ) -> tuple[TextUse, T]:
        """Parse the body of a request to a model, which is loaded if need be.

        Returns:
            A use of the model, which the caller ends, and what ``read`` makes of the parsed body.
        """

        def look(body: M, held: TextUse | None = None, loading: float = 0.0) -> _Unloaded | tuple[TextUse, T]:
            name = body.model or ""
            if any_name or body.model is None:
                name = self.pool.default() or name
            model = self.pool.find(name)
            adapter = model.adapter(name)
            wanted_ctx = body.wanted_ctx if isinstance(body, ContextRequest) else 0
            use = held or self.pool.take(model, wanted_ctx)
            if use is None:
                return _Unloaded(model, wanted_ctx)
            try:
                name, client = adapter or model.name, request.state.client
                return use, read(body, RequestContext(use.loaded.prompts, name, client, use, adapter, loading))
            except BaseException:
                use.end()
                raise

        async with self._body(request) as on_worker:
            made = await on_worker(schema, look)
            if isinstance(made, _Unloaded):  # while it is loaded, the body waits as bytes, which have a limit
                began = time.monotonic()
                held = await self._loaded(request, *made)
                made = await on_worker(schema, partial(look, held=held, loading=time.monotonic() - began))
        assert not isinstance(made, _Unloaded)  # a model that is held is not loaded again
        return made

    async def use_of(self, request: Request, name: str) -> TextUse:
        """Return a use of a model, which is loaded if need be and which the caller ends."""
        return await self.use_of_model(request, await to_thread.run_sync(self.pool.find, name))

    async def use_of_model(self, request: Request, model: PooledModel) -> ModelUse[Any]:
        """As ``use_of``, of a model that has been found."""
        return self.pool.take(model) or await self._loaded(request, model)

    async def _loaded(self, request: Request, model: PooledModel, wanted_ctx: int = 0) -> ModelUse[Any]:
        """Return a use of a model as soon as it is loaded, if possible with the wanted context length."""
        uses: list[ModelUse[Any]] = []

        async def wait() -> None:
            uses.append(await self.pool.load(model, request.state.client, wanted_ctx))

        with anyio.move_on_after(self.limits.seconds) as scope:
            await guard.unless_gone(request.receive, wait)
        if not uses:
            late = ServeError(504, f"the model {model.name} was not loaded in time", code="timeout")
            raise late if scope.cancelled_caught else _GONE
        return uses[0]

    async def generate(self, request: Request, schema: type[M], read: Reader[M]) -> Response:
        """Run the completions of a request."""
        inbox = self.inbox()
        until = time.monotonic() + self.limits.seconds
        use, (parsed, shape, requests) = await self._of_model(
            request, schema, partial(self._read, read, inbox, until)
        )
        try:
            use.loaded.backend.submit(requests)
        except BaseException:
            use.end()
            raise
        use.loaded.metrics.prompt_tokens.inc(sum(map(len, parsed.prompts)))
        return GenerationResponse(inbox, parsed, shape, requests, use=use, seconds=self.limits.seconds + 10)

    async def embed(
        self, request: Request, schema: type[M], read: Callable[[M, RequestContext], tuple[list[list[int]], T]]
    ) -> tuple[Vectors, int, T]:
        """Return the embeddings of a request's inputs, their number of tokens, and further fields.

        Args:
            read: returns the token ids of the inputs, and the further fields.
        """

        def read_checked(body: M, context: RequestContext) -> tuple[list[list[int]], T]:
            if context.adapter is not None:
                raise wrong("LoRA adapters change completions, no embeddings", "model")
            return read(body, context)

        until = time.monotonic() + self.limits.seconds
        use, (texts, more) = await self._of_model(request, schema, read_checked)
        try:
            vectors = await self._embedded(request, texts, use.loaded.backend, until)
        finally:
            use.end()
        n_tokens = sum(map(len, texts))
        use.loaded.metrics.prompt_tokens.inc(n_tokens)
        return vectors, n_tokens, more

    async def _embedded(self, request: Request, texts: list[list[int]], backend: Backend, until: float) -> Vectors:
        inbox = self.inbox()
        groups = [texts[at : at + _GROUP] for at in range(0, len(texts), _GROUP)]
        client = request.state.client
        requests = [
            EngineRequest(texts=group, client=client, deadline=until, deliver=partial(inbox.deliver, index))
            for index, group in enumerate(groups)
        ]
        for embedding in requests:
            backend.prepare(embedding)
        backend.submit(requests)
        rows: list[list[Any]] = [[] for _ in requests]

        async def collect() -> None:
            async for index, made in inbox.events(len(requests)):
                rows[index] += made

        try:
            await guard.unless_gone(request.receive, collect)
        finally:
            backend.cancel(requests)
        if sum(map(len, rows)) != len(texts):
            raise _GONE
        return [vector for group in rows for vector in group]

    def inbox(self) -> Inbox:
        """Return an inbox, which fails when the server ends."""
        inbox = Inbox()
        self._inboxes.add(inbox)
        return inbox

    def _read(
        self, read: Reader[M], inbox: Inbox, until: float, body: M, context: RequestContext
    ) -> tuple[ParsedRequest, AnswerShape, list[EngineRequest]]:
        parsed, shape = read(body, context)
        salt = context.client if self.limits.is_cache_per_client else ""
        requests: list[EngineRequest] = []
        for prompt in parsed.prompts:
            for number in range(parsed.n):
                index = len(requests)
                request = parsed.request(
                    prompt, number, salt, context.adapter, client=context.client, deadline=until,
                    after=requests[index - number] if number else None, deliver=partial(inbox.deliver, index),
                )  # fmt: skip
                context.loaded.backend.prepare(request)
                requests.append(request)
        return parsed, shape, requests
