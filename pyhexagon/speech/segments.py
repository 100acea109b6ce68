# SPDX-License-Identifier: MIT
"""What a transcription yields: segments with their words, and facts about the whole. The names are faster-whisper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A word of a segment.

    Attributes:
        start, end: in seconds from the beginning of the audio.
        word: the text, with the space before it.
        probability: the mean probability of its tokens.
    """

    start: float
    end: float
    word: str
    probability: float


@dataclass(frozen=True)
class Segment:
    """A piece of a transcription.

    Attributes:
        id: its number, from 1 on.
        seek: the beginning of the window of 30 s that was decoded, in frames of 10 ms.
        start, end: in seconds from the beginning of the audio.
        text: with the space before the first word, if there is one.
        tokens: of the text, with their timestamps.
        avg_logprob: the mean log-probability of the window's tokens.
        compression_ratio: bytes of the window's text over their number when compressed by zlib.
        no_speech_prob: the probability that the window has no speech.
        words: None without word timestamps.
        temperature: at which the window was sampled.
    """

    id: int
    seek: int
    start: float
    end: float
    text: str
    tokens: Sequence[int]
    avg_logprob: float
    compression_ratio: float
    no_speech_prob: float
    words: Sequence[Word] | None
    temperature: float


@dataclass(frozen=True)
class TranscriptionInfo:
    """What is known of the audio before its first segment.

    Attributes:
        language: a code of ISO 639, "en" for example; given by the caller or detected.
        language_probability: 1 if the caller gave the language.
        duration: of the audio, in seconds.
        duration_after_vad: of what voice activity detection leaves; ``duration`` without it.
        all_language_probs: all languages with their probabilities, the most probable first; None without detection.
    """

    language: str
    language_probability: float
    duration: float
    duration_after_vad: float
    all_language_probs: Sequence[tuple[str, float]] | None = None
