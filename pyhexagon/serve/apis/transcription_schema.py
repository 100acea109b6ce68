# SPDX-License-Identifier: MIT
"""The fields of requests to OpenAI's audio API, which are sent as forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.http.schema import invalid

AudioField = Annotated[Any, Meta(description="an audio file", extra_json_schema={"type": "string", "format": "binary"})]
Temperature = Annotated[float, Meta(ge=0, le=1)]
ResponseFormat = Literal["json", "text", "srt", "verbose_json", "vtt"]
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
