# SPDX-License-Identifier: MIT
"""The log-mel spectrogram: against its definition in float64, and against what whisper.cpp computed.

recorded/mel.json has whisper.cpp's spectrograms of made-up sounds, recorded by whisper_cpp.py.
"""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.speech.mel import RATE, log_mel, n_content_frames
from speech import published, whisper_cpp

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

FILTERS = published.mel_filters()


def defined(audio: F32, filters: F32) -> F64:
    """Return the spectrogram by its definition: a discrete Fourier transform of each window, written out."""
    mirrored = np.zeros(200)
    first = audio[1:201][::-1]
    mirrored[200 - len(first) :] = first
    padded = np.concatenate([mirrored, audio.astype(np.float64), np.zeros(30 * RATE + 200)])
    places = np.arange(400)
    hann = np.sin(np.pi * places / 400) ** 2
    waves = np.exp(-2j * np.pi * np.outer(np.arange(201), places) / 400)
    n_frames = (len(audio) + 30 * RATE) // 160
    powers = np.zeros((201, n_frames))
    for frame in range(min(n_frames, len(audio) // 160 + 4)):
        powers[:, frame] = np.abs(waves @ (padded[160 * frame : 160 * frame + 400] * hann)) ** 2
    logs = np.log10(np.maximum(filters.astype(np.float64) @ powers, 1e-10))
    return np.asarray((np.maximum(logs, logs.max() - 8) + 4) / 4)


@pytest.mark.parametrize("n_samples", [0, 1, 2, 159, 160, 199, 200, 201, 399, 400, 401, 1000, 4801])
def test_any_length_is_as_defined(n_samples: int, seed: int) -> None:
    audio = np.random.default_rng(seed).uniform(-1, 1, n_samples).astype(np.float32)
    found, expected = log_mel(audio, FILTERS), defined(audio, FILTERS)
    assert found.dtype == np.float32
    assert found.shape == expected.shape == (80, (n_samples + 480_000) // 160)
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_more_bands_are_as_defined(seed: int) -> None:
    audio, filters = np.random.default_rng(seed).uniform(-1, 1, 3000).astype(np.float32), published.mel_filters(128)
    np.testing.assert_allclose(log_mel(audio, filters), defined(audio, filters), atol=2e-6)


@pytest.mark.parametrize("n_samples", whisper_cpp.LENGTHS)
def test_it_is_that_of_whisper_cpp(n_samples: int) -> None:
    text = Path(__file__).with_name("recorded").joinpath("mel.json").read_text(encoding="utf-8")
    recorded = np.array(json.loads(text)[str(n_samples)]).T
    found = log_mel(whisper_cpp.sound(n_samples), FILTERS)
    assert recorded.shape == (80, 6 + n_samples // 160)
    np.testing.assert_allclose(found[:, : recorded.shape[1]], recorded, atol=1e-4)


def test_silence_and_noise_have_their_range() -> None:
    for audio in (np.zeros(0, np.float32), np.zeros(5000, np.float32)):
        np.testing.assert_allclose(log_mel(audio, FILTERS), -1.5)
    loud = log_mel(np.full(5000, 1e30, np.float32) * np.tile([1, -1], 2500).astype(np.float32), FILTERS)
    assert np.isfinite(loud).all()
    assert loud.max() - loud.min() == pytest.approx(2, abs=1e-5)


def test_wrong_audio_is_refused() -> None:
    good = np.zeros(1000, np.float32)
    for wrong, words in (
        (good.astype(np.float64), r"audio of .*float64.*expected float32 \(samples,\) at 16,000 Hz"),
        (good.reshape(2, -1), r"audio of .*expected float32 \(samples,\)"),
        ([0.0], "audio of .*expected float32"),
    ):
        with pytest.raises(ArgumentError, match=words):
            log_mel(wrong, FILTERS)  # type: ignore[arg-type]
    for number in (np.nan, np.inf, -np.inf):
        audio = good.copy()
        audio[417] = number
        with pytest.raises(ArgumentError, match=f"sample 417 of the audio is {number}: expected finite numbers"):
            log_mel(audio, FILTERS)


def test_frames_of_audio_are_counted_as_in_whisper_cpp() -> None:
    assert [n_content_frames(n) for n in (0, 200, 359, 360, 16_000, 480_000)] == [1, 1, 1, 2, 99, 2999]


def test_memory_is_that_of_the_result_and_of_some_windows() -> None:
    audio = np.zeros(600 * RATE, np.float32)
    tracemalloc.start()
    try:
        result = log_mel(audio, FILTERS)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < result.nbytes + 2 * audio.nbytes + (64 << 20)
