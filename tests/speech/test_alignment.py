# SPDX-License-Identifier: MIT
"""When tokens and words were spoken: against the formulae of OpenAI's ``timing.py``, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
import numpy.typing as npt
import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.speech.alignment import alignment_heads, token_times, warping_path
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.segments import Segment, Word
from pyhexagon.speech.vocabulary import WhisperVocabulary
from pyhexagon.speech.words import with_words
from speech import whisper_files
from speech.whisper_files import ENGLISH, MULTILINGUAL, V3

F64 = npt.NDArray[np.float64]

OPENING = 5000  # the token of " ("


def path_of(costs: F64) -> tuple[list[int], list[int]]:
    """Return the path, by the textbook's recurrence over all cells."""
    n, m = costs.shape
    total, move = np.full((n + 1, m + 1), np.inf), np.zeros((n + 1, m + 1), int)
    total[0, 0] = 0
    for j in range(1, m + 1):
        for i in range(1, n + 1):
            diagonal, up, left = total[i - 1, j - 1], total[i - 1, j], total[i, j - 1]
            move[i, j] = 0 if diagonal < min(up, left) else 1 if up < min(diagonal, left) else 2
            total[i, j] = costs[i - 1, j - 1] + (diagonal, up, left)[move[i, j]]
    move[0], move[:, 0] = 2, 1
    rows, columns, i, j = [], [], n, m
    while i or j:
        rows.append(i - 1)
        columns.append(j - 1)
        i, j = {0: (i - 1, j - 1), 1: (i - 1, j), 2: (i, j - 1)}[int(move[i, j])]
    return rows[::-1], columns[::-1]


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (5, 31), (31, 5), (17, 64)])
def test_the_path_is_that_of_the_recurrence(shape: tuple[int, int], seed: int) -> None:
    chance = np.random.default_rng(seed)
    for costs in (chance.standard_normal(shape), np.zeros(shape), chance.integers(0, 3, shape).astype(float)):
        rows, columns = warping_path(costs)
        assert (rows.tolist(), columns.tolist()) == path_of(costs)


def times_of(weights: F64, n_before: int, n_positions: int) -> list[float]:
    """Return the times by OpenAI's steps, with loops."""
    heads = []
    for head in weights[:, :, :n_positions]:
        rows = head / head.sum(1, keepdims=True)
        rows = (rows - rows.mean(0)) / rows.std(0)
        filtered = np.empty_like(rows)
        for token, row in enumerate(rows):
            mirrored = [*row[3:0:-1], *row, *row[-2:-5:-1]]
            filtered[token] = [median(mirrored[at : at + 7]) for at in range(len(row))]
        heads.append(filtered)
    tokens, positions = path_of(-np.mean(heads, axis=0)[n_before:-1])
    starts = [0, *(at for at in range(1, len(tokens)) if tokens[at] != tokens[at - 1])]
    return [positions[at] * 0.02 for at in starts]


@pytest.mark.parametrize(("n_before", "n_tokens", "n_positions"), [(1, 5, 60), (3, 17, 41), (1, 3, 4), (0, 2, 99)])
def test_times_are_those_of_the_formulae(n_before: int, n_tokens: int, n_positions: int, seed: int) -> None:
    logits = 3 * np.random.default_rng(seed).standard_normal((4, n_tokens, 100))
    weights = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    times = token_times(weights.astype(np.float32), n_before, n_positions)
    np.testing.assert_allclose(times, times_of(weights, n_before, n_positions), atol=1e-9)
    assert len(times) == n_tokens - n_before - 1
    assert (np.diff(times) >= 0).all()


def test_tokens_that_attend_to_one_place_each_are_there() -> None:
    places = [2, 2, 10, 20, 33, 40, 48]  # of two tokens of the prompt, four of the text, and the end
    weights = np.full((3, 7, 50), 1e-4, np.float32)
    for token, place in enumerate(places):
        weights[:, token, max(0, place - 3) : place + 4] = 1
    times = token_times(weights, 1, 50)
    assert len(times) == 5
    np.testing.assert_allclose(times[1:], [0.14, 0.34, 0.6, 0.74], atol=0.15)  # half-way


def test_odd_attention_gives_times_or_an_error() -> None:
    times = token_times(np.zeros((1, 4, 10), np.float32), 1, 10)
    assert np.isfinite(times).all()
    for n_tokens, n_before, n_positions in ((4, 1, 0), (4, 1, 11), (4, 3, 5), (0, 0, 5)):
        with pytest.raises(ArgumentError, match="expected at least one position and one more token"):
            token_times(np.ones((1, n_tokens, 10), np.float32), n_before, n_positions)


def test_heads_of_each_published_model_exist() -> None:
    sizes = [(384, 4), (512, 6), (768, 12), (1024, 24), (1280, 32)]
    models = {
        (width, n_vocab): whisper_files.sized(width, n_layers, replace(whisper_files.TINY, n_vocab=n_vocab))
        for width, n_layers in sizes
        for n_vocab in ((ENGLISH, MULTILINGUAL) if width < 1280 else (MULTILINGUAL, V3))
    }
    models[0, V3] = replace(models[1280, V3], n_text_layer=4)
    counts = [len(alignment_heads(of)) for of in models.values()]
    assert counts == [8, 6, 5, 8, 19, 10, 18, 6, 23, 10, 6]  # as in whisper.cpp and OpenAI's __init__.py
    for of in models.values():
        assert all(0 <= layer < of.n_text_layer and 0 <= head < of.n_text_head for layer, head in alignment_heads(of))


