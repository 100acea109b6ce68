# SPDX-License-Identifier: MIT
"""The steps of a transcription: forward passes for one window after the other, and the segments that they give."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.sampling import log_probabilities
from pyhexagon.speech.alignment import token_times
from pyhexagon.speech.decoding import Candidate, Strategy, WindowDecoder
from pyhexagon.speech.rules import DecodingRules
from pyhexagon.speech.segments import Segment
from pyhexagon.speech.transcript import Transcript, avg_logprob
from pyhexagon.speech.vocabulary import WhisperVocabulary
from pyhexagon.speech.windows import Window
from pyhexagon.speech.words import text_tokens, with_words

F32 = npt.NDArray[np.float32]
Steps = Generator["list[ForwardPass] | Alignment | Segment", None, None]
"""Yields what has to be computed before it is resumed, and segments."""


@dataclass(frozen=True)
class WindowSampling:
    """How windows are decoded.

    Attributes:
        beam_size: number of beams at temperature 0.
        best_of: number of independent draws at other temperatures.
        temperatures: that are tried, one after the other.
        seed: of the draws.
    """

    beam_size: int
    best_of: int
    temperatures: Sequence[float]
    seed: int

    def strategy(self, temperature: float) -> Strategy:
        """Return how to decode at a temperature."""
        return Strategy(temperature, self.best_of if temperature > 0 else self.beam_size)


@dataclass(eq=False)
class Alignment:
    """Attention of the text of a window to its audio, to be computed.

    Attributes:
        window: the spectrum of the audio; it keeps keys.
        tokens: the prompt's, the text's, and the end token.
        weights: (heads, tokens, positions) float32, once it is computed.
    """

    window: EncoderInput
    tokens: list[int]
    weights: F32 | None = None


class _DecodedWindow(NamedTuple):
    """The result of decoding a window: see ``transcript.Decoded``."""

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    no_speech_prob: float
    temperature: float


def window_at(spectrum: F32, seek: int, n_frames: int, *, keeps_keys: bool = False) -> EncoderInput:
    """Return the encoder's input for a window: n_frames of a spectrum (n_mels, frames) from the frame ``seek`` on.

    Args:
        keeps_keys: see ``EncoderInput``; the times of words need them.
    """
    return EncoderInput(np.ascontiguousarray(spectrum[:, seek : seek + n_frames].T), keeps_keys=keeps_keys)


class Transcriber:
    """Transcribes one piece of audio.

    Args:
        engine: of the model.
        vocabulary: of the model.
        spectrum: (n_mels, frames) float32, with 30 s of silence behind the audio.
        transcript: of this audio, from its beginning on.
        rules: of the transcription.
        sampling: how windows are decoded.
        words: the tokens that begin the text of a window without timestamps, and the language, if segments have words.
    """

    def __init__(
        self,
        engine: Engine,
        vocabulary: WhisperVocabulary,
        spectrum: F32,
        transcript: Transcript,
        *,
        rules: DecodingRules,
        sampling: WindowSampling,
        words: tuple[list[int], str] | None = None,
    ) -> None:
        self._words, self._last_end = words, 0.0
        self._engine, self._vocabulary, self._rules, self._sampling = engine, vocabulary, rules, sampling
        self._spectrum, self._transcript = spectrum, transcript
        self._random = np.random.default_rng(sampling.seed)

    def steps(self, first: EncoderInput | None = None) -> Steps:
        """Yield the passes and the segments.

        Args:
            first: the input of the first window, if it was made before.
        """
        while (window := self._transcript.window()) is not None:
            encoder_input = first or window_at(
                self._spectrum, window.seek, window.length, keeps_keys=self._words is not None
            )
            first = None
            decoded, initial = yield from self._decoded(window, encoder_input)
            segments = self._transcript.finish(window, decoded, initial)
            if self._words is not None and text_tokens(self._vocabulary, segments):
                segments = yield from self._with_words(window, encoder_input, decoded, segments)
            yield from segments

    def _with_words(
        self, window: Window, encoder_input: EncoderInput, decoded: _DecodedWindow, segments: list[Segment]
    ) -> Generator[Alignment, None, list[Segment]]:
        """Return the segments of a window with their words."""
        start, language = self._words or ([], "")
        tokens = text_tokens(self._vocabulary, segments)
        alignment = Alignment(encoder_input, [*start, *tokens, self._vocabulary.end])
        yield alignment
        assert alignment.weights is not None
        n_positions = max(1, min(window.n_left, window.length) // 2)
        times = token_times(alignment.weights, len(start) - 1, n_positions)
        sampled = iter(zip(decoded.tokens, decoded.logprobs, strict=True))
        probabilities = [next(exp(logprob) for other, logprob in sampled if other == token) for token in tokens]
        segments = with_words(
            self._vocabulary, segments, times, probabilities, language=language, last_end=self._last_end
        )
        self._last_end = max([self._last_end, *(word.end for one in segments for word in one.words or ())])
        return segments

    def _decoded(
        self, window: Window, encoder_input: EncoderInput
    ) -> Generator[list[ForwardPass], None, tuple[_DecodedWindow, int]]:
        """Decode a window at one temperature after the other until the result is accepted.

        Returns:
            The result, and the most probable first timestamp.
        """
        for temperature in self._sampling.temperatures:
            prompt = self._transcript.prompt(temperature)
            decoder = WindowDecoder(self._engine, encoder_input, prompt, self._rules, window.is_complete)
            first = decoder.first()
            yield [first]
            no_speech_prob = float(np.exp(log_probabilities(first.logits)[self._vocabulary.no_speech]))
            strategy = self._sampling.strategy(temperature)
            candidates = yield from decoder.sequences(first, strategy, self._random)
            decoded = self._best(window, candidates, no_speech_prob, temperature)
            if self._transcript.accepts(window, decoded):
                break
        timestamps = self._rules((), first.logits)[self._vocabulary.timestamp :]
        return decoded, self._vocabulary.timestamp + int(np.argmax(timestamps))

    @staticmethod
    def _best(
        window: Window, candidates: Sequence[Candidate], no_speech_prob: float, temperature: float
    ) -> _DecodedWindow:
        """Return the candidate with the largest mean log-probability; the first of equal ones."""
        results = [_DecodedWindow(one.tokens, one.logprobs, no_speech_prob, temperature) for one in candidates]
        return max(results, key=lambda one: avg_logprob(one, window.outcome(one.tokens)))


class SegmentStream:
    """An iterator of segments. Each is computed when it is asked for; if the device fails, the next call tries again.

    Args:
        steps: of the transcription.
        finish: computes what the steps need.
    """

    def __init__(self, steps: Steps, finish: Callable[[list[ForwardPass] | Alignment], None]) -> None:
        self._steps, self._finish = steps, finish
        self._work: list[ForwardPass] | Alignment = []

    def __iter__(self) -> SegmentStream:
        return self

    def __next__(self) -> Segment:
        while True:
            self._finish(self._work)
            self._work = []
            step = next(self._steps)
            if isinstance(step, Segment):
                return step
            self._work = step

    def close(self) -> None:
        """End the transcription."""
        self._work = []
        self._steps.close()
