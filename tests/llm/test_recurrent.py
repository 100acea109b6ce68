# SPDX-License-Identifier: MIT
"""Models with a recurrent state: drafts, prefix caching, saved sequences, several sessions, and memory as planned.

test_mamba2.py and test_lfm2.py have what only one of them has, test_qwen35.py has delta nets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Faults

from llm import published
from llm.published_oracle import TOKENS
from pyhexagon import LLM, Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.recurrent_state import DeviceStates
from pyhexagon.llm.memory import planned

MODELS = "Granite 4.0 H Micro", "Falcon-H1 0.5B", "LFM2 1.2B"


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published.write(tmp_path_factory.mktemp("models") / "model.gguf", published.named(request.param))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


def no_end(llm: LLM) -> dict[str, Any]:
    """Return options with which an answer does not end by itself."""
    return {"temperature": 0, "logit_bias": dict.fromkeys(llm.tokenizer.ends, -np.inf)}


@pytest.mark.parametrize("engine", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long)])
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


def test_the_size_of_prefill_chunks_changes_no_token(model: Path, device: Device, rows: list[list[int]]) -> None:
    prompts = [TOKENS[:20], TOKENS[:9], TOKENS[:3]]
    with LLM(model, 64, n_sequences=3, device=device) as llm:
        wanted = [one.tokens for one in llm.generate_all(prompts, 8, **no_end(llm))]
        logits = llm.logits(TOKENS[:20])[-1]
    for n_batch in (1, 3, 8):
        rows.clear()
        with LLM(model, 64, n_sequences=3, n_batch=n_batch, draft_model="lookup", device=device) as llm:
            assert [one.tokens for one in llm.generate_all(prompts, 8, **no_end(llm))] == wanted
            assert max(rows[0]) <= n_batch
            assert np.array_equal(llm.logits(TOKENS[:20])[-1], logits)


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


def test_layers_over_several_sessions_change_no_bit(model: Path, faults: Faults) -> None:
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


@pytest.mark.parametrize("model", MODELS[:2])
def test_padding_sequences_have_no_memory(tmp_path: Path, device: Device, model: str) -> None:
    with LLM(published.write(tmp_path / "model.gguf", published.named(model)), 64, device=device) as llm:
        states = llm._core.stages.states
        assert isinstance(states, DeviceStates)
        (n_inputs, _), (n_heads, _) = states.shapes
        inputs, matrices = states.layers[0]
        assert inputs.shape[0] == 5 * n_inputs  # four of a sequence, and zeros
        assert matrices.shape[0] == 5 * n_heads
