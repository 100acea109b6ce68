# SPDX-License-Identifier: MIT
"""OpenAI's audio API with a scripted model: forms, formats, streams, limits, access, beside a language model."""

from __future__ import annotations

import io
import json
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import openai
import pytest
import soundfile
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from speech.scripted import ScriptedModel, levels
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm.engine.engine_thread import EngineThread
from pyhexagon.serve.apis import transcriptions
from pyhexagon.serve.apis.transcription_response import TranscriptionResponse
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import LoadedModel, PooledModel, Prompts
from pyhexagon.serve.models.speech import LoadedSpeech
from serve.serving import Serving, serving_of
from serve.test_models import until
from serve.test_timeouts import connected

PATH = "/v1/audio/transcriptions"
TALK: list[Any] = [{"role": "user", "content": "the"}]


def flac(*values: int, rate: int = 16_000) -> bytes:
    """Return a file with a second for each level."""
    file = io.BytesIO()
    soundfile.write(file, levels(*values), rate, format="FLAC")
    return file.getvalue()


THREE = flac(10, 20, 30)
GRANULAR: dict[str, Any] = {"timestamp_granularities[]": ["word", "segment"]}


@contextmanager
def speaking(
    model: ScriptedModel | None = None, llm: LLM | None = None, keys: tuple[str, ...] = (), **limits: Any
) -> Iterator[Serving]:
    """Serve a scripted speech model, and a language model beside it."""
    metrics, all_limits = Metrics(), Limits(**limits)
    with ExitStack() as stack:
        loaded = LoadedSpeech(model or ScriptedModel(), metrics.of_model("scripted"))
        models = [PooledModel("scripted", "/models/scripted.bin", loaded=loaded, kind="speech")]
        if llm is not None:
            engine = stack.enter_context(EngineThread(llm, metrics.statistics, n_parallel=2, n_waiting=8))
            models.append(PooledModel("tiny", llm.path, loaded=LoadedModel(llm, engine, metrics, Prompts(llm))))
        routes = Server(ModelPool(models, "loopback"), metrics, limits=all_limits, keys=Keys(keys), hosts=guard.LOCAL)
        yield stack.enter_context(serving_of(routes))


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture(scope="module")
def here(model: ScriptedModel) -> Iterator[Serving]:
    with speaking(model) as one:
        yield one


def post(here: Serving, file: Any = THREE, path: str = PATH, headers: Any = None, **data: Any) -> Any:
    files = None if file is None else {"file": ("a.flac", file)}
    return here.http().post(path, files=files, data=data, headers=headers)


def test_formats(here: Serving) -> None:
    answer = post(here)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == {"text": "10 20 30", "usage": {"type": "duration", "seconds": 3}}
    for form, begin in (
        ("text", "10\n20\n30\n"), ("srt", "1\n00:00:00,000 --> 00:00:01,000\n10\n\n2\n"),
        ("vtt", "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n10\n\n"),
    ):  # fmt: skip
        answer = post(here, response_format=form)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.text.startswith(begin)
    whole = post(here, response_format="verbose_json").json()
    assert (whole["task"], whole["language"], whole["duration"], len(whole["segments"])) == (
        "transcribe", "english", 3.0, 3,
    )  # fmt: skip
    assert "words" not in whole


def test_fields_reach_the_model(here: Serving, model: ScriptedModel) -> None:
    model.calls.clear()
    post(here)
    ladder = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    assert model.calls.pop() == {
        "task": "transcribe", "temperature": ladder, "language": None, "vad": False, "word_timestamps": False
    }  # fmt: skip
    answer = post(
        here, language="DE", prompt="words", temperature="0.5", response_format="verbose_json",
        **GRANULAR,
    ).json()  # fmt: skip
    assert [word["word"] for word in answer["words"]] == ["10", "20", "30"]
    assert model.calls.pop() == {
        "task": "transcribe", "temperature": 0.5, "language": "de", "word_timestamps": True, "vad": False,
        "initial_prompt": "words",
    }  # fmt: skip
    assert post(here, path="/v1/audio/translations").json()["text"] == "10 20 30"
    assert model.calls.pop() == {"task": "translate", "temperature": ladder}
    post(here, chunking_strategy="auto")
    assert model.calls.pop()["vad"] is True


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"file": None, "x": "y"}, 415, "multipart/form-data"),
        ({"file": b""}, 400, "file is empty: expected an audio file"),
        ({"file": b"no audio" * 99}, 400, "file: it cannot be read as audio: Format not recognised"),
        ({"temperature": "warm"}, 400, 'temperature is "warm": expected a number from 0 to 1'),
        ({"temperature": "1.5"}, 400, 'temperature is "1.5": expected a number from 0 to 1'),
        ({"response_format": "xml"}, 400, 'response_format is "xml": expected json or srt or text'),
        ({"language": "xx"}, 400, "language is 'xx': expected one of en, de"),
        ({"stream": "maybe"}, 400, 'stream is "maybe": expected true or false'),
        ({"stream": "true", "response_format": "srt"}, 400, "expected json or text for a stream"),
        ({"timestamp_granularities[]": ["letter"]}, 400, 'is "letter": expected segment or word'),
        ({"prompt": "a" * 10_000}, 400, "expected a text of at most 8192 characters"),
    ],
)
def test_wrong_fields_are_refused(here: Serving, fields: dict[str, Any], status: int, message: str) -> None:
    answer = post(here, **fields)
    assert answer.status_code == status
    assert message in answer.json()["error"]["message"]


