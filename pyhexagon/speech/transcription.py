# SPDX-License-Identifier: MIT
"""A transcription: audio, window by window, to segments. The rules are whisper.cpp's."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.speech.decoding import Candidate, Strategy, WindowDecoder
from pyhexagon.speech.rules import DecodingRules
from pyhexagon.speech.segments import Segment
from pyhexagon.speech.vocabulary import Vocabulary
from pyhexagon.speech.windows import LEAST_FRAMES, Outcome, Window, compression_ratio, entropy

F32 = npt.NDArray[np.float32]
Steps = Generator["list[ForwardPass] | Segment", None, None]
"""Yields the passes that are needed next, which have to be done then, and the segments."""

_FRAMES_PER_SECOND: Final = 100
_LAST_FRAMES: Final = 500  # windows that begin so near the end of the audio do not see earlier text
_MOST_CONDITIONED: Final = 0.5  # temperatures from here on do not see earlier text
_LEAST_LOOP: Final = 32  # tokens whose entropy counts


@dataclass(frozen=True)
class TranscriptionOptions:
    """Options of a transcription; see ``Whisper.transcribe``."""

    beam_size: int = 1
    best_of: int = 5
    temperatures: Sequence[float] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    log_prob_threshold: float = -1.0
    entropy_threshold: float = 2.4
    no_speech_threshold: float = 0.6
    condition_on_previous_text: bool = True
    without_timestamps: bool = False
    seed: int = 0

    def strategy(self, temperature: float) -> Strategy:
        """Return how to decode at a temperature."""
        return Strategy(temperature, self.best_of if temperature > 0 else self.beam_size)


class _Result(NamedTuple):
    """A decoded window: the best candidate's tokens that count, and what they come to."""

    tokens: list[int]
    outcome: Outcome
    avg_logprob: float
    temperature: float
    prompt: list[int]


