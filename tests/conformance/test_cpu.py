# SPDX-License-Identifier: MIT
"""``Device("cpu")``: the bits of the DSP's binary, under its own name, and only for those who ask for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import needs
import numpy as np
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import LLM, Device, cli

RNG = np.random.default_rng(0)
RAW = weights.quantize(RNG.standard_normal((96, 256), dtype=np.float32), Q.Q4_K)
X = RNG.standard_normal((5, 256), dtype=np.float32)


def test_a_matmul_has_the_bits_of_the_dsps_binary(gguf_file: Callable[..., Path]) -> None:
    file = gguf_file(w=(Q.Q4_K, RAW))
    products = []
    for name in ("cpu", "loopback:qemu"):
        with Device(name) as device, device.load(file, "w") as w:
            products.append(device.matmul(X, w).numpy())
    np.testing.assert_array_equal(products[0], products[1])


def test_it_is_called_cpu_wherever_it_is_named(
    gguf_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Device("cpu") as device, device.tensor(X) as x:
        assert (device.name, device.info().device, device.info().arch) == ("cpu", "cpu", "host")
        assert "cpu" in repr(device)
        assert "on cpu" in repr(x)
    monkeypatch.setenv("PYHEXAGON_DEVICE", "cpu")
    with Device() as device:
        assert device.name == "cpu"
    assert cli.main(["info"]) == 0
    assert "cpu (no DSP is used)" in capsys.readouterr().out
    file = str(gguf_file(w=(Q.Q4_K, RAW)))
    assert cli.main(["matmul", file, "w", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["device"] == "cpu"


def test_a_model_gives_the_tokens_of_the_loopback() -> None:
    texts = []
    for name in ("cpu", "loopback"):
        with LLM(needs.STORIES, device=name) as llm:
            texts.append(llm.generate("Once upon a time", 24, temperature=0).text)
    assert texts[0] == texts[1]
