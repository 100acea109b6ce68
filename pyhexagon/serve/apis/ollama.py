# SPDX-License-Identifier: MIT
"""Ollama's API: ``/api/chat``, ``/api/generate``, ``/api/embed``, ``/api/embeddings``, and the model's description.

A request is translated into one of OpenAI's. Streams are lines of JSON.
"""

from __future__ import annotations

import logging
import math
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import embedding, requests
from pyhexagon.serve.apis import ollama_schema as schema
from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis.content import with_images
from pyhexagon.serve.apis.embedding import Truncation
from pyhexagon.serve.apis.model_card import ModelCard
from pyhexagon.serve.apis.ollama_answers import NANOSECONDS, OllamaShape, time_of
from pyhexagon.serve.apis.openapi import Operation, list_of, record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.shape import AnswerShape
from pyhexagon.serve.http.errors import TOO_LONG, ServeError
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.http.schema import invalid
from pyhexagon.serve.models.pooled_model import PooledModel
from pyhexagon.version import VERSION

_NEVER: Final = 1e9  # seconds
_LOG: Final = logging.getLogger("pyhexagon.serve")
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}
_DURATION_PART: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|[hms]|)")
_DURATION: Final = re.compile(r"(-?)((?:\d{1,9}(?:\.\d{1,9})?(?:ms|[hms]|)){1,8})")


