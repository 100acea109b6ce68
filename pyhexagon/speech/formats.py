# SPDX-License-Identifier: MIT
"""Transcriptions as text, SRT, WebVTT, TSV, and as OpenAI's verbose JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, get_args

from pyhexagon.speech.segments import Segment, TranscriptionInfo

Format = Literal["text", "srt", "vtt", "json", "tsv"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
EXTENSIONS: Final[dict[Format, str]] = {"text": "txt", "srt": "srt", "vtt": "vtt", "json": "json", "tsv": "tsv"}


def written(form: Format, segments: Iterable[Segment], info: TranscriptionInfo, task: str) -> Iterator[str]:
    """Yield a transcription in a format: parts that make the file together, each as soon as its segment is there.

    Args:
        form: see ``FORMATS``.
        segments: of the transcription.
        info: of it.
        task: "transcribe" or "translate", for JSON.
    """
    if form == "json":
        whole = verbose(list(segments), info, task)
        yield json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        return
    yield {"vtt": "WEBVTT\n\n", "tsv": "start\tend\ttext\n"}.get(form, "")
    for number, segment in enumerate(segments, 1):
        text = " ".join(segment.text.split())
        if form == "text":
            yield f"{text}\n"
        elif form == "srt":
            times = f"{_clock(segment.start, ',')} --> {_clock(segment.end, ',')}"
            yield f"{number}\n{times}\n{text.replace('-->', '->')}\n\n"
        elif form == "vtt":
            escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            yield f"{_clock(segment.start, '.')} --> {_clock(segment.end, '.')}\n{escaped}\n\n"
        else:
            yield f"{round(1000 * segment.start)}\t{round(1000 * segment.end)}\t{text}\n"


def verbose(segments: Sequence[Segment], info: TranscriptionInfo, task: str) -> dict[str, Any]:
    """Return a transcription as OpenAI's verbose JSON has it; words are there if a segment has them."""
    made: dict[str, Any] = {
        "task": task, "language": info.language, "duration": round(info.duration, 3), "text": text_of(segments),
        "segments": [_segment(segment) for segment in segments],
    }  # fmt: skip
    if any(segment.words is not None for segment in segments):
        made["words"] = [
            {"word": word.word.strip(), "start": _seconds(word.start), "end": _seconds(word.end)}
            for segment in segments
            for word in segment.words or ()
        ]
    return made


def text_of(segments: Iterable[Segment]) -> str:
    """Return the text of a transcription."""
    return "".join(segment.text for segment in segments).strip()


def _segment(segment: Segment) -> dict[str, Any]:
    return {
        "id": segment.id, "seek": segment.seek, "start": _seconds(segment.start), "end": _seconds(segment.end),
        "text": segment.text, "tokens": list(segment.tokens), "temperature": segment.temperature,
        "avg_logprob": segment.avg_logprob, "compression_ratio": segment.compression_ratio,
        "no_speech_prob": segment.no_speech_prob,
    }  # fmt: skip


def _seconds(time: float) -> float:
    return round(time, 3)


def _clock(seconds: float, point: str) -> str:
    """Return a time as 01:23:45.678; ``point`` stands before the milliseconds."""
    milliseconds = max(0, round(1000 * seconds))
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"
