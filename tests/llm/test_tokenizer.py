# SPDX-License-Identifier: MIT
"""Tokenization and detokenization: llama.cpp's ids, and streams that never split a character."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import needs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm import llama_cpp, stories_oracle, tiny, vocabularies
from pyhexagon.errors import ArgumentError, GGUFError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens.tokenizer import Tokenizer

HARD = json.loads(llama_cpp.HARD_STRINGS.read_text(encoding="utf-8"))
RECORDED = Path(__file__).with_name("recorded")
MODELS = {
    "stories": ("", needs.STORIES),
    "smollm2": ("smollm2", needs.SMOLLM2.path),
    "gemma3": ("gemma3", needs.GEMMA3.path),
}
each_model = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name == "gemma3")) for name in MODELS]
)


@pytest.fixture(scope="module")
def opened() -> dict[Path, Tokenizer]:
    """Return the tokenizers that earlier tests have loaded, by path."""
    return {}


def path_of(name: str) -> Path:
    need, path = MODELS[name]
    if need:
        needs.require(need)
    return path


def tokenizer_of(path: Path, opened: dict[Path, Tokenizer]) -> Tokenizer:
    if path not in opened:
        with GGUFFile(path) as file:
            opened[path] = Tokenizer(file)
    return opened[path]


@pytest.fixture
def small(tmp_path: Path) -> Tokenizer:
    with GGUFFile(tiny.write(tmp_path / "tiny.gguf", "llama", layers=1)) as file:
        return Tokenizer(file)


@each_model
def test_ids_are_those_that_llama_cpp_gives(name: str, opened: dict[Path, Tokenizer]) -> None:
    tokenizer = tokenizer_of(path_of(name), opened)
    recorded = json.loads((RECORDED / f"{name}.json").read_text())
    assert len(HARD) >= 200
    for text, (parsed, plain) in zip(HARD, recorded, strict=True):
        assert (text, tokenizer.encode(text)) == (text, parsed)
        assert (text, tokenizer.encode(text, special=False)) == (text, plain)


def test_ids_of_word_pieces_are_those_that_llama_cpp_gives(tmp_path: Path) -> None:
    with GGUFFile(tiny.write_encoder(tmp_path / "m.gguf", "bert")) as file:
        tokenizer = Tokenizer(file)
    recorded = json.loads((RECORDED / "word_pieces.json").read_text())
    for text, (parsed, plain) in zip(HARD, recorded, strict=True):
        assert (text, tokenizer.encode(text)) == (text, parsed)
        assert (text, tokenizer.encode(text, special=False)) == (text, plain)
    assert tokenizer.decode(tokenizer.encode("Thé thing.", add_special=False)) == " the thing ."


def test_bytes_that_are_no_utf_8_are_tokens_of_bytes_or_u_fffd(small: Tokenizer, tmp_path: Path) -> None:
    """As in llama.cpp's unicode_len_utf8() and unicode_cpts_from_utf8()."""
    plain = small.encode("the", add_special=False)
    assert small.encode_bytes(b"the\xff", add_special=False) == [*plain, 3 + 0xFF]
    assert small.encode_bytes(b"the\xe2\x82", add_special=False) == [*plain, 3 + 0xE2, 3 + 0x82]
    assert small.encode_bytes(b"the\xe2xy", add_special=False) == [*plain, *(3 + byte for byte in b"\xe2xy")]
    assert small.encode_bytes("thé".encode()) == small.encode("thé")
    path = vocabularies.write(tmp_path / "m.gguf", vocabularies.of_bytes("gpt-2", ["a b"]))
    with GGUFFile(path) as file:
        of_bytes = Tokenizer(file)
    for content, n_broken in ((b"a\xffb", 1), (b"a\xe2\x82b", 2), (b"a\xf0\x9f\x98b", 3)):
        assert of_bytes.encode_bytes(content) == of_bytes.encode("a" + n_broken * "\ufffd" + "b")


@each_model
def test_plain_text_comes_back(name: str, opened: dict[Path, Tokenizer]) -> None:
    tokenizer = tokenizer_of(path_of(name), opened)
    for text in HARD:
        if "<" not in text and "\u2581" not in text:
            ids = tokenizer.encode(text, special=False)
            assert tokenizer.decode(ids) == text
            decoder = tokenizer.decoder()
            parts = [*map(decoder.add, ids), decoder.rest()]
            assert "".join(parts) == text
            assert not any("\ufffd" in part for part in parts) or "\ufffd" in text


@pytest.mark.long
def test_recorded_ids_are_those_of_the_llama_cpp_that_is_here() -> None:
    needs.require("xllamacpp")
    server = llama_cpp.serve(needs.STORIES)
    recorded = json.loads(stories_oracle.IDS.read_text())
    for text, (parsed, _) in list(zip(HARD, recorded, strict=True))[::10]:
        assert llama_cpp.token_ids(server, text, special=True) == parsed


