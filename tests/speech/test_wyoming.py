# SPDX-License-Identifier: MIT
"""The Wyoming server with the protocol's own client, and with clients that break its rules."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from waiting import LONG

from pyhexagon.errors import HexagonError
from pyhexagon.speech.audio import Samples
from speech.scripted import ScriptedModel, levels

pytestmark = pytest.mark.filterwarnings("ignore:'audioop' is deprecated:DeprecationWarning")  # the package imports it
FORMAT = {"rate": 16_000, "width": 2, "channels": 1}


def raw(samples: Samples) -> bytes:
    return (samples * 32767).astype("<i2").tobytes()


def with_server(model: ScriptedModel, use: Callable[[str, int], Awaitable[None]], **more: Any) -> None:
    """Run a server while ``use`` runs with its address; SIGTERM ends it."""
    from pyhexagon.speech.wyoming_server import WyomingServer

    async def run() -> None:
        found: asyncio.Future[tuple[str, int]] = asyncio.get_running_loop().create_future()
        server = WyomingServer(model, "scripted", ("en", "de"), **more)
        task = asyncio.create_task(server.serve("127.0.0.1", 0, lambda *address: found.set_result(address)))
        await use(*await found)
        signal.raise_signal(signal.SIGTERM)
        await asyncio.wait_for(task, LONG)

    asyncio.run(run())


async def events(host: str, port: int, *sent: Any) -> list[Any]:
    """Send events, and return the answers until the connection ends."""
    from wyoming.client import AsyncTcpClient
    from wyoming.event import Event

    answers = []
    async with AsyncTcpClient(host, port) as client:
        for event in sent:
            await client.write_event(event if isinstance(event, Event) else event.event())
        client._writer.write_eof()
        while (answer := await asyncio.wait_for(client.read_event(), LONG)) is not None:
            answers.append(answer)
    return answers


def request(*values: int, language: str | None = None) -> list[Any]:
    return request_of(raw(levels(*values)), language)


def request_of(content: bytes, language: str | None = None) -> list[Any]:
    """Return the events of a request with raw samples."""
    from wyoming.asr import Transcribe
    from wyoming.audio import AudioChunk, AudioStart, AudioStop

    chunks = [AudioChunk(**FORMAT, audio=content[at : at + 3000]) for at in range(0, len(content), 3000)]
    return [Transcribe(language=language), AudioStart(**FORMAT), *chunks, AudioStop()]


def test_a_client_of_home_assistant() -> None:
    from wyoming.asr import Transcript
    from wyoming.info import Describe, Info
    from wyoming.ping import Ping

    async def use(host: str, port: int) -> None:
        described, pong, first, second = await events(
            host, port, Describe(), Ping("a"), *request(10, 20), *request(30, language="de")
        )
        (program,) = Info.from_event(described).asr
        assert (program.name, program.installed) == ("pyhexagon", True)
        assert [(model.name, model.languages) for model in program.models] == [("scripted", ["en", "de"])]
        assert (pong.type, pong.data) == ("pong", {"text": "a"})
        assert Transcript.from_event(first) == Transcript("10 20", language="en")
        assert Transcript.from_event(second) == Transcript("30", language="de")

    model = ScriptedModel()
    with_server(model, use)
    assert [call["language"] for call in model.calls] == [None, "de"]


def test_the_language_of_the_command_is_the_default() -> None:
    async def use(host: str, port: int) -> None:
        await events(host, port, *request(10), *request(20, language="en"))

    model = ScriptedModel()
    with_server(model, use, language="de")
    assert [call["language"] for call in model.calls] == ["de", "en"]


def test_two_clients_are_served_at_the_same_time() -> None:
    both = threading.Barrier(2)

    async def use(host: str, port: int) -> None:
        answers = await asyncio.gather(events(host, port, *request(10)), events(host, port, *request(20)))
        assert [answer[0].data["text"] for answer in answers] == ["10", "20"]

    def before(_: int) -> None:
        both.wait(LONG)

    with_server(ScriptedModel(before), use)


def test_wrong_requests_get_an_error_and_the_connection_lives() -> None:
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.event import Event

    async def use(host: str, port: int) -> None:
        other = {"rate": 44_100, "width": 2, "channels": 2}
        answers = await events(
            host, port,
            *request(10, language="xx"),
            AudioStart(**other), AudioChunk(**other, audio=bytes(64)), AudioStop(),
            AudioStart(**FORMAT), AudioChunk(**FORMAT, audio=raw(levels(1, 2, 3))), AudioStop(),
            Event("transcribe", {"language": ["en"]}), AudioStop(),
            AudioStart(**FORMAT), AudioStop(),
            *request(7),
        )  # fmt: skip
        assert [(one.data.get("code"), one.data["text"]) for one in answers] == [
            ("invalid", "language is 'xx': expected one of en, de"),
            ("format", f"audio has {other}: expected rate 16000, width 2, channels 1"),
            ("too-long", "more than 2 seconds of audio"),
            ("invalid", "language is ['en']: expected a code"),
            (None, ""),
            (None, "7"),
        ]

    with_server(ScriptedModel(), use, max_seconds=2.0)


def test_a_failure_of_the_device_is_an_error() -> None:
    def before(_: int) -> None:
        raise HexagonError("the DSP is gone")

    async def use(host: str, port: int) -> None:
        (answer,) = await events(host, port, *request(10))
        assert answer.data == {"text": "the DSP is gone", "code": "failed"}

    with_server(ScriptedModel(before), use)


@pytest.mark.parametrize(
    "content",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xfe\n",
        b"[1, 2]\n",
        b'{"no": "type"}\n',
        b'{"type": "describe", "data_length": 99999999999}\n',
        b'{"type": "describe", "data_length": "many"}\n',
        b'{"type": "audio-chunk", "payload_length": 2000000}\n' + bytes(100),
        b'{"type": "audio-chunk", "payload_length": 100}\n' + bytes(10),
        b"x" * 100_000,
        b"[" * 50_000 + b"\n",
    ],
)
def test_what_is_no_event_ends_the_connection(content: bytes) -> None:
    async def use(host: str, port: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(content)
        if writer.can_write_eof():
            writer.write_eof()
        with suppress(ConnectionResetError):  # it was closed with unread bytes
            assert await asyncio.wait_for(reader.read(), LONG) == b""
        writer.close()
        (answer,) = await events(host, port, *request(5))  # others are served
        assert answer.data["text"] == "5"

    with_server(ScriptedModel(), use)


def test_an_address_that_is_taken_is_an_error() -> None:
    from pyhexagon.speech.wyoming_server import WyomingServer

    async def use(host: str, port: int) -> None:
        server = WyomingServer(ScriptedModel(), "other", ())
        with pytest.raises(HexagonError, match=f"cannot listen to '{host}', port {port}"):
            await server.serve(host, port, lambda *_: None)

    with_server(ScriptedModel(), use)
