# SPDX-License-Identifier: MIT
"""Routes of llama.cpp's server: ``/props``, ``/slots``, ``/lora-adapters``, and ``/infill`` for models with
fill-in-the-middle tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from anyio import to_thread
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.detection import reasoning_format, tool_call_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.speculation import draft_name
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.openai_schema import MOST_TOKENS, CompletionRequest, Sampling
from pyhexagon.serve.apis.openapi import EVENTS, Operation, list_of, record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import EVENT_STREAM, PING, AnswerShape, event, matched_stop
from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.http.schema import Schema
from pyhexagon.serve.models.pooled_model import LoadedModel, PooledModel
from pyhexagon.version import VERSION

_LEAST_ANSWER: Final = 128  # tokens of the context that are kept free for a completion without n_predict


class ExtraFile(Schema):
    """A further file of ``/infill``."""

    filename: str = ""
    text: str = ""


class InfillRequest(Sampling):
    """A request to ``/infill``."""

    input_prefix: str = ""
    input_suffix: str = ""
    prompt: str = ""
    n_predict: Annotated[int, Meta(ge=-1, le=MOST_TOKENS)] = -1
    input_extra: Annotated[Sequence[ExtraFile], Meta(max_length=1024)] = ()


_INFILLED = record(
    "Infilled", content=str, stop=bool, model=str, tokens_predicted=int, stop_type=Literal["eos", "limit", "word"]
)  # fmt: skip
_PROPS = record("Properties", model_alias=str, total_slots=int)
_SLOT = record("Slot", id=int, n_ctx=int, is_processing=bool)
_ADAPTER = record("AdapterFactor", id=int, path=str, scale=float)


def infill(request: InfillRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/infill``: the prompt is further files, prefix and suffix, between their special tokens.

    Texts that do not fit the context lose what is far from the gap: most of it from the suffix.

    Raises:
        ServeError: a field is invalid, or the model has no fill-in-the-middle tokens.
    """
    words, fim = context.prompts, context.prompts.model.tokenizer.fill_in
    if not {"fim_pre", "fim_suf", "fim_mid"} <= fim.keys():
        raise wrong("the model has no fill-in-the-middle tokens", "model")

    def encoded(text: str, name: str) -> list[int]:
        return words.encode(text, name, special=False, add_special=False)

    n_predict = request.n_predict
    prefix, suffix, prompt = (
        encoded(getattr(request, name), name) for name in ("input_prefix", "input_suffix", "prompt")
    )
    extra: list[int] = []
    for file in request.input_extra:
        head = f"{file.filename}\n" if "fim_sep" in fim else f"\n\n--- {file.filename} ---\n\n"
        extra += [fim["fim_sep"]] if "fim_sep" in fim else []
        extra += encoded(head, "filename") + encoded(file.text, "text")
    tokenizer = words.model.tokenizer
    start = [] if tokenizer.bos is None or not tokenizer.add_bos else [tokenizer.bos]
    n_answer = n_predict if n_predict > 0 else _LEAST_ANSWER
    n_free = words.model.n_ctx - min(n_answer, words.model.n_ctx // 2) - len(start) - len(prompt) - 3
    suffix = suffix[: max(0, n_free // 4, n_free - len(prefix))]
    prefix = prefix[max(0, len(prefix) - max(0, n_free - len(suffix))) :]
    extra = extra[max(0, len(extra) - max(0, n_free - len(suffix) - len(prefix))) :]
    ids: Any = [*start, *extra, fim["fim_pre"], *prefix, fim["fim_suf"], *suffix, fim["fim_mid"], *prompt]
    sampling: Any = {name: getattr(request, name) for name in Sampling.__struct_fields__}
    parsed = requests.completion(CompletionRequest(**sampling, prompt=ids, max_tokens=max(1, n_predict)), words)
    parsed = replace(parsed, max_tokens=n_predict if n_predict > 0 else None)
    return parsed, InfillShape(parsed, context)


class InfillShape:
    """The responses of ``/infill``."""

    media_type = EVENT_STREAM
    ping = PING
    first_token = 0.0

    def __init__(self, parsed: ParsedRequest, context: RequestContext) -> None:
        self._parsed, self._model, self._tokenizer = parsed, context.model, context.prompts.model.tokenizer
        self._parts: list[GenerationChunk] = []

    def begin(self, n_prompt: int) -> bytes:
        return b""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        self._parts += parts
        tokens = [part.token for part in parts]
        return event({"index": index, "content": openai_format.text(parts), "tokens": tokens, "stop": False})

    def end(self, n_prompt: int, n_completion: int) -> bytes:
        return event(self._last("", n_prompt, n_completion))

    def failed(self, error: ServeError) -> bytes:
        return event(error.body())

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], n_prompt: int, n_completion: int) -> Record:
        self._parts += parts[0]
        return self._last(openai_format.text(parts[0]), n_prompt, n_completion)

    def _last(self, content: str, n_prompt: int, n_completion: int) -> Record:
        stop = matched_stop(self._parsed, self._parts, self._tokenizer)
        is_cut = bool(self._parts) and self._parts[-1].finish_reason == "length"
        return {
            "index": 0, "content": content, "stop": True, "model": self._model, "tokens_predicted": n_completion,
            "tokens_evaluated": n_prompt, "truncated": False, "stopping_word": stop or "",
            "stop_type": "word" if stop else "limit" if is_cut else "eos",
        }  # fmt: skip


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""

    async def loaded_of(request: Request) -> tuple[PooledModel, LoadedModel | None]:
        name = request.query_params.get("model", service.pool.default())
        model = await to_thread.run_sync(service.pool.find, name)
        return model, model.text

    async def infill_route(request: Request) -> Response:
        return await service.generate(request, InfillRequest, infill)

    async def props_route(request: Request) -> Response:
        model, loaded = await loaded_of(request)
        props: Record = {
            "model_alias": model.name, "model_path": model.name, "total_slots": service.limits.n_parallel,
            "build_info": f"pyhexagon {VERSION}", "modalities": {"vision": False, "audio": False},
            "is_sleeping": loaded is None, "draft_model": draft_name(model.draft or None),
        }  # fmt: skip
        if loaded is not None:
            props |= loaded.model.tokenizer.template_names
            template, tokenizer = loaded.model.chat_template, loaded.model.tokenizer
            props["chat_template"] = template or ""
            props["tool_call_format"] = tool_call_format(template, tokenizer)
            props["reasoning_format"] = reasoning_format(template, tokenizer)
            props["default_generation_settings"] = {"n_ctx": loaded.model.n_ctx, "params": Sampling().parameters()}
        return JSON(props)

    async def slots(request: Request) -> Response:
        _, loaded = await loaded_of(request)
        if loaded is None:
            return JSON([])
        n_running, _ = loaded.backend.counts
        n_slots = max(service.limits.n_parallel, n_running)
        return JSON([
            {"id": slot, "n_ctx": loaded.model.n_ctx, "is_processing": slot < n_running} for slot in range(n_slots)
        ])  # fmt: skip

    async def adapters(request: Request) -> Response:
        model, _ = await loaded_of(request)
        # A request without an adapter gets none of them.
        return JSON([{"id": number, "path": name, "scale": 0.0} for number, name in enumerate(model.adapters)])

    query = ["model"]
    return [
        Operation("/infill", infill_route, "Fill a gap in code.", _INFILLED, request=InfillRequest, stream=EVENTS),
        Operation("/props", props_route, "Return the properties of a model.", _PROPS, query=query),
        Operation("/slots", slots, "Return which slots are busy.", list_of(_SLOT), query=query),
        Operation(
            "/lora-adapters", adapters, "List the LoRA adapters that requests can choose.",
            list_of(_ADAPTER), query=query,
        ),
    ]  # fmt: skip
