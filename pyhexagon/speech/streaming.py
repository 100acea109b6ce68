# SPDX-License-Identifier: MIT
"""Transcribes audio of any length while it comes: speech that voice activity detection finds, up to 30 s at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from pyhexagon.speech.audio import SAMPLE_RATE
from pyhexagon.speech.segments import Segment, TranscriptionInfo, Word
from pyhexagon.speech.vad import SpeechGroup

P = TypeVar("P", Segment, Word)


class SpeechModel(Protocol):
    """A model; a ``Whisper`` is one."""

    @property
    def transcribe(self) -> Callable[..., tuple[Iterator[Segment], TranscriptionInfo]]:
        """As ``Whisper.transcribe``, with an array of samples."""


def transcribe_groups(
    model: SpeechModel, groups: Iterable[SpeechGroup], *, language: str | None = None, duration: float = 0.0,
    **options: Any,
) -> tuple[Iterator[Segment], TranscriptionInfo]:  # fmt: skip
    """Transcribe groups of utterances, each as soon as it is there. Times are those of the whole audio.

    Args:
        model: transcribes a group.
        groups: as of ``vad.grouped``.
        language: code of the language; None: that of the first group, which the model detects.
        duration: of the audio in seconds, for ``TranscriptionInfo``.
        **options: of ``Whisper.transcribe``.

    Returns:
        The segments, numbered through; what is known of the audio when its first group is there. The language of audio
        without speech is ``language``, or "" if that is None.
    """
    stream = GroupStream(model, groups, language, options)
    info = stream.begin()
    if info is None:
        return stream, TranscriptionInfo(language or "", 0.0, duration, 0.0)
    return stream, replace(info, duration=duration or info.duration)


class GroupStream:
    """An iterator of the segments of groups. If the device fails, the next call tries again.

    Args:
        model: transcribes a group.
        groups: as of ``vad.grouped``.
        language: code of the language; None: that of the first group.
        options: of ``Whisper.transcribe``.
    """

    def __init__(
        self, model: SpeechModel, groups: Iterable[SpeechGroup], language: str | None, options: Mapping[str, Any]
    ) -> None:
        self._model, self._groups, self._language, self._options = model, iter(groups), language, options
        self._group: SpeechGroup | None = None
        self._segments: Iterator[Segment] | None = None
        self._number = 0

    def begin(self) -> TranscriptionInfo | None:
        """Begin with the next group, unless one has begun; return its facts, or None if there is none."""
        self._group = self._group or next(self._groups, None)
        if self._group is None:
            return None
        segments, info = self._model.transcribe(self._group.samples, language=self._language, **self._options)
        self._segments, self._language = segments, info.language
        return info

    def __iter__(self) -> GroupStream:
        return self

    def __next__(self) -> Segment:
        while self._segments is not None or self.begin() is not None:
            assert self._segments is not None
            assert self._group is not None
            segment = next(self._segments, None)
            if segment is not None:
                self._number += 1
                return _restored(segment, self._number, self._group)
            self._segments = self._group = None
        raise StopIteration


def _restored(segment: Segment, number: int, group: SpeechGroup) -> Segment:
    """Return a segment of a group with its number, and with the times of the audio."""
    words = None if segment.words is None else [_moved(word, group) for word in segment.words]
    moved = _moved(segment, group)
    return replace(moved, id=number, words=words, seek=segment.seek + group.places[0][1] * 100 // SAMPLE_RATE)


def _moved(part: P, group: SpeechGroup) -> P:
    """Return a segment or a word with the times of the audio."""
    start, end = group.restored(part.start, part.end)
    return replace(part, start=start, end=end)
