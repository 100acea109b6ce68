# SPDX-License-Identifier: MIT
"""Granite 4 H and Falcon-H1: layers with Mamba 2, instead of attention and beside it.

test_published.py compares them with llama.cpp and a float64 pass, and cuts of prompts and batches with each other;
test_recurrent.py has what models with a recurrent state share.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llm import published
from llm.published_oracle import TOKENS
from pyhexagon import LLM, Device, UnsupportedError

HYBRID, EXPERTS, PARALLEL = "Granite 4.0 H Micro", "Granite 4.0 H Tiny", "Falcon-H1 0.5B"


def write(path: Path, model: str = HYBRID, **keys: Any) -> Path:
    return published.write(path, published.named(model), **keys)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize(
    ("model", "keys", "words"),
    [
        (HYBRID, {"attention.head_count_kv": [0] * 7}, "head_count_kv is 0 in all layers: none has attention"),
        (HYBRID, {"attention.head_count_kv": [2] * 7}, "the tensor blk.0.attn_q.weight is missing"),
        (HYBRID, {"ssm.time_step_rank": 7}, "Mamba 2 with 7 heads in 1 groups, 512 wide, 48 states, 4 taps"),
        (HYBRID, {"ssm.group_count": 3}, "Mamba 2 with 8 heads in 3 groups"),
        (HYBRID, {"ssm.state_size": 2048}, "Mamba 2 with 8 heads in 1 groups, 512 wide, 2048 states"),
        (HYBRID, {"ssm.conv_kernel": 1}, "Mamba 2 .* 1 taps"),
        (HYBRID, {"ssm.state_size": 32}, r"blk.0.ssm_in.weight has the shape \(1128, 256\), not \(1096, 256\)"),
        (HYBRID, {"ssm.group_count": 2}, r"blk.0.ssm_norm.weight has the shape \(512,\), not \(2, 256\)"),
        (HYBRID, {"expert_used_count": 2}, "expert_used_count is 2, only 0 is supported"),
        (HYBRID, {"ssm.dt_b_c_rms": True}, "ssm.dt_b_c_rms = True is not known"),
        (EXPERTS, {"expert_count": 0}, "expert_used_count is 3, only 0 is supported"),
        (EXPERTS, {"expert_gating_func": 2}, "expert_gating_func is 2, only 0 or 1 is supported"),
        (PARALLEL, {"attention.head_count_kv": [0, 2]}, r"attention.head_count_kv is \(0, 2\): 0 in a layer with att"),
        (PARALLEL, {"mlp_gate_multiplier": 0.5}, "mlp_gate_multiplier = 0.5 is not known"),
        (PARALLEL, {"rope.scaling.finetuned": False, "ssm.has_mup": True}, "ssm.has_mup = True is not known"),
    ],
)
def test_what_cannot_run_is_refused(
    tmp_path: Path, device: Device, model: str, keys: dict[str, Any], words: str
) -> None:
    with pytest.raises(UnsupportedError, match=words):
        LLM(write(tmp_path / "model.gguf", model, **keys), 64, device=device)


def test_granite_4_without_mamba_layers_may_have_their_keys(tmp_path: Path, device: Device) -> None:
    keys = {"ssm.conv_kernel": 4, "ssm.state_size": 256, "ssm.group_count": 1, "ssm.inner_size": 4096,
            "ssm.time_step_rank": 64, "expert_count": 0, "expert_shared_feed_forward_length": 8192}  # fmt: skip
    plain = write(tmp_path / "plain.gguf", "Granite 3.1 2B")
    with LLM(plain, 64, device=device) as llm:
        wanted = llm(TOKENS[:20])
    with LLM(write(tmp_path / "model.gguf", "Granite 3.1 2B", **keys), 64, device=device) as llm:
        assert np.array_equal(llm(TOKENS[:20]), wanted)
