# SPDX-License-Identifier: MIT
"""From sampling parameters to the sampler and the logits processors of a request, in the order of llama.cpp's chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pyhexagon.arguments import whole_number
from pyhexagon.llm.engine.dry import MOST, SequenceBreakers, Tails, dry
from pyhexagon.llm.engine.forward import MAX_TOP_LOGITS
from pyhexagon.llm.engine.sampling import Processor, Sampler, biased, greedy, penalised, sampler

_PENALTIES: Final = ("repeat", "frequency", "presence")
Params = Mapping[str, Any]  # ``SamplingParams`` with all defaults, and the temperature


def sampler_of(params: Params, n_tokens: int) -> tuple[Sampler, int]:
    """Return the sampler, and the number of top logits that it needs; 0: all of them.

    Args:
        n_tokens: size of the vocabulary.

    Raises:
        ArgumentError: a parameter is out of range.
    """
    if params["sampler"] is not None:
        return params["sampler"], 0
    top_k = params["top_k"]
    draw = sampler(
        params["temperature"], top_k=top_k, top_p=params["top_p"], min_p=params["min_p"], seed=params["seed"],
        typical_p=params["typical_p"], top_n_sigma=params["top_n_sigma"], xtc_threshold=params["xtc_threshold"],
        xtc_probability=params["xtc_probability"],
    )  # fmt: skip
    if draw is greedy:
        return draw, 1
    needs_all = top_k > MAX_TOP_LOGITS or params["top_n_sigma"] > 0
    return draw, 0 if needs_all else min(top_k, n_tokens)


def processors_of(params: Params, breakers: SequenceBreakers, n_ctx: int) -> list[Processor]:
    """Return the logits processors: biases, penalties, DRY, then those of the request.

    Args:
        breakers: of the model's vocabulary.
        n_ctx: context length.

    Raises:
        ArgumentError: a parameter is out of range.
    """
    made: list[Processor] = []
    if params["logit_bias"]:
        made.append(biased(params["logit_bias"]))
    if (params["repeat_penalty"], params["frequency_penalty"], params["presence_penalty"]) != (1, 0, 0):
        made.append(_penalties(params, n_ctx))
    if params["dry_multiplier"] != 0:
        made.append(_dry(params, n_ctx, breakers.tails(params["dry_sequence_breakers"])))
    return [*made, *params["processors"]]


def check(params: Params) -> None:
    """Check all numbers, without a model.

    Raises:
        ArgumentError: a parameter is out of range.
    """
    sampler_of(params, 1)
    _penalties(params, 1)
    _dry(params, 1, {})


def _penalties(params: Params, n_ctx: int) -> Processor:
    last = params["repeat_last_n"]
    whole_number("repeat_last_n", last, -1, MOST, "-1")
    return penalised(**{name: params[f"{name}_penalty"] for name in _PENALTIES}, last=n_ctx if last == -1 else last)


def _dry(params: Params, n_ctx: int, breakers: Tails) -> Processor:
    return dry(
        params["dry_multiplier"], base=params["dry_base"], allowed_length=params["dry_allowed_length"],
        last=params["dry_penalty_last_n"], breakers=breakers, n_ctx=n_ctx,
    )  # fmt: skip
