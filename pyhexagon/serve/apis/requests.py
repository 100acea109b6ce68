# SPDX-License-Identifier: MIT
"""Parses completions and chats of all APIs: of a request in the schema of OpenAI's, the prompts and the parameters."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from pyhexagon.llm.chat.formats.calls import Schemas
from pyhexagon.llm.chat.repair import RESULTS
from pyhexagon.llm.chat.tool_calls import marks_of
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.vision.messages import cut
from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis.adapters import adapters_of
from pyhexagon.serve.apis.content import message_content, user_content, with_result
from pyhexagon.serve.apis.infill import infill_ids, plain_ids
from pyhexagon.serve.apis.tools import Tools, tools_of
from pyhexagon.serve.http.errors import too_long, wrong
from pyhexagon.serve.http.schema import invalid, quoted, validated
from pyhexagon.serve.models.backend import ServedModel
from pyhexagon.serve.models.pooled_model import LoadedModel, Prompts, TextUse

_LOG: Final = logging.getLogger("pyhexagon.serve")


@dataclass(frozen=True)
class RequestContext:
    """Where a request comes from and what it is for.

    Attributes:
        prompts: tokenizes for the model.
        model: the name that clients use.
        adapter: the LoRA adapter that the request's model means; None: no adapter.
        client: as of ``Request``.
        use: keeps the model loaded.
        loading: seconds that the request waited for the model to be loaded.
    """

    prompts: Prompts
    model: str
    client: str
    use: TextUse | None = None
    adapter: str | None = None
    loading: float = 0.0

    @property
    def loaded(self) -> LoadedModel:
        """The model.

        Raises:
            ValueError: the request comes from no server.
        """
        if self.use is None:
            raise ValueError("no use of a model")
        return self.use.loaded


@dataclass(frozen=True)
class ParsedRequest:
    """A parsed completion or chat request.

    Attributes:
        prompts: token ids of each prompt.
        n: number of completions per prompt.
        max_tokens: of a completion; None: up to the context length.
        sampling: sampling parameters of ``LLM.stream``.
        seed: of the first completion of each prompt; each further one adds 1. None: a random seed for each.
        top_logprobs: number of top log-probabilities per token; None: no logprobs at all.
        is_streamed: whether the response is a stream of chunks.
        has_usage: whether the stream ends with a usage chunk.
        echo: whether the response repeats the prompt before the completion.
        tools: JSON schemas of the parameters of the tools that may be called, by name.
        is_forced: whether the completion must be a tool call.
        lora: LoRA adapters and the factors on their products; None: the adapter that the request's model means.
        embeddings: of images in the prompt.
    """

    prompts: list[list[int]]
    n: int
    max_tokens: int | None
    sampling: dict[str, Any]
    seed: int | None
    top_logprobs: int | None
    is_streamed: bool
    has_usage: bool
    echo: bool = False
    tools: Schemas = field(default_factory=dict)
    is_forced: bool = False
    lora: Mapping[str, float] | None = None
    embeddings: Embeddings = NO_EMBEDDINGS

    @property
    def is_scored(self) -> bool:
        """Whether the chunks of the prompt, with its logprobs, come before the chunks of the completion."""
        return self.echo and (self.top_logprobs is not None or self.max_tokens == 0)

    def request(
        self, prompt: Sequence[int], number: int, cache_salt: str, adapter: str | None = None, **more: Any
    ) -> Request:
        """Return the engine's request for completion ``number`` of a prompt.

        Args:
            adapter: that the request's model means.
            **more: further fields of ``Request``.
        """
        lora = adapter if self.lora is None else self.lora
        seed = None if self.seed is None else self.seed + number
        top_logprobs = self.top_logprobs or 0
        sampling = self.sampling | {
            "seed": seed, "top_logprobs": top_logprobs, "lora": lora, "cache_salt": cache_salt
        }  # fmt: skip
        scored = top_logprobs if self.is_scored else None
        return Request(prompt, self.max_tokens, sampling, scored, embeddings=self.embeddings, **more)


def completion(request: openai.CompletionRequest, words: Prompts, num_ctx: int | None = None) -> ParsedRequest:
    """Parse a request to ``/v1/completions``.

    Args:
        num_ctx: as for ``check_room``.

    Raises:
        ServeError: a field is invalid.
    """
    if request.best_of not in (None, request.n):
        raise wrong("best_of must be n", "best_of")
    if request.suffix:
        prompts = _infills(request, words)
    else:
        prompts = prompts_of(request.prompt, "prompt", words, openai.MOST_CHOICES)
    if request.n * len(prompts) > openai.MOST_CHOICES:
        raise wrong(f"{len(prompts)} prompts and n {request.n}: expected {openai.MOST_CHOICES} texts at most", "prompt")
    limit = request.limit
    if not limit and not request.echo:
        raise wrong("max_tokens is 0: expected 1 or more, or echo", "max_tokens")
    check_room(prompts, abs(limit), words.model, "prompt", num_ctx)
    top = request.logprobs
    top_logprobs = None if top is None or top is False else 0 if top is True else top
    return ParsedRequest(
        prompts, max_tokens=None if limit < 0 else limit, echo=request.echo, top_logprobs=top_logprobs,
        sampling=_parameters(request, words.model), **_common(request, words.model),
    )  # fmt: skip


def _infills(request: openai.CompletionRequest, words: Prompts) -> list[list[int]]:
    """Return the token ids of prompts that ask for the text between each prompt and the suffix."""
    given = [request.prompt] if isinstance(request.prompt, str) else request.prompt
    texts = [text for text in given if isinstance(text, str)]
    if not 0 < len(given) == len(texts) <= openai.MOST_CHOICES:
        raise invalid("prompt", request.prompt, f"with a suffix a text, or at most {openai.MOST_CHOICES} of them")
    if request.echo:
        raise wrong("echo: a prompt with a suffix cannot be repeated", "echo")
    return [
        infill_ids(words, plain_ids(words, text, "prompt"), request.suffix, request.limit) for text in texts
    ]


def chat(
    request: openai.ChatRequest, words: Prompts, prefill: str = "", num_ctx: int | None = None
) -> ParsedRequest:
    """Parse a request to ``/v1/chat/completions``.

    Args:
        prefill: text with which the assistant's message begins, and which the completion continues.
        num_ctx: as for ``check_room``.

    Raises:
        ServeError: a field is invalid.
        HexagonError: the model's chat template rejects the messages.
    """
    tools, (effort, budget) = tools_of(request), request.thinking_options()
    images: list[Any] = []
    text = rendered(request, tools, words.model, effort, parse_special=request.parse_special, images=images)
    embeddings = NO_EMBEDDINGS
    if prefill:
        text += words.model.tokenizer.neutral(prefill)
    if images:
        prompt, embeddings = words.encode_with_images(text, images, "messages")
    else:
        prompt = words.encode(text, "messages", add_special=False)
    prompts = [prompt]
    check_room(prompts, 1, words.model, "messages", num_ctx)
    if request.top_logprobs and request.logprobs is False:
        raise wrong("top_logprobs needs logprobs", "top_logprobs")
    top_logprobs = request.top_logprobs if request.logprobs is True else request.logprobs
    has_more = request.ignore_eos or request.mirostat or request.logit_bias
    sampling = _parameters(request, words.model) if has_more else request.parameters()
    sampling["reasoning_format"] = request.reasoning_format
    sampling["reasoning_budget"] = budget
    if tools.schemas:
        sampling["visible_tokens"] = marks_of(words.model.tokenizer)
    if tools.forced is not None:
        sampling["json_schema"] = tools.forced
    if request.continue_final_message and {"grammar", "json_schema"} & sampling.keys():
        message = "continue_final_message: a completion that a grammar restricts does not continue a text"
        raise wrong(message, "continue_final_message")
    limit = request.limit
    return ParsedRequest(
        prompts, max_tokens=None if limit < 0 else limit, sampling=sampling, tools=tools.schemas,
        top_logprobs=None if top_logprobs is False else top_logprobs,
        is_forced=tools.forced is not None, embeddings=embeddings, **_common(request, words.model),
    )  # fmt: skip


def rendered(
    request: openai.ChatRequest,
    tools: Tools,
    model: ServedModel,
    effort: str | None,
    *,
    parse_special: bool = True,
    images: list[Any] | None = None,
) -> str:
    """Return the prompt of a conversation: its messages and tools in the model's chat template.

    Args:
        effort: of ``thinking_options``.
        parse_special: whether names of special tokens in messages become these tokens.
        images: receives those of the messages, each of which has a mark in the prompt, if the model takes any.
    """
    made: list[Mapping[str, Any]] = []
    given = list(request.messages)
    for number, sent in enumerate(given):
        if sent.get("role") in RESULTS:
            given[number] = with_result(sent)
    checked = validated(openai.Conversation, given, "messages")
    for number, (sent, message) in enumerate(zip(given, checked, strict=True)):
        path, content = f"messages.{number}.content", message.content
        if model.has_vision and message.role in ("user", "tool") and isinstance(content, list):
            made.append({**sent, "content": user_content(content, path)})
        else:
            made.append({**sent, "content": message_content(message.role, content, path)})
    messages: Sequence[Mapping[str, Any]] = made
    if model.has_vision:
        messages, found = cut(made)
        if images is not None:
            images += found
    kwargs = request.chat_template_kwargs or {}
    if effort is not None:
        kwargs = {**kwargs, "reasoning_effort": effort}
    return model.apply_template(
        messages, tools=tools.definitions, parse_special=parse_special, template_kwargs=kwargs,
        continue_final_message=request.continue_final_message,
    )  # fmt: skip


def _parameters(request: openai.GenerationFields, model: ServedModel) -> dict[str, Any]:
    """Return the sampling parameters of a request. A bias for a text is one for each of its tokens; with
    ``ignore_eos``, tokens that end a text are banned."""
    made = request.parameters()
    if isinstance(request.logit_bias, list):
        for text, factor in request.logit_bias:
            ids = model.tokenizer.encode(text, add_special=False) if isinstance(text, str) else ()
            made["logit_bias"] |= dict.fromkeys(ids, openai.bias_of(factor))
    if request.mirostat:
        _LOG.warning("mirostat is %s: there is no such sampler, the others are used", quoted(request.mirostat))
    if request.ignore_eos:
        made["logit_bias"] = {**made.get("logit_bias", {}), **dict.fromkeys(model.tokenizer.ends, -inf)}
    return made


def _common(request: openai.GenerationFields, model: ServedModel) -> dict[str, Any]:
    """Return the fields of ``ParsedRequest`` that completions and chats fill in the same way."""
    if request.seed is not None and abs(request.seed) > openai.SEEDS:
        raise invalid("seed", request.seed, f"a whole number from {-openai.SEEDS} to {openai.SEEDS}")
    return {
        "n": request.n,
        "lora": None if request.lora is None else adapters_of(request.lora, model.adapters),
        "seed": None if request.seed is None else request.seed % openai.SEEDS,
        "is_streamed": request.stream,
        "has_usage": request.stream_options is not None and request.stream_options.include_usage,
    }


def prompts_of(given: Any, name: str, words: Prompts, most: int) -> list[list[int]]:
    """Return the token ids of a field: a string, a list of token ids, or a list of at most ``most`` of these."""
    if isinstance(given, str) or (given and isinstance(given[0], int)):
        given = [given]
    if not 0 < len(given) <= most:
        raise invalid(name, given, f"a text, a list of tokens, or at most {most} of these")
    return [ids_of(prompt, name, words) for prompt in given]


def ids_of(given: Any, name: str, words: Prompts) -> list[int]:
    """Return the token ids of a string, or of a list, whose ids it validates."""
    if isinstance(given, str):
        return words.encode(given, name)
    n_tokens = words.model.tokenizer.n_tokens
    if not isinstance(given, list) or not all(type(token) is int and 0 <= token < n_tokens for token in given):
        raise invalid(name, given, f"texts, or tokens from 0 to {n_tokens - 1}")
    return given


def check_room(
    prompts: list[list[int]], max_tokens: int, model: ServedModel, name: str, num_ctx: int | None = None
) -> None:
    """Check that each prompt has tokens and fits the context, with room for one more token unless max_tokens is 0.

    Args:
        num_ctx: a shorter context that the request asks for.

    Raises:
        ServeError: a prompt is empty or too long.
    """
    n_ctx = model.n_ctx if num_ctx is None else min(num_ctx, model.n_ctx)
    for prompt in prompts:
        if not prompt:
            raise wrong(f"{name} has no tokens", name)
        if len(prompt) + min(max_tokens, 1) > n_ctx:
            raise too_long(name, len(prompt), n_ctx, model.n_ctx_train, has_answer=max_tokens != 0)
