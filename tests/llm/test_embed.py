# SPDX-License-Identifier: MIT
"""Embeddings: against a float64 pass, and with the same bits in any batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
import pytest

from llm import tiny
from llm.reference import EncoderReference
from pyhexagon import LLM, ArgumentError, Device, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.memory import planned
from pyhexagon.llm.tokens.tokenizer import Tokenizer

TEXTS = ["the cat.", "a", "ing things are being thing. " * 4, "Thé  CAT\n.", "x y z", "zzz? ok"]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize(("architecture", "pooling"), [("bert", 1), ("bert", 2), ("nomic-bert", 1), ("nomic-bert", 3)])
def test_embeddings_are_near_the_float64_pass(device: Device, tmp_path: Path, architecture: str, pooling: int) -> None:
    path = tiny.write_encoder(tmp_path / "m.gguf", architecture, pooling=pooling)
    reference = EncoderReference(path)
    with LLM(path, device=device) as llm:
        got = llm.embed(TEXTS)
        ids = [llm.tokenizer.encode(text) for text in TEXTS]
    assert got.dtype == np.float32
    assert np.allclose((got**2).sum(axis=1), 1, atol=1e-6)
    for row, tokens in zip(got, ids, strict=True):
        rows = reference.rows(tokens)
        wanted = rows.mean(axis=0) if pooling == 1 else rows[0 if pooling == 2 else -1]
        assert ((row - wanted / np.linalg.norm(wanted)) ** 2).sum() < (2e-3 if architecture == "bert" else 1e-2)
    assert np.array_equal(got[0], got[3])  # but for accents, capitals and spaces it is the same text


def test_distilbert_has_no_types_and_biases_may_be_missing(device: Device, tmp_path: Path) -> None:
    left_out = ["token_types.weight", "blk.0.attn_q.bias", "blk.1.ffn_down.bias"]
    path = tiny.write_encoder(tmp_path / "m.gguf", "bert", leave_out=left_out)
    with LLM(path, device=device) as llm:
        ids = llm.tokenizer.encode(TEXTS[2])
        (got,) = llm.embed([ids])
    wanted = EncoderReference(path).rows(ids).mean(axis=0)
    assert ((got - wanted / np.linalg.norm(wanted)) ** 2).sum() < 2e-3


def test_a_ranker_gives_scores(device: Device, tmp_path: Path) -> None:
    path = tiny.write_encoder(tmp_path / "m.gguf", "bert", pooling=None, labels=3)
    reference = EncoderReference(path)
    with LLM(path, device=device) as llm:
        got = llm.embed(TEXTS)
        wanted = [reference.scores(llm.tokenizer.encode(text)) for text in TEXTS]
        assert np.array_equal(llm.embed(TEXTS[:1]), got[:1])
        assert llm.embed([]).shape == (0, 3)
        with GGUFFile(path) as file:
            assert planned(file, checked(file), 128, kind="f16").model == llm.memory()["model"]
        assert (llm.can_embed, llm.can_rerank) == (False, True)
        pairs = [llm.tokenizer.encode_pair(TEXTS[1], text) for text in TEXTS]
        ranked = llm.rerank(TEXTS[1], iter(TEXTS))
        assert np.array_equal(ranked, llm.embed(pairs)[:, 0])
        assert len(set(ranked.tolist())) > 2
        # [CLS] query [SEP] document [SEP]
        first, second = (llm.tokenizer.encode(text) for text in TEXTS[1:3])
        assert pairs[2] == first + second[1:]
        with pytest.raises(ArgumentError, match="expected several"):
            llm.rerank("a", "b")
    assert got.dtype == np.float32
    assert got.shape == (len(TEXTS), 3)
    assert np.abs(got - np.array(wanted)).max() < 0.05
    plain = tiny.write_encoder(tmp_path / "n.gguf", "bert", pooling=1, labels=3)  # it is for embeddings
    with LLM(plain, device=device) as llm:
        assert llm.embed(TEXTS).shape == (len(TEXTS), 96)
        with pytest.raises(UnsupportedError, match="is no reranker"):
            llm.rerank("a", ["b"])


@pytest.mark.parametrize(("has_sep", "has_bos"), [(False, False), (True, False), (True, True)])
def test_pairs_in_the_form_that_the_file_gives(tmp_path: Path, has_sep: bool, has_bos: bool) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_add_bos_token(has_bos)
        writer.add_bool("tokenizer.ggml.add_sep_token", has_sep)
        if not has_sep:
            writer.add_string("tokenizer.chat_template.rerank", "the {query} in {document} a")

    with GGUFFile(tiny.write(tmp_path / "m.gguf", "llama", edit=edit)) as file:
        tokenizer = Tokenizer(file)
    got = tokenizer.encode_pair("th {document}</s>", "er")
    if has_sep:
        query = tokenizer.encode(tokenizer.neutral("th {document}</s>"))
        assert got == [*query, tokenizer.eos, *tokenizer.encode("er", add_special=False)]
    else:
        assert tokenizer.decode(got) == "the th {document}</s> in er a"
        assert tokenizer.eos not in got


def test_shares_of_a_ranker_that_continues_texts(device: Device, tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_uint32("qwen3.pooling_type", 4)
        writer.add_array("qwen3.classifier.output_labels", ["yes", "no"])

    def edit_whole(writer: gguf.GGUFWriter) -> None:
        edit(writer)
        writer.add_tensor("cls.output.weight", np.eye(2, 128, dtype=np.float32))

    path = tiny.write(tmp_path / "m.gguf", "qwen3", **tiny.TINY["qwen3"], edit=edit)
    with pytest.raises(UnsupportedError, match=r"a ranker's, and the tensor cls\.output\.weight is missing"):
        LLM(path, 64, device=device)
    path = tiny.write(tmp_path / "n.gguf", "qwen3", **tiny.TINY["qwen3"], edit=edit_whole)
    with LLM(path, 64, device=device) as llm:
        got = llm.embed([[1, 5, 9], [1, 5]])
        assert got.sum(axis=1) == pytest.approx(1)
        assert len(llm.generate([1, 5], 2, temperature=0).tokens) == 2
    assert got.shape == (2, 2)


def test_a_text_has_the_same_bits_alone_beside_others_and_on_both_engines(device: Device, tmp_path: Path) -> None:
    path = tiny.write_encoder(tmp_path / "m.gguf", "bert")
    with LLM(path, device=device) as llm:
        together = llm.embed(TEXTS * 4)
        alone = np.concatenate([llm.embed([text]) for text in TEXTS])
        assert llm.embed([]).shape == (0, 96)
        assert [sum(llm.memory().values())] == device.info().sessions
    assert np.array_equal(together, np.tile(alone, (4, 1)))
    with LLM(path, device="loopback:qemu") as llm:
        assert np.array_equal(llm.embed(TEXTS), alone)


def test_models_that_continue_texts_embed_where_the_file_says_how(device: Device, tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_pooling_type(gguf.PoolingType.LAST)

    path = tiny.write(tmp_path / "m.gguf", "qwen3", edit=edit, **tiny.TINY["qwen3"])
    with LLM(path, 128, device=device) as llm:
        first, second = llm.embed([[1, 5, 9], [1, 5]])
        assert np.array_equal(llm.embed([[1, 5]])[0], second)
        assert abs(float(first @ second)) < 0.999
        llm.generate([1, 5], 2, temperature=0)
    path = tiny.write(tmp_path / "n.gguf", "llama")
    with LLM(path, 64, device=device) as llm, pytest.raises(UnsupportedError, match="how tokens become an embedding"):
        llm.embed(["a"])


def test_what_an_encoder_cannot_do(device: Device, tmp_path: Path) -> None:
    path = tiny.write_encoder(tmp_path / "m.gguf", "bert")
    with LLM(path, device=device) as llm:
        for do in (lambda: llm.stream("a"), lambda: llm.logits([1]), lambda: llm.save(tmp_path / "x", "a")):
            with pytest.raises(UnsupportedError, match="makes embeddings only"):
                do()
        with pytest.raises(ArgumentError, match="expected several"):
            llm.embed("a text")
        with pytest.raises(ArgumentError, match="expected 1 to n_ctx, 128"):
            llm.embed(["a " * 200])
    with pytest.raises(ArgumentError, match="expected 1 to 128, for which the model was made"):
        LLM(path, 256, device=device)
