# SPDX-License-Identifier: MIT
"""Scales of weights, ``NAME.scale``: factors on the products of a matrix or an expert, as in files of NVFP4."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from llm import tiny
from pyhexagon import LLM, UnsupportedError

IDS = [1, 5, 9, 30, 7, 200, 41]
N_EXPERTS = 4
MODELS: dict[str, dict[str, Any]] = {
    "llama": {"tied": False},
    "phi3": {"fused": True, "tied": False},
    "qwen3moe": {"experts": N_EXPERTS, "qk_norm": True},
}
Edit = Callable[[gguf.GGUFWriter], None]


def factor_of(name: str, seed: int = 3) -> np.ndarray[Any, np.dtype[np.float32]] | None:
    """The scale of a matrix, a power of two or one per expert; None for others."""
    stem = name.removesuffix(".weight")
    if "norm" in stem or stem.endswith(("token_embd", "ffn_gate_inp")):
        return None
    chance = np.random.default_rng([seed, *name.encode()])
    powers = chance.integers(-1, 3, N_EXPERTS if stem.endswith("_exps") else 1)
    return np.exp2(powers).astype(np.float32)


def with_scales(writer: gguf.GGUFWriter) -> None:
    """Add a scale beside each matrix."""
    for name in list(writer.tensors[0]):
        factor = factor_of(name)
        if factor is not None:
            writer.add_tensor(name.replace(".weight", ".scale"), factor)
            writer.add_tensor(name.replace(".weight", ".input_scale"), np.array([0.01], np.float32))


def multiplied(writer: gguf.GGUFWriter) -> None:
    """Multiply each matrix with its scale."""
    for name, info in writer.tensors[0].items():
        factor = factor_of(name)
        if factor is not None:
            assert info.tensor is not None
            info.tensor *= factor.reshape(-1, *[1] * (info.tensor.ndim - 1))


def logits(folder: Path, architecture: str, edit: Edit) -> np.ndarray[Any, Any]:
    path = tiny.write(folder / "m.gguf", architecture, weights=Type.F32, edit=edit, **MODELS[architecture])
    with LLM(path, 64, device="loopback") as llm:
        return np.array(llm.logits(IDS))


@pytest.mark.parametrize("architecture", MODELS)
def test_a_scale_is_a_factor_on_the_weight(tmp_path: Path, architecture: str) -> None:
    plain = logits(tmp_path, architecture, lambda _: None)
    scaled = logits(tmp_path, architecture, with_scales)
    assert np.array_equal(scaled, logits(tmp_path, architecture, multiplied))
    assert not np.allclose(scaled, plain, rtol=0.1)


def adding(name: str, *values: float) -> Edit:
    return lambda writer: writer.add_tensor(name, np.array(values, np.float32))


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (adding("token_embd.scale", 2), "token_embd.scale is not known"),
        (adding("output.scale", 2), "output.scale is not known"),  # the embedding is the output matrix
        (adding("blk.0.attn_norm.scale", 2), "blk.0.attn_norm.scale is not known"),
        (adding("blk.0.attn_q.scale", 2, 3), r"blk.0.attn_q.scale has the shape \(2,\), not \(1,\)"),
    ],
)
def test_other_scales_are_refused(tmp_path: Path, edit: Edit, told: str) -> None:
    path = tiny.write(tmp_path / "m.gguf", "llama", edit=edit)
    with pytest.raises(UnsupportedError, match=told):
        LLM(path, 64, device="loopback")
