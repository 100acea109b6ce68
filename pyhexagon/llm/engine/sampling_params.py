# SPDX-License-Identifier: MIT
"""The sampling parameters of a request: their names, types and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Final, TypedDict

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.dry import BREAKERS
from pyhexagon.llm.engine.sampling import Processor, Sampler
from pyhexagon.llm.engine.speculation import NUM_DRAFT_TOKENS


class SamplingParams(TypedDict, total=False):
    """Keyword arguments of ``LLM.stream``, ``generate``, ``generate_all`` and ``chat``.

    A default is that of the model's file where the file recommends one (``LLM.sampling_defaults``).

    Attributes:
        top_k: the sampler considers this many tokens; 0: all. Default 40. See ``pyhexagon.llm.sampler``.
        top_p: probability mass to keep, 0 to 1. Default 0.95.
        min_p: least probability to keep, as a fraction of the largest one. Default 0.05.
        typical_p: probability mass of locally typical sampling, 0 to 1. Default 1: all tokens.
        top_n_sigma: standard deviations below the largest logit. Default -1: all tokens.
        xtc_probability, xtc_threshold: see ``pyhexagon.llm.sampler``. Default 0, 0.1.
        dry_multiplier, dry_base, dry_allowed_length, dry_penalty_last_n: of the penalty of repeated sequences, see
            ``pyhexagon.llm.engine.dry.dry``. Default 0 (none), 1.75, 2, -1 (the whole context).
        dry_sequence_breakers: texts that end a repeated sequence. Default: line break, colon, quote, asterisk.
        repeat_penalty, frequency_penalty, presence_penalty: see ``pyhexagon.llm.penalised``. Default 1, 0, 0.
        repeat_last_n: number of last tokens that these penalties consider; -1: the whole context. Default 64.
        stop: stop sequences, which end the completion and are not part of it.
        seed: of the random numbers; None, the default, takes a new one.
        logit_bias: numbers to add to logits, by token.
        grammar, json_schema: constrain the completion; see ``pyhexagon.llm.engine.grammar.Grammars.processor``.
        processors: further functions of tokens and logits, applied last.
        sampler: replaces the sampler of temperature, top_k, top_p, min_p and seed.
        num_draft_tokens: most draft tokens per forward pass; 0: no speculative decoding. After a rejection it is twice
            the number of accepted tokens, and one. Default 4.
        context_shift: at n_ctx, drops the older half of the tokens and continues. The other half is computed anew, so
            that the completion is that of the shortened prompt, to the bit. Default False.
        n_keep: number of the prompt's first tokens that a context shift keeps, -1 (or more than there are): all of
            them; a token that begins each prompt is always kept. Default 0.
        top_logprobs: number of ``GenerationChunk.top_logprobs``, 0 to 64. Default 0.
        cache_salt: prefix caching reuses only what requests with the same salt have computed, so that response times
            tell nothing about the prompts of others. Default "".
        lora: name of one of the LoRA adapters that ``LLM`` has loaded by name, or several names with factors on their
            products, such as ``{"a": 0.5, "b": 1.0}``. Default None: none of them.
        reasoning_format: "auto" tells reasoning apart, ``<think>...</think>``, the channels of gpt-oss and other
            models' formats: it becomes ``GenerationChunk.reasoning``. A tool call of gpt-oss becomes
            ``<tool_call>{"name": ..., "arguments": ...}</tool_call>``, and a completion with a grammar begins after the
            reasoning. "none" returns the raw text. Default "none"; "auto" for ``chat``.
        reasoning_budget: most tokens of reasoning, which is then ended; None: as many as the model needs. Only for
            reasoning that is told apart. Default None.
        visible_tokens: control tokens whose names become text of the completion, such as the marks of tool calls.
            Default (): none.
    """

    top_k: int
    top_p: float
    min_p: float
    typical_p: float
    top_n_sigma: float
    xtc_probability: float
    xtc_threshold: float
    dry_multiplier: float
    dry_base: float
    dry_allowed_length: int
    dry_penalty_last_n: int
    dry_sequence_breakers: Iterable[str]
    repeat_penalty: float
    frequency_penalty: float
    presence_penalty: float
    repeat_last_n: int
    stop: str | Iterable[str]
    seed: int | None
    logit_bias: Mapping[int, float] | None
    grammar: str | None
    json_schema: Mapping[str, Any] | str | None
    processors: Sequence[Processor]
    sampler: Sampler | None
    num_draft_tokens: int
    context_shift: bool
    n_keep: int
    top_logprobs: int
    cache_salt: str
    lora: str | Mapping[str, float] | None
    reasoning_format: str
    reasoning_budget: int | None
    visible_tokens: Sequence[int]


_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType({
    "temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05, "typical_p": 1.0, "top_n_sigma": -1.0,
    "xtc_probability": 0.0, "xtc_threshold": 0.1, "dry_multiplier": 0.0, "dry_base": 1.75, "dry_allowed_length": 2,
    "dry_penalty_last_n": -1,
    "dry_sequence_breakers": BREAKERS, "repeat_penalty": 1.0, "frequency_penalty": 0.0, "presence_penalty": 0.0,
    "repeat_last_n": 64, "stop": (), "seed": None, "logit_bias": None, "grammar": None, "json_schema": None,
    "processors": (), "sampler": None, "num_draft_tokens": NUM_DRAFT_TOKENS, "context_shift": False, "n_keep": 0,
    "top_logprobs": 0, "cache_salt": "", "lora": None, "reasoning_format": "none", "reasoning_budget": None,
    "visible_tokens": (),
})  # fmt: skip
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
RECOMMENDED: Final = (  # what a model's file may recommend
    "temperature", "top_k", "top_p", "min_p", "xtc_probability", "xtc_threshold", "repeat_penalty", "repeat_last_n",
)  # fmt: skip
_POSITIONAL: Final = ("max_tokens", "temperature")


def with_defaults(params: Mapping[str, Any], of_file: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
    """Return all sampling parameters and the temperature: the given ones, and defaults for the others.

    Args:
        params: the given ones.
        of_file: defaults that the model's file recommends.

    Raises:
        ArgumentError: there is no parameter of a given name; the message suggests a similar one.
    """
    for name in params:
        if name not in _DEFAULTS:
            similar = get_close_matches(name, [*_DEFAULTS, *_POSITIONAL], 1)
            hint = f": did you mean {similar[0]}?" if similar else ""
            raise ArgumentError(f"there is no sampling parameter {name}{hint}")
    return {**_DEFAULTS, **of_file, **params}


def shown_defaults(of_file: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of the parameters that a file may recommend: the temperature first, then by name."""
    return {name: of_file.get(name, _DEFAULTS[name]) for name in RECOMMENDED}
