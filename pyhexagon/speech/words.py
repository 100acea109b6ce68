# SPDX-License-Identifier: MIT
"""Words of segments with their times, as OpenAI has them: punctuation joins words, and pauses belong to no word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.speech.mel import FRAMES_PER_SECOND
from pyhexagon.speech.segments import Segment, Word
from pyhexagon.speech.vocabulary import WhisperVocabulary

_BEFORE_WORDS: Final = "\"'“¿([{-"
_AFTER_WORDS: Final = "\"'.。,，!！?？:：”)]}、"  # noqa: RUF001 - Chinese and Japanese punctuation, too
_ENDS: Final = ".。!！?？"  # noqa: RUF001 - of sentences
_LONGEST_MEDIAN: Final = 0.7  # seconds
_FAR: Final = 0.5  # seconds between a word and its segment


@dataclass
class _Timed:
    """A word whose times may still change; ``n_tokens`` counts those of the words that it replaces, too."""

    text: str
    start: float
    end: float
    probability: float
    n_tokens: int


def text_tokens(vocabulary: WhisperVocabulary, segments: Sequence[Segment]) -> list[int]:
    """Return the tokens of the segments' text, without timestamps."""
    return [token for segment in segments for token in segment.tokens if token < vocabulary.end]


def with_words(
    vocabulary: WhisperVocabulary,
    segments: Sequence[Segment],
    times: npt.NDArray[np.float64],
    probabilities: Sequence[float],
    *,
    language: str,
    last_end: float = 0.0,
) -> list[Segment]:
    """Return the segments of a window with their words. Segments begin and end with their words.

    Args:
        vocabulary: of the model.
        segments: all of one window.
        times: (text tokens + 1,), of ``token_times``.
        probabilities: of the text tokens.
        language: of the text; some languages have no spaces.
        last_end: the end of the last word before the window, in seconds.
    """
    words = _timed(vocabulary, segments, times, probabilities, language)
    longest, median = _limits(words)
    _shorten_sentence_ends(words, longest)
    words = _joined(words)
    result, at = list[Segment](), 0
    for segment in segments:
        n_left, own = len(text_tokens(vocabulary, [segment])), list[_Timed]()
        while at < len(words) and n_left > 0:
            own.append(words[at])
            n_left -= words[at].n_tokens
            at += 1
        offset = segment.seek / FRAMES_PER_SECOND
        own = [replace(word, start=offset + word.start, end=offset + word.end) for word in own]
        changed = _fitted(segment, own, median, longest, last_end) if own else replace(segment, words=[])
        last_end = changed.end if own else last_end
        result.append(changed)
    return result


def _timed(
    vocabulary: WhisperVocabulary,
    segments: Sequence[Segment],
    times: npt.NDArray[np.float64],
    probabilities: Sequence[float],
    language: str,
) -> list[_Timed]:
    words, at = list[_Timed](), 0
    for group in vocabulary.words(text_tokens(vocabulary, segments), language):
        end = at + len(group)
        probability = float(np.mean(probabilities[at:end]))
        words.append(_Timed(vocabulary.decode(group), float(times[at]), float(times[end]), probability, len(group)))
        at = end
    return words


def _limits(words: Sequence[_Timed]) -> tuple[float, float]:
    """Return the longest plausible duration of a word, and the median one."""
    durations = [word.end - word.start for word in words if word.end > word.start]
    median = min(_LONGEST_MEDIAN, float(np.median(durations))) if durations else 0.0
    return 2 * median, median


def _shorten_sentence_ends(words: Sequence[_Timed], longest: float) -> None:
    """Shorten long words at the ends of sentences, whose times include the pause."""
    if not longest:
        return
    for previous, word in pairwise(words):
        if word.end - word.start > longest:
            if word.text in _ENDS:
                word.end = word.start + longest
            elif previous.text in _ENDS:
                word.start = word.end - longest


def _joined(words: Sequence[_Timed]) -> list[_Timed]:
    """Return words with the punctuation before and after them; a word's times stay its own."""
    joined, pending = list[_Timed](), list[_Timed]()
    for number, word in enumerate(words):
        if word.text.startswith(" ") and word.text.strip() in _BEFORE_WORDS and number < len(words) - 1:
            pending.append(word)
            continue
        text, n_tokens = "".join(word.text for word in pending), sum(word.n_tokens for word in pending)
        joined.append(replace(word, text=text + word.text, n_tokens=n_tokens + word.n_tokens))
        pending = []
    result = list[_Timed]()
    for word in joined:
        if result and word.text in _AFTER_WORDS and not result[-1].text.endswith(" "):
            result[-1].text += word.text
            result[-1].n_tokens += word.n_tokens
        else:
            result.append(word)
    return result


def _fitted(segment: Segment, words: list[_Timed], median: float, longest: float, last_end: float) -> Segment:
    """Return the segment with its words. Words that are far too long next to a pause are shortened, and the segment
    begins and ends with its words unless they are far off."""
    for word in words:
        word.start, word.end = round(word.start, 2), round(word.end, 2)
    first, second, last = words[0], words[1] if len(words) > 1 else None, words[-1]
    is_long = first.end - first.start > longest or (second is not None and second.end - first.start > 2 * longest)
    if first.end - last_end > 4 * median and is_long:
        if second is not None and second.end - second.start > longest:
            first.end = second.start = max(second.end / 2, second.end - longest)
        first.start = max(0.0, first.end - longest)
    start, end = segment.start, segment.end
    if start < first.end and start - _FAR > first.start:
        first.start = max(0.0, min(first.end - median, start))
    else:
        start = first.start
    if end > last.start and end + _FAR < last.end:
        last.end = max(last.start + median, end)
    else:
        end = last.end
    made = [Word(word.start, word.end, word.text, word.probability) for word in words]
    return replace(segment, start=start, end=end, words=made)
