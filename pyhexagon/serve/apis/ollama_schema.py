# SPDX-License-Identifier: MIT
"""The fields of requests to Ollama's API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis import sampling_fields as sampling
from pyhexagon.serve.apis.constraints import Constraints
from pyhexagon.serve.apis.embedding import Dimensions, Truncation
from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.sampling_fields import MOST_TOKENS
from pyhexagon.serve.http.schema import Schema

_FOREVER = 1e9  # seconds
_UNSUPPORTED = "nothing: the server does not support it"
Images = Annotated[Sequence[Any], Meta(max_length=openai.MOST_MESSAGES)]
KeepAlive = Annotated[
    str | Annotated[float, Meta(ge=-_FOREVER, le=_FOREVER)], Meta(description='seconds, or a time such as "5m"')
]  # fmt: skip


NumCtx = Annotated[int, Meta(ge=1, le=MOST_TOKENS)]


class Options(Schema):
    """Sampling parameters, the maximum number of tokens (negative, or 0: up to the context length), and num_ctx: the
    context length. For a longer one than the model has, one of several models is loaded again."""

    temperature: sampling.Temperature | None = None
    top_k: sampling.TopK | None = None
    top_p: sampling.Probability | None = None
    min_p: sampling.Probability | None = None
    typical_p: sampling.Probability | None = None
    repeat_last_n: sampling.Limit | None = None
    seed: openai.Seed | None = None
    stop: openai.Stops | None = None
    repeat_penalty: Annotated[float, Meta(ge=-100, le=100)] | None = None  # 0 or less, as 1: none
    presence_penalty: sampling.Penalty | None = None
    frequency_penalty: sampling.Penalty | None = None
    num_predict: Annotated[int, Meta(ge=-2, le=MOST_TOKENS)] = -1
    num_ctx: NumCtx | None = None


_SAME = [name for name in Options.__struct_fields__ if name in openai.Sampling.__struct_fields__]


class OllamaGeneration(Constraints):
    """What chats and completions have in common."""

    options: Options | None = None
    stream: bool = True
    logprobs: bool = False
    top_logprobs: openai.Top = 0
    truncate: bool = True
    think: bool | Literal["low", "medium", "high", "none", "minimal", "xhigh", "max"] | None = None
    keep_alive: KeepAlive | None = None

    @property
    def num_ctx(self) -> int | None:
        """The context length that the request asks for."""
        return self.options.num_ctx if self.options else None

    @property
    def wanted_ctx(self) -> int:
        """As of ``ContextRequest``."""
        return self.num_ctx or 0

    @property
    def max_tokens(self) -> int | None:
        """The option num_predict; None, up to the context length, if it is missing, 0 or negative."""
        return self.options.num_predict if self.options and self.options.num_predict > 0 else None

    def as_openai(self) -> dict[str, Any]:
        """Return the fields of OpenAI's API for the options, what constrains the completion, and the stream."""
        options = self.options or Options()
        fields = {name: getattr(self, name) for name in Constraints.__struct_fields__}
        fields |= {name: getattr(options, name) for name in _SAME}
        if options.repeat_penalty is not None and options.repeat_penalty <= 0:
            fields["repeat_penalty"] = 1.0
        fields |= {"max_tokens": self.max_tokens or -1, "stream": self.stream}
        fields |= {"logprobs": self.top_logprobs} if self.logprobs else {}
        return fields


class OllamaMessage(openai.ChatMessage, kw_only=True):
    content: str = ""
    images: Images = ()
    tool_name: Any = None
    thinking: str | None = None


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
    suffix: str = ""
    template: Annotated[str, Meta(max_length=0, description=_UNSUPPORTED)] = ""
    context: Annotated[Sequence[int], Meta(max_length=0, description=_UNSUPPORTED)] = ()


class EmbedOptions(Schema):
    num_ctx: NumCtx | None = None


class OllamaEmbedRequest(ModelRequest, kw_only=True):
    input: openai.Input
    dimensions: Dimensions | None = None
    truncate: bool = True
    options: EmbedOptions | None = None
    keep_alive: KeepAlive | None = None

    @property
    def truncation(self) -> Truncation:
        """How long an input may be."""
        return Truncation(self.options.num_ctx if self.options else None, is_cut=self.truncate)


class OllamaEmbeddingRequest(ModelRequest, kw_only=True):
    prompt: str
    keep_alive: KeepAlive | None = None


class NamedRequest(ModelRequest):
    """A request about a model, by the field ``model`` or ``name``."""

    name: str = ""