def test_forms_that_are_none_are_refused(here: Serving) -> None:
    http = here.http()
    bad = http.post(PATH, content=b"--x", headers={"content-type": "multipart/form-data"})
    assert bad.status_code == 400
    assert bad.json()["error"]["message"] == "the body is no form: Missing boundary in multipart."
    cut = http.post(PATH, content=b"--x\r\nfoo", headers={"content-type": "multipart/form-data; boundary=x"})
    assert cut.status_code == 400
    without = http.post(PATH, files={"other": b"a"})
    assert without.json()["error"]["message"] == "file is null: expected an audio file"
    text = http.post(PATH, data={"file": "a.wav"}, files={"x": b""})
    assert text.json()["error"]["message"] == 'file is "a.wav": expected an audio file'
    two = http.post(PATH, files=[("file", b"a"), ("file", b"b")])
    assert "Too many files" in two.json()["error"]["message"]
    assert http.post(PATH, json={"file": "a"}).status_code == 415


def test_size_and_duration_have_limits() -> None:
    with speaking(upload_bytes=50_000, audio_seconds=2.0) as here:
        noise = np.random.default_rng(0).bytes(60_000)
        answer = post(here, noise)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")
        answer = post(here)
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "file")
        assert "file is longer than 2 seconds" in answer.json()["error"]["message"]
        assert post(here, flac(1, 2)).json()["text"] == "1 2"
        until(lambda: not here.server.uploads.held)


def events(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line]


def test_a_stream_has_a_delta_for_each_segment(here: Serving) -> None:
    answer = post(here, stream="true")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert events(answer) == [
        *({"type": "transcript.text.delta", "delta": text} for text in ("10", " 20", " 30")),
        {"type": "transcript.text.done", "text": "10 20 30", "usage": {"type": "duration", "seconds": 3}},
    ]
    assert post(here, b"junk", stream="true").status_code == 400  # before the stream begins


def test_a_segment_is_sent_as_soon_as_it_is_there() -> None:
    go = threading.Event()

    def before(number: int) -> None:
        assert number == 0 or go.wait(LONG)

    with speaking(ScriptedModel(before)) as here:
        files = {"file": ("a.flac", THREE)}
        with here.http().stream("POST", PATH, files=files, data={"stream": "true"}) as answer:
            lines = answer.iter_lines()
            assert json.loads(next(lines).removeprefix("data: "))["delta"] == "10"
            go.set()
            assert sum("delta" in line for line in lines) == 2


def test_an_error_ends_a_stream() -> None:
    def before(number: int) -> None:
        if number == 1:
            raise RuntimeError("broken")

    with speaking(ScriptedModel(before)) as here:
        made = events(post(here, stream="true"))
        assert [one.get("delta") for one in made] == ["10", None]
        assert made[1]["error"]["code"] == "internal_error"
        answer = post(here)
        assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
        with pytest.raises(openai.APIError, match="broken"):
            list(here.client().audio.transcriptions.create(model="m", file=("a.flac", THREE), stream=True))


@pytest.fixture
def responses(monkeypatch: pytest.MonkeyPatch) -> list[TranscriptionResponse]:
    """Return the list that each response is appended to."""
    made: list[TranscriptionResponse] = []

    class Noted(TranscriptionResponse):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            made.append(self)

    monkeypatch.setattr(transcriptions, "TranscriptionResponse", Noted)
    return made


def test_a_transcription_ends_when_its_client_goes(responses: list[TranscriptionResponse]) -> None:
    began, leave, numbers = threading.Event(), threading.Event(), list[int]()

    def before(number: int) -> None:
        numbers.append(number)
        began.set()
        assert leave.wait(LONG)

    with speaking(ScriptedModel(before), n_parallel=1) as here:
        content = here.http().build_request("POST", PATH, files={"file": ("a.flac", flac(*range(20)))})
        body = content.read()
        with connected(here) as one:
            head = "".join(f"{name}: {value}\r\n" for name, value in content.headers.items())
            one.sendall(f"POST {PATH} HTTP/1.1\r\n{head}\r\n".encode() + body)
            assert began.wait(LONG)
        until(lambda: responses[0]._is_over)
        leave.set()
        assert post(here, flac(7)).json()["text"] == "7"  # the place is free again
        assert numbers == [0, 0]


