# SPDX-License-Identifier: MIT
"""Formats of transcriptions, and audio that is transcribed while it comes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from pyhexagon.speech.audio import SAMPLE_RATE
from pyhexagon.speech.formats import FORMATS, Format, verbose, written
from pyhexagon.speech.segments import Segment, TranscriptionInfo, Word
from pyhexagon.speech.streaming import transcribe_groups
from pyhexagon.speech.vad import SpeechGroup, Utterance, grouped
from speech.scripted import ScriptedModel, levels

INFO = TranscriptionInfo("en", 1.0, 3723.4567, 3723.4567)
FIRST = Segment(1, 0, 0.0, 1.2344, " A <b> & --> c", [5, 6], -0.5, 1.25, 0.1, None, 0.2)
LAST = replace(FIRST, id=2, start=3599.9996, end=3723.4567, text=" the\nend")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("text", "A <b> & --> c\nthe end\n"),
        (
            "srt",
            "1\n00:00:00,000 --> 00:00:01,234\nA <b> & -> c\n\n2\n01:00:00,000 --> 01:02:03,457\nthe end\n\n",
        ),
        (
            "vtt",
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.234\nA &lt;b&gt; &amp; --&gt; c\n\n"
            "01:00:00.000 --> 01:02:03.457\nthe end\n\n",
        ),
        ("tsv", "start\tend\ttext\n0\t1234\tA <b> & --> c\n3600000\t3723457\tthe end\n"),
    ],
)
def test_texts_and_subtitles(form: Format, expected: str) -> None:
    parts = list(written(form, [FIRST, LAST], INFO, "transcribe"))
    assert "".join(parts) == expected
    assert len(parts) == 3  # each segment as soon as it is there


def test_json_is_openais_verbose_json() -> None:
    words = [Word(0.0, 0.6177, " A", 0.9), Word(0.7, 1.2344, " b.", 0.8)]
    whole = json.loads("".join(written("json", [replace(FIRST, words=words), LAST], INFO, "translate")))
    assert whole == verbose([replace(FIRST, words=words), LAST], INFO, "translate")
    assert {name: whole[name] for name in ("task", "language", "duration", "text")} == {
        "task": "translate", "language": "en", "duration": 3723.457, "text": "A <b> & --> c the\nend",
    }  # fmt: skip
    assert whole["segments"][0] == {
        "id": 1, "seek": 0, "start": 0.0, "end": 1.234, "text": FIRST.text, "tokens": [5, 6], "temperature": 0.2,
        "avg_logprob": -0.5, "compression_ratio": 1.25, "no_speech_prob": 0.1,
    }  # fmt: skip
    assert whole["words"] == [{"word": "A", "start": 0.0, "end": 0.618}, {"word": "b.", "start": 0.7, "end": 1.234}]
    assert "words" not in verbose([LAST], INFO, "transcribe")


@pytest.mark.parametrize("form", FORMATS)
def test_audio_without_speech_is_a_file_of_the_format(form: Format) -> None:
    text = "".join(written(form, [], INFO, "transcribe"))
    assert text == {"vtt": "WEBVTT\n\n", "tsv": "start\tend\ttext\n"}.get(form, text if form == "json" else "")


def test_groups_are_transcribed_with_the_times_of_the_audio() -> None:
    speech = [Utterance(10 * SAMPLE_RATE, levels(1, 2)), Utterance(20 * SAMPLE_RATE, levels(3)),
              Utterance(50 * SAMPLE_RATE, levels(4, 5))]  # fmt: skip
    model = ScriptedModel()
    segments, info = transcribe_groups(model, grouped(speech, 4), duration=60.0, word_timestamps=True, task="translate")
    assert (info.language, info.language_probability, info.duration) == ("en", 0.9, 60.0)
    made = list(segments)
    assert [(one.id, one.text, one.start, one.end, one.seek) for one in made] == [
        (1, " 1", 10, 11, 1000), (2, " 2", 11, 12, 1100), (3, " 3", 20, 21, 1200), (4, " 4", 50, 51, 5000),
        (5, " 5", 51, 52, 5100),
    ]  # fmt: skip
    assert [one.words for one in made] == [[Word(one.start, one.end, one.text, 0.75)] for one in made]
    # the first group tells the language of the others
    assert [call["language"] for call in model.calls] == [None, "en"]
    assert {call["task"] for call in model.calls} == {"translate"}


def test_a_group_is_taken_after_the_segments_of_the_one_before() -> None:
    taken: list[int] = []

    def groups() -> Iterator[SpeechGroup]:
        for number in range(3):
            taken.append(number)
            yield SpeechGroup(levels(number), ((0, number * SAMPLE_RATE),))

    segments, _ = transcribe_groups(ScriptedModel(), groups())
    assert taken == [0]
    assert next(segments).text == " 0"
    assert taken == [0]
    assert [one.text for one in segments] == [" 1", " 2"]


def test_silence_has_no_segments() -> None:
    for language in (None, "de"):
        model = ScriptedModel()
        segments, info = transcribe_groups(model, [], language=language, duration=7.0)
        assert list(segments) == []
        assert (info.language, info.duration, model.calls) == (language or "", 7.0, [])
    assert np.allclose(levels(50), 0.5)
