# SPDX-License-Identifier: MIT
"""Models that exceed the memory that one DSP process can map: each session has consecutive layers with their KV cache.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Faults
from waiting import LONG

from llm import tiny
from pyhexagon import LLM, Device, DeviceLostError, DspMemoryError
from pyhexagon._ffi import loopback
from pyhexagon.llm.files.weights import EMBEDDING
from pyhexagon.memory.buffer import Pin

KIB = 1 << 10
TOKENS = [1, *np.random.default_rng(3).integers(3, tiny.N_TOKENS, 8).tolist()]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a model with about 130 KiB of weights per layer, whose embedding and output matrix are separate tensors."""
    path = tmp_path_factory.mktemp("models") / "model.gguf"
    return tiny.write(path, "llama", layers=9, tied=False)


@pytest.fixture(scope="module")
def wanted(model: Path) -> Any:
    with LLM(model, 64, device="loopback") as llm:
        return llm.generate(TOKENS, 4, temperature=0), llm(TOKENS)


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a model whose embedding is also its output matrix: 68 KiB."""
    return tiny.write(tmp_path_factory.mktemp("models") / "tied.gguf", "llama", layers=9)


@pytest.fixture(scope="module")
def wanted_of_tied(tied: Path) -> Any:
    with LLM(tied, 64, device="loopback") as llm:
        return llm.generate(TOKENS, 4, temperature=0).tokens, llm(TOKENS), llm.memory()


def counted(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that receives the number of the session of each message from now on."""
    sent: list[int] = []
    for session in llm.device._sessions:

        def run(*given: Any, run: Any = session.run, index: int = session.index) -> Any:
            sent.append(index)
            return run(*given)

        monkeypatch.setattr(session, "run", run)
    return sent


@pytest.mark.parametrize("case", [(1100, "loopback"), (850, "loopback"), (800, "loopback:qemu")])
def test_layers_in_a_row_over_several_sessions(
    model: Path, wanted: Any, faults: Faults, monkeypatch: pytest.MonkeyPatch, case: tuple[int, str]
) -> None:
    limit, engine = case
    faults.set("map_limit", limit * KIB)
    with LLM(model, 64, device=engine) as llm:
        assert np.array_equal(llm(TOKENS), wanted[1])
        n_sessions = len(llm.device._sessions)
        assert n_sessions > 1
        domains = llm.report()["device"]["domains"]
        assert len({one["session_id"] for one in domains}) == len({one["domain_id"] for one in domains}) == n_sessions
        for one in domains:
            assert (one["domain_id"] == 3) == (one["session_id"] == 0)
            assert one["session_id"] == 0 or f"&_session={one['session_id']}" in one["uri"]
        sent = counted(llm, monkeypatch)
        assert llm.generate(TOKENS, 4, temperature=0).tokens == wanted[0].tokens
        assert sent == [*range(n_sessions)] * 4


@pytest.mark.parametrize("case", [(1200, "loopback"), (950, "loopback"), (700, "loopback"), (950, "loopback:qemu")])
def test_an_embedding_that_is_the_output_matrix_lies_at_both_ends(
    tied: Path, wanted_of_tied: Any, faults: Faults, monkeypatch: pytest.MonkeyPatch, case: tuple[int, str]
) -> None:
    limit, engine = case
    faults.set("map_limit", limit * KIB)
    tokens, logits, memory = wanted_of_tied
    with LLM(tied, 64, device=engine) as llm:
        n_sessions = len(llm.device._sessions)
        assert n_sessions > 1
        assert np.array_equal(llm(TOKENS), logits)
        sent = counted(llm, monkeypatch)
        assert llm.generate(TOKENS, 4, temperature=0).tokens == tokens
        assert sent == [*range(n_sessions)] * 4
        assert llm.memory()["model"] == memory["model"]
        buffer = llm._models[0].weights.matrix(EMBEDDING).buffer
        assert buffer.mapped == {llm.device._sessions[0], llm.device._sessions[-1]}


def test_where_the_last_session_has_no_room_for_the_embedding_its_product_runs_in_the_first(
    tied: Path, wanted_of_tied: Any, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults.set("map_limit", 800 * KIB)
    tokens, logits, _ = wanted_of_tied
    with LLM(tied, 64, device="loopback") as llm:
        assert np.array_equal(llm(TOKENS), logits)
        assert len(llm.device._sessions) == 3
        sent = counted(llm, monkeypatch)
        assert llm.generate(TOKENS, 4, temperature=0).tokens == tokens
        assert sent == [0, 1, 2, 0] * 4


@pytest.mark.parametrize("lost", [0, -1])
def test_an_embedding_in_two_sessions_comes_back_when_one_is_lost(
    tied: Path, wanted_of_tied: Any, faults: Faults, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    faults.set("map_limit", 1200 * KIB)
    tokens, logits, _ = wanted_of_tied
    with LLM(tied, 64, device="loopback") as llm:
        assert np.array_equal(llm(TOKENS), logits)
        loopback.kill(faults.library, llm.device._sessions[lost].domain.effective_id)
        with pytest.raises(DeviceLostError):
            llm([*TOKENS, 5])
        llm.device.reopen()
        assert np.array_equal(llm(TOKENS), logits)
        sent = counted(llm, monkeypatch)
        assert llm.generate(TOKENS, 4, temperature=0).tokens == tokens
        assert sent == [*range(len(llm.device._sessions))] * 4


@pytest.mark.parametrize("end", [0, -1])
def test_an_embedding_leaves_one_of_two_sessions_that_needs_the_room(
    tied: Path, wanted_of_tied: Any, faults: Faults, end: int
) -> None:
    faults.set("map_limit", 1200 * KIB)
    tokens, logits, _ = wanted_of_tied
    with LLM(tied, 64, device="loopback") as llm:
        device = llm.device
        assert np.array_equal(llm(TOKENS), logits)
        session, buffer = device._sessions[end], llm._models[0].weights.matrix(EMBEDDING).buffer
        others, pins = [], []
        while session in buffer.mapped:  # as runs do that need more and more
            others.append(device.tensor(np.zeros(16 * KIB, np.float32)))
            pins.append(Pin([others[-1].buffer]))
            assert device._memory.placement.reach(session, pins[-1].buffers, time.monotonic() + LONG, evict=True)
        assert len(buffer.mapped) == 1
        for pin in pins:
            pin.release()
        assert llm.generate(TOKENS, 4, temperature=0).tokens == tokens


def test_pages_are_copied_where_their_cache_is(model: Path, wanted: Any, faults: Faults, tmp_path: Path) -> None:
    faults.set("map_limit", 1250 * KIB)
    with LLM(model, 64, n_sequences=2, device="loopback") as llm:
        llm([*TOKENS, 5])
        assert len(llm.device._sessions) > 1
        llm([*TOKENS, 6])  # of a copy
        llm.save(tmp_path / "text.npz", TOKENS)
        llm.load(tmp_path / "text.npz")
        assert np.array_equal(llm(TOKENS), wanted[1])
        assert all(len(layer.buffer.mapped) < 2 for layer in llm._core.stages.cache.layers)


def test_a_cache_that_does_not_fit_beside_the_weights_is_refused_before_they_are_read(
    model: Path, faults: Faults
) -> None:
    faults.set("map_limit", 1100 * KIB)
    seen: list[int] = []
    with Device("loopback", max_sessions=2) as device:
        with pytest.raises(DspMemoryError, match="with reserved room"):
            LLM(model, 4096, device=device, progress=lambda done, _: seen.append(done))
        assert not seen
        with LLM(model, 64, device=device) as llm:
            llm.logits(TOKENS[:1])