def test_a_late_transcription_is_an_error(responses: list[TranscriptionResponse]) -> None:
    def before(_: int) -> None:
        until(lambda: time.monotonic() > responses[0]._until)

    with speaking(ScriptedModel(before), seconds=0.1) as here:
        answer = post(here)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timeout")
    with speaking(n_parallel=0, seconds=0.1) as here:  # it waits for a place
        assert post(here).status_code == 504


def test_pages_of_other_origins_are_refused(here: Serving) -> None:
    own = here.url.removeprefix("http://")
    for headers, status in (
        ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403), ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site", "origin": here.url}, 403), ({"origin": here.url}, 200),
        ({"sec-fetch-site": "same-origin", "origin": "https://proxy.example"}, 200),
        ({"origin": "https://proxy.example", "x-forwarded-host": "proxy.example"}, 200), ({"host": own}, 200),
    ):  # fmt: skip
        assert post(here, headers=headers).status_code == status, headers
    with speaking(keys=("long-enough-key",)) as there:
        assert post(there).status_code == 401
        key = {"authorization": "Bearer long-enough-key", "origin": "https://app.example"}
        assert post(there, headers=key).json()["text"] == "10 20 30"


def test_openais_client(here: Serving) -> None:
    audio = here.client().audio
    file = ("a.flac", THREE)
    assert audio.transcriptions.create(model="whisper-1", file=file).text == "10 20 30"
    whole = audio.transcriptions.create(
        model="scripted", file=file, response_format="verbose_json", timestamp_granularities=["word", "segment"],
        language="en", prompt="hi", temperature=0.0,
    )  # fmt: skip
    assert (whole.language, float(whole.duration), len(whole.segments or ())) == ("english", 3.0, 3)
    assert [word.word for word in whole.words or ()] == ["10", "20", "30"]
    assert audio.transcriptions.create(model="scripted", file=file, response_format="srt").startswith("1\n00:00:00,000")
    made = list(audio.transcriptions.create(model="scripted", file=file, stream=True))
    assert [one.type for one in made] == [*["transcript.text.delta"] * 3, "transcript.text.done"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the client's
        assert audio.translations.create(model="scripted", file=file).text == "10 20 30"
    with pytest.raises(openai.BadRequestError, match="cannot be read as audio"):
        audio.transcriptions.create(model="scripted", file=("a.wav", b"abc"))


def test_speech_and_text_in_one_server(llm: LLM) -> None:
    with speaking(llm=llm) as here:
        client, http = here.client(), here.http()
        assert client.audio.transcriptions.create(model="whisper-1", file=("a.flac", THREE)).text == "10 20 30"
        assert client.chat.completions.create(model="tiny", messages=TALK, max_tokens=2).choices
        nameless = http.post("/v1/chat/completions", json={"messages": TALK, "max_tokens": 2})
        assert nameless.json()["model"] == "tiny"
        with pytest.raises(openai.BadRequestError, match="scripted is a speech model: it transcribes audio"):
            client.chat.completions.create(model="scripted", messages=TALK)
        with pytest.raises(openai.BadRequestError, match=r"tiny is a language model: .* needs a speech model"):
            client.audio.transcriptions.create(model="tiny", file=("a.flac", THREE))
        listed = {one["id"]: one["kind"] for one in http.get("/v1/models").json()["data"]}
        assert listed == {"scripted": "speech", "tiny": "text"}
        assert [one["name"] for one in http.get("/api/tags").json()["models"]] == ["tiny:latest"]
        assert [one["name"] for one in http.get("/api/ps").json()["models"]] == ["tiny:latest"]
        assert http.get("/props").json()["model_alias"] == "tiny"
        for path, body in (
            ("/v1/embeddings", {"model": "scripted", "input": "a"}), ("/api/show", {"model": "scripted"}),
            ("/api/chat", {"model": "scripted", "messages": TALK}),
            ("/tokenize", {"model": "scripted", "content": "a"}),
        ):  # fmt: skip
            answer = http.post(path, json=body)
            assert answer.status_code in (200, 400), path
            assert answer.status_code == 200 or "is a speech model" in answer.text
        assert 'pyhexagon_audio_seconds_total{model="scripted"} 3.0' in http.get("/metrics").text


def test_a_server_without_a_speech_model_says_so(llm: LLM) -> None:
    from serve.serving import serving

    with serving(llm) as here:
        answer = post(here)
        assert (answer.status_code, answer.json()["error"]["message"]) == (404, "the server has no speech model")


def test_the_document_has_the_forms(here: Serving) -> None:
    document = here.http().get("/openapi.json").json()
    for path, name in ((PATH, "TranscriptionRequest"), ("/v1/audio/translations", "TranslationRequest")):
        body = document["paths"][path]["post"]["requestBody"]["content"]
        assert body == {"multipart/form-data": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
        schema = document["components"]["schemas"][name]
        assert schema["required"] == ["file"]
        assert schema["properties"]["file"]["format"] == "binary"
        responses = document["paths"][path]["post"]["responses"]["200"]["content"]
        schema = responses["application/json"]["schema"] | {"components": document["components"]}
        Draft202012Validator(schema).validate(post(here, path=path).json())
