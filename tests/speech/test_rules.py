# SPDX-License-Identifier: MIT
"""Decoding rules and windows: against whisper.cpp's description of them, written out token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log

import numpy as np
import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.rules import DecodingRules
from pyhexagon.speech.transcript import Thresholds, Transcript, avg_logprob
from pyhexagon.speech.vocabulary import WhisperVocabulary
from pyhexagon.speech.windows import Window, WindowOutcome, WindowSegment, compression_ratio, entropy
from speech import whisper_files

LONG_CTX = replace(whisper_files.TINY, n_audio_ctx=1500, n_text_ctx=448)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> WhisperVocabulary:
    return WhisperVocabulary(WhisperFile(whisper_files.write(tmp_path_factory.mktemp("rules") / "w.bin")))


def allowed(
    v: WhisperVocabulary,
    tokens: Sequence[int],
    logits: np.ndarray,
    latest: int | None,
    *,
    texts_only: bool,
    blank: bool,
) -> set[int]:
    """Return the tokens that may follow, by the rules of whisper_process_logits."""
    found = {*range(v.end + 1), *(() if texts_only else range(v.timestamp, v.n_vocab))}
    if not tokens and blank:
        found -= {v.end, v.blank}
    if not tokens and latest is not None:
        found -= set(range(v.timestamp + latest + 1, v.n_vocab))
    if tokens and tokens[-1] >= v.timestamp:
        is_pair = len(tokens) < 2 or tokens[-2] >= v.timestamp
        found -= set(range(v.timestamp, v.n_vocab)) if is_pair else set(range(v.end))
    last = max((token for token in tokens if token > v.timestamp), default=v.timestamp)
    found -= set(range(v.timestamp, last))
    times = [float(logits[token]) for token in found if token >= v.timestamp]
    texts = [float(logits[token]) for token in found if token < v.timestamp]
    if times and log(sum(map(exp, times))) > max(texts, default=-inf):
        found = {token for token in found if token >= v.timestamp}
    return found


T = 50363  # the first timestamp of English models
HISTORIES: tuple[list[int], ...] = (
    [], [T], [T + 7], [T, 300], [T, 300, T + 9], [T, 300, T + 9, T + 9], [T, 300, T + 9, T + 12], [300],
    [300, 301], [T, 300, T + 1500], [T, 300, T + 1500, T + 1500], [T, 300, T + 40, T + 41, 17, T + 60],
)  # fmt: skip


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: "-".join(map(str, history)) or "start")
@pytest.mark.parametrize("texts_only", [False, True])
def test_the_mask_is_that_of_the_rules(
    vocabulary: WhisperVocabulary, history: list[int], texts_only: bool, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    for scale, towards_times, latest in ((1, 0.0, 50), (1, -6.0, 50), (4, -3.0, None), (0.1, 2.0, 3)):
        logits = (scale * chance.standard_normal(vocabulary.n_vocab)).astype(np.float32)
        logits[vocabulary.timestamp :] += np.float32(towards_times)
        before = logits.copy()
        rules = DecodingRules(
            vocabulary,
            without_timestamps=texts_only,
            suppress_blank=scale == 1,
            max_initial_timestamp=None if latest is None else latest * 0.02,
        )
        masked = rules(history, logits)
        expected = allowed(vocabulary, history, logits, latest, texts_only=texts_only, blank=scale == 1)
        assert set(np.flatnonzero(masked > -np.inf).tolist()) == expected
        np.testing.assert_array_equal(masked[sorted(expected)], before[sorted(expected)])
        np.testing.assert_array_equal(logits, before)


def test_suppressed_tokens_never_follow(vocabulary: WhisperVocabulary) -> None:
    logits = np.zeros(vocabulary.n_vocab, np.float32)
    logits[vocabulary.timestamp :] = -20
    masked = DecodingRules(vocabulary, suppress=[5, 400, vocabulary.end])([300], logits)
    assert not np.isfinite(masked[[5, 400, vocabulary.end]]).any()
    assert np.isfinite(masked[[6, 401]]).all()
    for token in (-1, vocabulary.n_vocab):
        with pytest.raises(ArgumentError, match=f"token {token} cannot be suppressed"):
            DecodingRules(vocabulary, suppress=[token])
    for time in (0, -1.0, float("nan")):
        with pytest.raises(ArgumentError, match="max_initial_timestamp is"):
            DecodingRules(vocabulary, max_initial_timestamp=time)


def window(v: WhisperVocabulary, n_left: int = 6000, seek: int = 0, *, texts_only: bool = False) -> Window:
    return Window(v, seek, n_left, 3000, 220, texts_only)


E = 50256  # the end of English models


@pytest.mark.parametrize(
    ("tokens", "n_left", "outcome"),
    [
        ([T, 300, 301, T + 100, E], 6000, WindowOutcome(4, 200, False)),
        ([T, 300, T + 100, T + 100, 301, E], 6000, WindowOutcome(4, 200, False)),  # 301 has no end: it is heard again
        ([T, 300, T + 100, T + 120, 301, T + 140, E], 6000, WindowOutcome(6, 280, False)),
        ([T, 300, T + 1495], 3000, WindowOutcome(3, 2990, False)),  # at the end of the audio
        ([T, 300, 301, E], 6000, WindowOutcome(0, 3000, True)),
        ([T, 300, 301, E], 2000, WindowOutcome(4, 3000, False)),  # nothing follows
        ([E], 3005, WindowOutcome(1, 3000, False)),
        ([T] + [300] * 219, 6000, WindowOutcome(0, 3000, True)),
        ([T] + [300] * 218 + [T + 749], 6000, WindowOutcome(220, 1498, True)),  # repeats itself
        ([T] + [300] * 218 + [T + 750], 6000, WindowOutcome(220, 1500, False)),
    ],
)
def test_what_tokens_come_to(
    vocabulary: WhisperVocabulary, tokens: list[int], n_left: int, outcome: WindowOutcome
) -> None:
    here = window(vocabulary, n_left)
    assert here.outcome(tokens) == outcome
    assert here.outcome(tuple(tokens)) == outcome
    assert here.is_complete(tokens)
    assert not any(here.is_complete(tokens[:n]) for n in range(len(tokens)))


def test_text_without_timestamps_is_one_segment(vocabulary: WhisperVocabulary) -> None:
    here, tokens = window(vocabulary, seek=100, texts_only=True), [300, 301, E]
    outcome = here.outcome(tokens)
    assert outcome == WindowOutcome(3, 3000, False)
    assert here.pieces(tokens, outcome, T) == [WindowSegment(100, 3100, [300, 301], vocabulary.decode([300, 301]))]
    assert here.outcome([300] * 220).is_failed


def test_segments_are_between_timestamps(vocabulary: WhisperVocabulary) -> None:
    def pieces(tokens: list[int], n_left: int = 6000, initial: int = T) -> list[tuple[int, int, list[int]]]:
        here = window(vocabulary, n_left, 1000)
        return [one[:3] for one in here.pieces(tokens, here.outcome(tokens), initial)]

    assert pieces([T, 300, T + 100, E]) == [(1000, 1200, [T, 300, T + 100])]
    assert pieces([T + 5, 300, T + 100, T + 110, 301, 302, T + 200, E]) == [
        (1010, 1200, [T + 5, 300, T + 100]), (1220, 1400, [T + 110, 301, 302, T + 200]),
    ]  # fmt: skip
    assert pieces([T, 300, T + 100, T + 100, 301, E]) == [(1000, 1200, [T, 300, T + 100])]
    assert pieces([T, 300, 301, E], 2000) == [(1000, 4000, [T, 300, 301])]
    assert pieces([300, T + 9, E], initial=T + 4) == [(1008, 1018, [300, T + 9])]
    assert pieces([T, 300, 301, E], 6000) == [(1000, 4000, [T, 300, 301])]  # failed at all temperatures
    assert pieces([T, T + 50, T + 60, E]) == []
    assert pieces([E], 2000) == []


def test_a_window_is_left_behind_if_its_last_segment_has_no_successor(vocabulary: WhisperVocabulary) -> None:
    here = window(vocabulary, 6000)
    for tokens, n in (
        ([T, 300, T + 100, E], 3000),
        ([T, 300, T + 100, T + 100, 301, E], 200),
        ([T, 300, T + 100, T + 100, E], 200),
        ([T, 300, 301, E], 3000),
    ):
        assert here.n_consumed(tokens, here.outcome(tokens)) == n, tokens
    last = window(vocabulary, 500)
    assert last.n_consumed([T, 300, T + 100, E], last.outcome([T, 300, T + 100, E])) == 500


def test_repeated_text_has_little_entropy_and_a_high_ratio() -> None:
    assert entropy([7] * 100) == 0
    assert entropy([*range(1000)]) == pytest.approx(log(32))
    assert entropy([1, 2] * 50) == pytest.approx(log(2))
    assert compression_ratio("again and " * 50) > 10
    assert compression_ratio("It was the best of times.") < 1


@dataclass
class Decoded:
    tokens: Sequence[int]
    logprobs: Sequence[float]
    no_speech_prob: float = 0.1
    temperature: float = 0.0


def decoded(tokens: list[int], logprob: float = -0.1, **other: float) -> Decoded:
    return Decoded(tokens, [logprob] * len(tokens), **other)


def transcript(v: WhisperVocabulary, n_frames: int = 10_000, **options: object) -> Transcript:
    return Transcript(LONG_CTX, v, n_frames, **options)  # type: ignore[arg-type]


def test_windows_follow_each_other_with_the_text_so_far(vocabulary: WhisperVocabulary) -> None:
    here = transcript(vocabulary, prompt=[11, 12])
    first = here.window()
    assert first == Window(vocabulary, 0, 10_000, 3000, 220)
    assert here.prompt(0.0) == [vocabulary.previous, 11, 12, vocabulary.start]
    assert here.prompt(0.6) == [vocabulary.start]
    one = decoded([T, 300, T + 100, T + 100, 301, E])
    assert here.accepts(first, one)
    segments = here.finish(first, one)
    assert [(s.id, s.seek, s.start, s.end, s.tokens) for s in segments] == [(1, 0, 0.0, 2.0, [T, 300, T + 100])]
    assert segments[0].avg_logprob == pytest.approx(-0.1)
    assert here.seek == 200
    assert here.prompt(0.0) == [vocabulary.previous, 11, 12, T, 300, T + 100, T + 100, vocabulary.start]
    second = here.window()
    assert second is not None
    assert (second.seek, second.n_left) == (200, 9800)
    (later,) = here.finish(second, decoded([T, 400, T + 500, E], temperature=0.6))
    assert (later.id, later.start, later.end, later.temperature) == (2, 2.0, 12.0, 0.6)
    # It was decoded without the text before it.
    assert here.prompt(0.0) == [vocabulary.previous, T, 400, T + 500, vocabulary.start]


def test_the_end_of_the_audio_ends_it(vocabulary: WhisperVocabulary) -> None:
    assert transcript(vocabulary, 10).window() is None
    here = transcript(vocabulary, 3300)
    first = here.window()
    assert first is not None
    here.finish(first, decoded([T, 300, T + 1400, T + 1400, E]))
    last = here.window()
    assert last is not None
    assert here.prompt(0.0) == [vocabulary.start]  # so little audio is left that text before it misleads
    here.finish(last, decoded([T, 301, T + 240]))
    assert here.window() is None
    assert here.seek == 3300


def test_a_prompt_takes_at_most_half_of_the_context(vocabulary: WhisperVocabulary) -> None:
    prompt = transcript(vocabulary, prompt=range(1000)).prompt(0.0)
    assert prompt == [vocabulary.previous, *range(1000 - 223, 1000), vocabulary.start]


def test_text_before_is_not_used_when_not_wanted(vocabulary: WhisperVocabulary) -> None:
    here = transcript(vocabulary, prompt=[11], condition_on_previous_text=False)
    first = here.window()
    assert first is not None
    assert here.prompt(0.0)[:2] == [vocabulary.previous, 11]
    here.finish(first, decoded([T, 300, T + 100, T + 100, E]))
    assert here.prompt(0.0) == [vocabulary.start]


def test_improbable_repeated_or_unended_windows_are_decoded_again(vocabulary: WhisperVocabulary) -> None:
    here = transcript(vocabulary)
    first = here.window()
    assert first is not None
    good = [T, *range(300, 340), T + 900, E]
    repeated = [T, *[300, 301] * 20, T + 900, E]
    assert here.accepts(first, decoded(good))
    assert not here.accepts(first, decoded(good, -1.1))
    assert here.accepts(first, decoded(good, -1.1, no_speech_prob=0.7))
    assert not here.accepts(first, decoded(repeated))
    assert not here.accepts(first, decoded([T, 300, 301, E]))
    never = transcript(vocabulary, thresholds=Thresholds(log_prob=None, entropy=None))
    assert never.accepts(first, decoded(repeated, -9.0))
    by_ratio = transcript(vocabulary, thresholds=Thresholds(entropy=None, compression_ratio=2.4))
    assert not by_ratio.accepts(first, decoded(repeated))
    assert by_ratio.accepts(first, decoded(good))


def test_silence_has_no_segments(vocabulary: WhisperVocabulary) -> None:
    here = transcript(vocabulary)
    first = here.window()
    assert first is not None
    assert here.finish(first, decoded([T, 300, T + 100, E], -1.1, no_speech_prob=0.7)) == []
    assert here.seek == 3000
    assert here.prompt(0.0) == [vocabulary.start]


def test_a_window_without_any_result_has_finite_figures(vocabulary: WhisperVocabulary) -> None:
    here = transcript(vocabulary)
    first = here.window()
    assert first is not None
    failed = decoded([T, 300, 301, E], -0.5)
    assert avg_logprob(failed, first.outcome(failed.tokens)) == -inf
    (only,) = here.finish(first, failed)
    assert (only.avg_logprob, only.start, only.end) == (-0.5, 0.0, 30.0)
    assert here.prompt(0.0) == [vocabulary.start]


def test_the_first_distilled_models_have_no_timestamps(vocabulary: WhisperVocabulary) -> None:
    distilled = replace(LONG_CTX, n_text_layer=2)
    here = Transcript(distilled, vocabulary, 5000)
    assert here.prompt(0.0) == [vocabulary.start, vocabulary.no_timestamps]
    assert not LONG_CTX.lacks_timestamps
    assert not replace(distilled, n_vocab=whisper_files.V3).lacks_timestamps
