# SPDX-License-Identifier: MIT
"""The sampling parameters of a request, which all APIs but Ollama's name as llama.cpp does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from pyhexagon.serve.apis.constraints import Constraints

MOST_TOKENS: Final = 1 << 30
_MOST_BREAKERS: Final = 64
_LONGEST_BREAKER: Final = 1000  # characters
_BREAKERS: Final = f"at most {_MOST_BREAKERS} texts of {_LONGEST_BREAKER} characters"

Count = Annotated[int, Meta(ge=0, le=MOST_TOKENS)]
Limit = Annotated[int, Meta(ge=-1, le=MOST_TOKENS)]  # of tokens; -1: up to the context length
TopK = Annotated[int, Meta(ge=-1, le=MOST_TOKENS)]  # -1, as 0: all tokens
Temperature = Annotated[float, Meta(ge=-1, le=100)]  # below 0 it is greedy, as 0
Probability = Annotated[float, Meta(ge=0, le=1)]
Penalty = Annotated[float, Meta(ge=-100, le=100)]
Sigma = Annotated[float, Meta(ge=-1000, le=1000)]
Multiplier = Annotated[float, Meta(ge=0, le=1000)]
Base = Annotated[float, Meta(ge=1, le=1000)]
RepeatPenalty = Annotated[float, Meta(ge=0.01, le=100)]
Breakers = Annotated[
    Sequence[Annotated[str, Meta(max_length=_LONGEST_BREAKER)]], Meta(max_length=_MOST_BREAKERS, description=_BREAKERS)
]


class SamplingFields(Constraints):
    """Sampling parameters, and what constrains a completion. Parameters that a request does not have are the model's,
    see ``LLM.sampling_defaults``."""

    temperature: Temperature | None = None
    top_p: Probability | None = None
    min_p: Probability | None = None
    top_k: TopK | None = None
    typical_p: Probability | None = None
    top_n_sigma: Sigma | None = None
    xtc_probability: Probability | None = None
    xtc_threshold: Probability | None = None
    dry_multiplier: Multiplier | None = None
    dry_base: Base | None = None
    dry_allowed_length: Count | None = None
    dry_penalty_last_n: Limit | None = None
    dry_sequence_breakers: Breakers | None = None
    repeat_penalty: RepeatPenalty | None = None
    repetition_penalty: RepeatPenalty | None = None
    repeat_last_n: Limit | None = None
    frequency_penalty: Penalty | None = None
    presence_penalty: Penalty | None = None
    ignore_eos: bool = False
