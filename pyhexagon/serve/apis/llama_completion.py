# SPDX-License-Identifier: MIT
"""llama.cpp's own completions: ``/completion``, ``/completions``, and ``/infill`` for models with fill-in-the-middle
tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.infill import infill_ids, plain_ids
from pyhexagon.serve.apis.openai_schema import CompletionRequest, Input, Sampling, Top
from pyhexagon.serve.apis.openapi import EVENTS, Operation, list_of, record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.sampling_fields import Limit
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import EVENT_STREAM, PING, AnswerShape, Usage, event, matched_stop
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.schema import Schema


class NativeFields(Sampling):
    """What ``/completion`` and ``/infill`` have in common."""

    n_predict: Limit | None = None
    max_tokens: Limit | None = None
    n_probs: Top = 0

    @property
    def limit(self) -> int:
        """The maximum number of tokens of a completion; -1: up to the context length."""
        given = self.max_tokens if self.n_predict is None else self.n_predict
        return -1 if given is None else given

    def completion(self, prompt: Any, max_tokens: int) -> CompletionRequest:
        """Return the request to ``/v1/completions``."""
        same: Any = {name: getattr(self, name) for name in Sampling.__struct_fields__}
        is_read_only = not max_tokens  # the prompt is computed, for the cache
        return CompletionRequest(
            **same, prompt=prompt, max_tokens=max_tokens, logprobs=self.n_probs or None, echo=is_read_only
        )


class NativeRequest(NativeFields, kw_only=True):
    """A request to ``/completion``."""

    prompt: Input
    return_tokens: bool = False


class ExtraFile(Schema):
    """A further file of ``/infill``."""

    filename: str = ""
    text: str = ""


class InfillRequest(NativeFields):
    """A request to ``/infill``."""

    input_prefix: str = ""
    input_suffix: str = ""
    prompt: str = ""
    input_extra: Annotated[Sequence[ExtraFile], Meta(max_length=1024)] = ()


_COMPLETION = record(
    "LlamaCompletion", content=str, stop=bool, model=str, tokens_predicted=int,
    stop_type=Literal["eos", "limit", "word"],
)  # fmt: skip

def completion(request: NativeRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/completion``.

    Raises:
        ServeError: a field is invalid.
    """
    prompt: Any = request.prompt
    if isinstance(prompt, list) and {str, int} <= {type(part) for part in prompt}:  # one prompt, of texts and tokens
        words = context.prompts
        prompt = [
            token
            for at, part in enumerate(prompt)
            for token in (
                words.encode(part, "prompt", add_special=not at)
                if isinstance(part, str)
                else requests.ids_of([part] if isinstance(part, int) else part, "prompt", words)
            )
        ]
    parsed = requests.completion(request.completion(prompt, request.limit), context.prompts)
    return parsed, NativeShape(parsed, context, has_tokens=request.return_tokens)


def infill(request: InfillRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/infill``.

    Raises:
        ServeError: as ``infill_ids``, or a field is invalid.
    """
    words, n_predict = context.prompts, request.limit
    ids: Any = infill_ids(
        words, plain_ids(words, request.input_prefix, "input_prefix"), request.input_suffix, n_predict,
        name="input_suffix", prompt=request.prompt, files=[(file.filename, file.text) for file in request.input_extra],
    )  # fmt: skip
    parsed = requests.completion(request.completion(ids, max(1, n_predict)), words)
    parsed = replace(parsed, max_tokens=n_predict if n_predict > 0 else None)
    return parsed, NativeShape(parsed, context, has_tokens=True)


class NativeShape:
    """The responses of ``/completion`` and ``/infill``: an object, or a list of them for several prompts.

    Args:
        has_tokens: whether they have the ids of the tokens.
    """

    media_type = EVENT_STREAM
    ping = PING

    def __init__(self, parsed: ParsedRequest, context: RequestContext, *, has_tokens: bool) -> None:
        self._parsed, self._model, self._tokenizer = parsed, context.model, context.prompts.model.tokenizer
        self._has_tokens, self._is_read_only = has_tokens, parsed.max_tokens == 0
        self._parts: list[list[GenerationChunk]] = [[] for _ in parsed.prompts]

    def begin(self, n_prompt: int) -> bytes:
        return b""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        if self._is_read_only:
            return b""
        self._parts[index] += parts
        counts = {"tokens_predicted": len(self._parts[index]), "tokens_evaluated": len(self._parsed.prompts[index])}
        return event(self._content(index, parts) | {"stop": False, "id_slot": index} | counts)

    def end(self, usage: Usage) -> bytes:
        return b"".join(event(self._last(index, (), usage)) for index in range(len(self._parts)))

    def failed(self, error: ServeError) -> bytes:
        return event(error.body())

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], usage: Usage) -> Any:
        self._parts = [[] if self._is_read_only else list(made) for made in parts]
        answers = [self._last(index, made, usage) for index, made in enumerate(self._parts)]
        return answers if answers[1:] else answers[0]

    def _content(self, index: int, parts: Sequence[GenerationChunk]) -> Record:
        tokens = [part.token for part in parts] if self._has_tokens else []
        content: Record = {"index": index, "content": openai_format.text(parts), "tokens": tokens}
        if self._parsed.top_logprobs is not None:
            content["completion_probabilities"] = openai_format.chat_logprobs(parts, self._tokenizer)["content"]
        return content

    def _last(self, index: int, parts: Sequence[GenerationChunk], usage: Usage) -> Record:
        made, prompt = self._parts[index], self._parsed.prompts[index]
        stop = matched_stop(self._parsed, made, self._tokenizer)
        is_cut = bool(made) and made[-1].finish_reason == "length"
        return self._content(index, parts) | {
            "id_slot": index, "stop": True, "model": self._model, "tokens_predicted": len(made),
            "tokens_evaluated": len(prompt), "tokens_cached": len(prompt) + len(made), "truncated": False,
            "stopping_word": stop or "", "stop_type": "word" if stop else "limit" if is_cut or not made else "eos",
            "timings": usage.timings(),
        }  # fmt: skip


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""
    complete = partial(service.generate, schema=NativeRequest, read=completion)
    fill = partial(service.generate, schema=InfillRequest, read=infill)
    return [
        *(
            Operation(
                path, complete, "Continue prompts (llama.cpp's form).", _COMPLETION | list_of(_COMPLETION),
                request=NativeRequest, stream=EVENTS,
            )
            for path in ("/completion", "/completions")
        ),
        Operation("/infill", fill, "Fill a gap in code.", _COMPLETION, request=InfillRequest, stream=EVENTS),
    ]  # fmt: skip
