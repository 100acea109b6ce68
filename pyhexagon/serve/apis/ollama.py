# SPDX-License-Identifier: MIT
"""Ollama's API: ``/api/chat``, ``/api/generate``, ``/api/embed``, ``/api/embeddings``, and the model's description.

A request is translated into one of OpenAI's, which ``asked`` parses and validates. Streams are lines of JSON.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.model_card import ModelCard
from pyhexagon.serve.apis.requests import Asking, Generating
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import AnswerShape, Said, Turn
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.http.json_responses import JSON, as_json
from pyhexagon.serve.models.pooled_model import PooledModel
from pyhexagon.version import VERSION

_MOST: Final = 4096  # messages
_OPTIONS: Final = (
    "temperature", "top_k", "top_p", "min_p", "seed", "stop", "repeat_penalty", "presence_penalty", "frequency_penalty",
)  # fmt: skip
_NANOSECONDS: Final = 1_000_000_000
_NEVER: Final = 1e9  # seconds
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}
_DURATION_PART: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|[hms]|)")
_DURATION: Final = re.compile(r"(-?)((?:\d{1,9}(?:\.\d{1,9})?(?:ms|[hms]|)){1,8})")


def chat(fields: Fields, asking: Asking) -> tuple[Generating, AnswerShape]:
    """Parse a request to ``/api/chat``. One without messages has no prompt: it asks whether the model is loaded.

    Raises:
        ServeError: a field is invalid.
    """
    _keep_alive(fields, asking)
    messages = []
    for one in fields.each("messages", _MOST):
        _check_images(one)
        messages.append({"role": one.text("role"), "content": one.text("content", "")})
        messages[-1] |= {name: one.get(name) for name in ("tool_calls", "tool_name") if one.get(name) is not None}
    return _generating(fields, asking, messages, "message")


def generate(fields: Fields, asking: Asking) -> tuple[Generating, AnswerShape]:
    """Parse a request to ``/api/generate``; see ``chat``.

    Raises:
        ServeError: a field is invalid.
    """
    _check_images(fields)
    _keep_alive(fields, asking)
    for name in ("suffix", "template", "context"):
        if fields.get(name):
            raise fields.wrong(name, "nothing: the server does not support it")
    prompt, system = fields.text("prompt", ""), fields.text("system", "")
    if prompt and fields.flag("raw"):
        asked = requests.completion(Fields(_common(fields) | {"prompt": prompt}), asking.prompts)
        asked = asked if _max_tokens(fields) else replace(asked, max_tokens=None)
        return asked, OllamaShape(asked, asking, "response")
    messages = [{"role": "system", "content": system}] if system else []
    return _generating(fields, asking, [*messages, {"role": "user", "content": prompt}] if prompt else [], "response")


def _generating(
    fields: Fields, asking: Asking, messages: list[Record], content: str
) -> tuple[Generating, AnswerShape]:
    common = _common(fields)
    if messages:
        more = {"messages": messages, "tools": fields.get("tools"), **_thinking(fields)}
        asked = requests.chat(Fields(common | more), asking.prompts)
    else:
        asked = Generating([], 1, None, {}, None, None, is_streamed=common["stream"], has_usage=False)
    return asked, OllamaShape(asked, asking, content)


def _check_images(fields: Fields) -> None:
    if fields.get("images"):
        raise fields.wrong("images", "none: the model reads text only")


def _common(fields: Fields) -> dict[str, Any]:
    """Return the fields of OpenAI's API for the options, the format and the stream."""
    options = fields.object("options") or Fields({})
    common = {name: options.get(name) for name in _OPTIONS}
    common |= {"max_tokens": _max_tokens(fields), "stream": fields.flag("stream", True)}
    form = fields.get("format")
    if form == "json":
        common["response_format"] = {"type": "json_object"}
    elif isinstance(form, dict):
        common["response_format"] = {"type": "json_schema", "json_schema": {"schema": form}}
    elif form:
        raise fields.wrong("format", '"json" or a JSON schema')
    return common


def _max_tokens(fields: Fields) -> int | None:
    """Return the option num_predict; None, up to the context length, if it is missing or negative."""
    options = fields.object("options") or Fields({})
    n = options.whole("num_predict", -1, -2, 1 << 30)
    return n if n > 0 else None


def _keep_alive(fields: Fields, asking: Asking) -> None:
    """Set how long the model stays loaded: a number of seconds, or a text such as "1h30m"; negative: for good."""
    given = fields.get("keep_alive")
    if given is None or asking.use is None:
        return
    if isinstance(given, str):
        found = _DURATION.fullmatch(given.strip())
        if found is None:
            raise fields.wrong("keep_alive", 'seconds, or a time such as "5m"')
        parts = _DURATION_PART.findall(found[2])
        seconds = sum(float(number) * _UNITS[unit or "s"] for number, unit in parts) * (-1 if found[1] else 1)
    else:
        seconds = fields.number("keep_alive", 0, -_NEVER, _NEVER)
    asking.use.keep_alive = seconds if seconds >= 0 else math.inf


def _thinking(fields: Fields) -> dict[str, Any]:
    think = fields.get("think")
    if think is None:
        return {}
    if isinstance(think, str):
        return {"reasoning_effort": fields.choice("think", "low", "medium", "high")}
    return {"chat_template_kwargs": {"enable_thinking": fields.flag("think")}}


