# SPDX-License-Identifier: MIT
"""Decoding rules: which tokens may follow, as whisper.cpp has them. They mask logits on the host."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.sampling import Logits
from pyhexagon.speech.vocabulary import TIMESTAMP_SECONDS, WhisperVocabulary

_NEVER: Final = np.float32(-np.inf)


class DecodingRules:
    """Masks the logits of tokens that may not follow.

    Timestamps come in pairs, the end of a segment and the beginning of the next one, and never decrease. If timestamps
    together are more probable than each text token, the next token is a timestamp.

    Args:
        vocabulary: of the model.
        without_timestamps: allow text only.
        suppress_blank: whether a transcription may not begin with a space or end at once.
        suppress: further tokens that never occur, ``WhisperVocabulary.non_speech`` for example.
        max_initial_timestamp: the latest first timestamp, in seconds; None: any.

    Raises:
        ArgumentError: a token is not in the vocabulary, or the time is not positive.
    """

    def __init__(
        self,
        vocabulary: WhisperVocabulary,
        *,
        without_timestamps: bool = False,
        suppress_blank: bool = True,
        suppress: Collection[int] = (),
        max_initial_timestamp: float | None = 1.0,
    ) -> None:
        outside = [token for token in suppress if not 0 <= token < vocabulary.n_vocab]
        if outside:
            raise ArgumentError(f"token {outside[0]} cannot be suppressed: expected 0 to {vocabulary.n_vocab - 1}")
        if max_initial_timestamp is not None and not max_initial_timestamp > 0:
            raise ArgumentError(
                f"max_initial_timestamp is {max_initial_timestamp!r}: expected seconds above 0, or None"
            )
        self._end, self._timestamp = vocabulary.end, vocabulary.timestamp
        self._special = slice(vocabulary.start, None if without_timestamps else vocabulary.timestamp)
        self._initial = (vocabulary.end, vocabulary.blank) if suppress_blank else ()
        self._suppressed = np.array(sorted(suppress), np.intp)
        self._after_initial = vocabulary.n_vocab
        if max_initial_timestamp is not None:
            self._after_initial = vocabulary.timestamp + round(max_initial_timestamp / TIMESTAMP_SECONDS) + 1

    def __call__(self, tokens: Sequence[int], logits: Logits) -> Logits:
        """Return logits, (V,) float32, with -inf for tokens that may not follow.

        Args:
            tokens: that were sampled so far, without the prompt.
            logits: (V,) float32.
        """
        masked: Logits = logits.copy()
        masked[self._special] = _NEVER
        masked[self._suppressed] = _NEVER
        if not tokens:
            masked[[*self._initial]] = _NEVER
            masked[self._after_initial :] = _NEVER
        self._mask_timestamps(tokens, masked)
        texts, timestamps = masked[: self._timestamp], masked[self._timestamp :]
        largest = timestamps.max()
        if largest > _NEVER:
            log_sum = largest + np.log(np.exp((timestamps - largest).astype(np.float64)).sum())
            if log_sum > texts.max():
                texts[:] = _NEVER
        return masked

    def _mask_timestamps(self, tokens: Sequence[int], masked: Logits) -> None:
        if tokens and tokens[-1] >= self._timestamp:
            if len(tokens) < 2 or tokens[-2] >= self._timestamp:
                masked[self._timestamp :] = _NEVER
            else:
                masked[: self._end] = _NEVER
        last = next((token for token in reversed(tokens) if token > self._timestamp), self._timestamp)
        masked[self._timestamp : last] = _NEVER
