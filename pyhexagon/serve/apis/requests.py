# SPDX-License-Identifier: MIT
"""Parses request bodies, and validates their prompts and sampling parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pyhexagon.llm.chat.templates import ROLES
from pyhexagon.llm.chat.tool_calls import Schemas, marks_of
from pyhexagon.serve.apis.adapters import adapters_of
from pyhexagon.serve.apis.tools import tools_of
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.fields import Fields
from pyhexagon.serve.models.backend import GenerationWork, ServedModel
from pyhexagon.serve.models.pooled_model import LoadedModel, ModelUse
from pyhexagon.serve.models.prompts import Prompts

MOST_CHOICES: Final = 64  # completions of one request
_MOST_STOPS: Final = 16
_MOST_TOP: Final = 20
_SEEDS: Final = 1 << 64
_MOST_TOKENS: Final = 1 << 30
_MOST_EMBEDDED: Final = 2048


@dataclass(frozen=True)
class Asking:
    """Where a request comes from and what it is for.

    Attributes:
        prompts: tokenizes for the model.
        model: the name that clients use.
        adapter: the LoRA adapter that the request's model means; None: no adapter.
        client: as of ``QueuedRequest``.
        use: keeps the model loaded.
        loading: seconds that the request waited for the model to be loaded.
    """

    prompts: Prompts
    model: str
    client: str
    use: ModelUse | None = None
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
class Generating:
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
        marks: names of the control tokens that mark tool calls, by token.
        is_forced: whether the completion must be a tool call.
        lora: LoRA adapters and the factors on their products; None: the adapter that the request's model means.
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
    marks: Mapping[int, str] = field(default_factory=dict)
    is_forced: bool = False
    lora: Mapping[str, float] | None = None

    @property
    def is_scored(self) -> bool:
        """Whether the chunks of the prompt, with its logprobs, come before the chunks of the completion."""
        return self.echo and (self.top_logprobs is not None or self.max_tokens == 0)

    def text(self, prompt: Sequence[int], number: int, cache_salt: str, adapter: str | None = None) -> GenerationWork:
        """Return the work for completion ``number`` of a prompt, with the adapter that the request's model means."""
        lora = adapter if self.lora is None else self.lora
        seed = None if self.seed is None else self.seed + number
        top_logprobs = self.top_logprobs or 0
        sampling = self.sampling | {"seed": seed, "top_logprobs": top_logprobs, "lora": lora}
        return GenerationWork(prompt, self.max_tokens, sampling, top_logprobs if self.is_scored else None, cache_salt)


def completion(fields: Fields, words: Prompts) -> Generating:
    """Parse a request to ``/v1/completions``.

    Raises:
        ServeError: a field is invalid.
    """
    if fields.get("suffix"):
        raise wrong("suffix: the model only continues texts", "suffix")
    n = fields.whole("n", 1, 1, MOST_CHOICES)
    if fields.whole("best_of", n, 1, MOST_CHOICES) != n:
        raise wrong("best_of must be n", "best_of")
    prompts = texts(fields, "prompt", words, MOST_CHOICES)
    if n * len(prompts) > MOST_CHOICES:
        raise wrong(f"{len(prompts)} prompts and n {n}: expected {MOST_CHOICES} texts at most", "prompt")
    logprobs = fields.get("logprobs")
    if logprobs is not None and not isinstance(logprobs, bool):
        logprobs = fields.whole("logprobs", 0, 0, _MOST_TOP)
    top_logprobs = None if logprobs is None or logprobs is False else int(logprobs) if logprobs is not True else 0
    echo = fields.flag("echo")
    max_tokens = fields.whole("max_tokens", 16, 0, _MOST_TOKENS)
    if not max_tokens and not echo:
        raise wrong("max_tokens is 0: expected 1 or more, or echo", "max_tokens")
    check_room(prompts, max_tokens, words.model, "prompt")
    return Generating(prompts, n, max_tokens, echo=echo, top_logprobs=top_logprobs, **_common(fields, words.model))


