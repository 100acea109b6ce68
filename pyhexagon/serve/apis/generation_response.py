# SPDX-License-Identifier: MIT
"""Carries generated chunks from the backend's threads to the clients, as whole responses or as streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, Final

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.engine.request import Request
from pyhexagon.serve.apis.requests import ParsedRequest
from pyhexagon.serve.apis.shape import AnswerShape, Tally
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.errors import ServeError, serve_error
from pyhexagon.serve.http.json_responses import HEADERS, JSON, failure
from pyhexagon.serve.http.timeouts import start_stream
from pyhexagon.serve.models.pooled_model import TextUse

_MOST_WARNINGS: Final = 8  # in a header; the log has all
_PING_SECONDS: Final = 10.0  # of silence, before a stream says that it is alive; clients wait for 60 and more


class Inbox:
    """The chunks of one HTTP request's completions, from the backend's threads to the event loop, in order."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[int, list[Any], Exception | None, bool]] = asyncio.Queue()

    def fail(self, error: ServeError) -> None:
        """Fail the request. Call it on the event loop."""
        self._queue.put_nowait((0, [], error, True))

    def deliver(self, index: int, made: list[Any], error: Exception | None, is_end: bool) -> None:
        """As ``Request.deliver``, for completion ``index``."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, (index, made, error, is_end))

    async def events(self, n: int) -> AsyncIterator[tuple[int, list[Any]]]:
        """Yield the index of a completion and its new chunks, until all n completions have ended.

        Raises:
            ServeError: a completion failed.
        """
        while n:
            index, made, error, is_end = await self._queue.get()
            if made:
                yield index, made
            if error is not None:
                raise serve_error(error)
            n -= is_end


class GenerationResponse(Response):
    """Sends the results of requests, and cancels them when the client disconnects or reads too slowly.

    Args:
        inbox: receives the chunks of all requests.
        parsed: the request.
        shape: builds the response.
        requests: the submitted ones, one per completion.
        use: of the model; it ends with the response.
        seconds: deadline of the response.
    """

    def __init__(
        self, inbox: Inbox, parsed: ParsedRequest, shape: AnswerShape, requests: list[Request], *, use: TextUse,
        seconds: float,
    ) -> None:  # fmt: skip
        super().__init__()
        self._use, self._seconds, self._inbox = use, seconds, inbox
        self._parsed, self._shape, self._requests = parsed, shape, requests
        self._tally, self._n_pushed = Tally(parsed, requests), 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with anyio.move_on_after(self._seconds):
                stream, whole = partial(self._stream, scope, send), partial(self._whole, scope, receive, send)
                await guard.unless_gone(receive, stream if self._parsed.is_streamed else whole)
        finally:
            self._use.loaded.backend.cancel(self._requests)
            self._use.end()

    async def _whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts: list[list[GenerationChunk]] = [[] for _ in self._requests]
        try:
            async for index, made in self._inbox.events(len(self._requests)):
                self._tally.add(index, made)
                parts[index] += made
        except ServeError as error:
            await failure(error, scope["path"])(scope, receive, send)
            return
        await JSON(self._shape.whole(parts, self._tally.usage()), headers=self._warnings())(scope, receive, send)

    def _warnings(self) -> dict[str, str]:
        """Return the header that says what of a grammar or JSON schema is ignored."""
        warnings = self._requests[0].warnings if self._requests else ()
        if not warnings:
            return {}
        plain = (warning.encode("unicode_escape").decode() for warning in warnings[:_MOST_WARNINGS])
        warnings = [warning.replace("\\", "\\\\").replace('"', '\\"') for warning in plain]
        return {"warning": ", ".join(f'299 pyhexagon "{warning}"' for warning in warnings)}

    async def _stream(self, scope: Scope, send: Send) -> None:
        headers = {**HEADERS, **self._warnings(), "content-type": self._shape.media_type, "x-accel-buffering": "no"}
        await start_stream(scope, send, headers, self._shape.ping)

        async def push(content: bytes, *, is_more: bool = True) -> None:
            if content or not is_more:
                self._n_pushed += 1
                await send({"type": "http.response.body", "body": content, "more_body": is_more})

        await push(self._shape.begin(self._tally.prompt_tokens))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._ping, push)
            try:
                async for index, made in self._inbox.events(len(self._requests)):
                    self._tally.add(index, made)
                    await push(self._shape.step(index, made))
                    await asyncio.sleep(0)  # writing does not wait: the loop may have to tell that the client is gone
                last = self._shape.end(self._tally.usage())
            except ServeError as error:
                last = self._shape.failed(error)
            tasks.cancel_scope.cancel()
        await push(last, is_more=False)

    async def _ping(self, push: Callable[[bytes], Awaitable[None]]) -> None:
        """Send pings while the stream has nothing to say."""
        while True:
            n_pushed = self._n_pushed
            await anyio.sleep(_PING_SECONDS)
            if self._n_pushed == n_pushed:
                await push(self._shape.ping)
