# SPDX-License-Identifier: MIT
"""Embedders with more than one shape of heads, with convolutions in both directions, and with a last projection.

test_published.py compares them with llama.cpp and with float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from llm import published
from llm.published_oracle import TOKENS
from pyhexagon import LLM, Device, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.graph.step_inputs import neighbour_numbers
from pyhexagon.llm.memory import planned

TEXTS = [TOKENS[:1], TOKENS[1:3], TOKENS[3:43], TOKENS[:100], TOKENS[50:57]]
EMBEDDERS = {"EmbeddingGemma 2": 96, "LFM2.5 ColBERT 350M": 96, "LFM2.5 Embedding 350M": 256}
N_CTX = 128


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("name", EMBEDDERS)
def test_rows_do_not_depend_on_the_texts_beside_them_and_memory_is_planned(
    device: Device, tmp_path: Path, name: str
) -> None:
    path = published.write(tmp_path / "model.gguf", published.named(name))
    with GGUFFile(path) as file:
        plan = planned(file, checked(file), N_CTX, kind="f16")
    with LLM(path, N_CTX, device=device) as llm:
        together = llm._rows([*TEXTS, *TEXTS])
        for text, *rows in zip(TEXTS, together, together[len(TEXTS) :], strict=False):
            assert rows[0].shape == (len(text), EMBEDDERS[name])
            assert np.array_equal(rows[0], llm.token_rows(text))
            assert np.array_equal(rows[0], rows[1])
        assert llm.embedding_length == EMBEDDERS[name]
        assert (plan.model, plan.context) == (llm.memory()["model"], llm.memory()["context"])


def test_the_neighbours_of_rows() -> None:
    """Texts of 3, 1 and 2 tokens, and two unused rows: 8 is the row of zeros."""
    assert neighbour_numbers([3, 1, 2], 3, 8).tolist() == [
        [8, 0, 1, 8, 8, 4, 8, 8],
        [0, 1, 2, 3, 4, 5, 8, 8],
        [1, 2, 8, 8, 5, 8, 8, 8],
    ]


def test_what_cannot_run_is_refused(device: Device, tmp_path: Path) -> None:
    header = published.named("LFM2.5 ColBERT 350M")
    path = published.write(tmp_path / "model.gguf", published.with_key(header, "shortconv.l_cache", 4))
    with pytest.raises(UnsupportedError, match="l_cache is 4: a convolution in both directions has a centre"):
        LLM(path, N_CTX, device=device)
    path = published.write(tmp_path / "model.gguf", header)
    with LLM(path, N_CTX, device=device) as llm, pytest.raises(UnsupportedError, match="does not say how tokens"):
        llm.embed([TOKENS])


def test_looped_layers_cannot_be_divided(tmp_path: Path) -> None:
    path = published.write(tmp_path / "model.gguf", published.named("Nanbeige 4.2 3B"))
    refused = pytest.raises(UnsupportedError, match="nanbeige cannot be divided into stages: its layers")
    with Device("loopback") as one, Device("loopback") as other, refused:
        LLM(path, N_CTX, device=[one, other])
    path = published.write(tmp_path / "model.gguf", published.named("Nanbeige 4.2 3B"), num_loops=4096)
    with pytest.raises(UnsupportedError, match="4096 times 2 layers: at most 4096 are supported"):
        LLM(path, N_CTX, device="loopback")