def chat(fields: Fields, words: Prompts, prefill: str = "") -> Generating:
    """Parse a request to ``/v1/chat/completions``.

    Args:
        prefill: text with which the assistant's message begins, and which the completion continues.

    Raises:
        ServeError: a field is invalid.
        HexagonError: the model's chat template rejects the messages.
    """
    n = fields.whole("n", 1, 1, MOST_CHOICES)
    tools = tools_of(fields)
    forced = tools.forced
    text = rendered(fields, words.model, parse_special=fields.flag("parse_special"))
    prompts = [words.encode(text + words.model.tokenizer.neutral(prefill), "messages", add_special=False)]
    max_tokens = fields.whole("max_completion_tokens", fields.whole("max_tokens", 0, 0, _MOST_TOKENS), 0, _MOST_TOKENS)
    check_room(prompts, 1, words.model, "messages")
    has_logprobs = fields.flag("logprobs")
    top_logprobs = fields.whole("top_logprobs", 0, 0, _MOST_TOP)
    if top_logprobs and not has_logprobs:
        raise wrong("top_logprobs needs logprobs", "top_logprobs")
    common = _common(fields, words.model)
    common["sampling"]["reasoning_format"] = fields.choice("reasoning_format", "auto", "none")
    if forced is not None:
        common["sampling"]["json_schema"] = forced
    if fields.flag("continue_final_message") and {"grammar", "json_schema"} & common["sampling"].keys():
        told = "continue_final_message: a completion that a grammar restricts does not continue a text"
        raise wrong(told, "continue_final_message")
    return Generating(
        prompts, n, max_tokens or None, top_logprobs=top_logprobs if has_logprobs else None, tools=tools.schemas,
        marks=marks_of(words.model.tokenizer) if tools.schemas else {}, is_forced=forced is not None, **common,
    )  # fmt: skip


def rendered(fields: Fields, model: ServedModel, *, parse_special: bool = True) -> str:
    """Return the prompt of a conversation: its messages and tools in the model's chat template.

    Args:
        parse_special: whether names of special tokens in messages become these tokens.
    """
    messages = fields.objects("messages", 4096)
    if not messages:
        raise fields.wrong("messages", "at least one message")
    for number, message in enumerate(messages):
        one = Fields(message, f"messages.{number}.")
        if one.text("role") not in ROLES:
            raise one.wrong("role", " or ".join(ROLES))
        # Messages with tool calls have no content, but templates concatenate strings.
        content = "" if one.get("content") is None else one.text_parts("content", "text")
        messages[number] = {**message, "content": content}
        if message.get("tool_calls") is not None:
            calls = [_called(call) for call in one.objects("tool_calls", 4096)]
            messages[number] = {**messages[number], "tool_calls": calls}
    more = fields.object("chat_template_kwargs")
    kwargs = {} if more is None else dict(more.values)
    if fields.get("reasoning_effort") is not None:
        kwargs["reasoning_effort"] = fields.text("reasoning_effort")
    return model.apply_template(
        messages, tools=tools_of(fields).told, parse_special=parse_special, template_kwargs=kwargs,
        continue_final_message=fields.flag("continue_final_message"),
    )  # fmt: skip


def _called(call: dict[str, Any]) -> dict[str, Any]:
    """Return a tool call as chat templates expect it, with parsed arguments: clients send them as a JSON string."""
    function = call.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, RecursionError):
        return call
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(arguments, dict) else call


def _common(fields: Fields, model: ServedModel) -> dict[str, Any]:
    options = fields.object("stream_options")
    seed = fields.whole("seed", -1, -_SEEDS, _SEEDS) if fields.get("seed") is not None else None
    return {
        "sampling": _sampling(fields),
        "lora": adapters_of(fields, model.adapters),
        "seed": None if seed is None else seed % _SEEDS,
        "is_streamed": fields.flag("stream"),
        "has_usage": options is not None and options.flag("include_usage"),
    }


def default_sampling() -> dict[str, Any]:
    """Return the sampling parameters of a request that has none."""
    return _sampling(Fields({}))


