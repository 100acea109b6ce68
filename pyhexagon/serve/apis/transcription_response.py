# SPDX-License-Identifier: MIT
"""Responses of OpenAI's audio API: JSON, text, subtitles, or a stream of events."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from functools import partial
from typing import Final, Literal

import anyio
from anyio import to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pyhexagon.errors import ArgumentError, AudioError, DeviceLostError, HexagonError, UnsupportedError
from pyhexagon.errors.logged import log_failure
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.errors import RequestLostError
from pyhexagon.serve.apis.generation_response import Inbox
from pyhexagon.serve.apis.shape import EVENT_STREAM, PING, event
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.errors import ServeError, serve_error, wrong
from pyhexagon.serve.http.json_responses import HEADERS, JSON, failure
from pyhexagon.serve.http.limits import Places
from pyhexagon.serve.http.timeouts import start_stream
from pyhexagon.speech.formats import text_of, verbose, written
from pyhexagon.speech.languages import NAMES
from pyhexagon.speech.segments import Segment, TranscriptionInfo

_LOG: Final = logging.getLogger("pyhexagon.serve")
_LATE: Final = ServeError(504, "the transcription was not ready in time", code="timeout")
_GONE: Final = ServeError(499, "the client went away")

Task = Literal["transcribe", "translate"]
ResponseFormat = Literal["json", "text", "srt", "verbose_json", "vtt"]
Deliver = Callable[[TranscriptionInfo | Segment], None]
Run = Callable[[Deliver, Callable[[], None]], None]


class TranscriptionResponse(Response):
    """Runs a transcription on a worker thread and sends its result, unless the client disconnects.

    Args:
        inbox: receives facts and segments from the thread.
        run: transcribes: calls its first argument with the facts of the audio, then with each segment, and often its
            second one, which raises if nobody waits any more.
        form: of the response.
        task: what is done.
        is_stream: whether the response is a stream of events.
        places: of which the transcription takes one.
        client: in whose name.
        until: deadline on the clock of ``time.monotonic``.
        named: puts names of models in the place of their paths in a message.
        kept: is closed at the end: file and model of the request.
    """

    def __init__(
        self, inbox: Inbox, run: Run, *, form: ResponseFormat, task: Task, is_stream: bool, places: Places, client: str,
        until: float, named: Callable[[str], str], kept: AsyncExitStack,
    ) -> None:  # fmt: skip
        super().__init__()
        self._inbox, self._run, self._form, self._task, self._is_stream = inbox, run, form, task, is_stream
        self._places, self._client, self._until, self._kept = places, client, until, kept
        self._named = named
        self._is_over = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def work() -> None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._compute)
                await (self._stream if self._is_stream else self._whole)(scope, receive, send)
                self._end()
                tasks.cancel_scope.cancel()

        async with self._kept:
            await guard.unless_gone(receive, work, self._end)

    def _end(self) -> None:
        self._is_over = True

    # --- On the worker thread ---

    async def _compute(self) -> None:
        """Transcribe on a worker thread, as soon as there is a place."""
        with anyio.move_on_after(self._until - time.monotonic()) as scope:
            async with self._places.one(self._client):
                scope.deadline = math.inf  # the thread watches the time itself
                await to_thread.run_sync(self._transcribe, limiter=anyio.CapacityLimiter(1))
        if scope.cancelled_caught:
            self._inbox.fail(_LATE)

    def _transcribe(self) -> None:
        deliver, error = partial(self._inbox.deliver, 0), None
        try:
            self._run(lambda result: deliver([result], None, False), self._check)
        except AudioError as problem:
            error = wrong(str(problem), "file")
        except (ArgumentError, UnsupportedError) as problem:
            error = wrong(self._named(str(problem)))
        except DeviceLostError as problem:
            error = serve_error(RequestLostError(f"the DSP was lost: {problem}").after(1))
        except Exception as problem:
            error = serve_error(problem)
            if not isinstance(problem, (HexagonError, ServeError)):
                log_failure(_LOG, "a transcription failed", problem)
        deliver([], error, True)

    def _check(self) -> None:
        if self._is_over:
            raise _GONE
        if time.monotonic() > self._until:
            raise _LATE

    # --- On the event loop ---

    async def _results(self) -> AsyncIterator[TranscriptionInfo | Segment]:
        async for _, results in self._inbox.events(1):
            for result in results:
                yield result

    async def _whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        info, segments = TranscriptionInfo("", 0.0, 0.0, 0.0), list[Segment]()
        try:
            async for result in self._results():
                if isinstance(result, Segment):
                    segments.append(result)
                else:
                    info = result
        except ServeError as error:
            await failure(error, scope["path"])(scope, receive, send)
            return
        await self._of(segments, info)(scope, receive, send)

    def _of(self, segments: list[Segment], info: TranscriptionInfo) -> Response:
        if self._form == "verbose_json":
            language = NAMES.get(info.language, info.language)  # OpenAI's has the name, whisper's own the code
            return JSON(verbose(segments, info, self._task) | {"language": language} | _usage(info))
        if self._form == "json":
            return JSON({"text": text_of(segments)} | _usage(info))
        text = "".join(written(self._form, segments, info, self._task))
        return Response(text, headers=HEADERS, media_type="text/plain; charset=utf-8")

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._results()) as results:  # type: ignore[type-var]
            try:
                info = await anext(results)
            except ServeError as error:
                await failure(error, scope["path"])(scope, receive, send)
                return
            assert isinstance(info, TranscriptionInfo)
            headers = {**HEADERS, "content-type": EVENT_STREAM, "x-accel-buffering": "no"}
            await start_stream(scope, send, headers, PING)
            text = ""
            try:
                async for segment in results:
                    assert isinstance(segment, Segment)
                    delta = segment.text if text else segment.text.lstrip()
                    text += delta
                    content = event({"type": "transcript.text.delta", "delta": delta})
                    await send({"type": "http.response.body", "body": content, "more_body": True})
                last = event({"type": "transcript.text.done", "text": text} | _usage(info))
            except ServeError as error:
                last = event(error.body())
            await send({"type": "http.response.body", "body": last, "more_body": False})


def _usage(info: TranscriptionInfo) -> Record:
    return {"usage": {"type": "duration", "seconds": math.ceil(info.duration)}}
