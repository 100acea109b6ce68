# SPDX-License-Identifier: MIT
"""Gemma 4's parts that no other architecture has: KV caches of several shapes and for several layers, and a table of
embeddings on the host.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import Faults

from llm import published
from llm.published_oracle import TOKENS
from pyhexagon import LLM, Device, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.host_table import HostTable
from pyhexagon.llm.files.weights import PER_LAYER_EMBEDDING
from pyhexagon.llm.memory import planned

N_CTX = 128
F32 = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    header = published.named("Gemma 4 E2B")
    return published.write(tmp_path_factory.mktemp("models") / "model.gguf", header)


@pytest.fixture(scope="module")
def wanted(model: Path) -> F32:
    with LLM(model, N_CTX, device="loopback") as llm, GGUFFile(model) as file:
        plan, memory = planned(file, checked(file), N_CTX), llm.memory()
        assert (memory["model"], memory["context"]) == (plan.model, plan.context)
        return llm(TOKENS)


@pytest.mark.parametrize("limit", [7, 5])
def test_layers_in_other_sessions_share_keys_and_values(model: Path, wanted: F32, faults: Faults, limit: int) -> None:
    faults.set("map_limit", limit << 20)
    with LLM(model, N_CTX, device="loopback") as llm:
        assert len(llm.device._sessions) > 1
        np.testing.assert_array_equal(llm(TOKENS), wanted)


def test_a_saved_sequence_has_the_caches_of_all_shapes(model: Path, wanted: F32, tmp_path: Path) -> None:
    path = tmp_path / "saved.npz"
    with LLM(model, N_CTX, device="loopback") as llm:
        llm.save(path, TOKENS[:-1])
    with LLM(model, N_CTX, device="loopback") as llm:
        llm.load(path)
        np.testing.assert_array_equal(llm(TOKENS), wanted)


def test_rows_of_the_host_s_table(model: Path) -> None:
    with GGUFFile(model) as file:
        table, info = HostTable(file, PER_LAYER_EMBEDDING), file.info(PER_LAYER_EMBEDDING)
    ids = np.array([3, info.shape[0] - 1, 3, 1 << 30, -1], np.int32)
    rows = table.rows(ids)  # after the file was closed
    assert rows.shape == (5, info.shape[1])
    np.testing.assert_array_equal(rows[[2, 3]], rows[[0, 1]])
    np.testing.assert_array_equal(rows[4], table.rows(np.array([0], np.int32))[0])


def test_stages_are_refused(model: Path) -> None:
    refused = pytest.raises(UnsupportedError, match="gemma4 cannot be divided into stages")
    with Device("loopback") as one, Device("loopback") as other, refused:
        LLM(model, N_CTX, device=[one, other])


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("attention.shared_kv_layers", 7, "7 of 10 layers share keys and values: no earlier layer has them"),
        ("attention.value_length_swa", 128, "keys of sliding-window layers have different lengths"),
        ("rope.dimension_count_swa", 288, "288 of 256 elements of a head are rotated"),
        ("embedding_length_per_layer_input", 0, "the tensor per_layer_token_embd.weight is not known"),
        ("final_logit_softcapping", 0.5, "a soft cap of 0.5: expected 1 to 4096"),
    ],
)
def test_keys_that_contradict_the_layers(tmp_path: Path, name: str, value: Any, words: str) -> None:
    header = published.named("Gemma 4 E2B")
    path = published.write(tmp_path / "model.gguf", header, is_hollow=True, **{name: value})
    with GGUFFile(path) as file, pytest.raises(UnsupportedError, match=words):
        checked(file)


def test_tokens_that_the_file_suppresses_are_never_sampled(tmp_path: Path) -> None:
    """The file of Gemma 4 12B suppresses tokens of images and audio."""
    header = published.named("Gemma 4 12B")

    def written(tokens: list[int]) -> Path:
        tokenizer = {**header.tokenizer, "suppress_tokens": tokens} if tokens else header.tokenizer
        return published.write(tmp_path / f"{len(tokens)}.gguf", header._replace(tokenizer=tokenizer))

    with LLM(written([]), N_CTX, device="cpu") as llm:
        logits = llm.logits(TOKENS)
    first, second, third = np.argsort(-logits[-1])[:3].tolist()
    path = written([first, second, -1, 1 << 30])
    with LLM(path, N_CTX, device="cpu") as llm, GGUFFile(path) as file:
        assert llm.memory()["model"] == planned(file, checked(file), N_CTX).model
        for temperature in (0, 1.5):
            done = llm.generate_all([TOKENS] * 8, 8, temperature=temperature, top_k=3, seed=1)
            assert not {first, second} & {token for one in done for token in one.tokens}
        assert llm.generate(TOKENS, 1, temperature=0).tokens == (third,)
        others = np.delete(np.arange(logits.shape[1]), [first, second])
        np.testing.assert_array_equal(llm.logits(TOKENS)[:, others], logits[:, others])
