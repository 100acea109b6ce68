# SPDX-License-Identifier: MIT
"""What clients ask for: bodies of requests, checked, with what the model needs to answer them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyhexagon.llm.templates import ROLES
from pyhexagon.serve.backend import Continuation, Vocabulary
from pyhexagon.serve.errors import wrong
from pyhexagon.serve.fields import Fields
from pyhexagon.serve.prompts import Prompts
from pyhexagon.serve.tools import tools_of

MOST_CHOICES: Final = 64  # texts that one request may make
_MOST_STOPS: Final = 16
_MOST_TOP: Final = 20
_SEEDS: Final = 1 << 64
_MOST_TOKENS: Final = 1 << 30


@dataclass(frozen=True)
class Generating:
    """Texts that shall go on.

    Attributes:
        prompts: ids of each.
        n: how many answers each gets.
        n_most: tokens of an answer; None: as many as there is room for.
        sampling: for ``LLM.stream``.
        seed: of the first answer of each; the next one has the next number. None: each its own.
        n_likeliest: how many likely tokens are told for each; None: not even the probability of the token itself.
        is_streamed: whether parts are sent when they are there.
        has_usage: whether a stream ends with the numbers of tokens.
        echo: whether the prompt stands before the answer.
        tools: names of those that may be called.
        is_forced: whether the answer is a call.
    """

    prompts: list[list[int]]
    n: int
    n_most: int | None
    sampling: dict[str, Any]
    seed: int | None
    n_likeliest: int | None
    is_streamed: bool
    has_usage: bool
    echo: bool = False
    tools: frozenset[str] = frozenset()
    is_forced: bool = False

    @property
    def is_scored(self) -> bool:
        """Whether parts of the prompt come before those of the answer."""
        return self.echo and (self.n_likeliest is not None or self.n_most == 0)

    def text(self, prompt: Sequence[int], number: int, cache_salt: str) -> Continuation:
        """The work for one of the answers to a prompt."""
        seed = None if self.seed is None else self.seed + number
        n_likeliest = self.n_likeliest or 0
        sampling = self.sampling | {"seed": seed, "n_likeliest": n_likeliest}
        return Continuation(prompt, self.n_most, sampling, n_likeliest if self.is_scored else None, cache_salt)


def completion(fields: Fields, words: Prompts) -> Generating:
    """Of ``/v1/completions``.

    Raises:
        ServeError: it is wrong.
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
    n_likeliest = None if logprobs is None or logprobs is False else int(logprobs) if logprobs is not True else 0
    echo = fields.flag("echo")
    n_most = fields.whole("max_tokens", 16, 0, _MOST_TOKENS)
    if not n_most and not echo:
        raise wrong("max_tokens is 0: expected 1 or more, or echo", "max_tokens")
    check_room(prompts, n_most, words.model, "prompt")
    return Generating(prompts, n, n_most, echo=echo, n_likeliest=n_likeliest, **_common(fields))


def chat(fields: Fields, words: Prompts) -> Generating:
    """Of ``/v1/chat/completions``.

    Raises:
        ServeError: it is wrong.
        HexagonError: the model's template does not take the messages.
    """
    n = fields.whole("n", 1, 1, MOST_CHOICES)
    tools = tools_of(fields)
    forced = tools.forced
    text = rendered(fields, words.model, parse_special=fields.flag("parse_special"))
    prompts = [words.encode(text, "messages", add_special=False)]
    n_most = fields.whole("max_completion_tokens", fields.whole("max_tokens", 0, 0, _MOST_TOKENS), 0, _MOST_TOKENS)
    check_room(prompts, 1, words.model, "messages")
    has_logprobs = fields.flag("logprobs")
    n_likeliest = fields.whole("top_logprobs", 0, 0, _MOST_TOP)
    if n_likeliest and not has_logprobs:
        raise wrong("top_logprobs needs logprobs", "top_logprobs")
    common = _common(fields)
    common["sampling"]["reasoning_format"] = fields.choice("reasoning_format", "auto", "none")
    if forced is not None:
        common["sampling"]["json_schema"] = forced
    return Generating(
        prompts, n, n_most or None, n_likeliest=n_likeliest if has_logprobs else None, tools=tools.names,
        is_forced=forced is not None, **common,
    )  # fmt: skip


def rendered(fields: Fields, model: Vocabulary, *, parse_special: bool = True) -> str:
    """The text of a conversation.

    Args:
        parse_special: whether names of control tokens in messages mean these tokens.
    """
    messages = fields.objects("messages", 4096)
    if not messages:
        raise fields.wrong("messages", "at least one message")
    for number, message in enumerate(messages):
        one = Fields(message, f"messages.{number}.")
        if one.text("role") not in ROLES:
            raise one.wrong("role", " or ".join(ROLES))
        content = one.get("content")
        if isinstance(content, list):
            parts = one.objects("content", 4096)
            if any(part.get("type") != "text" or not isinstance(part.get("text"), str) for part in parts):
                raise one.wrong("content", "a text, or parts that are texts")
            messages[number] = {**message, "content": "".join(part["text"] for part in parts)}
        elif content is None:  # beside calls of tools; templates add texts
            messages[number] = {**message, "content": ""}
        elif not isinstance(content, str):
            raise one.wrong("content", "a text, or parts that are texts")
        if message.get("tool_calls") is not None:
            calls = [_called(call) for call in one.objects("tool_calls", 4096)]
            messages[number] = {**messages[number], "tool_calls": calls}
    return model.apply_template(messages, tools=tools_of(fields).told, parse_special=parse_special)


def _called(call: dict[str, Any]) -> dict[str, Any]:
    """A call as templates want it: clients send back the arguments as the text that they got."""
    function = call.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, RecursionError):
        return call
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(arguments, dict) else call


def _common(fields: Fields) -> dict[str, Any]:
    options = fields.object("stream_options")
    seed = fields.whole("seed", -1, -_SEEDS, _SEEDS) if fields.get("seed") is not None else None
    return {
        "sampling": _sampling(fields),
        "seed": None if seed is None else seed % _SEEDS,
        "is_streamed": fields.flag("stream"),
        "has_usage": options is not None and options.flag("include_usage"),
    }


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
    """What the answer must be, if it must be something."""
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
    """Ids of a text, of ids, or of a list of these."""
    given = fields.get(name)
    if isinstance(given, str) or (isinstance(given, list) and given and isinstance(given[0], int)):
        given = [given]
    if not isinstance(given, list) or not 0 < len(given) <= most:
        raise fields.wrong(name, f"a text, a list of tokens, or at most {most} of these")
    return [ids_of(one, fields, name, words) for one in given]


def ids_of(given: Any, fields: Fields, name: str, words: Prompts) -> list[int]:
    """Those of a text, or of a list that must be tokens."""
    if isinstance(given, str):
        return words.encode(given, name)
    n_tokens = words.model.tokenizer.n_tokens
    if not isinstance(given, list) or not all(type(one) is int and 0 <= one < n_tokens for one in given):
        raise fields.wrong(name, f"texts, or tokens from 0 to {n_tokens - 1}")
    return given


def check_room(prompts: list[list[int]], n_most: int, model: Vocabulary, name: str) -> None:
    """Raises ServeError unless each has tokens, and room for one more if more are wanted."""
    for prompt in prompts:
        if not prompt:
            raise wrong(f"{name} has no tokens", name)
        if len(prompt) + min(n_most, 1) > model.n_ctx:
            told = f"{name} has {len(prompt)} tokens: the model's context has {model.n_ctx}, for the answer, too"
            raise wrong(told, name, "context_length_exceeded")
