# SPDX-License-Identifier: MIT
"""Routes for text and tokens, with the fields of llama.cpp's server and of vLLM's."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.openai_schema import ChatRequest
from pyhexagon.serve.apis.openapi import Operation, record
from pyhexagon.serve.apis.requests import RequestContext
from pyhexagon.serve.apis.service import ModelService
from pyhexagon.serve.apis.tools import tools_of
from pyhexagon.serve.http.json_responses import JSON
from pyhexagon.serve.http.schema import invalid


class TokenizeRequest(ModelRequest):
    """A request to ``/tokenize``: llama.cpp's ``content``, or vLLM's ``prompt``."""

    content: str | None = None
    add_special: bool = False
    prompt: str | None = None
    add_special_tokens: bool = True
    parse_special: bool = True


class DetokenizeRequest(ModelRequest, kw_only=True):
    """A request to ``/detokenize``."""

    tokens: Annotated[list[int], Meta(description="a list of tokens")]


_TOKENS = record("Tokens", tokens=list[int], count=int, max_model_len=int)
_TEXT = record("Detokenized", content=str, prompt=str)
_INFO = record("TokenizerInfo", tokenizer_class=str, bos_token=Any, eos_token=Any, chat_template=str | None)


def routes(service: ModelService) -> list[Operation]:
    """Return the routes."""

    async def tokenize(request: Request) -> Response:
        def encode(body: TokenizeRequest, context: RequestContext) -> Record:
            name, text, add = "content", body.content, body.add_special
            if text is None and body.prompt is not None:
                name, text, add = "prompt", body.prompt, body.add_special_tokens
            if text is None:
                raise invalid(name, None, "a text")
            ids = context.prompts.encode(text, name, special=body.parse_special, add_special=add)
            return {"tokens": ids, "count": len(ids), "max_model_len": context.prompts.model.n_ctx}

        return JSON(await service.of_model(request, TokenizeRequest, encode))

    async def detokenize(request: Request) -> Response:
        def decode(body: DetokenizeRequest, context: RequestContext) -> str:
            ids = requests.ids_of(body.tokens, "tokens", context.prompts)
            return context.prompts.model.tokenizer.decode(ids)

        text = await service.of_model(request, DetokenizeRequest, decode)
        return JSON({"content": text, "prompt": text})  # llama.cpp's name, and vLLM's

    async def apply_template(request: Request) -> Response:
        def render(body: ChatRequest, context: RequestContext) -> str:
            return requests.rendered(body, tools_of(body), context.prompts.model, body.thinking_options()[0])

        return JSON({"prompt": await service.of_model(request, ChatRequest, render)})

    async def tokenizer_info(request: Request) -> Response:
        use = await service.use_of(request, request.query_params.get("model", service.pool.default()))
        model = use.loaded.model
        use.end()
        names = {variable: name or None for variable, name in model.tokenizer.template_names.items()}
        return JSON(
            names | {"tokenizer_class": "GGUF", "model_max_length": model.n_ctx, "chat_template": model.chat_template}
        )

    return [
        Operation("/tokenize", tokenize, "Return the tokens of a text.", _TOKENS, request=TokenizeRequest),
        Operation("/detokenize", detokenize, "Return the text of tokens.", _TEXT, request=DetokenizeRequest),
        Operation(
            "/apply-template", apply_template, "Return a conversation as the model sees it.",
            record("Prompt", prompt=str), request=ChatRequest,
        ),
        Operation(
            "/tokenizer_info", tokenizer_info, "Return the chat template and special tokens of a model.", _INFO,
            query=["model"],
        ),
    ]  # fmt: skip
