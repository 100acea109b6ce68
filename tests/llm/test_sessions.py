# SPDX-License-Identifier: MIT
"""Models that are larger than one DSP process can map: layers in a row, with their cache beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Faults

from llm import tiny
from pyhexagon import LLM, Device, DspMemoryError

KIB = 1 << 10
TOKENS = [1, *np.random.default_rng(3).integers(3, tiny.N_TOKENS, 8).tolist()]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A layer has about 130 KiB of weights; its embedding and its output matrix lie apart."""
    path = tmp_path_factory.mktemp("models") / "model.gguf"
    return tiny.write(path, "llama", layers=9, tied=False)


@pytest.fixture(scope="module")
def wanted(model: Path) -> Any:
    with LLM(model, 64, device="loopback") as llm:
        return llm.generate(TOKENS, 4, temperature=0), llm._logits(TOKENS)


@pytest.mark.parametrize("case", [(1100, "loopback"), (850, "loopback"), (800, "loopback:qemu")])
def test_layers_in_a_row_over_several_sessions(
    model: Path, wanted: Any, faults: Faults, monkeypatch: pytest.MonkeyPatch, case: tuple[int, str]
) -> None:
    limit, engine = case
    faults.set("map_limit", limit * KIB)
    with LLM(model, 64, device=engine) as llm:
        assert np.array_equal(llm._logits(TOKENS), wanted[1])
        n_sessions = len(llm.device.sessions)
        assert n_sessions > 1
        sent: list[int] = []
        for session in llm.device.sessions:

            def counted(*given: Any, run: Any = session.run, index: int = session.index) -> Any:
                sent.append(index)
                return run(*given)

            monkeypatch.setattr(session, "run", counted)
        assert llm.generate(TOKENS, 4, temperature=0).tokens == wanted[0].tokens
        assert sent == [*range(n_sessions)] * 4


def test_pages_are_copied_where_their_cache_is(model: Path, wanted: Any, faults: Faults, tmp_path: Path) -> None:
    faults.set("map_limit", 1250 * KIB)
    with LLM(model, 64, n_sequences=2, device="loopback") as llm:
        llm._logits([*TOKENS, 5])
        assert len(llm.device.sessions) > 1
        llm._logits([*TOKENS, 6])  # of a copy
        llm.save(tmp_path / "text.npz", TOKENS)
        llm.load(tmp_path / "text.npz")
        assert np.array_equal(llm._logits(TOKENS), wanted[1])
        assert all(len(layer.buffer.mapped) < 2 for layer in llm._context.cache.layers)


def test_a_cache_that_does_not_fit_beside_the_weights_is_refused_before_they_are_read(
    model: Path, faults: Faults
) -> None:
    faults.set("map_limit", 1100 * KIB)
    seen: list[int] = []
    with Device("loopback", max_sessions=2) as device:
        with pytest.raises(DspMemoryError, match="with room beside them"):
            LLM(model, 4096, device=device, progress=lambda done, _: seen.append(done))
        assert not seen
        with LLM(model, 64, device=device) as llm:
            llm.logits(TOKENS[:1])
