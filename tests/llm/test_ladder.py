# SPDX-License-Identifier: MIT
"""Models of published shapes in published mixes: types, and the plan of sessions and memory against reality."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing

import pytest
from conftest import Faults

from pyhexagon import ArgumentError, Device, DspMemoryError
from pyhexagon.bench import random_model
from pyhexagon.bench.mixes import MIXES
from pyhexagon.bench.timed import CountedTransport
from pyhexagon.llm import memory
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage, room
from pyhexagon.process.resources import WORKSPACE_BYTES

N_CTX = 128
PUBLISHED = {  # number of tensors by type in published files
    ("gemma3:270M", "Q4_K_M"): {"F32": 109, "Q5_0": 81, "Q4_K": 27, "Q8_0": 10, "Q6_K": 9},
    ("gpt-oss:20B", "Q4_K_M"): {"F32": 289, "Q5_0": 61, "Q8_0": 13, "Q4_K": 24, "MXFP4": 72},
    ("gpt-oss:20B", "Q8_0"): {"F32": 289, "Q8_0": 98, "MXFP4": 72},
    ("qwen3:0.6B", "Q8_0"): {"F32": 113, "Q8_0": 197},
}
TINY = {
    "qwen3:tiny": random_model.Shape(256, 6, 4, 2, 64, 768, 500),
    "llama:tiny": random_model.Shape(256, 5, 4, 4, 64, 1024, 900, is_tied=False),
    "qwen3moe:tiny": random_model.Shape(
        256, 4, 4, 2, 64, 512, 300, is_tied=False, n_experts=8, n_experts_used=2, expert_ffn=256
    ),
}


@pytest.mark.parametrize(("shape", "mix"), PUBLISHED)
def test_the_types_are_those_of_published_files(shape: str, mix: str) -> None:
    with random_model.opened(shape, mix) as file:
        assert Counter(file.info(name).type_name for name in file) == PUBLISHED[shape, mix]


def test_an_unknown_mix_is_refused() -> None:
    with pytest.raises(ArgumentError, match="unknown mix 'Q4_K_X': expected one of Q4_0, Q4_K_M, Q8_0"):
        random_model.opened("llama:1B", "Q4_K_X").__enter__()


@pytest.mark.parametrize("shape", TINY)
@pytest.mark.parametrize("mix", MIXES)
def test_sessions_and_memory_are_as_planned(
    shape: str, mix: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are as many sessions and bytes of weights and cache as planned; each session gets one message per token."""
    monkeypatch.setitem(random_model.SHAPES, shape, TINY[shape])
    limit = 2900 << 10
    faults.set("map_limit", limit)
    with random_model.opened(shape, mix) as file, Device("loopback") as device:
        can_run = checked(file)
        plan = memory.planned(file, can_run, N_CTX)
        sessions = memory.planned_sessions(file, can_run, N_CTX, limit + WORKSPACE_BYTES)
        model = Model(device, file, can_run, room(can_run[0], N_CTX))
        with closing(EngineCore(Stage(model, N_CTX))) as core:
            core.logits([1, 2])
            core.logits([1, 2, 3])
            used = memory.used(device, model.weights.tensors(), core.stages.tensors())
            assert len(used) == len(sessions) > 1
            assert sum(one.model for one in used) == plan.model
            assert sum(one.context for one in used) == plan.context
            with ExitStack() as stack:
                carried = [stack.enter_context(CountedTransport(session)) for session in device._sessions]
                core.logits([1, 2, 3, 4])
            assert [len(one.responses) for one in carried] == [1] * len(sessions)


def test_a_weight_larger_than_a_session_has_no_plan() -> None:
    with random_model.opened("llama:135M") as file, pytest.raises(DspMemoryError, match=r"token_embd\.weight has"):
        memory.planned_sessions(file, checked(file), N_CTX, 8 << 20)