class Transcriber:
    """Transcribes one piece of audio.

    Args:
        engine: of the model.
        vocabulary: of the model.
        spectrum: (n_mels, frames) float32, with 30 s of silence behind the audio.
        n_frames: of the audio.
        n_ctx: (frames of a window, tokens that the decoder sees).
        start: the tokens that begin each window.
        initial: tokens of text that precede the first window.
        options: of the transcription.
    """

    def __init__(
        self,
        engine: Engine,
        vocabulary: Vocabulary,
        spectrum: F32,
        n_frames: int,
        *,
        n_window: int,
        start: Sequence[int],
        initial: Sequence[int],
        options: TranscriptionOptions,
    ) -> None:
        self._engine, self._vocabulary, self._options = engine, vocabulary, options
        self._spectrum, self._n_frames, self._n_window = spectrum, n_frames, n_window
        self._start, self._past = list(start), list(initial)
        self._rules = DecodingRules(vocabulary, without_timestamps=options.without_timestamps)
        self._random = np.random.default_rng(options.seed)
        self._n_segments = 0

    def steps(self, first: EncoderInput | None = None) -> Steps:
        """Yield the passes and the segments.

        Args:
            first: the input of the first window, if it was made before.
        """
        seek = 0
        while seek + LEAST_FRAMES < self._n_frames:
            window = self._window(seek)
            encoder_input = first if first is not None and not seek else window_at(self._spectrum, seek, self._n_window)
            if not self._options.condition_on_previous_text or (seek and seek + _LAST_FRAMES >= self._n_frames):
                self._past = []
            result, no_speech_prob, initial = yield from self._decoded(window, encoder_input)
            is_silence = (
                no_speech_prob > self._options.no_speech_threshold
                and result.avg_logprob < self._options.log_prob_threshold
            )
            if not is_silence:
                yield from self._segments(window, result, no_speech_prob, initial)
            has_past = result.prompt[:1] == [self._vocabulary.previous]
            self._past = result.prompt[1 : -len(self._start)] if has_past else []
            self._past += [] if is_silence else result.tokens
            seek += max(1, window.n_consumed(result.tokens, result.outcome))

    def _window(self, seek: int) -> Window:
        return Window(
            self._vocabulary, seek, self._n_frames - seek, self._n_window, self._engine.n_ctx // 2 - 4,
            without_timestamps=self._options.without_timestamps,
        )  # fmt: skip

    def _prompt(self, temperature: float) -> list[int]:
        n = min(self._engine.n_ctx // 2 - 1, len(self._past))
        if not n or temperature >= _MOST_CONDITIONED:
            return self._start
        return [self._vocabulary.previous, *self._past[-n:], *self._start]

    def _decoded(
        self, window: Window, encoder_input: EncoderInput
    ) -> Generator[list[ForwardPass], None, tuple[_Result, float, int]]:
        """Decode at one temperature after the other, until the result is plausible; the last one always is.

        Returns:
            The result, the probability of no speech, and the most probable first timestamp.
        """
        options = self._options
        temperatures = list(options.temperatures)
        while True:
            temperature = temperatures.pop(0)
            prompt = self._prompt(temperature)
            decoder = WindowDecoder(self._engine, encoder_input, prompt, self._rules, window.is_complete)
            first = decoder.first()
            yield [first]
            no_speech_prob = _probability(first.logits, self._vocabulary.no_speech)
            candidates = yield from decoder.sequences(first, options.strategy(temperature), self._random)
            result, is_failed = self._best(window, candidates, prompt, temperature)
            is_failed |= (
                result.avg_logprob < options.log_prob_threshold and no_speech_prob < options.no_speech_threshold
            )
            if not is_failed or not temperatures:
                timestamps = self._rules((), first.logits)[self._vocabulary.timestamp :]
                return result, no_speech_prob, self._vocabulary.timestamp + int(np.argmax(timestamps))

    def _best(
        self, window: Window, candidates: Sequence[Candidate], prompt: list[int], temperature: float
    ) -> tuple[_Result, bool]:
        """Return the candidate with the largest mean log-probability, and whether none is plausible."""
        best, least = None, float("-inf")
        for candidate in candidates:
            outcome = window.outcome(candidate.tokens)
            n = outcome.n_kept
            mean = sum(candidate.logprobs[:n]) / n if n else float("-inf")
            tokens = list(candidate.tokens[:n])
            is_looping = n > _LEAST_LOOP and entropy(tokens) < self._options.entropy_threshold
            if not (outcome.is_failed or is_looping) and (best is None or mean > least):
                best, least = _Result(tokens, outcome, mean, temperature, prompt), mean
        if best is not None:
            return best, False
        tokens, outcome = list(candidates[0].tokens), window.outcome(candidates[0].tokens)
        mean = candidates[0].sum_logprob / len(tokens)
        return _Result(tokens[: outcome.n_kept], outcome, mean, temperature, prompt), True

    def _segments(self, window: Window, result: _Result, no_speech_prob: float, initial: int) -> Iterator[Segment]:
        pieces = window.pieces(result.tokens, result.outcome, initial)
        ratio = compression_ratio("".join(piece.text for piece in pieces)) if pieces else 0.0
        for piece in pieces:
            self._n_segments += 1
            yield Segment(
                id=self._n_segments,
                seek=window.seek,
                start=piece.start / _FRAMES_PER_SECOND,
                end=piece.end / _FRAMES_PER_SECOND,
                text=piece.text,
                tokens=[token for token in piece.tokens if token < self._vocabulary.timestamp],
                avg_logprob=result.avg_logprob,
                compression_ratio=ratio,
                no_speech_prob=no_speech_prob,
                words=None,
                temperature=result.temperature,
            )


def window_at(spectrum: F32, seek: int, n_frames: int) -> EncoderInput:
    """Return the encoder's input for a window of n_frames that begins at the frame ``seek``."""
    return EncoderInput(np.ascontiguousarray(spectrum[:, seek : seek + n_frames].T))


class SegmentStream:
    """An iterator of segments. Each is computed when it is asked for; if the device fails, the next call tries again."""

    def __init__(self, steps: Steps, finish: Callable[[Sequence[ForwardPass]], None]) -> None:
        self._steps, self._finish, self._passes = steps, finish, list[ForwardPass]()

    def __iter__(self) -> SegmentStream:
        return self

    def __next__(self) -> Segment:
        while True:
            self._finish(self._passes)
            self._passes = []
            step = next(self._steps)
            if isinstance(step, Segment):
                return step
            self._passes = step

    def close(self) -> None:
        """End the transcription."""
        self._passes = []
        self._steps.close()


def _probability(logits: F32, token: int) -> float:
    shifted = logits.astype(np.float64) - logits.max()
    return float(np.exp(shifted[token]) / np.exp(shifted).sum())
