# SPDX-License-Identifier: MIT
"""Routes for text and tokens, with the fields of llama.cpp's server and of vLLM's."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.requests import Asking
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.http.json_responses import JSON


def routes(service: ModelService) -> list[Route]:
    """Return the routes."""

    async def tokenize(request: Request) -> Response:
        def encode(fields: Fields, asking: Asking) -> Record:
            name, add = "content", fields.flag("add_special")
            if fields.get("content") is None and fields.get("prompt") is not None:  # vLLM's
                name, add = "prompt", fields.flag("add_special_tokens", True)
            special = fields.flag("parse_special", True)
            ids = asking.prompts.encode(fields.text(name), name, special=special, add_special=add)
            return {"tokens": ids, "count": len(ids), "max_model_len": asking.prompts.model.n_ctx}

        return JSON(await service.of_model(request, encode))

    async def detokenize(request: Request) -> Response:
        def decode(fields: Fields, asking: Asking) -> str:
            if not isinstance(fields.get("tokens"), list):
                raise fields.wrong("tokens", "a list of tokens")
            ids = requests.ids_of(fields.get("tokens"), fields, "tokens", asking.prompts)
            return asking.prompts.model.tokenizer.decode(ids)

        text = await service.of_model(request, decode)
        return JSON({"content": text, "prompt": text})  # llama.cpp's name, and vLLM's

    async def apply_template(request: Request) -> Response:
        def render(fields: Fields, asking: Asking) -> str:
            return requests.rendered(fields, asking.prompts.model)

        return JSON({"prompt": await service.of_model(request, render)})

    async def tokenizer_info(request: Request) -> Response:
        use = await service.use_of(request, request.query_params.get("model", service.pool.default))
        model = use.loaded.model
        use.end()
        names = {variable: name or None for variable, name in model.tokenizer.template_names.items()}
        return JSON(
            names | {"tokenizer_class": "GGUF", "model_max_length": model.n_ctx, "chat_template": model.chat_template}
        )

    return [
        Route("/tokenize", tokenize, methods=["POST"]),
        Route("/detokenize", detokenize, methods=["POST"]),
        Route("/apply-template", apply_template, methods=["POST"]),
        Route("/tokenizer_info", tokenizer_info),
    ]