class OllamaShape:
    """The responses of ``/api/chat`` and ``/api/generate``.

    Args:
        content: the field of the completion, "message" or "response".
    """

    media_type = "application/x-ndjson"
    first_token = 0.0

    def __init__(self, asked: Generating, asking: Asking, content: str) -> None:
        self._content, self._model, self._is_load = content, asking.model, not asked.prompts
        is_unload = asking.use is not None and not asking.use.keep_alive
        self._turn = Turn(asked)
        self._loading, self._reason = asking.loading, "stop"
        self._began = time.monotonic() - asking.loading
        if self._is_load:
            self._reason = "unload" if is_unload else "load"

    def begin(self, n_prompt: int) -> bytes:
        return b""

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        said = self._add(parts)
        if not (said.text or said.reasoning or said.tool_calls):
            return b""
        return _line(self._record(said) | {"done": False})

    def end(self, n_prompt: int, n_completion: int) -> bytes:
        return _line(self._record(Said("", "", (), None)) | self._end(n_prompt, n_completion))

    def failed(self, error: ServeError) -> bytes:
        return _line(error.body("/api/"))

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], n_prompt: int, n_completion: int) -> Record:
        said = Said("", "", (), None) if self._is_load else self._add(parts[0])
        return self._record(said) | self._end(n_prompt, n_completion)

    def _add(self, parts: Sequence[GenerationChunk]) -> Said:
        said = self._turn.add(parts)
        self._reason = "length" if said.finish_reason == "length" else self._reason
        return said

    def _record(self, said: Said) -> Record:
        head: Record = {"model": self._model, "created_at": _time()}
        thinking = {"thinking": said.reasoning} if said.reasoning else {}
        if self._content == "response":
            return head | {"response": said.text} | thinking
        calls = [
            {"function": {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in said.tool_calls
        ]
        message = {"role": "assistant", "content": said.text, **thinking, **({"tool_calls": calls} if calls else {})}
        return head | {"message": message}

    def _end(self, n_prompt: int, n_completion: int) -> Record:
        """Return the fields of the last line."""
        now = time.monotonic()
        first = self.first_token or now
        seconds = {
            "total_duration": now - self._began, "load_duration": self._loading,
            "prompt_eval_duration": first - self._began - self._loading, "eval_duration": now - first,
        }  # fmt: skip
        counts = {"prompt_eval_count": n_prompt, "eval_count": n_completion}
        durations = {name: int(one * _NANOSECONDS) for name, one in seconds.items()}
        return {"done": True, "done_reason": self._reason} | counts | durations


def _time(later: timedelta = timedelta()) -> str:
    return (datetime.now(timezone.utc) + later).isoformat()


def _line(record: Record) -> bytes:
    return as_json(record) + b"\n"


def routes(service: ModelService) -> list[Route]:
    """Return the routes."""
    cards: dict[PooledModel, ModelCard] = {}

    def card_of(model: PooledModel) -> ModelCard:
        return cards.setdefault(model, ModelCard(model.path, model.name))

    async def chat_route(request: Request) -> Response:
        return await service.generate(request, chat)

    async def generate_route(request: Request) -> Response:
        return await service.generate(request, generate)

    async def embed(request: Request) -> Response:
        def read(fields: Fields, asking: Asking) -> tuple[list[list[int]], str]:
            _keep_alive(fields, asking)
            return requests.inputs(fields, asking.prompts), asking.model

        began = time.monotonic()
        vectors, n_tokens, name = await service.embed(request, read)
        spent = int((time.monotonic() - began) * _NANOSECONDS)
        embeddings = [vector.tolist() for vector in vectors]
        counts = {"prompt_eval_count": n_tokens, "total_duration": spent, "load_duration": 0}
        return JSON({"model": name, "embeddings": embeddings, **counts})

    async def embed_one(request: Request) -> Response:
        """Ollama's route before ``/api/embed``: one prompt, one vector."""

        def read(fields: Fields, asking: Asking) -> tuple[list[list[int]], None]:
            _keep_alive(fields, asking)
            return requests.inputs(Fields({"input": fields.text("prompt")}), asking.prompts), None

        vectors, _, _ = await service.embed(request, read)
        return JSON({"embedding": vectors[0].tolist()})

    async def named(request: Request) -> PooledModel:
        return await service.of_body(
            request, lambda fields: service.pool.find(fields.text("model", fields.text("name", "")))
        )

    async def show(request: Request) -> Response:
        return JSON(await to_thread.run_sync(card_of(await named(request)).details))

    async def pull(request: Request) -> Response:
        await named(request)  # the server has its models, and downloads none
        return JSON({"status": "success"})

    async def tags(_: Request) -> Response:
        await to_thread.run_sync(service.pool.refresh)
        records: list[Record] = []
        for model in service.pool.models:
            listed = await to_thread.run_sync(card_of(model).listed)
            details = listed["details"] | {"parent_model": listed["name"]}
            adapted = [{"name": f"{name}:latest", "model": f"{name}:latest"} for name in model.adapters]
            records += [listed, *(listed | names | {"details": details} for names in adapted)]
        return JSON({"models": records})

    async def running(_: Request) -> Response:
        records = []
        for model in service.pool.models:
            listed = await to_thread.run_sync(card_of(model).listed)
            if (loaded := model.loaded) is None:
                continue
            seconds = service.pool.expires_in(model)
            expiry = {"expires_at": _time(timedelta(seconds=seconds))} if seconds < _NEVER else {}
            sizes = {"size_vram": listed["size"], "context_length": loaded.model.n_ctx}
            records.append(listed | sizes | expiry)
        return JSON({"models": records})

    async def version(_: Request) -> Response:
        return JSON({"version": VERSION})

    return [
        Route("/api/chat", chat_route, methods=["POST"]),
        Route("/api/generate", generate_route, methods=["POST"]),
        Route("/api/embed", embed, methods=["POST"]),
        Route("/api/embeddings", embed_one, methods=["POST"]),
        Route("/api/show", show, methods=["POST"]),
        Route("/api/pull", pull, methods=["POST"]),
        Route("/api/tags", tags),
        Route("/api/ps", running),
        Route("/api/version", version),
    ]
