# SPDX-License-Identifier: MIT
"""A server of the Wyoming protocol, with which Home Assistant reaches speech recognition.

A client asks what there is (``describe``), or sends ``transcribe``, ``audio-start``, chunks of audio and
``audio-stop``, and gets a ``transcript``. What a client may send has limits of size and time.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from wyoming.asr import Transcribe, Transcript
from wyoming.error import Error
from wyoming.event import Event, async_read_event, async_write_event
from wyoming.info import AsrModel, AsrProgram, Attribution, Describe, Info
from wyoming.ping import Ping, Pong

from pyhexagon.errors import ArgumentError, AudioError, HexagonError
from pyhexagon.errors.logged import log_failure
from pyhexagon.speech.audio import SAMPLE_RATE
from pyhexagon.speech.formats import text_of
from pyhexagon.speech.streaming import SpeechModel
from pyhexagon.version import VERSION

_LOG: Final = logging.getLogger("pyhexagon.speech")
_URL: Final = "https://github.com/pyhexagon/pyhexagon"
_MOST_CONNECTIONS: Final = 32
_MOST_AT_ONCE: Final = 2  # transcriptions
_EVENT_BYTES: Final = 1 << 20  # of an event's data or audio
_IDLE_SECONDS: Final = 60.0
MOST_SECONDS: Final = 300.0  # of audio
_FORMAT: Final = {"rate": SAMPLE_RATE, "width": 2, "channels": 1}


class WyomingServer:
    """Serves a speech model.

    Args:
        model: the model.
        name: of the model, for clients.
        languages: codes of the languages that it knows.
        language: of requests that name none; None: it is detected.
        max_seconds: most seconds of audio in a request.
    """

    def __init__(
        self, model: SpeechModel, name: str, languages: Sequence[str], *, language: str | None = None,
        max_seconds: float = MOST_SECONDS,
    ) -> None:  # fmt: skip
        self._model, self._name, self._languages, self._language = model, name, list(languages), language
        self._most_bytes = int(max_seconds * SAMPLE_RATE) * 2
        self._n_connections = 0
        self._turn = asyncio.Semaphore(_MOST_AT_ONCE)

    async def serve(self, host: str, port: int, ready: Callable[[str, int], None]) -> None:
        """Serve until SIGTERM or Ctrl-C. Transcriptions that run are finished.

        Args:
            host, port: to listen on; port 0 takes a free one.
            ready: called with the address and the port as soon as it listens.

        Raises:
            HexagonError: the address cannot be used.
        """
        ends, loop = asyncio.Event(), asyncio.get_running_loop()
        try:
            server = await asyncio.start_server(self.connected, host, port)
        except (OSError, UnicodeError) as problem:
            raise HexagonError(f"cannot listen to {host[:100]!r}, port {port}: {problem}") from None
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ends.set)
        ready(*server.sockets[0].getsockname()[:2])
        try:
            await ends.wait()
        finally:
            server.close()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the events of a connection until it ends, is idle, or breaks a limit."""
        self._n_connections += 1
        try:
            if self._n_connections <= _MOST_CONNECTIONS:
                await _Connection(self, _LimitedReader(reader), writer).run()
            else:
                await async_write_event(Error("too many connections", "too-many").event(), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        except Exception as problem:
            log_failure(_LOG, "a connection failed", problem)
        finally:
            self._n_connections -= 1
            writer.close()

    def info(self) -> Event:
        """Return the answer to ``describe``."""
        source = Attribution("OpenAI", "https://github.com/openai/whisper")
        model = AsrModel(self._name, source, True, self._name, VERSION, self._languages)
        ours = Attribution("pyhexagon", _URL)
        program = AsrProgram("pyhexagon", ours, True, "whisper on a Hexagon DSP", VERSION, [model])
        return Info(asr=[program]).event()

    async def transcript(self, audio: bytes, language: str | None) -> Event:
        """Return the transcript of raw samples, or the error."""
        if len(audio) > self._most_bytes:
            return Error(f"more than {self._most_bytes // 2 / SAMPLE_RATE:g} seconds of audio", "too-long").event()
        if not audio:
            return Transcript("").event()
        try:
            async with self._turn:
                return await asyncio.to_thread(self._transcribed, audio, language or self._language)
        except (ArgumentError, AudioError) as problem:
            return Error(str(problem), "invalid").event()
        except HexagonError as problem:
            _LOG.error("a transcription failed: %s", problem)
            return Error(str(problem), "failed").event()

    def _transcribed(self, audio: bytes, language: str | None) -> Event:
        samples = np.frombuffer(audio[: len(audio) & ~1], "<i2") / np.float32(32768)
        segments, info = self._model.transcribe(samples, language=language)
        return Transcript(text_of(segments), language=info.language).event()

    def takes(self, n_bytes: int) -> bool:
        """Return whether a request may have so many bytes of audio."""
        return n_bytes <= self._most_bytes


class _Connection:
    """The events of one client."""

    def __init__(self, server: WyomingServer, reader: _LimitedReader, writer: asyncio.StreamWriter) -> None:
        self._server, self._reader, self._writer = server, reader, writer
        self._audio, self._language, self._problem = bytearray(), None, ""

    async def run(self) -> None:
        while True:
            try:
                event = await asyncio.wait_for(async_read_event(self._reader), _IDLE_SECONDS)  # type: ignore[arg-type]
            except (asyncio.TimeoutError, LookupError, TypeError, AttributeError):  # idle, or no event
                return
            if event is None:
                return
            answer = await self._answer(event)
            if answer is not None:
                await asyncio.wait_for(async_write_event(answer, self._writer), _IDLE_SECONDS)

    async def _answer(self, event: Event) -> Event | None:
        if Describe.is_type(event.type):
            return self._server.info()
        if Ping.is_type(event.type):
            return Pong(text=event.data.get("text")).event()
        if Transcribe.is_type(event.type):
            self._language = event.data.get("language")
        elif event.type == "audio-start":
            self._audio.clear()
            self._problem = _format_problem(event.data)
        elif event.type == "audio-chunk":
            self._problem = self._problem or _format_problem(event.data)
            if self._server.takes(len(self._audio)):  # else the end tells that it was too long
                self._audio += event.payload or b""
        elif event.type == "audio-stop":
            return await self._ended()
        return None

    async def _ended(self) -> Event:
        audio, language, problem = bytes(self._audio), self._language, self._problem
        self._audio.clear()
        self._language, self._problem = None, ""
        if problem:
            return Error(problem, "format").event()
        if not isinstance(language, str | None):
            return Error(f"language is {language!r:.60}: expected a code", "invalid").event()
        return await self._server.transcript(audio, language)


class _LimitedReader:
    """The part of a stream reader that ``async_read_event`` uses, with a limit of the bytes read at once."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def readline(self) -> bytes:
        """Read a line; asyncio limits its length, too."""
        return await self._reader.readline()

    async def readexactly(self, n: Any) -> bytes:
        """Read bytes.

        Raises:
            ValueError: the event is larger than allowed, which ends the connection.
        """
        if not isinstance(n, int) or n > _EVENT_BYTES:
            raise ValueError(f"an event of {n!r:.30} bytes")
        return await self._reader.readexactly(n)


def _format_problem(data: dict[str, Any]) -> str:
    """Return what is wrong with the format of audio; empty if nothing is."""
    found = {name: data.get(name) for name in _FORMAT}
    if found == _FORMAT:
        return ""
    return f"audio has {found!r:.100}: expected rate 16000, width 2, channels 1"
