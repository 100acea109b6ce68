# SPDX-License-Identifier: MIT
"""Models whose matmuls CPU and DSP share: the same tokens and log-probabilities for any share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.stage import BatchShape, Stage
from pyhexagon.llm.memory import meetings_bytes, planned
from pyhexagon.memory.memory import allocation_size

N_TOKENS = 6
PROMPT = [1, *np.random.default_rng(0).integers(3, tiny.N_TOKENS, 72).tolist()]


@pytest.mark.parametrize("name", ["llama", "qwen3moe"])
def test_a_share_changes_no_token(tmp_path: Path, name: str) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", name, **tiny.TINY[name])
    made = []
    for share in (0.0, 0.3, 0.9):
        with LLM(path, 128, device="loopback", cpu_share=share) as llm:
            generation = llm.generate(PROMPT, N_TOKENS, temperature=0)
            made.append((generation.tokens, generation.logprobs, llm.logits(PROMPT).tobytes()))
            state = llm.device._runner.sharing
            assert (state is None) == (share == 0)
            assert state is None or state.totals.cpu_rows + state.totals.taken_rows > 0
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("name", ["llama", "qwen3moe", "gpt-oss"])
def test_the_plan_has_the_meetings_of_each_program(tmp_path: Path, name: str) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", name, **{**tiny.TINY[name], "ffn": 512, "expert_ffn": 160})
    with GGUFFile(path) as file, LLM(path, 128, device="loopback", cpu_share=0.4) as llm:
        (model,) = llm._models
        plans = {share: planned(file, checked(file), 128, cpu_share=share) for share in (0.0, 0.4)}
        looked_up = "token_embd.weight" if "output.weight" in file else ""
        shapes = {name: file.info(name).shape for name in file if name != looked_up}
        stage = Stage(model, 128)
        total = 0
        for n_rows in (1, 2, 8, 64):
            program = stage.program(BatchShape(n_rows, 1, 1, 0, "wanted", 0))
            n_bytes = meetings_bytes(shapes, model.config, 0.4, n_rows)
            assert program._plan.meeting_bytes == n_bytes > 0
            before = llm.memory()["compute"]
            assert program._meetings.buffer(n_bytes).size == allocation_size(n_bytes)
            assert llm.memory()["compute"] - before in (0, allocation_size(n_bytes))  # 0: from the pool
            total += allocation_size(n_bytes)
        assert plans[0.4].compute - plans[0.0].compute > total
        assert plans[0.4][:2] == plans[0.0][:2]
