# SPDX-License-Identifier: MIT
"""Granite 4 H and Falcon-H1: layers with Mamba 2, instead of attention and beside it.

test_published.py compares them with llama.cpp and a float64 pass, and cuts of prompts and batches with each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import needs
import numpy as np
import pytest
from conftest import Faults

from llm import published
from llm.published_oracle import TOKENS
from pyhexagon import LLM, Device, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.memory import planned
from pyhexagon.llm.model import checked

HYBRID, EXPERTS, PARALLEL = "Granite 4.0 H Micro", "Granite 4.0 H Tiny", "Falcon-H1 0.5B"


def write(path: Path, model: str = HYBRID, **keys: Any) -> Path:
    needs.require("published files")
    (header,) = (one for one in published.headers() if one.model == model)
    return published.write(path, header, **keys)


@pytest.fixture(scope="module", params=[HYBRID, PARALLEL])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "model.gguf", request.param)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


def no_end(llm: LLM) -> dict[str, Any]:
    """Return options with which an answer does not end by itself."""
    return {"temperature": 0, "logit_bias": dict.fromkeys(llm.tokenizer.ends, -np.inf)}


@pytest.mark.parametrize("engine", ["loopback", "loopback:qemu"])
def test_rejected_draft_tokens_change_no_token(model: Path, engine: str) -> None:
    with LLM(model, 64, device=engine) as llm:
        wanted = llm.generate(TOKENS[:20], 12, **no_end(llm)).tokens
    text = [*TOKENS[:20], *wanted]

    def draft(tokens: Sequence[int], n: int) -> Sequence[int]:
        return [3 if at % 5 == 4 else text[at] for at in range(len(tokens), min(len(tokens) + n, len(text)))]

    with LLM(model, 64, device=engine, draft_model=draft) as llm:
        made = llm.generate(TOKENS[:20], 12, **no_end(llm))
        assert made.tokens == wanted
        assert 0 < made.draft_n_accepted < made.draft_n


def test_a_cached_prefix_is_not_computed_again(model: Path, device: Device, rows: list[list[int]]) -> None:
    with LLM(model, 128, device=device) as llm:
        wanted = llm([*TOKENS[:70], 9])
        llm._core.clear_cache()
        llm(TOKENS[:70])
        rows.clear()
        assert np.array_equal(llm([*TOKENS[:70], 9]), wanted)
        again = llm([*TOKENS[:68], 9])  # back to the checkpoint after the chunks of 64 and 4 tokens
        assert rows == [[1], [1]]
        llm._core.clear_cache()
        assert np.array_equal(llm([*TOKENS[:68], 9]), again)


def test_saved_and_loaded_a_text_goes_on_with_the_same_bits(model: Path, device: Device, tmp_path: Path) -> None:
    with LLM(model, 128, device=device) as llm:
        llm.save(tmp_path / "text.npz", TOKENS[:70])
        wanted = llm(TOKENS[:71])
    with LLM(model, 128, device=device) as other:
        assert other.load(tmp_path / "text.npz") == TOKENS[:70]
        assert np.array_equal(other(TOKENS[:71]), wanted)


def test_layers_over_several_sessions_change_no_bit(tmp_path: Path, faults: Faults) -> None:
    model = write(tmp_path / "model.gguf")
    with LLM(model, 64, device="loopback") as llm:
        wanted = llm(TOKENS[:20])
        used = llm.memory()
    faults.set("map_limit", (used["model"] + used["context"]) * 3 // 4)
    with LLM(model, 64, device="loopback") as llm:
        assert np.array_equal(llm(TOKENS[:20]), wanted)
        assert len(llm.device._sessions) > 1


def test_what_it_takes_is_what_was_planned(model: Path) -> None:
    with GGUFFile(model) as file:
        plan = planned(file, checked(file), 128, n_sequences=2)
    with LLM(model, 128, n_sequences=2, device="loopback") as llm:
        llm.generate(TOKENS, 1)
        used = llm.memory()
        assert (plan.model, plan.context) == (used["model"], used["context"])


@pytest.mark.parametrize(
    ("model", "keys", "words"),
    [
        (HYBRID, {"attention.head_count_kv": [0] * 7}, "head_count_kv is 0 in all layers: none has attention"),
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
