# SPDX-License-Identifier: MIT
"""Mixtures of experts: which ops of a layer are fused, and that fusing changes no bit."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from llm import tiny
from pyhexagon import Device, Switches
from pyhexagon.bench.timed import Reports
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage

TOKENS = [1, *np.random.default_rng(0).integers(3, tiny.N_TOKENS, 40).tolist()]
TOGETHER = {
    "qwen3moe": "mul_mat_id +mul_mat_id +swiglu mul_mat_id +mul add +add +add",  # 3 experts, and the residual
    "gpt-oss": "mul_mat_id +mul_mat_id +add_id +add_id +swiglu_oai mul_mat_id +add_id +mul add +add",  # 2
}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("engine", ["loopback", "loopback:qemu"])
@pytest.mark.parametrize("architecture", TOGETHER)
def test_experts_run_together_and_give_the_same_bits(
    qemu: str, tmp_path: Path, architecture: str, engine: str, threads: int
) -> None:
    path = tiny.write(tmp_path / "model.gguf", architecture, **tiny.TINY[architecture])
    logits = []
    for switches in (Switches(), Switches(sync=True)):  # which leaves all rules out
        with Device(engine, threads=threads, switches=switches) as device, GGUFFile(path) as file:
            model, device._tracer = Model(device, file, checked(file)), (tracer := Reports())
            with closing(EngineCore(Stage(model, len(TOKENS)))) as context:
                logits.append([context.logits(TOKENS[:end]) for end in (len(TOKENS) - 1, len(TOKENS))])  # many, one
            ran = " ".join(("+" if op.fused else "") + op.op for op in tracer.reports[-1].ops)
            n = ran.count(TOGETHER[architecture])
            assert n == (0 if switches.sync else model.config.n_layers)
    for together, apart in zip(*logits, strict=True):
        np.testing.assert_array_equal(together.view(np.uint32), apart.view(np.uint32))
