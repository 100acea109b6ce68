# SPDX-License-Identifier: MIT
"""Perplexity of SmolLM2 against the float64 pass, whose losses are recorded for 2,000 tokens.

PYHEXAGON_PERPLEXITY is the number of tokens; all were compared in November 2026: docs/llm.md.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

import needs
import numpy as np
import pytest

from pyhexagon import LLM
from pyhexagon.llm.engine.sampling import log_probabilities

N: Final = int(os.environ.get("PYHEXAGON_PERPLEXITY", "128"))


def test_perplexity_is_within_a_few_thousandths_of_the_float64_pass() -> None:
    needs.require("smollm2")
    content = json.loads(Path(__file__).with_name("recorded").joinpath("smollm2_losses.json").read_text())
    tokens, wanted = content["tokens"][: N + 1], np.array(content["losses"][:N])
    with LLM(needs.SMOLLM2.path, len(tokens), device="loopback") as llm:
        rows = log_probabilities(llm.logits(tokens[:-1]))
    losses = -rows[np.arange(len(rows)), tokens[1:]]
    assert np.exp(losses.mean() - wanted.mean()) == pytest.approx(1, abs=0.015)
