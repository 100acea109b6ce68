# SPDX-License-Identifier: MIT
"""A window of 30 s of audio: when its tokens are complete, what they are worth, and which segments they are.

The rules are whisper.cpp's. Times are frames of 10 ms; a timestamp token counts steps of two frames.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final, NamedTuple

from pyhexagon.speech.vocabulary import WhisperVocabulary

LEAST_FRAMES: Final = 10  # of audio that is worth a window
_FRAMES_PER_TIMESTAMP: Final = 2
_ENTROPY_TOKENS: Final = 32


class WindowSegment(NamedTuple):
    """A segment of a window.

    Attributes:
        start, end: in frames from the beginning of the audio.
        tokens: with their timestamps.
        text: of the tokens.
    """

    start: int
    end: int
    tokens: list[int]
    text: str


class WindowOutcome(NamedTuple):
    """What tokens of a window come to.

    Attributes:
        n_kept: the number of first tokens that are the result: up to the last timestamp, or all.
        n_frames: the frames of audio that they cover.
        is_failed: they are no result: another temperature may give one.
    """

    n_kept: int
    n_frames: int
    is_failed: bool


@dataclass(frozen=True)
class Window:
    """A window of audio.

    Attributes:
        vocabulary: of the model.
        seek: its first frame.
        n_left: frames from there to the end of the audio.
        length: frames of a whole window.
        max_tokens: that are sampled.
        without_timestamps: it has one segment.
    """

    vocabulary: WhisperVocabulary
    seek: int
    n_left: int
    length: int
    max_tokens: int
    without_timestamps: bool = False

    def _last_timestamp(self, tokens: Sequence[int]) -> tuple[int, int]:
        """Return how many tokens end with the last timestamp after 0, and its frame; 0 and the window's length."""
        first = self.vocabulary.timestamp
        for at in range(len(tokens), 0, -1):
            if tokens[at - 1] > first:
                return at, _FRAMES_PER_TIMESTAMP * (tokens[at - 1] - first)
        return 0, self.length

    def is_complete(self, tokens: Sequence[int]) -> bool:
        """Return whether no further token is needed: the model ended, or a timestamp is at the end of the audio."""
        if not tokens:
            return False
        n_kept, n_frames = self._last_timestamp(tokens)
        is_at_end = n_kept > 0 and n_frames + LEAST_FRAMES >= self.n_left
        return tokens[-1] == self.vocabulary.end or is_at_end or len(tokens) >= self.max_tokens

    def outcome(self, tokens: Sequence[int]) -> WindowOutcome:
        """Return what complete tokens come to; the end token may be the last one."""
        n_kept, n_frames = self._last_timestamp(tokens)
        is_at_end = n_frames + LEAST_FRAMES >= self.n_left
        is_ended = bool(tokens) and (tokens[-1] == self.vocabulary.end or (n_kept > 0 and is_at_end))
        if is_ended and self.without_timestamps:
            return WindowOutcome(len(tokens), self.length, False)
        if is_ended and not n_kept:
            return WindowOutcome(len(tokens) if is_at_end else 0, n_frames, not is_at_end)
        is_looping = not is_ended and (not n_kept or n_frames < self.length // 2)
        return WindowOutcome(n_kept, n_frames, is_looping)

    def pieces(self, tokens: Sequence[int], outcome: WindowOutcome, initial: int) -> list[WindowSegment]:
        """Return the segments of tokens, each between two timestamps.

        Args:
            outcome: of these tokens.
            initial: the most probable first timestamp, which counts if the first token is none.
        """
        kept = self._kept(tokens, outcome)
        first, pieces, since, at = self.vocabulary.timestamp, list[WindowSegment](), 0, 0
        start = self._frame(kept[0] if kept and kept[0] >= first else initial)
        while at < len(kept):
            if kept[at] > first:
                end = self._frame(kept[at])
                self._add(pieces, start, end, kept[since : at + 1])
                while at + 1 < len(kept) and kept[at + 1] > first:
                    at += 1
                since, start = at, self._frame(kept[at])
            at += 1
        self._add(pieces, start, self.seek + outcome.n_frames, kept[since:])
        return pieces

    @staticmethod
    def _kept(tokens: Sequence[int], outcome: WindowOutcome) -> list[int]:
        """Return the tokens of the segments; all, if nothing better was found."""
        return list(tokens) if outcome.is_failed else list(tokens[: outcome.n_kept])

    def _frame(self, token: int) -> int:
        return self.seek + _FRAMES_PER_TIMESTAMP * max(0, token - self.vocabulary.timestamp)

    def _add(self, pieces: list[WindowSegment], start: int, end: int, tokens: list[int]) -> None:
        text = self.vocabulary.decode(tokens)
        if text:
            pieces.append(WindowSegment(start, end, [token for token in tokens if token != self.vocabulary.end], text))

    def n_consumed(self, tokens: Sequence[int], outcome: WindowOutcome) -> int:
        """Return by how many frames the next window is later: by all, if the last segment has no successor."""
        kept, first = self._kept(tokens, outcome), self.vocabulary.timestamp
        if len(kept) > 1 and kept[-2] < first < kept[-1]:
            return min(self.n_left, self.length)
        return outcome.n_frames


def entropy(tokens: Sequence[int]) -> float:
    """Return the entropy of the last 32 tokens, in nats; repeated text has little."""
    counts = Counter(tokens[-_ENTROPY_TOKENS:])
    total = counts.total()
    return -sum(count / total * log(count / total) for count in counts.values())


def compression_ratio(text: str) -> float:
    """Return the bytes of a text over their number when compressed; repeated text has a high one."""
    content = text.encode()
    return len(content) / len(zlib.compress(content))
