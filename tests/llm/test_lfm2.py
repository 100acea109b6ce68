# SPDX-License-Identifier: MIT
"""LFM2: layers with a short convolution, whose recurrent state rolls back only to checkpoints.

test_published.py compares it with llama.cpp, and cuts of prompts and batches with each other; test_recurrent.py has
what models with a recurrent state share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llm import published
from llm.divergence import divergence
from llm.published_oracle import TOKENS
from llm.reference_lfm2 import Lfm2Reference
from pyhexagon import LLM, Device, UnsupportedError

DENSE, EXPERTS = "LFM2 1.2B", "LFM2 8B A1B"
# llama.cpp's (xllamacpp 2026.10) mean KL divergence from the float64 pass, with an F16 cache, for seeds 1, 2 ...
# A router's near ties make single models differ more than rounding does, so experts need more seeds.
OF_LLAMA_CPP = {
    DENSE: [9.31e-4, 9.02e-4, 8.08e-4],
    EXPERTS: [1.796e-3, 1.521e-3, 1.365e-3, 1.855e-3, 1.285e-3, 2.234e-3, 2.106e-3, 2.125e-3],
}


def write(path: Path, model: str = DENSE, seed: int = 1, **keys: Any) -> Path:
    return published.write(path, published.named(model), seed, **keys)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("name", OF_LLAMA_CPP)
def test_logits_are_as_near_the_float64_pass_as_llama_cpp_s(
    device: Device, tmp_path: Path, figure: Callable[[str], None], name: str
) -> None:
    ours, theirs = 0.0, OF_LLAMA_CPP[name]
    for seed in range(1, len(theirs) + 1):
        path = write(tmp_path / "model.gguf", name, seed)
        with LLM(path, 128, kv="f16", device=device) as llm:
            ours += divergence(Lfm2Reference(path).logits(TOKENS), np.asarray(llm.logits(TOKENS), np.float64))
    ratio = ours / sum(theirs)
    figure(f"{name} in small: f16 {ours / len(theirs):.1e}, {ratio:.2f} times llama.cpp's")
    assert ratio < 1.2


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"attention.head_count_kv": [0, 0, 0, 0]}, "head_count_kv is 0 in all layers: none has attention"),
        ({"attention.head_count_kv": [0, 0, 3, 0]}, "they do not divide"),
        ({"attention.head_count_kv": [0, 0, 2]}, "head_count_kv has 3 numbers for 4 layers"),
        ({"shortconv.l_cache": 1}, "shortconv.l_cache is 1: expected 2 to"),
        ({"shortconv.l_cache": 4}, r"shortconv.conv.weight has the shape \(256, 3\), not \(256, 4\)"),
        ({"leading_dense_block_count": 1}, "lfm2.leading_dense_block_count is 1, only 0 is supported"),
        ({"embedding_length_out": 128}, "the tensor dense_2.weight is missing"),
    ],
)
def test_what_cannot_run_is_refused(tmp_path: Path, device: Device, keys: dict[str, Any], words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        LLM(write(tmp_path / "model.gguf", **keys), 64, device=device)


def test_routers_with_a_softmax_are_refused(tmp_path: Path, device: Device) -> None:
    with pytest.raises(UnsupportedError, match=r"lfm2moe.expert_gating_func is not 2, sigmoid"):
        LLM(write(tmp_path / "model.gguf", EXPERTS, expert_gating_func=1), 64, device=device)
