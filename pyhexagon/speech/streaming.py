# SPDX-License-Identifier: MIT
"""Transcribes audio of any length while it comes: speech that voice activity detection finds, up to 30 s at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Protocol

from pyhexagon.speech.audio import SAMPLE_RATE
from pyhexagon.speech.segments import Segment, TranscriptionInfo
from pyhexagon.speech.vad import SpeechGroup


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
    remaining = iter(groups)
    first = next(remaining, None)
    if first is None:
        return iter(()), TranscriptionInfo(language or "", 0.0, duration, 0.0)
    segments, found = model.transcribe(first.samples, language=language, **options)
    info = replace(found, duration=duration or found.duration)
    later = (
        _restored(model.transcribe(group.samples, language=info.language, **options)[0], group) for group in remaining
    )
    return _numbered(chain(_restored(segments, first), chain.from_iterable(later))), info


def _restored(segments: Iterator[Segment], group: SpeechGroup) -> Iterator[Segment]:
    """Yield the segments of a group with the times of the audio."""
    for segment in segments:
        words = segment.words and [
            replace(word, start=group.restored(word.start), end=group.restored(word.end, is_end=True))
            for word in segment.words
        ]
        yield replace(
            segment, start=group.restored(segment.start), end=group.restored(segment.end, is_end=True), words=words,
            seek=segment.seek + group.places[0][1] * 100 // SAMPLE_RATE,
        )  # fmt: skip


def _numbered(segments: Iterable[Segment]) -> Iterator[Segment]:
    for number, segment in enumerate(segments, 1):
        yield replace(segment, id=number)