def chat(request: schema.OllamaChatRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/api/chat``. One without messages has no prompt: it asks whether the model is loaded.

    Raises:
        ServeError: a field is invalid.
    """
    _keep_alive(request.keep_alive, context)
    messages: list[Record] = []
    for number, message in enumerate(request.messages):
        content = with_images(message.content, message.images, f"messages.{number}.images", context.prompts.model)
        messages.append({"role": message.role, "content": content})
        more = {name: getattr(message, name) for name in ("tool_calls", "tool_name", "thinking")}
        messages[-1] |= {name: value for name, value in more.items() if value is not None}
    return _generating(request, context, messages, request.tools, "message")


def generate(request: schema.OllamaGenerateRequest, context: RequestContext) -> tuple[ParsedRequest, AnswerShape]:
    """Parse a request to ``/api/generate``; see ``chat``.

    Raises:
        ServeError: a field is invalid.
    """
    _keep_alive(request.keep_alive, context)
    if request.suffix or (request.prompt and request.raw):
        completion = openai.CompletionRequest(
            prompt=request.prompt, suffix=request.suffix, **request.as_openai()
        )
        parsed = _bounded(requests.completion(completion, context.prompts, request.num_ctx), request, context)
        return parsed, OllamaShape(parsed, context, "response")
    messages: list[Record] = [{"role": "system", "content": request.system}] if request.system else []
    model = context.prompts.model
    messages.append({"role": "user", "content": with_images(request.prompt, request.images, "images", model)})
    return _generating(request, context, messages if request.prompt else [], (), "response")


def _generating(
    request: schema.OllamaGeneration,
    context: RequestContext,
    messages: list[Record],
    tools: Sequence[Record],
    content: str,
) -> tuple[ParsedRequest, AnswerShape]:
    if messages:
        chat = openai.ChatRequest(messages=messages, tools=tools, **request.as_openai())
        if isinstance(request.think, str):
            chat.reasoning_effort = request.think
        elif request.think is not None:
            chat.chat_template_kwargs = {"enable_thinking": request.think}
        parsed = _bounded(_fitting(chat, request, context), request, context)
    else:
        parsed = ParsedRequest([], 1, None, {}, None, None, is_streamed=request.stream, has_usage=False)
    return parsed, OllamaShape(parsed, context, content)


def _fitting(chat: openai.ChatRequest, request: schema.OllamaGeneration, context: RequestContext) -> ParsedRequest:
    """Parse a conversation. With ``truncate``, one that does not fit the context loses its oldest messages, but no
    system message and not the last message, as in Ollama.

    Raises:
        ServeError: the last message does not fit either, or a field is invalid.
    """
    messages = list(chat.messages)
    begins = [at for at, message in enumerate(messages) if message["role"] == "user" or at == len(messages) - 1]

    def parsed(begin: int) -> ParsedRequest | ServeError:
        """Return the request without the messages before ``begin``, or why it does not fit."""
        chat.messages = [message for at, message in enumerate(messages) if at >= begin or message["role"] == "system"]
        try:
            return requests.chat(chat, context.prompts, num_ctx=request.num_ctx)
        except ServeError as error:
            if error.code != TOO_LONG:
                raise
            return error

    made = parsed(0)
    if isinstance(made, ServeError) and request.truncate and begins:
        low, high = 0, len(begins) - 1  # of the places to begin, the first one that fits
        made = parsed(begins[high])
        while low < high and isinstance(made, ParsedRequest):
            middle = (low + high) // 2
            longer = parsed(begins[middle])
            low, high, made = (low, middle, longer) if isinstance(longer, ParsedRequest) else (middle + 1, high, made)
        n_left = len([message for message in messages[: begins[high]] if message["role"] != "system"])
        if isinstance(made, ParsedRequest):
            _LOG.warning("a conversation does not fit the context: its oldest %d messages are left out", n_left)
    if isinstance(made, ServeError):
        raise made
    return made


def _bounded(parsed: ParsedRequest, request: schema.OllamaGeneration, context: RequestContext) -> ParsedRequest:
    """Return a request whose completion ends at the context length that the request asks for."""
    n_ctx, wanted = context.prompts.model.n_ctx, request.num_ctx
    if wanted is not None and wanted > n_ctx:
        longest = context.prompts.model.n_ctx_train
        _LOG.warning(
            "num_ctx is %d: the context has %d tokens, and the model was trained for %d; pyhexagon serve -c N sets it",
            wanted, n_ctx, longest,
        )  # fmt: skip
    most = request.max_tokens
    if wanted is not None and wanted < n_ctx:
        n_left = wanted - max(map(len, parsed.prompts))
        most = n_left if most is None else min(most, n_left)
    return replace(parsed, max_tokens=most)


def _keep_alive(given: str | float | None, context: RequestContext) -> None:
    """Set how long the model stays loaded: a number of seconds, or a text such as "1h30m"; negative: for good."""
    if given is None or context.use is None:
        return
    if isinstance(given, str):
        found = _DURATION.fullmatch(given.strip())
        if found is None:
            raise invalid("keep_alive", given, 'seconds, or a time such as "5m"')
        parts = _DURATION_PART.findall(found[2])
        given = sum(float(number) * _UNITS[unit or "s"] for number, unit in parts) * (-1 if found[1] else 1)
    context.use.keep_alive = given if given >= 0 else math.inf


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""
    cards: dict[PooledModel, ModelCard] = {}

    def card_of(model: PooledModel) -> ModelCard:
        return cards.setdefault(model, ModelCard(model.path, model.name, has_vision=model.has_vision))

    def texts() -> list[PooledModel]:
        """Return the models that Ollama's clients can use."""
        return [model for model in service.pool.models if model.kind == "text"]

    async def embed(request: Request) -> Response:
        def read(
            body: schema.OllamaEmbedRequest, context: RequestContext
        ) -> tuple[list[list[int]], tuple[str, int | None]]:
            _keep_alive(body.keep_alive, context)
            ids = embedding.inputs(body.input, context.prompts, body.truncation, body.dimensions)
            return ids, (context.model, body.dimensions)

        began = time.monotonic()
        vectors, n_tokens, (name, dimensions) = await service.embed(request, schema.OllamaEmbedRequest, read)
        spent = int((time.monotonic() - began) * NANOSECONDS)
        embeddings = [embedding.shortened(vector, dimensions).tolist() for vector in vectors]
        counts = {"prompt_eval_count": n_tokens, "total_duration": spent, "load_duration": 0}
        return JSON({"model": name, "embeddings": embeddings, **counts})

    async def embed_one(request: Request) -> Response:
        """Ollama's route before ``/api/embed``: one prompt, one vector."""

        def read(body: schema.OllamaEmbeddingRequest, context: RequestContext) -> tuple[list[list[int]], None]:
            _keep_alive(body.keep_alive, context)
            return embedding.inputs(body.prompt, context.prompts, Truncation(is_cut=True), name="prompt"), None

        vectors, _, _ = await service.embed(request, schema.OllamaEmbeddingRequest, read)
        return JSON({"embedding": vectors[0].tolist()})

    async def named(request: Request) -> PooledModel:
        return await service.of_body(
            request,
            schema.NamedRequest,
            lambda body: service.pool.find(body.name if body.model is None else body.model),
        )

    async def show(request: Request) -> Response:
        return JSON(await to_thread.run_sync(card_of(await named(request)).details))

    async def pull(request: Request) -> Response:
        await named(request)  # the server has its models, and downloads none
        return JSON({"status": "success"})

    async def tags(_: Request) -> Response:
        await to_thread.run_sync(service.pool.refresh)
        records: list[Record] = []
        for model in texts():
            listed = await to_thread.run_sync(card_of(model).listed)
            details = listed["details"] | {"parent_model": listed["name"]}
            adapted = [{"name": f"{name}:latest", "model": f"{name}:latest"} for name in model.adapters]
            records += [listed, *(listed | names | {"details": details} for names in adapted)]
        return JSON({"models": records})

    async def running(_: Request) -> Response:
        records = []
        for model in texts():
            listed = await to_thread.run_sync(card_of(model).listed)
            if (loaded := model.text) is None:
                continue
            seconds = service.pool.expires_in(model)
            expiry = {"expires_at": time_of(timedelta(seconds=seconds))} if seconds < _NEVER else {}
            sizes = {"size_vram": listed["size"], "context_length": loaded.model.n_ctx}
            records.append(listed | sizes | expiry)
        return JSON({"models": records})

    async def version(_: Request) -> Response:
        return JSON({"version": VERSION})

    stream = OllamaShape.media_type
    answer = record("OllamaAnswer", model=str, message=dict[str, Any], done=bool)
    text = record("OllamaText", model=str, response=str, done=bool)
    model = record("OllamaModel", name=str, model=str, size=int, digest=str, details=dict[str, Any])
    models = record("OllamaModels", models=list_of(model))
    status = record("OllamaStatus", status=str)
    described = record("OllamaDescription", details=dict[str, Any], model_info=dict[str, Any], capabilities=list[str])
    return [
        Operation(
            "/api/chat", partial(service.generate, schema=schema.OllamaChatRequest, read=chat),
            "Answer a conversation (Ollama's API).",
            answer, request=schema.OllamaChatRequest, stream=stream,
        ),
        Operation(
            "/api/generate", partial(service.generate, schema=schema.OllamaGenerateRequest, read=generate),
            "Continue a prompt (Ollama's API).",
            text, request=schema.OllamaGenerateRequest, stream=stream,
        ),
        Operation(
            "/api/embed", embed, "Return embeddings of texts (Ollama's API).",
            record("OllamaEmbeddings", model=str, embeddings=list[list[float]]), request=schema.OllamaEmbedRequest,
        ),
        Operation(
            "/api/embeddings", embed_one, "Return the embedding of a text (Ollama's older API).",
            record("OllamaEmbedding", embedding=list[float]), request=schema.OllamaEmbeddingRequest,
        ),
        Operation("/api/show", show, "Describe a model (Ollama's API).", described, request=schema.NamedRequest),
        Operation(
            "/api/pull", pull, "Confirm that the server has a model (Ollama's API).", status,
            request=schema.NamedRequest,
        ),
        Operation("/api/tags", tags, "List the models (Ollama's API).", models),
        Operation("/api/ps", running, "List the loaded models (Ollama's API).", models),
        Operation("/api/version", version, "Return the version.", record("OllamaVersion", version=str)),
    ]  # fmt: skip
