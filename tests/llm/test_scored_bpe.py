# SPDX-License-Identifier: MIT
"""SentencePiece's BPE against its definition: the pair with the best score merges first, the leftmost one of equal
pairs.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import needs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens import scored_bpe
from pyhexagon.llm.tokens.scored_bpe import SPACE, ScoredBPE
from pyhexagon.llm.tokens.tokenizer import Tokenizer

LETTERS = f"ab{SPACE}\n"


def model_of(tokens: list[str], scores: list[float]) -> ScoredBPE:
    ids = {token: number for number, token in enumerate(tokens)}
    return ScoredBPE(tokens, ids, np.array(scores), np.zeros(len(tokens), bool))


def defined(tokens: list[str], scores: list[float], text: str) -> list[str]:
    pieces = list(text)
    while True:
        joined = [left + right for left, right in pairwise(pieces)]
        known = [(-scores[tokens.index(one)], at) for at, one in enumerate(joined) if one in tokens]
        if not known:
            return pieces
        at = min(known)[1]
        pieces[at : at + 2] = [joined[at]]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_pieces_are_those_of_the_definition(data: st.DataObject) -> None:
    words = data.draw(st.lists(st.text(LETTERS, min_size=2, max_size=6), unique=True, max_size=30))
    tokens = [*LETTERS, *words]
    scores = data.draw(st.lists(st.integers(-5, 0).map(float), min_size=len(tokens), max_size=len(tokens)))
    model, text = model_of(tokens, scores), data.draw(st.text(LETTERS, max_size=90))
    want = defined(tokens, scores, text)
    assert [tokens[one] for one in model.encode(text)] == want
    assert model.encode(text) == model.encode(text), "words that are kept"
    assert model._merged_by_scan(text) == model._merged_by_heap(text) == want


def test_words_begin_only_where_no_token_crosses() -> None:
    tokens = [*LETTERS, f"a{SPACE}b", f"{SPACE}{SPACE}", f"{SPACE}b"]
    assert model_of(tokens, [0.0] * len(tokens))._word_start.split(f"bb{SPACE}{SPACE}ba{SPACE}b") == [
        "bb", f"{SPACE}{SPACE}ba{SPACE}b",
    ]  # fmt: skip


def test_characters_without_a_token_are_bytes_or_token_0() -> None:
    some = model_of(["<unk>", "a", "<0xC3>", "<0xA9>"], [0.0] * 4)
    assert some.encode("a\u00e9a") == [1, 2, 3, 1]
    assert some.encode("\u00e8") == [0]


def test_scores_that_are_no_numbers_merge_last() -> None:
    assert model_of(["a", "b", "ab", "ba"], [0.0, 0.0, float("nan"), -1.0]).encode("aba") == [0, 3]


def test_kept_words_are_few() -> None:
    model = model_of([*"abc"], [0.0] * 3)
    for number in range(scored_bpe._MAX_WORDS + 5):
        model.encode("".join("abc"[number // 3**place % 3] for place in range(12)))
    assert len(model._words) <= scored_bpe._MAX_WORDS
    model.encode("a" * 1000)
    assert "a" * 1000 not in model._words


def test_a_word_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    encode = ScoredBPE._encode_word

    def noted(model: ScoredBPE, word: str) -> list[int]:
        words.append(word)
        return encode(model, word)

    monkeypatch.setattr(ScoredBPE, "_encode_word", noted)
    model = model_of([*"ab", f"{SPACE}a"], [0.0] * 3)
    for _ in range(3):
        assert model.encode(f"ab{SPACE}a{SPACE}a") == [0, 1, 2, 2]
    assert words == ["ab", f"{SPACE}a"]


@pytest.mark.long
def test_gemmas_vocabulary_takes_little_memory(figure: Callable[[str], None]) -> None:
    needs.require("gemma3")
    with GGUFFile(needs.GEMMA3.path) as file:
        tracemalloc.start()
        try:
            assert Tokenizer(file).n_tokens == 262144
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 100 << 20
    figure(f"Gemma 3's tokenizer: peak {peak >> 20} MiB")
