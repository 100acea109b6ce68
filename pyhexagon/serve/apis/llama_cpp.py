# SPDX-License-Identifier: MIT
"""Routes of llama.cpp's server: ``/props``, ``/slots``, ``/lora-adapters``, ``/models/load``, ``/models/unload``, and
``/embedding`` in its own form."""

from __future__ import annotations

from functools import partial

import numpy as np
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm.chat.detection import reasoning_format, tool_call_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.speculation import draft_name
from pyhexagon.serve.apis import embedding
from pyhexagon.serve.apis.embedding import EmbeddingRequest
from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.openapi import Operation, list_of, record
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.models.pooled_model import LoadedModel, PooledModel
from pyhexagon.version import VERSION

_PROPS = record("Properties", model_alias=str, total_slots=int)
_SLOT = record("Slot", id=int, n_ctx=int, is_processing=bool)
_EMBEDDING = record("LlamaEmbedding", index=int, embedding=list[list[float]])
_DONE = record("Done", success=bool)
_ADAPTER = record("AdapterFactor", id=int, path=str, scale=float)


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""

    async def loaded_of(request: Request) -> tuple[PooledModel, LoadedModel | None]:
        name = request.query_params.get("model", service.pool.default())
        model = await to_thread.run_sync(service.pool.find, name)
        return model, model.text

    async def props_route(request: Request) -> Response:
        model, loaded = await loaded_of(request)
        props: Record = {
            "model_alias": model.name, "model_path": model.name, "total_slots": service.limits.n_parallel,
            "build_info": f"pyhexagon {VERSION}", "modalities": {"vision": model.has_vision, "audio": False},
            "max_body_bytes": service.limits.body_bytes,
            "is_sleeping": loaded is None, "draft_model": draft_name(model.draft or None),
        }  # fmt: skip
        if loaded is not None:
            props |= loaded.model.tokenizer.template_names
            if (plan := loaded.model.encoder_plan) is not None:
                props["mmproj"] = {"weights": plan.weights, "types": plan.types, "quantized": plan.n_quantized}
            template, tokenizer = loaded.model.chat_template, loaded.model.tokenizer
            props["chat_template"] = template or ""
            props["tool_call_format"] = tool_call_format(template, tokenizer)
            props["reasoning_format"] = reasoning_format(template, tokenizer)
            props["default_generation_settings"] = {
                "n_ctx": loaded.model.n_ctx, "params": dict(loaded.model.sampling_defaults),
            }  # fmt: skip
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

    async def embed(request: Request) -> Response:
        read = partial(embedding.inputs_of, are_tokens_embedded=True)
        vectors, _, (body, _) = await service.embed(request, EmbeddingRequest, read)
        made = [np.atleast_2d(embedding.shortened(vector, body.dimensions)).tolist() for vector in vectors]
        return JSON([{"index": index, "embedding": rows} for index, rows in enumerate(made)])

    async def load(request: Request) -> Response:
        model = await to_thread.run_sync(service.pool.find, await named(request), None)
        (await service.use_of_model(request, model)).end()
        return JSON({"success": True})

    async def unload(request: Request) -> Response:
        name = await named(request)
        await service.pool.unload(await to_thread.run_sync(service.pool.find, name, None))
        return JSON({"success": True})

    async def named(request: Request) -> str:
        return await service.of_body(request, ModelRequest, lambda body: body.model or service.pool.default())

    async def adapters(request: Request) -> Response:
        model, _ = await loaded_of(request)
        # A request without an adapter gets none of them.
        return JSON([{"id": number, "path": name, "scale": 0.0} for number, name in enumerate(model.adapters)])

    query = ["model"]
    return [
        *(
            Operation(
                path, embed, "Return embeddings of texts (llama.cpp's form).", list_of(_EMBEDDING),
                request=EmbeddingRequest,
            )
            for path in ("/embedding", "/embeddings")
        ),
        Operation("/models/load", load, "Load a model.", _DONE, request=ModelRequest),
        Operation("/models/unload", unload, "Unload a model that no request uses.", _DONE, request=ModelRequest),
        Operation("/props", props_route, "Return the properties of a model.", _PROPS, query=query),
        Operation("/slots", slots, "Return which slots are busy.", list_of(_SLOT), query=query),
        Operation(
            "/lora-adapters", adapters, "List the LoRA adapters that requests can choose.",
            list_of(_ADAPTER), query=query,
        ),
    ]  # fmt: skip
