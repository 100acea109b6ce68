# SPDX-License-Identifier: MIT
"""docs/adding-an-architecture.md is true: the page's file and its registration run a tiny random model correctly."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import gguf
import needs
import numpy as np
import pytest
from llm import reference, tiny

from pyhexagon import LLM, HexagonError
from pyhexagon.llm.architectures import ARCHITECTURES

BLOCK = re.compile(r"^```python (?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LAYERS = 2
PRE_NORMS = [f"blk.{layer}.{name}.weight" for layer in range(LAYERS) for name in ("attn_norm", "ffn_norm")]


class PostNorm(reference.Reference):
    """The page's architecture in float64."""

    def _layer(self, x: reference.Array, index: int) -> reference.Array:
        def weight(name: str) -> reference.Array:
            return self._w[f"blk.{index}.{name}.weight"]

        q, k, v = ((x @ weight(f"attn_{name}").T).reshape(len(x), -1, self.head) for name in "qkv")
        q, k = (self._rotate(one, 10000.0) for one in (q, k))
        attended = self._attend(q, k, v, 0, np.full(self.n_heads, -np.inf)) @ weight("attn_output").T
        x = x + self._norm(attended, weight("post_attention_norm"))
        gate = x @ weight("ffn_gate").T
        h = (gate / (1 + np.exp(-gate)) * (x @ weight("ffn_up").T)) @ weight("ffn_down").T
        return np.asarray(x + self._norm(h, weight("post_ffw_norm")))


def _add_post_norms(writer: gguf.GGUFWriter) -> None:
    chance = np.random.default_rng(2)
    for layer in range(LAYERS):
        for name in ("post_attention_norm", "post_ffw_norm"):
            values = (1 + 0.1 * chance.standard_normal(128)).astype(np.float32)
            writer.add_tensor(f"blk.{layer}.{name}.weight", values)


def test_the_example_runs_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = {
        found["path"]: found["text"]
        for found in BLOCK.finditer((needs.ROOT / "docs/adding-an-architecture.md").read_text())
    }
    assert set(blocks) == {"pyhexagon/llm/architectures/postnorm.py", "pyhexagon/llm/architectures/__init__.py"}
    path = tmp_path / "postnorm.py"
    path.write_text(blocks["pyhexagon/llm/architectures/postnorm.py"])
    spec = importlib.util.spec_from_file_location("pyhexagon.llm.architectures.postnorm", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    imported, entry = blocks["pyhexagon/llm/architectures/__init__.py"].splitlines()
    assert imported == "from pyhexagon.llm.architectures.postnorm import POSTNORM"
    model = tiny.write(
        tmp_path / "model.gguf", "postnorm", layers=LAYERS, edit=_add_post_norms, leave_out=PRE_NORMS
    )
    with pytest.raises(HexagonError, match="postnorm"):
        LLM(model, device="loopback")
    for name, architecture in eval(f"{{{entry}}}", {"POSTNORM": module.POSTNORM}).items():
        monkeypatch.setitem(ARCHITECTURES, name, architecture)
    tokens = [1, *range(260, 290)]
    exact = PostNorm(model).logits(tokens)
    with LLM(model, n_ctx=64, device="loopback") as llm:
        logits = llm.logits(tokens)
    assert np.abs(logits - exact).max() < 0.03 * np.abs(exact).max()
