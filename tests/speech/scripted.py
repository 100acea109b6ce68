# SPDX-License-Identifier: MIT
"""A speech model of the tests that computes nothing: it tells the level of each second of its audio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.speech.audio import SAMPLE_RATE, Samples, read_audio
from pyhexagon.speech.segments import Segment, TranscriptionInfo, Word

LANGUAGES = {"en": "english", "de": "german"}


def levels(*values: int) -> Samples:
    """Return a second of audio for each level, 0 to 100."""
    return np.repeat(np.array(values, np.float32) / 100, SAMPLE_RATE)


class ScriptedModel:
    """Transcribes each second of audio as its level in percent, " 37" for example.

    Attributes:
        calls: the options of each call.
        before: called before each segment, with its number.
    """

    def __init__(self, before: Callable[[int], None] = lambda number: None) -> None:
        self.calls: list[dict[str, Any]] = []
        self.before = before

    def transcribe(self, audio: Samples | str, **options: Any) -> tuple[Iterator[Segment], TranscriptionInfo]:
        samples = read_audio(audio) if isinstance(audio, str) else audio
        language = options.get("language")
        if language not in (None, *LANGUAGES):
            raise ArgumentError(f"language is {language!r}: expected one of {', '.join(LANGUAGES)}")
        self.calls.append(options)
        duration = len(samples) / SAMPLE_RATE
        info = TranscriptionInfo(language or "en", 1.0 if language else 0.9, duration, duration)
        return self._segments(samples, word_timestamps=bool(options.get("word_timestamps"))), info

    def _segments(self, samples: Samples, *, word_timestamps: bool) -> Iterator[Segment]:
        for number, start in enumerate(range(0, len(samples), SAMPLE_RATE)):
            self.before(number)
            second = samples[start : start + SAMPLE_RATE]
            text = f" {round(100 * float(second.mean()))}"
            begin, end = float(number), number + len(second) / SAMPLE_RATE
            words = [Word(begin, end, text, 0.75)] if word_timestamps else None
            yield Segment(number + 1, 100 * number, begin, end, text, [number], -0.25, 1.5, 0.125, words, 0.0)

    def close(self) -> None:
        """Do nothing."""