def test_models_of_other_shapes_use_the_heads_of_the_later_layers() -> None:
    of = replace(whisper_files.TINY, n_text_layer=3, n_text_head=2)
    assert alignment_heads(of) == ((1, 0), (1, 1), (2, 0), (2, 1))
    few_heads = whisper_files.sized(128, 4)
    assert all(head < few_heads.n_text_head for _, head in alignment_heads(few_heads))


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> WhisperVocabulary:
    """Made-up words " w0" to " wc34f", single bytes, and " ("."""
    file = WhisperFile(whisper_files.write(tmp_path_factory.mktemp("words") / "w.bin"))
    file.tokens[OPENING] = b" ("
    return WhisperVocabulary(file)


def segment(vocabulary: WhisperVocabulary, tokens: list[int], start: float, end: float, seek: int = 0) -> Segment:
    return Segment(1, seek, start, end, vocabulary.decode(tokens), tokens, -0.5, 1.0, 0.1, None, 0.0)


def word(number: int) -> int:
    """Return the token of " wN"."""
    return 256 + number


def test_words_have_their_tokens_times_and_punctuation(vocabulary: WhisperVocabulary) -> None:
    tokens = [vocabulary.timestamp, word(1), ord("x"), ord(","), word(2), ord("."), vocabulary.timestamp + 100]
    times = np.array([0.1, 0.2, 0.4, 0.5, 0.9, 1.0])
    (found,) = with_words(
        vocabulary, [segment(vocabulary, tokens, 0, 2)], times, [0.5, 0.7, 0.1, 0.9, 0.2], language="en", last_end=0.0
    )
    assert found.words is not None
    assert [(one.word, one.start, one.end) for one in found.words] == [(" w1x,", 0.1, 0.4), (" w2.", 0.5, 0.9)]
    np.testing.assert_allclose([one.probability for one in found.words], [0.6, 0.9])
    assert (found.start, found.end) == (0.1, 0.9)


def test_opening_quotes_join_the_next_word(vocabulary: WhisperVocabulary) -> None:
    tokens = [OPENING, word(3), ord(")"), word(4), OPENING]
    times = np.array([0.0, 0.1, 0.2, 0.6, 0.7, 0.8])
    (found,) = with_words(vocabulary, [segment(vocabulary, tokens, 0, 1)], times, [1.0] * 5, language="en")
    assert found.words is not None
    assert [(one.word, one.start) for one in found.words] == [(" ( w3)", 0.1), (" w4", 0.6), (" (", 0.7)]


def test_times_are_those_of_the_audio(vocabulary: WhisperVocabulary) -> None:
    tokens, times = [word(1), word(2)], np.array([1.0, 1.3, 1.6])
    (found,) = with_words(
        vocabulary, [segment(vocabulary, tokens, 61, 62, seek=6000)], times, [1.0, 1.0], language="en", last_end=60.9
    )
    assert found.words == [Word(61.0, 61.3, " w1", 1.0), Word(61.3, 61.6, " w2", 1.0)]


def test_a_word_over_a_pause_is_shortened(vocabulary: WhisperVocabulary) -> None:
    tokens = [word(number) for number in range(6)]
    times = np.array([0.0, 9.0, 9.3, 9.6, 9.9, 10.2, 10.5])
    (found,) = with_words(vocabulary, [segment(vocabulary, tokens, 8.5, 10.5)], times, [1.0] * 6, language="en")
    assert found.words is not None
    assert found.words[0].start == pytest.approx(8.4)  # twice the median of 0.3 s before its end
    assert found.words[0].end == 9.0


def test_words_of_several_segments_go_to_their_own(vocabulary: WhisperVocabulary) -> None:
    first, second = [word(1), word(2)], [word(4)]
    times = np.array([0.0, 0.5, 1.0, 1.4])
    empty = segment(vocabulary, [], 1, 1)
    one, none, other = with_words(
        vocabulary,
        [segment(vocabulary, first, 0, 1), empty, segment(vocabulary, second, 1, 2)],
        times,
        [1.0] * 3,
        language="en",
    )
    assert [[w.word for w in found.words or ()] for found in (one, none, other)] == [[" w1", " w2"], [], [" w4"]]
    assert (one.end, other.start) == (1.0, 1.0)


def test_languages_without_spaces_have_words_of_characters(vocabulary: WhisperVocabulary) -> None:
    characters = [*"日".encode(), *"本".encode()]
    assert vocabulary.words(characters, "ja") == [characters[:3], characters[3:]]
    assert vocabulary.words(characters, "en") == [characters]
    assert vocabulary.words([*characters[:3], 0xE6, 0x97], "ja") == [characters[:3], [0xE6], [0x97]]
