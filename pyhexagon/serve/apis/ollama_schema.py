# SPDX-License-Identifier: MIT
"""The fields of requests to Ollama's API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.http.schema import Schema

_FOREVER = 1e9  # seconds
_UNSUPPORTED = "nothing: the server does not support it"
Images = Annotated[Sequence[Any], Meta(max_length=0, description="none: the model reads text only")]
KeepAlive = Annotated[
    str | Annotated[float, Meta(ge=-_FOREVER, le=_FOREVER)], Meta(description='seconds, or a time such as "5m"')
]  # fmt: skip


class Options(Schema):
    """Sampling parameters and the maximum number of tokens; negative, or 0: up to the context length."""

    temperature: openai.Temperature | None = None
    top_k: openai.Count | None = None
    top_p: openai.Probability | None = None
    min_p: openai.Probability | None = None
    seed: openai.Seed | None = None
    stop: openai.Stops | None = None
    repeat_penalty: openai.RepeatPenalty | None = None
    presence_penalty: openai.Penalty | None = None
    frequency_penalty: openai.Penalty | None = None
    num_predict: Annotated[int, Meta(ge=-2, le=openai.MOST_TOKENS)] = -1


class OllamaGeneration(openai.ModelRequest):
    """What chats and completions have in common."""

    options: Options | None = None
    format: Annotated[
        Literal["json", ""] | dict[str, Any], Meta(description='"json" or a JSON schema')
    ] = ""  # fmt: skip
    stream: bool = True
    think: bool | Literal["low", "medium", "high"] | None = None
    keep_alive: KeepAlive | None = None


class OllamaMessage(openai.Message, kw_only=True):
    content: str = ""
    images: Images = ()
    tool_name: Any = None


class OllamaChatRequest(OllamaGeneration):
    """A request to ``/api/chat``; without messages, to load the model."""

    messages: Annotated[Sequence[OllamaMessage], Meta(max_length=openai.MOST_MESSAGES)] = ()
    tools: openai.Tools = ()


class OllamaGenerateRequest(OllamaGeneration):
    """A request to ``/api/generate``; without a prompt, to load the model."""

    prompt: str = ""
    system: str = ""
    raw: bool = False
    images: Images = ()
    suffix: Annotated[str, Meta(max_length=0, description=_UNSUPPORTED)] = ""
    template: Annotated[str, Meta(max_length=0, description=_UNSUPPORTED)] = ""
    context: Annotated[Sequence[int], Meta(max_length=0, description=_UNSUPPORTED)] = ()


class OllamaEmbedRequest(openai.ModelRequest, kw_only=True):
    input: openai.Input
    dimensions: Any = None
    keep_alive: KeepAlive | None = None


class OllamaEmbeddingRequest(openai.ModelRequest, kw_only=True):
    prompt: str
    keep_alive: KeepAlive | None = None


class NamedRequest(openai.ModelRequest):
    """A request about a model, by the field ``model`` or ``name``."""

    name: str = ""
