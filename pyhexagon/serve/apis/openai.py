# SPDX-License-Identifier: MIT
"""The routes of OpenAI's API."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.speculation import draft_name
from pyhexagon.serve.apis import embedding, openai_answers, requests
from pyhexagon.serve.apis.embedding import EmbeddingRequest
from pyhexagon.serve.apis.openai_schema import ChatRequest, CompletionRequest
from pyhexagon.serve.apis.openapi import EVENTS, Operation, list_of, record
from pyhexagon.serve.apis.requests import RequestContext
from pyhexagon.serve.apis.rerank import RerankRequest, reranking
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.models.pooled_model import PooledModel

_USAGE = record("Usage", prompt_tokens=int, total_tokens=int)
_CHOICE = record("Choice", index=int, finish_reason=str | None)
_COMPLETION = record("Completion", id=str, object=str, created=int, model=str, choices=list_of(_CHOICE), usage=_USAGE)
_EMBEDDING = record("Embedding", index=int, embedding=Any)
_EMBEDDINGS = record("Embeddings", object=str, data=list_of(_EMBEDDING), model=str, usage=_USAGE)
_RESULT = record("RerankResult", index=int, relevance_score=float)
_RESULTS = record("RerankResults", model=str, results=list_of(_RESULT), usage=_USAGE)
_COUNT = record("InputTokens", object=str, input_tokens=int)
_STATUS = record("ModelStatus", value=Literal["loaded", "loading", "unloaded"])
_MODALITIES = record("Modalities", input_modalities=list[str], output_modalities=list[str])
_MODEL = record(
    "Model", id=str, object=str, owned_by=str, kind=Literal["text", "speech"], status=_STATUS, architecture=_MODALITIES
)
_MODELS = record("Models", object=str, data=list_of(_MODEL))


def _embedded(vector: npt.NDArray[np.float32], form: str) -> object:
    return vector.tolist() if form == "float" else b64encode(vector.astype("<f4").tobytes()).decode()


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""

    async def completions(request: Request) -> Response:
        return await service.generate(request, CompletionRequest, openai_answers.completion)

    async def chat(request: Request) -> Response:
        return await service.generate(request, ChatRequest, openai_answers.chat)

    async def count(request: Request) -> Response:
        def counted(body: ChatRequest, context: RequestContext) -> int:
            return len(requests.chat(body, context.prompts).prompts[0])

        n_tokens = await service.of_model(request, ChatRequest, counted)
        return JSON({"object": "response.input_tokens", "input_tokens": n_tokens})

    async def embeddings(request: Request) -> Response:
        vectors, n_tokens, (body, name) = await service.embed(request, EmbeddingRequest, embedding.inputs_of)
        made = [_embedded(embedding.shortened(vector, body.dimensions), body.encoding_format) for vector in vectors]
        return JSON(openai_format.embedding_list(made, name, n_tokens))

    async def rerank(request: Request) -> Response:
        scores, n_tokens, parsed = await service.embed(request, RerankRequest, reranking)
        return JSON(parsed.response([float(score[0]) for score in scores], n_tokens))

    def described(model: PooledModel, adapter: str | None = None) -> Record:
        made = {
            "id": adapter or model.name, "object": "model", "created": service.created, "owned_by": "pyhexagon",
            "device": service.pool.device, "aliases": [] if adapter else sorted(model.aliases),
            "kind": model.kind, "status": {"value": model.state}, "draft_model": draft_name(model.draft or None),
            "architecture": {"input_modalities": model.input_modalities, "output_modalities": ["text"]},
        }  # fmt: skip
        return made | {"parent": model.name} if adapter else made

    async def models(_: Request) -> Response:
        await to_thread.run_sync(service.pool.refresh)
        records = [described(model, name) for model in service.pool.models for name in (None, *model.adapters)]
        return JSON({"object": "list", "data": records})

    async def one_model(request: Request) -> Response:
        name = request.path_params["name"]
        model = await to_thread.run_sync(service.pool.find, name, None)
        return JSON(described(model, model.adapter(name)))

    ranking = "Rank documents by their relevance to a query."
    return [
        Operation(
            "/v1/completions", completions, "Continue prompts.", _COMPLETION, request=CompletionRequest, stream=EVENTS
        ),
        *(
            Operation(
                path, chat, "Answer the last message of a conversation.", _COMPLETION, request=ChatRequest,
                stream=EVENTS,
            )
            for path in ("/v1/chat/completions", "/chat/completions")
        ),
        Operation(
            "/v1/chat/completions/input_tokens", count, "Count the tokens of a conversation.", _COUNT,
            request=ChatRequest,
        ),
        Operation(
            "/v1/embeddings", embeddings, "Return embeddings of texts.", _EMBEDDINGS, request=EmbeddingRequest
        ),
        *(
            Operation(path, rerank, ranking, _RESULTS, request=RerankRequest)
            for path in ("/v1/rerank", "/rerank", "/v1/reranking", "/reranking")
        ),
        *(Operation(path, models, "List the models.", _MODELS) for path in ("/v1/models", "/models")),
        Operation("/v1/models/{name:path}", one_model, "Return a model.", _MODEL),
    ]  # fmt: skip
