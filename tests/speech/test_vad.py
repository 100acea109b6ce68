# SPDX-License-Identifier: MIT
"""Voice activity detection: utterances of a scripted detector against a search of whole audio; silero on no speech."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.speech.audio import SAMPLE_RATE, Samples
from pyhexagon.speech.vad import WINDOW, SpeechGroup, Utterance, VadOptions, grouped, silero, utterances


def scripted(speech: list[tuple[int, int]], n: int) -> Samples:
    """Return audio of n windows, each a ramp of its number; speech lies between pairs of windows."""
    audio = np.repeat(np.arange(n, dtype=np.float32), WINDOW)
    for begin, end in speech:
        audio[begin * WINDOW : end * WINDOW] += 0.5
    return audio


def loud(window: Samples) -> float:
    """Return the probability of a scripted window."""
    return 0.9 if window[0] % 1 else 0.1


def found(audio: Samples, *, n_at_once: int = 1000, **options: Any) -> list[Utterance]:
    blocks = (audio[at : at + n_at_once] for at in range(0, len(audio), n_at_once))
    return list(utterances(blocks, VadOptions(**options), loud))


def spans(speech: list[Utterance]) -> list[tuple[int, int]]:
    """Return the first window of each utterance, and the one behind it; its samples must be those of the audio."""
    for utterance in speech:
        assert np.array_equal(np.floor(utterance.samples[::WINDOW]), utterance.start // WINDOW + np.arange(
            -(-len(utterance.samples) // WINDOW), dtype=np.float32
        ))  # fmt: skip
    return [(one.start // WINDOW, (one.start + len(one.samples)) // WINDOW) for one in speech]


NO_PAD: dict[str, Any] = {"speech_pad_ms": 0, "min_speech_duration_ms": 0, "min_silence_duration_ms": 320}  # 10 windows


@pytest.mark.parametrize("n_at_once", [1, 511, 512, 513, 100_000])
def test_utterances_are_what_silence_surrounds(n_at_once: int) -> None:
    audio = scripted([(5, 20), (24, 40), (60, 61), (90, 100)], 100)
    if n_at_once == 1:
        audio = audio[: 45 * WINDOW]
    expected = [(5, 40), (60, 61), (90, 100)][: 1 if n_at_once == 1 else 3]
    assert spans(found(audio, n_at_once=n_at_once, **NO_PAD)) == expected


def test_an_utterance_is_padded_within_its_silence() -> None:
    audio = scripted([(1, 20), (32, 40), (80, 99)], 100)
    # 4 windows of 32 ms; the pad of the second one begins where that of the first ends
    speech = found(audio, speech_pad_ms=128, min_silence_duration_ms=320, min_speech_duration_ms=0)
    assert spans(speech) == [(0, 24), (28, 44), (76, 100)]
    speech = found(audio, speech_pad_ms=320, min_silence_duration_ms=320, min_speech_duration_ms=0)
    assert spans(speech) == [(0, 30), (30, 50), (70, 100)]


def test_short_speech_is_dropped() -> None:
    audio = scripted([(5, 8), (40, 50)], 100)
    assert spans(found(audio, **NO_PAD | {"min_speech_duration_ms": 200})) == [(40, 50)]


def test_long_speech_is_cut_at_silence_or_anywhere() -> None:
    audio = scripted([(0, 50), (54, 100)], 120)
    options = NO_PAD | {"max_speech_duration_s": 2.0}  # 62 windows
    assert spans(found(audio, **options)) == [(0, 50), (50, 100)]
    assert spans(found(scripted([(0, 200)], 200), **options)) == [(0, 62), (62, 124), (124, 186), (186, 200)]


def test_an_utterance_comes_as_soon_as_its_silence() -> None:
    taken = 0

    def blocks() -> Iterator[Samples]:
        nonlocal taken
        for window in scripted([(5, 20)], 1000).reshape(-1, WINDOW):
            taken += 1
            yield window

    next(utterances(blocks(), VadOptions(**NO_PAD), loud))
    assert taken == 30


def test_silence_and_endless_speech_take_no_memory() -> None:
    """The detector keeps the pad, and an utterance at most."""
    from pyhexagon.speech.vad import _Detector

    for speech in ([], [(0, 5000)]):
        detector = _Detector(VadOptions(max_speech_duration_s=2.0), loud)
        most = 0
        for window in scripted(speech, 5000).reshape(-1, WINDOW):
            detector.take(window)
            most = max(most, len(detector._kept))
        assert most <= 70


@pytest.mark.parametrize("seed", range(8))
def test_utterances_of_random_audio_have_all_of_its_speech(seed: int) -> None:
    random = np.random.default_rng(seed)
    marks = random.random(600) < np.repeat(random.choice([0.02, 0.5, 0.95], 20), 30)
    audio = np.repeat(np.arange(600, dtype=np.float32) + 0.5 * marks, WINDOW)
    options = NO_PAD | {"max_speech_duration_s": float(random.choice([2.0, 30.0]))}
    kept = np.zeros(600, bool)
    last = 0
    for begin, end in spans(found(audio, n_at_once=int(random.integers(1, 5000)), **options)):
        assert last <= begin < end
        assert end - begin <= options["max_speech_duration_s"] * SAMPLE_RATE / WINDOW
        last, kept[begin:end] = end, True
    assert not (marks & ~kept).any()
    quiet = np.convolve(~marks, np.ones(10), "full")[9:] >= 10  # ten windows of silence begin here
    inside = np.flatnonzero(quiet & kept & np.roll(kept, -1))
    assert all(not kept[at : at + 10].all() for at in inside)


def test_groups_hold_what_fits_and_restore_times() -> None:
    second = SAMPLE_RATE
    speech = [
        Utterance(at * second, np.full(n * second, at, np.float32)) for at, n in ((1, 4), (10, 5), (40, 1), (50, 9))
    ]
    first, last = grouped(speech, 10)
    assert np.array_equal(first.samples, np.concatenate([one.samples for one in speech[:3]]))
    assert (first.places, last.places) == (
        ((0, second), (4 * second, 10 * second), (9 * second, 40 * second)),
        ((0, 50 * second),),
    )
    for here, there in (
        ((0, 3.5), (1, 4.5)), ((4, 8.5), (10, 14.5)), ((9, 10), (40, 41)), ((9.2, 11), (40.2, 42)), ((4, 9), (10, 15)),
        ((0, 4), (1, 5)), ((1, 4.25), (2, 5)), ((3.75, 8), (10, 14)), ((3.75, 4.25), (4.75, 5)), ((1, 8), (2, 14)),
        ((1, 9.25), (2, 15)), ((3.75, 9.25), (10, 15)),
    ):  # fmt: skip
        assert first.restored(*here) == pytest.approx(there), here
    assert list(grouped([])) == []
    waiting = iter(speech)
    assert next(grouped(waiting, 0)).places == ((0, second),)
    assert next(waiting) is speech[1]  # it was not waited for
    assert isinstance(last, SpeechGroup)


def test_options_are_checked() -> None:
    for name, value in (
        ("threshold", 1.5),
        ("speech_pad_ms", -1),
        ("max_speech_duration_s", 31.0),
        ("neg_threshold", 2),
    ):
        given: Any = {name: value}
        with pytest.raises(ArgumentError, match=f"{name} is {value}: expected"):
            VadOptions(**given)


def test_silero_finds_no_speech_in_silence_and_noise() -> None:
    random = np.random.default_rng(3)
    noise = random.normal(0, 0.05, 3 * SAMPLE_RATE).astype(np.float32)
    assert list(utterances([np.zeros(3 * SAMPLE_RATE, np.float32), noise])) == []
    assert 0 <= silero()(noise[:WINDOW]) < 0.5