def _sampling(fields: Fields) -> dict[str, Any]:
    sampling: dict[str, Any] = {
        "temperature": fields.number("temperature", 0.8, 0, 100),
        "top_p": fields.number("top_p", 0.95, 0, 1),
        "min_p": fields.number("min_p", 0.05, 0, 1),
        "top_k": fields.whole("top_k", 40, 0, _MOST_TOKENS),
        "repeat_penalty": fields.number("repeat_penalty", 1, 0.01, 100),
        "frequency_penalty": fields.number("frequency_penalty", 0, -100, 100),
        "presence_penalty": fields.number("presence_penalty", 0, -100, 100),
        "stop": fields.texts("stop", _MOST_STOPS),
    }
    if (bias := fields.object("logit_bias")) is not None:
        sampling["logit_bias"] = {_token(name, bias): bias.number(name, 0, -1000, 1000) for name in bias.values}
    if fields.get("grammar") is not None:
        sampling["grammar"] = fields.text("grammar")
    schema = _schema(fields)
    if schema is not None and "grammar" in sampling:
        raise wrong("both a grammar and a response_format", "response_format")
    return sampling if schema is None else sampling | {"json_schema": schema}


def _token(name: str, bias: Fields) -> int:
    if not (name.isascii() and name.isdecimal() and len(name) < 10):
        raise bias.wrong(name, "the numbers of tokens as names")
    return int(name)


def _schema(fields: Fields) -> dict[str, Any] | None:
    """Return the JSON schema that ``response_format`` requires, or None."""
    form = fields.object("response_format")
    kind = "text" if form is None else form.choice("type", "text", "json_object", "json_schema")
    if form is None or kind == "text":
        return None
    if kind == "json_object":
        return dict(form.get("schema")) if isinstance(form.get("schema"), dict) else {"type": "object"}
    schema = (form.object("json_schema") or Fields({})).get("schema")
    if not isinstance(schema, dict):
        raise form.wrong("json_schema", 'an object with a "schema"')
    return schema


def texts(fields: Fields, name: str, words: Prompts, most: int) -> list[list[int]]:
    """Return the token ids of a field: a string, a list of token ids, or a list of at most ``most`` of these."""
    given = fields.get(name)
    if isinstance(given, str) or (isinstance(given, list) and given and isinstance(given[0], int)):
        given = [given]
    if not isinstance(given, list) or not 0 < len(given) <= most:
        raise fields.wrong(name, f"a text, a list of tokens, or at most {most} of these")
    return [ids_of(one, fields, name, words) for one in given]


def inputs(fields: Fields, words: Prompts) -> list[list[int]]:
    """Return the token ids of a request's inputs to embed.

    Raises:
        ServeError: a field is invalid, or the model makes no embeddings.
    """
    if fields.get("dimensions") is not None:
        raise fields.wrong("dimensions", "nothing: a vector is as long as the model makes it")
    given = texts(fields, "input", words, _MOST_EMBEDDED)
    check_room(given, 0, words.model, "input")
    if not words.model.can_embed:
        raise wrong("the model does not say how it makes embeddings", "model")
    return given


def ids_of(given: Any, fields: Fields, name: str, words: Prompts) -> list[int]:
    """Return the token ids of a string, or of a list, whose ids it validates."""
    if isinstance(given, str):
        return words.encode(given, name)
    n_tokens = words.model.tokenizer.n_tokens
    if not isinstance(given, list) or not all(type(one) is int and 0 <= one < n_tokens for one in given):
        raise fields.wrong(name, f"texts, or tokens from 0 to {n_tokens - 1}")
    return given


def check_room(prompts: list[list[int]], max_tokens: int, model: ServedModel, name: str) -> None:
    """Check that each prompt has tokens and fits the context, with room for one more token unless max_tokens is 0.

    Raises:
        ServeError: a prompt is empty or too long.
    """
    for prompt in prompts:
        if not prompt:
            raise wrong(f"{name} has no tokens", name)
        if len(prompt) + min(max_tokens, 1) > model.n_ctx:
            told = f"{name} has {len(prompt)} tokens: the model's context has {model.n_ctx}, for the answer, too"
            raise wrong(told, name, "context_length_exceeded")
