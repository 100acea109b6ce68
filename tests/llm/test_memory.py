# SPDX-License-Identifier: MIT
"""The memory of a model: the plan, the allocations, and errors before anything is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from llm import tiny
from pyhexagon import LLM, Device, DspMemoryError
from pyhexagon.bench import random_model
from pyhexagon.cache import KINDS
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm import memory
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.memory import longest_context, planned

MIB = 1 << 20
GUIDE = {2048: (4460, 112, 311), 32768: (4460, 1792, 396), 65536: (4460, 3584, 429)}  # MiB: model, KV, compute


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    return tiny.write(path, "llama", width=512, ffn=2048, layers=3, n_ctx=1000)


def allocated(device: Device) -> int:
    """Return the bytes of all shared memory of the process, each buffer counted once."""
    buffers = {buffer for session in device._sessions for buffer in session.buffers()} | set(device._memory.buffers())
    return sum(buffer.size for buffer in buffers)


@pytest.mark.parametrize("n_ctx", [128, 1000])
def test_the_plan_and_the_breakdown_are_what_is_allocated(model: Path, n_ctx: int) -> None:
    with GGUFFile(model) as file:
        plan = planned(file, checked(file), n_ctx)
    with LLM(model, n_ctx, device="loopback") as llm:
        assert len(list(llm.stream([1] * 127, 1, 0))) == 1
        used = llm.memory()
        assert sum(used.values()) == allocated(llm.device)
        assert (plan.model, plan.context) == (used["model"], used["context"])
        assert plan.compute == pytest.approx(used["compute"], rel=0.5)
        report = llm.report()
        assert {name: sum(one[name] for one in report["sessions"]) for name in used} == used
        assert report["types"] == {"Q8_0": 22}
        assert report["layers"] == 4


@pytest.mark.parametrize("n_ctx", GUIDE)
def test_the_plan_of_a_7b_is_what_the_guide_says(n_ctx: int) -> None:
    """A model in Q4_K_M: half of its layers have two matrices in Q6_K, and so is the output matrix. The compute memory
    is at most the guide's.
    """
    with random_model.opened("qwen2:7B", "Q4_K_M") as file:
        plan = planned(file, checked(file), n_ctx, kind="f16")
    model, context, compute = GUIDE[n_ctx]
    assert plan.model / MIB == pytest.approx(model, rel=0.01)
    assert plan.context / MIB == pytest.approx(context, rel=0.03)
    assert plan.compute / MIB <= compute


def test_what_cannot_fit_is_refused_before_anything_is_read(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raw(self: GGUFFile, name: str) -> npt.NDArray[np.uint8]:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr(GGUFFile, "raw", raw)
    with GGUFFile(model) as file:
        needed = sum(planned(file, checked(file), 512))
    monkeypatch.setattr(memory, "available", lambda: needed - 1)
    with pytest.raises(DspMemoryError, match=rf"tiny.gguf needs {needed:,} bytes: model .* the system has"):
        LLM(model, 512, device="loopback")
    monkeypatch.setattr(memory, "available", lambda: 1 << 40)
    with pytest.raises(DspMemoryError, match="1 sessions reach 4,294,967,296 at most"):
        LLM(model, 1 << 25, device="loopback", max_sessions=1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_longest_context_fits_and_one_page_more_does_not(kind: str) -> None:
    with random_model.opened("llama:8B") as file:
        can_run = checked(file)
        plan = planned(file, can_run, 64, kind=kind)
        n_bytes = sum(plan) + 3000 * MIB
        longest = longest_context(plan, can_run[0], n_bytes, kind)
        assert sum(planned(file, can_run, longest, kind=kind)) <= n_bytes + MIB  # a page of memory for each layer
        assert sum(planned(file, can_run, longest + 64, kind=kind)) > n_bytes
        assert longest_context(plan, can_run[0], 1 << 30, kind) == 0
        assert longest_context(plan, can_run[0], 1 << 50, kind) == can_run[0].n_ctx
