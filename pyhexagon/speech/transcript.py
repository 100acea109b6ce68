# SPDX-License-Identifier: MIT
"""A transcription between its windows: where it is, the text so far, and whether a window must be decoded again.

It needs no device: its owner encodes each window and decodes it at one temperature after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pyhexagon.speech.hyper_parameters import HyperParameters
from pyhexagon.speech.mel import FRAMES_PER_SECOND
from pyhexagon.speech.segments import Segment
from pyhexagon.speech.vocabulary import WhisperVocabulary
from pyhexagon.speech.windows import LEAST_FRAMES, Window, WindowOutcome, compression_ratio, entropy

_MOST_TEMPERATURE: Final = 0.5  # at which the text before the window is still part of the prompt
_FEW_FRAMES: Final = 500  # in which the text before the window misleads
_ENTROPY_TOKENS: Final = 32  # fewer tokens have little entropy anyway
_NOT_SAMPLED: Final = 4  # tokens of half the context that are left for the prompt


class Decoded(Protocol):
    """The tokens of a window.

    Attributes:
        tokens: that were sampled; the last one may be the end token.
        logprobs: the log-probability of each, after the rules.
        no_speech_prob: the probability that the window has no speech.
        temperature: at which they were sampled.
    """

    @property
    def tokens(self) -> Sequence[int]: ...
    @property
    def logprobs(self) -> Sequence[float]: ...
    @property
    def no_speech_prob(self) -> float: ...
    @property
    def temperature(self) -> float: ...


@dataclass(frozen=True)
class Thresholds:
    """When a window is decoded again at the next temperature; None: never for this reason.

    Attributes:
        log_prob: the least mean log-probability of the tokens.
        entropy: the least entropy of the last 32 tokens, in nats.
        compression_ratio: the greatest ratio of the text; OpenAI's measure of what ``entropy`` is for whisper.cpp.
        no_speech: a window whose probability of no speech is greater is silent if its tokens are improbable.
    """

    log_prob: float | None = -1.0
    entropy: float | None = 2.4
    compression_ratio: float | None = None
    no_speech: float | None = 0.6


class Transcript:
    """A transcription between its windows.

    Args:
        of: the hyper-parameters of the model.
        vocabulary: of the model.
        n_frames: of the audio: ``mel.n_content_frames``.
        language: a code.
        task: "transcribe" or "translate".
        prompt: tokens before the audio's.
        without_timestamps: each window has one segment.
        condition_on_previous_text: whether the text of earlier windows is part of the prompt.
        thresholds: of ``accepts`` and of silence.

    Attributes:
        seek: the first frame that has not been transcribed.
    """

    def __init__(
        self,
        of: HyperParameters,
        vocabulary: WhisperVocabulary,
        n_frames: int,
        *,
        language: str = "en",
        task: str = "transcribe",
        prompt: Sequence[int] = (),
        without_timestamps: bool = False,
        condition_on_previous_text: bool = True,
        thresholds: Thresholds | None = None,
    ) -> None:
        self._vocabulary, self._n_frames, self.seek = vocabulary, n_frames, 0
        self._without_timestamps = without_timestamps or of.lacks_timestamps
        self._start = vocabulary.start_sequence(language, task, without_timestamps=self._without_timestamps)
        self._length, self._half_ctx = 2 * of.n_audio_ctx, of.n_text_ctx // 2
        self._past, self._conditions = list(prompt), condition_on_previous_text
        self._thresholds = thresholds or Thresholds()
        self._n_segments = 0

    def window(self) -> Window | None:
        """Return the next window; None at the end of the audio."""
        n_left = self._n_frames - self.seek
        if n_left <= LEAST_FRAMES:
            return None
        if self.seek and n_left <= _FEW_FRAMES:
            self._past = []
        max_tokens = max(1, self._half_ctx - _NOT_SAMPLED)
        return Window(self._vocabulary, self.seek, n_left, self._length, max_tokens, self._without_timestamps)

    def prompt(self, temperature: float) -> list[int]:
        """Return the tokens before those that are sampled at a temperature."""
        past = self._conditioning(temperature)
        return [*([self._vocabulary.previous, *past] if past else []), *self._start]

    def _conditioning(self, temperature: float) -> list[int]:
        """Return the last tokens before the window, as many as the prompt has."""
        n_most = max(0, self._half_ctx - 1)
        return self._past[-n_most:] if n_most and temperature < _MOST_TEMPERATURE else []

    def accepts(self, window: Window, decoded: Decoded) -> bool:
        """Return whether a window need not be decoded at a higher temperature."""
        outcome, least = window.outcome(decoded.tokens), self._thresholds
        kept = decoded.tokens[: outcome.n_kept]
        if outcome.is_failed:
            return False
        if least.entropy is not None and len(kept) > _ENTROPY_TOKENS and entropy(kept) < least.entropy:
            return False
        text = self._vocabulary.decode(kept)
        if least.compression_ratio is not None and text and compression_ratio(text) > least.compression_ratio:
            return False
        is_unlikely = least.log_prob is not None and avg_logprob(decoded, outcome) < least.log_prob
        is_silent = least.no_speech is not None and decoded.no_speech_prob >= least.no_speech
        return not is_unlikely or is_silent

    def finish(self, window: Window, decoded: Decoded, initial: int | None = None) -> list[Segment]:
        """Return the segments of a window, and go on to the next one.

        Args:
            window: that ``window`` returned last.
            decoded: the best result.
            initial: the most probable first timestamp, if the first token is none; None: the window's beginning.
        """
        outcome = window.outcome(decoded.tokens)
        likelihood, least = avg_logprob(decoded, outcome), self._thresholds
        is_silent = least.no_speech is not None and decoded.no_speech_prob > least.no_speech
        is_silent &= least.log_prob is None or likelihood < least.log_prob
        kept = list(decoded.tokens[: outcome.n_kept])
        self._past = self._conditioning(decoded.temperature) + ([] if is_silent else kept)
        if not self._conditions:
            self._past = []
        self.seek += window.n_consumed(decoded.tokens, outcome)
        if is_silent:
            return []
        pieces = window.pieces(decoded.tokens, outcome, self._vocabulary.timestamp if initial is None else initial)
        kept = kept if kept and not outcome.is_failed else list(decoded.tokens)
        mean = sum(decoded.logprobs[: len(kept)]) / len(kept)
        ratio = compression_ratio("".join(piece.text for piece in pieces)) if pieces else 1.0
        segments = []
        for piece in pieces:
            self._n_segments += 1
            segments.append(Segment(
                id=self._n_segments,
                seek=window.seek,
                start=piece.start / FRAMES_PER_SECOND,
                end=piece.end / FRAMES_PER_SECOND,
                text=piece.text,
                tokens=piece.tokens,
                avg_logprob=mean,
                compression_ratio=ratio,
                no_speech_prob=decoded.no_speech_prob,
                words=None,
                temperature=decoded.temperature,
            ))  # fmt: skip
        return segments


def avg_logprob(decoded: Decoded, outcome: WindowOutcome) -> float:
    """Return the mean log-probability of the tokens that are kept; -inf if none are, or if they are no result."""
    kept = decoded.logprobs[: outcome.n_kept]
    return sum(kept) / len(kept) if kept and not outcome.is_failed else float("-inf")
