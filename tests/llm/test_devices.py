# SPDX-License-Identifier: MIT
"""A model on both DSPs of a machine: the tokens of one device, and a device that dies."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Faults, check_settled, settled

from llm import tiny
from pyhexagon import LLM, ArgumentError, Device, DeviceLostError, UnsupportedError, cli
from pyhexagon.llm.engine.stage import Stage

PAIRS = {"loopback": ["loopback", "loopback1"], "loopback:qemu": ["loopback:qemu", "loopback1:qemu"]}
RNG = np.random.default_rng(3)
PROMPTS = [[1, *RNG.integers(3, tiny.N_TOKENS, n).tolist()] for n in (90, 8, 17, 30)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("models") / "model.gguf", "llama", layers=3, tied=False)


@pytest.fixture(scope="module")
def wanted(model: Path) -> list[Any]:
    with LLM(model, 128, n_sequences=4, device="loopback") as llm:
        return [one.tokens for one in llm.generate_all(PROMPTS, 6, temperature=0)]


def test_two_devices_give_the_tokens_of_one(model: Path, wanted: list[Any], engine: str) -> None:
    before = settled()
    with LLM(model, 128, n_sequences=4, device=PAIRS[engine]) as llm:
        assert [one.name for one in llm.devices] == PAIRS[engine]
        assert [[*one.layers] for one in llm._models] in ([[0, 1], [2]], [[0], [1, 2]])
        assert llm.generate(PROMPTS[0], 6, temperature=0).tokens == wanted[0]
        assert [one.tokens for one in llm.generate_all(PROMPTS, 6, temperature=0)] == wanted
        assert all(device.info().n_requests > 10 for device in llm.devices)
        report = llm.report()
        assert [one["device"] for one in report["devices"]] == PAIRS[engine]
        assert len(report["sessions"]) == 2
        assert all(one["model"] and one["context"] for one in report["sessions"])
        assert llm.memory()["model"] == sum(one["model"] for one in report["sessions"])
    check_settled(before)


def test_both_devices_compute_at_the_same_time(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, running, most = Stage.run, set[range](), list[int]()

    def counted(stage: Stage, *given: Any) -> Any:
        running.add(stage.model.layers)
        most.append(len(running))
        time.sleep(0.01)
        try:
            return run(stage, *given)
        finally:
            running.remove(stage.model.layers)

    monkeypatch.setattr(Stage, "run", counted)
    with LLM(model, 128, n_sequences=4, device=PAIRS["loopback"]) as llm:
        llm.generate([1], 6, temperature=0)
        assert max(most) == 1  # a single sequence without prefill chunks: the layers follow each other
        llm.generate_all(PROMPTS, 6, temperature=0)
        assert max(most) == 2


@pytest.mark.parametrize("lost", [0, 1])
def test_one_of_two_devices_dies(model: Path, wanted: list[Any], faults: Faults, lost: int) -> None:
    with LLM(model, 128, n_sequences=4, device=PAIRS["loopback"]) as llm:
        stream = llm.stream(PROMPTS[0], 6, temperature=0)
        tokens = [next(stream).token]
        faults.kill(llm.devices[lost])
        with pytest.raises(DeviceLostError):
            next(stream)
        assert [bool(one.lost) for one in llm.devices] == [lost == 0, lost == 1]
        llm.reopen()
        assert not llm.lost
        tokens += [chunk.token for chunk in stream]
        assert tokens == [*wanted[0]]


def test_open_devices_stay_open(model: Path, wanted: list[Any]) -> None:
    first, second = Device.all("loopback")
    with first, second:
        used = []
        for _ in range(2):
            with LLM(model, 128, n_sequences=4, device=[first, second]) as llm:
                assert llm.generate(PROMPTS[1], 6, temperature=0).tokens == wanted[1]
            used.append([one.info().memory_bytes for one in (first, second)])
        assert used[0] == used[1]


def test_commands_take_both(model: Path, wanted: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    ids = ",".join(map(str, PROMPTS[1]))
    command = ["run", str(model), "-c", "128", "-n", "6", "--temp", "0", "--tokens", ids]
    assert cli.main([*command, "--device", "loopback,loopback1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == [*wanted[1]]


def test_what_several_devices_cannot_do_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="empty list"):
        LLM(model, device=[])
    with pytest.raises(ArgumentError, match="4 stages: expected 1 to 3"):
        LLM(model, device=["loopback"] * 4)
    with LLM(model, 128, device=PAIRS["loopback"]) as llm:
        with pytest.raises(UnsupportedError):
            llm.save(tmp_path / "prompt.npz", PROMPTS[1])
        with pytest.raises(UnsupportedError, match="2 devices"):
            llm.load(tmp_path / "prompt.npz")
