# SPDX-License-Identifier: MIT
"""The routes of OpenAI's API."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
import numpy.typing as npt
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.speculation import draft_name
from pyhexagon.serve.apis import openai_answers, requests
from pyhexagon.serve.apis.requests import Asking
from pyhexagon.serve.apis.rerank import reranking
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.models.pooled_model import PooledModel


def _embedded(vector: npt.NDArray[np.float32], form: str) -> object:
    return vector.tolist() if form == "float" else b64encode(vector.astype("<f4").tobytes()).decode()


def routes(service: ModelService) -> list[Route]:
    """Return the routes."""

    async def completions(request: Request) -> Response:
        return await service.generate(request, openai_answers.completion)

    async def chat(request: Request) -> Response:
        return await service.generate(request, openai_answers.chat)

    async def embeddings(request: Request) -> Response:
        def read(fields: Fields, asking: Asking) -> tuple[list[list[int]], tuple[str, str]]:
            ids = requests.inputs(fields, asking.prompts)
            return ids, (asking.model, fields.choice("encoding_format", "float", "base64"))

        vectors, n_tokens, (name, form) = await service.embed(request, read)
        return JSON(openai_format.embedding_list([_embedded(one, form) for one in vectors], name, n_tokens))

    async def rerank(request: Request) -> Response:
        scores, n_tokens, asked = await service.embed(request, reranking)
        return JSON(asked.response([float(one[0]) for one in scores], n_tokens))

    def record(model: PooledModel, adapter: str | None = None) -> Record:
        made = {
            "id": adapter or model.name, "object": "model", "created": service.created, "owned_by": "pyhexagon",
            "device": service.pool.device, "aliases": [] if adapter else sorted(model.aliases),
            "status": {"value": model.state}, "draft_model": draft_name(model.draft or None),
        }  # fmt: skip
        return made | {"parent": model.name} if adapter else made

    async def models(_: Request) -> Response:
        await to_thread.run_sync(service.pool.refresh)
        records = [record(model, name) for model in service.pool.models for name in (None, *model.adapters)]
        return JSON({"object": "list", "data": records})

    async def one_model(request: Request) -> Response:
        name = request.path_params["name"]
        model = await to_thread.run_sync(service.pool.find, name)
        return JSON(record(model, model.adapter(name)))

    return [
        Route("/v1/completions", completions, methods=["POST"]),
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/embeddings", embeddings, methods=["POST"]),
        Route("/v1/rerank", rerank, methods=["POST"]),
        Route("/rerank", rerank, methods=["POST"]),
        Route("/v1/models", models),
        Route("/v1/models/{name:path}", one_model),
    ]
