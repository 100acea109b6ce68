# SPDX-License-Identifier: MIT
"""The log-mel spectrogram, the encoder's input."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError

RATE: Final = 16_000  # samples per second
HOP: Final = 160  # samples per frame
FRAMES_PER_SECOND: Final = RATE // HOP
_WINDOW: Final = 400
_HALF: Final = _WINDOW // 2
_PADDING: Final = 30 * RATE  # a window of silence
_LEAST: Final = 1e-10
_RANGE: Final = 8.0  # powers of ten below the largest value that count
_FRAMES_AT_ONCE: Final = 4096  # 13 MiB of windows

F32 = npt.NDArray[np.float32]


def n_content_frames(n_samples: int) -> int:
    """Return the number of frames that whisper.cpp counts as audio, without the padding."""
    return 1 + max(0, n_samples - _HALF) // HOP


def log_mel(audio: F32, filters: F32) -> F32:
    """Return the log-mel spectrogram of audio and 30 s of silence after it, float32 (n_mels, frames).

    A frame is 10 ms. Values are clamped to 8 powers of ten below the largest one, and scaled to about -1 to 1.

    Args:
        audio: float32 (samples,), at 16 kHz; empty audio is silence.
        filters: mel filters, float32 (n_mels, 201), as the model's file has them.

    Raises:
        ArgumentError: the audio has another shape or dtype, or infinite or NaN samples.

    Accuracy: within 1e-4 of whisper.cpp, tests/speech/test_mel.py.
    """
    if not isinstance(audio, np.ndarray) or audio.ndim != 1 or audio.dtype != np.float32:
        raise ArgumentError(f"audio of {described(audio)}: expected float32 (samples,) at {RATE:,} Hz")
    if not np.isfinite(audio).all():
        at = int(np.flatnonzero(~np.isfinite(audio))[0])
        raise ArgumentError(f"sample {at} of the audio is {audio[at]}: expected finite numbers")
    n_frames = (len(audio) + _PADDING) // HOP
    mel = np.full((len(filters), n_frames), np.log10(_LEAST), np.float32)
    padded = _padded(audio)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_WINDOW) / _WINDOW)  # Hann's, periodic
    frames = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::HOP]
    for first in range(0, min(len(frames), n_frames), _FRAMES_AT_ONCE):
        part = frames[first : min(first + _FRAMES_AT_ONCE, n_frames)]
        spectrum = np.fft.rfft(part * window)
        power = np.square(spectrum.real) + np.square(spectrum.imag)
        mel[:, first : first + len(part)] = np.log10(np.maximum(filters @ power.T, _LEAST))
    np.maximum(mel, mel.max() - np.float32(_RANGE), out=mel)
    mel += np.float32(4)
    mel /= np.float32(4)
    return mel


def _padded(audio: F32) -> F32:
    """Return the audio, mirrored at its beginning, and zeros up to the end of its last frame."""
    n_mirrored = min(_HALF, max(0, len(audio) - 1))
    padded = np.zeros(len(audio) + 2 * _WINDOW, np.float32)
    padded[_HALF : _HALF + len(audio)] = audio
    padded[_HALF - n_mirrored : _HALF] = audio[1 : 1 + n_mirrored][::-1]
    return padded
