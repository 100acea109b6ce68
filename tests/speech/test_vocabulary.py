# SPDX-License-Identifier: MIT
"""Tokens: special ones by their numbers in whisper.cpp, text as OpenAI's tokenizer has it.

recorded/tokens.json has what tiktoken makes of tests/llm/hard_strings.json with OpenAI's two vocabularies, and the
tokens that are not speech.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

import needs
import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.speech import languages
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.vocabulary import WhisperVocabulary
from speech import whisper_files
from speech.whisper_files import ENGLISH, MULTILINGUAL, V3

RECORDED = json.loads(Path(__file__).with_name("recorded").joinpath("tokens.json").read_text(encoding="utf-8"))
HARD_STRINGS = json.loads(Path(__file__).parents[1].joinpath("llm/hard_strings.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[int, WhisperFile]:
    folder = tmp_path_factory.mktemp("vocabulary")
    sizes = {n_vocab: replace(whisper_files.TINY, n_vocab=n_vocab) for n_vocab in (ENGLISH, MULTILINGUAL, V3)}
    return {n: WhisperFile(whisper_files.write(folder / f"{n}.bin", of)) for n, of in sizes.items()}


@pytest.mark.parametrize(
    ("n_vocab", "numbers", "n_languages"),
    [
        (ENGLISH, (50256, 50257, 50357, 50358, 50359, 50360, 50361, 50362, 50363), 1),
        (MULTILINGUAL, (50257, 50258, 50358, 50359, 50360, 50361, 50362, 50363, 50364), 99),
        (V3, (50257, 50258, 50359, 50360, 50361, 50362, 50363, 50364, 50365), 100),
    ],
)
def test_special_tokens_have_their_numbers(
    files: dict[int, WhisperFile], n_vocab: int, numbers: tuple[int, ...], n_languages: int
) -> None:
    v = WhisperVocabulary(files[n_vocab])
    special = (v.end, v.start, v.translate, v.transcribe, v.speaker_turn, v.previous, v.no_speech, v.no_timestamps)
    assert (*special, v.timestamp) == numbers
    assert v.timestamp + 1500 == n_vocab - 1
    assert len(v.languages) == n_languages
    assert [v.language(code) for code in v.languages] == [v.start + 1 + at for at in range(n_languages)]
    assert v.decode([*special, v.timestamp, v.timestamp + 9, ord("a")]) == "a"


def test_a_transcription_begins_with_language_and_task(files: dict[int, WhisperFile]) -> None:
    v = WhisperVocabulary(files[MULTILINGUAL])
    assert v.start_sequence("de", "transcribe", without_timestamps=False) == [50258, 50261, 50359]
    assert v.start_sequence("French", "translate", without_timestamps=True) == [50258, 50265, 50358, 50363]
    english = WhisperVocabulary(files[ENGLISH])
    assert english.start_sequence("en", "transcribe", without_timestamps=False) == [50257]


def test_languages_are_known_by_code_and_name(files: dict[int, WhisperFile]) -> None:
    assert len(languages.CODES) == 100
    assert (languages.CODES[0], languages.CODES[98], languages.CODES[99]) == ("en", "su", "yue")
    assert [languages.code_of(name) for name in ("DE", " german ", "Castilian", "haw")] == ["de", "de", "es", "haw"]
    for wrong in ("", "xx", "klingon", None, 3):
        with pytest.raises(ArgumentError, match=f"language is {wrong!r}: expected a code such as en"):
            languages.code_of(wrong)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="language is 'de': expected en"):
        WhisperVocabulary(files[ENGLISH]).language("de")
    with pytest.raises(ArgumentError, match="language is 'yue'"):
        WhisperVocabulary(files[MULTILINGUAL]).language("yue")
    assert WhisperVocabulary(files[V3]).language("cantonese") == 50358


def test_incomplete_characters_are_replaced(files: dict[int, WhisperFile]) -> None:
    v = WhisperVocabulary(files[ENGLISH])
    assert v.decode("Käse 日".encode()) == "Käse 日"
    assert v.decode("日".encode()[:2]) == "\ufffd"
    assert v.bytes_of([0xE6, 0x97]) == b"\xe6\x97"


def test_text_becomes_the_tokens_whose_merges_come_first(files: dict[int, WhisperFile]) -> None:
    file = files[ENGLISH]
    before = list(file.tokens)
    merged = [b"th", b"he", b"the", b" the", b"in"]
    file.tokens[256 : 256 + len(merged)] = merged
    try:
        v = WhisperVocabulary(file)
        names = {256 + at: text for at, text in enumerate(merged)}
        found = [names.get(token, bytes([token % 256])) for token in v.encode("the thin hex")]
    finally:
        file.tokens[:] = before
    # "th" merges before "he"; " the" cannot be made, because nothing merges " " with "the" earlier than its number.
    assert b"".join(found) == b"the thin hex"
    assert found == [b"the", b" ", b"th", b"in", b" ", b"he", b"x"]


@pytest.mark.long
@pytest.mark.parametrize(("name", "n_vocab"), [("gpt2", ENGLISH), ("multilingual", MULTILINGUAL)])
def test_texts_have_the_tokens_of_openai(files: dict[int, WhisperFile], name: str, n_vocab: int) -> None:
    needs.require("whisper's vocabularies")
    lines = (needs.WHISPER_ASSETS.path / f"{name}.tiktoken").read_text(encoding="utf-8").splitlines()
    file = files[n_vocab]
    ranked = (line.split() for line in lines)
    file.tokens[:] = [base64.b64decode(text) for text, _ in sorted(ranked, key=lambda pair: int(pair[1]))]
    assert len(file.tokens) == file.hyper_parameters.n_texts
    v = WhisperVocabulary(file)
    assert list(v.non_speech) == RECORDED[name]["non_speech"]
    assert [v.encode(text) for text in HARD_STRINGS] == RECORDED[name]["ids"]
    assert [v.decode(v.encode(text)) for text in HARD_STRINGS] == HARD_STRINGS
