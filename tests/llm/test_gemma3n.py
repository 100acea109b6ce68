# SPDX-License-Identifier: MIT
"""Gemma 3n's keys, and its memory; test_published.py compares its results with llama.cpp's and with float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from llm import published
from pyhexagon import LLM, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.memory import planned
from pyhexagon.process.resources import WORKSPACE_BYTES

N_CTX = 200
MODEL = "Gemma 3n E2B"


def written(path: Path, **more: Any) -> Path:
    return published.write(path / "model.gguf", published.named(MODEL), is_hollow=bool(more), **more)


def test_the_plan_is_near_what_is_allocated(tmp_path: Path) -> None:
    model = written(tmp_path)
    with GGUFFile(model) as file:
        plan = planned(file, checked(file), N_CTX)
    with LLM(model, N_CTX, device="loopback") as llm:
        assert len(list(llm.stream([1] * 127, 1, 0))) == 1
        used = llm.memory()
    assert (plan.model, plan.context) == (used["model"], used["context"])
    assert plan.compute == pytest.approx(used["compute"] - WORKSPACE_BYTES, rel=0.3)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("altup.num_inputs", 3, "gemma3n.altup.num_inputs is not 4"),
        ("altup.active_idx", 1, "gemma3n.altup.active_idx is not 0"),
        ("activation_sparsity_scale", 1.5, "gemma3n.activation_sparsity_scale is 1.5, not 22 numbers"),
        ("activation_sparsity_scale", [1] * 22, "gemma3n.activation_sparsity_scale is array.*, not numbers"),
        ("attention.shared_kv_layers", 1.5, "gemma3n.attention.shared_kv_layers is 1.5, not an integer"),
        ("attention.shared_kv_layers", 22, "22 of 22 layers share keys and values: no earlier layer has them"),
        ("final_logit_softcapping", 0.5, "a soft cap of 0.5: expected 1 to 4096"),
    ],
)
def test_keys_that_cannot_be_run(tmp_path: Path, name: str, value: Any, words: str) -> None:
    with GGUFFile(written(tmp_path, **{name: value})) as file, pytest.raises(UnsupportedError, match=words):
        checked(file)
