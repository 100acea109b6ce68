# SPDX-License-Identifier: MIT
"""Routes of llama.cpp's server: ``/props``, ``/slots``, ``/lora-adapters``, and ``/infill`` for models with
fill-in-the-middle tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.speculation import draft_name
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.requests import Asking, Generating
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import EVENT_STREAM, AnswerShape, event, matched_stop
from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.models.pooled_model import LoadedModel, PooledModel
from pyhexagon.version import VERSION

_MOST_EXTRA: Final = 1024  # further files of a request
_LEAST_ANSWER: Final = 128  # tokens of the context that are kept free for a completion without n_predict
_SAME: Final = (
    "temperature", "top_k", "top_p", "min_p", "seed", "stop", "repeat_penalty", "presence_penalty", "frequency_penalty",
    "logit_bias", "grammar", "stream", "lora",
)  # fmt: skip


def infill(fields: Fields, asking: Asking) -> tuple[Generating, AnswerShape]:
    """Parse a request to ``/infill``: the prompt is further files, prefix and suffix, between their special tokens.

    Texts that do not fit the context lose what is far from the gap: most of it from the suffix.

    Raises:
        ServeError: a field is invalid, or the model has no fill-in-the-middle tokens.
    """
    words, fim = asking.prompts, asking.prompts.model.tokenizer.fill_in
    if not {"fim_pre", "fim_suf", "fim_mid"} <= fim.keys():
        raise wrong("the model has no fill-in-the-middle tokens", "model")

    def encoded(given: Fields, name: str) -> list[int]:
        return words.encode(given.text(name, ""), name, special=False, add_special=False)

    n_predict = fields.whole("n_predict", -1, -1, 1 << 30)
    prefix, suffix, prompt = (encoded(fields, name) for name in ("input_prefix", "input_suffix", "prompt"))
    extra: list[int] = []
    for file in fields.each("input_extra", _MOST_EXTRA):
        name = file.text("filename", "")
        head = f"{name}\n" if "fim_sep" in fim else f"\n\n--- {name} ---\n\n"
        extra += [fim["fim_sep"]] if "fim_sep" in fim else []
        extra += words.encode(head, "filename", special=False, add_special=False) + encoded(file, "text")
    tokenizer = words.model.tokenizer
    start = [] if tokenizer.bos is None or not tokenizer.add_bos else [tokenizer.bos]
    n_answer = n_predict if n_predict > 0 else _LEAST_ANSWER
    n_free = words.model.n_ctx - min(n_answer, words.model.n_ctx // 2) - len(start) - len(prompt) - 3
    suffix = suffix[: max(0, n_free // 4, n_free - len(prefix))]
    prefix = prefix[max(0, len(prefix) - max(0, n_free - len(suffix))) :]
    extra = extra[max(0, len(extra) - max(0, n_free - len(suffix) - len(prefix))) :]
    ids = [*start, *extra, fim["fim_pre"], *prefix, fim["fim_suf"], *suffix, fim["fim_mid"], *prompt]
    values = {name: fields.get(name) for name in _SAME} | {"prompt": ids, "max_tokens": max(1, n_predict)}
    asked = requests.completion(Fields(values), words)
    asked = replace(asked, max_tokens=n_predict if n_predict > 0 else None)
    return asked, InfillShape(asked, asking)


class InfillShape:
    """The responses of ``/infill``."""

    media_type = EVENT_STREAM
    first_token = 0.0

    def __init__(self, asked: Generating, asking: Asking) -> None:
        self._asked, self._model, self._tokenizer = asked, asking.model, asking.prompts.model.tokenizer
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
        stop = matched_stop(self._asked, self._parts, self._tokenizer)
        is_cut = bool(self._parts) and self._parts[-1].finish_reason == "length"
        return {
            "index": 0, "content": content, "stop": True, "model": self._model, "tokens_predicted": n_completion,
            "tokens_evaluated": n_prompt, "truncated": False, "stopping_word": stop or "",
            "stop_type": "word" if stop else "limit" if is_cut else "eos",
        }  # fmt: skip


def routes(service: ModelService) -> list[Route]:
    """Return the routes."""

    async def loaded_of(request: Request) -> tuple[PooledModel, LoadedModel | None]:
        name = request.query_params.get("model", service.pool.default)
        model = await to_thread.run_sync(service.pool.find, name)
        return model, model.loaded

    async def infill_route(request: Request) -> Response:
        return await service.generate(request, infill)

    async def props(request: Request) -> Response:
        model, loaded = await loaded_of(request)
        record: Record = {
            "model_alias": model.name, "model_path": model.name, "total_slots": service.limits.n_parallel,
            "build_info": f"pyhexagon {VERSION}", "modalities": {"vision": False, "audio": False},
            "is_sleeping": loaded is None, "draft_model": draft_name(model.draft or None),
        }  # fmt: skip
        if loaded is not None:
            record |= loaded.model.tokenizer.template_names
            record["chat_template"] = loaded.model.chat_template or ""
            record["default_generation_settings"] = {"n_ctx": loaded.model.n_ctx, "params": requests.default_sampling()}
        return JSON(record)

    async def slots(request: Request) -> Response:
        _, loaded = await loaded_of(request)
        if loaded is None:
            return JSON([])
        n_running, _ = loaded.backend.counts
        n_slots = max(service.limits.n_parallel, n_running)
        return JSON([
            {"id": one, "n_ctx": loaded.model.n_ctx, "is_processing": one < n_running} for one in range(n_slots)
        ])  # fmt: skip

    async def adapters(request: Request) -> Response:
        model, _ = await loaded_of(request)
        # A request without an adapter gets none of them.
        return JSON([{"id": number, "path": name, "scale": 0.0} for number, name in enumerate(model.adapters)])

    return [
        Route("/infill", infill_route, methods=["POST"]),
        Route("/props", props),
        Route("/slots", slots),
        Route("/lora-adapters", adapters),
    ]