@settings(max_examples=60)
@given(st.data())
def test_any_bytes_become_characters_as_python_decodes_them(data: st.DataObject) -> None:
    tokenizer = _of_bytes()
    content = data.draw(st.one_of(st.text().map(str.encode), st.binary()))
    decoder = tokenizer.decoder()
    parts = [decoder.add(3 + byte) for byte in content]
    assert "".join([*parts, decoder.rest()]) == content.decode("utf-8", "replace").removeprefix(" ")


_KEPT: list[Tokenizer] = []


def _of_bytes() -> Tokenizer:
    import tempfile

    if not _KEPT:
        with tempfile.TemporaryDirectory() as folder, GGUFFile(tiny.write(Path(folder, "t.gguf"), "llama")) as file:
            _KEPT.append(Tokenizer(file))
    return _KEPT[0]


def test_a_space_is_put_before_a_text_and_taken_away_again(small: Tokenizer) -> None:
    ids = small.encode("the and")
    assert [small.name(one) for one in ids] == ["<s>", "▁the", "▁and"]
    assert small.decode(ids) == "the and"
    assert small.decoder(after=ids[:2]).add(ids[2]) == " and"


def test_a_tokenizer_shows_its_model_and_size(small: Tokenizer) -> None:
    assert repr(small) == f"<Tokenizer llama: {small.n_tokens:,} tokens, bos 1, eos 2>"


def test_unknown_characters_are_bytes(small: Tokenizer) -> None:
    ids = small.encode("日", add_special=False)
    assert [small.name(one) for one in ids] == ["▁", "<0xE6>", "<0x97>", "<0xA5>"]
    assert small.decode(ids) == "日"
    assert small.decode(ids[:-1]) == "\ufffd"


def test_special_tokens_are_names_or_nothing(small: Tokenizer) -> None:
    ids = small.encode("a</s>", add_special=False)
    assert ids[-1] == 2
    assert 2 not in small.encode("a</s>", special=False)
    assert small.decode(ids) == "a"
    assert small.decode(ids, special=True) == "a</s>"
    assert small.ends == {2}


def test_lone_surrogates_become_the_replacement_character(small: Tokenizer) -> None:
    assert small.encode("a\ud800") == small.encode("a\ufffd\ufffd\ufffd")


def test_what_is_no_text_or_token_is_refused(small: Tokenizer) -> None:
    with pytest.raises(ArgumentError, match="bytes, not str"):
        small.encode(b"text")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"no token 512: they are 0 to 511"):
        small.decode([512])


def _only(path: Path, **keys: object) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    for name, value in keys.items():
        key = f"tokenizer.ggml.{name}"
        if isinstance(value, list):
            writer.add_array(key, value)
        elif isinstance(value, bool):
            writer.add_bool(key, value)
        else:
            writer.add_string(key, str(value))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


@pytest.mark.parametrize(
    ("keys", "error", "words"),
    [
        ({}, GGUFError, "has no vocabulary"),
        ({"tokens": ["a", "b"], "model": "rwkv"}, UnsupportedError, "a tokenizer of the kind 'rwkv'; known are"),
        ({"tokens": ["a", "b"], "model": "t5"}, GGUFError, "no token for unknown text"),
        ({"tokens": ["a", "b"], "model": "gpt2", "pre": "martian"}, UnsupportedError, "cuts words as 'martian' does"),
        ({"tokens": ["a", "b"], "model": "gpt2", "pre": "gpt-2"}, GGUFError, "merges is missing"),
        ({"tokens": ["a", "a"], "model": "llama"}, GGUFError, "there twice"),
        ({"tokens": ["a", "b"], "model": "llama", "scores": [1.0]}, GGUFError, "not a number for each of 2 tokens"),
        ({"tokens": ["a", "b"], "model": "llama", "scores": [0.0, float("nan")]}, GGUFError, "NaN for token 1"),
        ({"tokens": ["a", "b"], "model": "llama", "add_bos_token": "yes"}, GGUFError, "neither true nor false"),
    ],
)
def test_vocabularies_that_cannot_be_used(
    tmp_path: Path, keys: dict[str, object], error: type[Exception], words: str
) -> None:
    with GGUFFile(_only(tmp_path / "v.gguf", **keys)) as file, pytest.raises(error, match=words):
        Tokenizer(file)


def test_bpe_of_bytes(tmp_path: Path) -> None:
    letters = [*"abcdeĠ"]
    keys = {"tokens": [*letters, "ab", "abc", "Ġa"], "merges": ["a b", "ab c", "Ġ a"], "model": "gpt2", "pre": "gpt-2"}
    with GGUFFile(_only(tmp_path / "v.gguf", **keys)) as file:
        tokenizer = Tokenizer(file)
    assert [tokenizer.name(one) for one in tokenizer.encode("abcd a")] == ["abc", "d", "Ġa"]
    assert tokenizer.decode(tokenizer.encode("abcd a")) == "abcd a"
