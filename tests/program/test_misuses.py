# SPDX-License-Identifier: MIT
"""Messages on what newcomers try: names of other libraries, lists, texts in the place of ids."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import tiny

from pyhexagon import LLM, ArgumentError, Device
from pyhexagon.models import store


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("softmax", "did you mean soft_max?"),
        ("rmsnorm", "did you mean rms_norm?"),
        ("relu", "did you mean clamp(x, 0, inf)?"),
        ("linear", "did you mean matmul?"),
        ("mull", "did you mean mul"),
        ("convolve3d", "pyhexagon ops --support lists the ops"),
    ],
)
def test_ops_of_other_names(name: str, meant: str) -> None:
    with Device("cpu") as device, pytest.raises(AttributeError) as error:
        getattr(device.program(), name)
    assert str(error.value).startswith(f"a program has no op {name!r}")
    assert meant in str(error.value)


def test_relu_is_a_clamp() -> None:
    x = np.array([[-1.5, 0, 2, np.inf]], np.float32)
    with Device("cpu") as device:
        with device.program() as p:
            p.output(p.clamp(p.input((1, 4)), 0, np.inf))
        assert np.array_equal(p.compile()(x).numpy(), np.maximum(x, 0))


def test_a_list_has_no_astype() -> None:
    with Device("cpu") as device:
        w = device.weight(np.ones((32, 32), np.float32), dtype="Q8_0")
        with pytest.raises(ArgumentError, match=r'or np\.asarray\(x, "float32"\)'):
            device.matmul([[0.5] * 32], w)
        with pytest.raises(ArgumentError, match=r'or x\.astype\("float32"\)'):
            device.matmul(np.zeros((1, 32)), w)


def test_weights_of_a_pulled_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store.link("mine:1b", tiny.write(tmp_path / "tiny.gguf", "llama"))
    with Device("cpu") as device:
        weight = device.load("mine:1b", "blk.0.attn_q.weight")
        assert weight.shape == device.load(tmp_path / "tiny.gguf", "blk.0.attn_q.weight").shape
        assert "blk.0.attn_q.weight" in device.load_all("mine")
        with pytest.raises(ArgumentError, match=r"smollm2:135m has not been pulled.*pyhexagon pull smollm2:135m"):
            device.load("smollm2:135m", "x")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda llm: llm("the"), r"the tokens are a text: expected ids.*llm\.tokenizer\.encode\(text\)"),
        (lambda llm: llm.logits("the"), r"the tokens are a text: expected ids.*llm\.generate\(text\)"),
        (lambda llm: llm.chat("the"), r"messages is a text.*\[{'role': 'user', 'content': 'the'}\]"),
        (lambda llm: llm.chat({"role": "user", "content": "x"}), r"messages is one message.*\[{'role'"),
        (lambda llm: llm.generate("the " * 80), "the prompt is too long: .* the context length is 64.*larger n_ctx"),
    ],
)
def test_texts_and_tokens(tmp_path: Path, call: Callable[[LLM], Any], words: str) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "llama", edit=lambda w: w.add_chat_template("{{ messages[0].content }}"))
    with LLM(path, 64, device="cpu") as llm, pytest.raises(ArgumentError, match=words):
        call(llm)
