# SPDX-License-Identifier: MIT
"""OpenAI's audio API: transcriptions, and translations into English, of audio files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Annotated, Any, Final, Literal

from anyio import to_thread
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.openapi import EVENTS, Operation, record
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.transcription_response import Deliver, ResponseFormat, Task, TranscriptionResponse
from pyhexagon.serve.http import multipart
from pyhexagon.serve.http.schema import invalid, parse_form
from pyhexagon.serve.models.pooled_model import ModelUse
from pyhexagon.serve.models.speech import LoadedSpeech
from pyhexagon.speech.audio import SAMPLE_RATE, AudioFile, Samples, joined

_FORM: Final = "multipart/form-data"
_TEMPERATURES: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of whisper, one after the other until a text is likely
_TRANSCRIPTION: Final = record("Transcription", text=str)
AudioField = Annotated[Any, Meta(description="an audio file", extra_json_schema={"type": "string", "format": "binary"})]
Temperature = Annotated[float, Meta(ge=0, le=1)]
Granularities = Annotated[Sequence[Literal["word", "segment"]], Meta(max_length=8)]


class TranslationRequest(ModelRequest, kw_only=True):
    """A request to ``/v1/audio/translations``."""

    file: AudioField
    prompt: Annotated[str, Meta(max_length=8192)] = ""
    response_format: ResponseFormat = "json"
    temperature: Temperature = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.file is None:  # any type includes null
            raise invalid("file", None, "an audio file")


class TranscriptionRequest(TranslationRequest, kw_only=True):
    """A request to ``/v1/audio/transcriptions``."""

    language: Annotated[str, Meta(max_length=32)] = ""
    timestamp_granularities: Granularities = ("segment",)
    stream: bool = False
    chunking_strategy: Literal["auto"] | None = None


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""

    async def transcriptions(request: Request) -> Response:
        return await _response(service, request, TranscriptionRequest, "transcribe")

    async def translations(request: Request) -> Response:
        return await _response(service, request, TranslationRequest, "translate")

    return [
        Operation(
            "/v1/audio/transcriptions", transcriptions, "Transcribe an audio file.", _TRANSCRIPTION,
            request=TranscriptionRequest, stream=EVENTS, body=_FORM,
        ),
        Operation(
            "/v1/audio/translations", translations, "Translate an audio file into English.", _TRANSCRIPTION,
            request=TranslationRequest, body=_FORM,
        ),
    ]  # fmt: skip


async def _response(
    service: ModelService, request: Request, schema: type[TranslationRequest], task: Task
) -> TranscriptionResponse:
    """Read a form, load the model if need be, and return the response, which runs the transcription."""
    until = time.monotonic() + service.limits.seconds
    async with AsyncExitStack() as stack:
        fields = await stack.enter_async_context(
            multipart.form_of(request, service.limits.upload_bytes, service.uploads)
        )
        body = parse_form(schema, fields)
        if not hasattr(body.file, "read"):
            raise invalid("file", body.file, "an audio file")
        is_stream = isinstance(body, TranscriptionRequest) and body.stream
        if is_stream and body.response_format not in ("json", "text"):
            raise invalid("response_format", body.response_format, "json or text for a stream")
        model = await to_thread.run_sync(service.pool.find_any, body.model, "speech")
        use = await service.use_of_model(request, model)
        stack.callback(use.end)
        run = partial(_run, use, body, task, max_seconds=service.limits.audio_seconds)
        return TranscriptionResponse(
            service.inbox(), run, form=body.response_format, task=task, is_stream=is_stream,
            places=service.transcribing, client=request.state.client, until=until, named=service.pool.named,
            kept=stack.pop_all(),
        )  # fmt: skip


def _run(
    use: ModelUse[LoadedSpeech], body: TranslationRequest, task: Task, deliver: Deliver, check: Callable[[], None], *,
    max_seconds: float,
) -> None:  # fmt: skip
    """Transcribe the file of a request; on a worker thread.

    Args:
        deliver: called with the facts of the audio, then with each segment.
        check: raises if nobody waits any more.
        max_seconds: longest duration of the audio.

    Raises:
        HexagonError: the file or a field is invalid.
    """

    def checked(file: AudioFile) -> Any:
        for block in file:
            check()
            yield block

    with AudioFile(body.file, name="file") as file:
        audio: Samples = joined(checked(file), "file", max_seconds=max_seconds)
    options: dict[str, Any] = {}
    if isinstance(body, TranscriptionRequest):
        options["language"] = body.language.lower() or None
        options["vad"] = bool(body.chunking_strategy)
        options["word_timestamps"] = "word" in body.timestamp_granularities
    if body.prompt:
        options["initial_prompt"] = body.prompt
    temperature = body.temperature or _TEMPERATURES
    segments, info = use.loaded.model.transcribe(audio, task=task, temperature=temperature, **options)
    deliver(info)
    for segment in segments:
        check()
        deliver(segment)
    use.loaded.metrics.audio_seconds.inc(len(audio) / SAMPLE_RATE)
