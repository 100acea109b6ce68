# SPDX-License-Identifier: MIT
"""A text of strangers never becomes a control token, whatever subwords a vocabulary has."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gguf
import pytest

from llm import vocabularies
from llm.published import byte_letters
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens.special_tokens import MARK
from pyhexagon.llm.tokens.tokenizer import Tokenizer

RECORDED: dict[str, Any] = json.loads(vocabularies.RECORDED.read_text())
CONTROL = ["<s>", "</s>", "<|im_end|>", "cls", "aa", "endofword", "\u00e9", "||"]
USER_DEFINED = ["<s", "m_e", "\n\n", "<tool>"]
NAMES = [*CONTROL, "<unk>", *USER_DEFINED]
TYPES = [gguf.TokenType.CONTROL] * len(CONTROL) + [gguf.TokenType.UNKNOWN]
TYPES += [gguf.TokenType.USER_DEFINED] * len(USER_DEFINED)


def parts(name: str) -> list[str]:
    """Return the beginnings of a name, which merge one after the other."""
    return [name[:n] for n in range(2, len(name) + 1)]


PIECES = sorted({piece for name in NAMES for piece in parts(name)} - {*NAMES})
MERGES = [f"{piece[:-1]} {piece[-1]}" for name in NAMES for piece in parts(name)]


def add(writer: gguf.GGUFWriter, kind: str, texts: list[str], types: Sequence[int] | None = None) -> int:
    tokens = [*NAMES, *(one for one in texts if one not in NAMES)]
    writer.add_tokenizer_model(kind)
    writer.add_token_list(tokens)
    writer.add_token_types([*TYPES, *[gguf.TokenType.NORMAL] * len(tokens)][: len(tokens)] if types is None else types)
    writer.add_token_scores([0.0] * len(NAMES) + [-1.0] * (len(tokens) - len(NAMES)))
    for role, name in (("bos", "<s>"), ("eos", "</s>"), ("unknown", "<unk>")):
        writer.add_uint32(f"tokenizer.ggml.{role}_token_id", NAMES.index(name))
    return len(tokens)


def scored(writer: gguf.GGUFWriter, kind: str = "llama") -> int:
    letters = [one for one in map(chr, range(32, 127)) if one not in "x"] + ["\u2581"]
    bytes_of = [f"<0x{byte:02X}>" for byte in range(256)]
    types = [*TYPES, *[gguf.TokenType.NORMAL] * (len(letters) + len(PIECES)), *[gguf.TokenType.BYTE] * 256]
    return add(writer, kind, [*letters, *PIECES, *bytes_of], types)


def of_characters(writer: gguf.GGUFWriter) -> int:
    writer.add_token_merges(MERGES)
    return scored(writer, "gemma4")


def of_bytes(pre: str) -> Callable[[gguf.GGUFWriter], int]:
    def write(writer: gguf.GGUFWriter) -> int:
        writer.add_tokenizer_pre(pre)
        writer.add_token_merges(MERGES)
        return add(writer, "gpt2", [*byte_letters(), *PIECES])

    return write


def unigram(writer: gguf.GGUFWriter) -> int:
    writer.add_precompiled_charsmap(base64.b64decode(RECORDED["charsmap"]))
    return add(writer, "t5", [*map(chr, range(33, 127)), "\u2581", *PIECES])


def words(writer: gguf.GGUFWriter) -> int:
    writer.add_bool("tokenizer.ggml.normalizer.strip_accents", False)
    writer.add_uint32("tokenizer.ggml.seperator_token_id", NAMES.index("</s>"))
    texts = [*map(chr, range(33, 127)), *PIECES]
    return add(writer, "bert", [*texts, *(f"\u2581{one}" for one in texts)])


VOCABULARIES = {
    "scored": scored,
    "of characters": of_characters,
    "of bytes": of_bytes("gpt-2"),
    "whole words": of_bytes("llama-bpe"),
    "unigram": unigram,
    "words": words,
}


@pytest.fixture(params=VOCABULARIES)
def tokenizer(request: pytest.FixtureRequest, tmp_path: Path) -> Tokenizer:
    with GGUFFile(vocabularies.write(tmp_path / "v.gguf", VOCABULARIES[request.param])) as file:
        return Tokenizer(file)


def test_no_text_becomes_a_control_token(tokenizer: Tokenizer) -> None:
    choose = random.Random(1)
    pieces = [*NAMES, *PIECES, *"<>|/se aa\n", "</", MARK, " endofword", "aaa", "|||"]
    hidden = tokenizer.control
    assert len(hidden) == len(CONTROL)
    for _ in range(1500):
        text = "".join(choose.choices(pieces, k=choose.randrange(1, 9)))
        plain = tokenizer.encode(text, special=False, add_special=False)
        assert hidden.isdisjoint(plain), (text, [tokenizer.name(one) for one in plain])
        marked = tokenizer.encode(tokenizer.neutral(text), add_special=False)
        assert hidden.isdisjoint(marked), (text, [tokenizer.name(one) for one in marked])


def test_names_are_control_tokens_where_the_caller_asks(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("".join(CONTROL[:6]), add_special=False)
    assert [one for one in ids if one in tokenizer.control] == [*range(6)]


@pytest.mark.parametrize("name", ["of characters", "of bytes", "whole words"])
def test_names_that_are_text_come_back(tmp_path: Path, name: str) -> None:
    with GGUFFile(vocabularies.write(tmp_path / "v.gguf", VOCABULARIES[name])) as file:
        tokenizer = Tokenizer(file)
    text = "".join(CONTROL) + " <s <tool>"
    assert tokenizer.decode(tokenizer.encode(text, special=False, add_special=False)) == text


def test_the_end_of_strike_through_is_text_for_gemma_4(tmp_path: Path) -> None:
    def vocabulary(writer: gguf.GGUFWriter) -> int:
        tokens = ["<pad>", "<eos>", "<bos>", "</s>", "</", "\u2581", *map(chr, range(33, 127))]
        writer.add_tokenizer_model("gemma4")
        writer.add_token_list(tokens)
        writer.add_token_merges(["< /"])
        writer.add_token_types([gguf.TokenType.CONTROL] * 4 + [gguf.TokenType.NORMAL] * (len(tokens) - 4))
        for number, key in enumerate(("padding", "eos", "bos")):
            writer.add_uint32(f"tokenizer.ggml.{key}_token_id", number)
        return len(tokens)

    with GGUFFile(vocabularies.write(tmp_path / "v.gguf", vocabulary)) as file:
        tokenizer = Tokenizer(file)
    assert tokenizer.ends == {1}
    assert tokenizer.control == {0, 1, 2}
    ids = tokenizer.encode("<s>old</s> new", add_special=False)
    assert [tokenizer.name(one) for one in ids] == [*"<s>old", "</", *"s>\u2581new"]
    assert tokenizer.token_bytes(3) == b"</s>"


def test_a_text_that_ends_with_a_letter_keeps_it(tmp_path: Path) -> None:
    """Where a file names no end, token 11 is one, a comma of GPT-2's own vocabulary and here a vertical tab."""
    with GGUFFile(vocabularies.write(tmp_path / "v.gguf", vocabularies.of_bytes("gpt-2", ["a b"]))) as file:
        tokenizer = Tokenizer(file)
    assert tokenizer.encode("a\vb", special=False, add_special=False) == [97, 11, 98]
