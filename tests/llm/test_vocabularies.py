# SPDX-License-Identifier: MIT
"""Vocabularies of every kind give the ids of real llama.cpp, which tests/llm/vocabularies.py recorded."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import pytest

from llm import vocabularies
from llm.published import byte_letters
from llm.vocabularies import TEXTS, UNIGRAM, WORD_PIECES
from pyhexagon.errors import GGUFError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens.pretokenise import CHARACTERS, WORDS
from pyhexagon.llm.tokens.tokenizer import Tokenizer

RECORDED: dict[str, Any] = json.loads(vocabularies.RECORDED.read_text())


def opened(path: Path, vocabulary: Any) -> Tokenizer:
    with GGUFFile(vocabularies.write(path, vocabulary)) as file:
        return Tokenizer(file)


def has_marks(text: str) -> bool:
    return any(unicodedata.category(one)[0] == "M" for one in text)


def has_marks_or_cases(text: str) -> bool:
    has_digits_beside_letters = not text.isascii() and any(one.isdigit() for one in text)
    return has_marks(text) or text != text.lower() or has_digits_beside_letters


def check(tokenizer: Tokenizer, recorded: str, left_out: Callable[[str], bool] = lambda _: False) -> None:
    """Compare the ids of all texts that are not left out."""
    assert len(recorded) == 8 * len(TEXTS)
    wrong = []
    for number, text in enumerate(TEXTS):
        if left_out(text):
            continue
        ids = tokenizer.encode(text)
        if vocabularies.digests([ids]) != recorded[8 * number : 8 * number + 8]:
            wrong.append((text, [tokenizer.name(one) for one in ids]))
    assert not wrong


@pytest.mark.parametrize("pre", WORDS)
def test_words_are_cut_as_llama_cpp_cuts_them(tmp_path: Path, pre: str) -> None:
    tokenizer = opened(tmp_path / "v.gguf", vocabularies.of_bytes(pre, RECORDED["merges"]))
    # llama.cpp approximates these patterns: it cuts before combining marks; and of these within words that change their
    # case, and before digits beside other letters than ASCII's. The models were trained with the patterns.
    if pre in ("tiny_aya", "cohere2moe"):
        check(tokenizer, RECORDED["bpe"][pre], has_marks_or_cases)
    elif pre in ("gpt-4o", "llama4", "minimax-m2", "kanana2", "talkie", "tekken", "granite-embed-multi-97m"):
        check(tokenizer, RECORDED["bpe"][pre], has_marks)
    else:
        check(tokenizer, RECORDED["bpe"][pre])


@pytest.mark.parametrize("pre", ["", *CHARACTERS])
def test_merged_characters_are_those_of_llama_cpp(tmp_path: Path, pre: str) -> None:
    tokenizer = opened(tmp_path / "v.gguf", vocabularies.of_characters(RECORDED["merges"], pre))
    check(tokenizer, RECORDED["of_characters"][pre])
    for text in (one.replace("\u2581", " ") for one in TEXTS if "<" not in one):
        wanted = re.sub("^(?=[^\n ])", " ", text, flags=re.MULTILINE) if pre == "mmbert" else text
        assert tokenizer.decode(tokenizer.encode(text)) == wanted


@pytest.mark.parametrize("name", UNIGRAM)
def test_unigram_vocabularies_give_the_ids_of_llama_cpp(tmp_path: Path, name: str) -> None:
    tokenizer = opened(tmp_path / "v.gguf", vocabularies.unigram(name, RECORDED))
    check(tokenizer, RECORDED["of_unigram"][name])


@pytest.mark.parametrize("name", WORD_PIECES)
def test_word_pieces_are_those_of_llama_cpp(tmp_path: Path, name: str) -> None:
    check(opened(tmp_path / "v.gguf", vocabularies.word_pieces(name)), RECORDED["word_pieces"][name])


@pytest.mark.parametrize("cut", [2, 100, -10])
def test_a_damaged_map_of_characters_is_refused(tmp_path: Path, cut: int) -> None:
    charsmap = base64.b64encode(base64.b64decode(RECORDED["charsmap"])[:cut]).decode()
    vocabulary = vocabularies.unigram("like XLM-R", {**RECORDED, "charsmap": charsmap})
    with pytest.raises(GGUFError, match=r"precompiled_charsmap cannot be read"):
        opened(tmp_path / "v.gguf", vocabulary)


def words(*special: str, name: str = "", **ids: str) -> Any:
    """Return a function that adds BPE without merges to a file; special tokens, some of which have a role, follow the
    bytes.
    """

    def add(writer: gguf.GGUFWriter) -> int:
        tokens = [*byte_letters(), *special]
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(tokens)
        writer.add_token_merges(["a b"])
        writer.add_token_types([3 if token in special else 1 for token in tokens])
        for role, token in ids.items():
            writer.add_uint32(f"tokenizer.ggml.{role}_token_id", tokens.index(token))
        if name:
            writer.add_name(name)
        return len(tokens)

    return add


@pytest.mark.parametrize(
    ("special", "ids", "ends"),
    [
        (("<|end|>", "<|x|>"), {"eos": "<|x|>"}, {"<|end|>", "<|x|>"}),
        (("<|end|>", "<|return|>", "<|call|>"), {"eos": "<|return|>"}, {"<|return|>", "<|call|>"}),
        (("<|end|>", "<|calls|>", "<|flush|>"), {"eos": "<|flush|>"}, {"<|calls|>", "<|flush|>"}),
        (("<|im_end|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"), {"eos": "<|im_end|>"}, None),
        (("<e>", "<a>", "<b>"), {"eos": "<e>", "fim_pad": "<a>", "fim_sep": "<b>"}, None),
        (("[EOT]", "<turn|>", "<|tool_response>"), {"eos": "[EOT]"}, None),
    ],
)
def test_tokens_that_end_an_answer(
    tmp_path: Path, special: tuple[str, ...], ids: dict[str, str], ends: set[str] | None
) -> None:
    tokenizer = opened(tmp_path / "v.gguf", words(*special, **ids))
    assert {tokenizer.name(one) for one in tokenizer.ends} == (set(special) if ends is None else ends)
    assert tokenizer.ends <= tokenizer.control
    assert tokenizer.token_bytes(256) == b""


def test_gpt2_without_keys_begins_and_ends_with_token_11(tmp_path: Path) -> None:
    tokenizer = opened(tmp_path / "v.gguf", words())
    assert (tokenizer.bos, tokenizer.eos) == (11, 11)


@pytest.mark.parametrize(
    ("name", "kept"), [("Phi-3 mini", False), ("my PHI3.5", False), ("Phi 4 mini", True), ("", True)]
)
def test_control_tokens_of_phi_3_take_the_white_space_after_them(tmp_path: Path, name: str, kept: bool) -> None:
    tokenizer = opened(tmp_path / "v.gguf", words("<|user|>", "<|end|>", "<|endoftext|>", name=name, eos="<|end|>"))
    got = tokenizer.decode(tokenizer.encode("<|user|>\n hi\n<|end|> \t<|endoftext|>\nx"), special=True)
    assert got == ("<|user|>\n hi\n<|end|> \t<|endoftext|>\nx" if kept else "<|user|>hi\n<|end|><|endoftext|>\nx")


@pytest.mark.parametrize("pre", ["chatglm-bpe", "glm4", "glm5"])
def test_glm_has_no_bos_by_default(tmp_path: Path, pre: str) -> None:
    """llama.cpp removes the default id 11 for these vocabularies: a text cannot begin with a token that is a letter."""

    def asks_for_bos(writer: gguf.GGUFWriter) -> int:
        n_tokens = vocabularies.of_bytes(pre, RECORDED["merges"])(writer)
        writer.add_add_bos_token(True)
        return n_tokens

    tokenizer = opened(tmp_path / "v.gguf", asks_for_bos)
    assert (tokenizer.bos, tokenizer.add_bos) == (None, False)
    assert 11 not in tokenizer.encode("a")[:1]
