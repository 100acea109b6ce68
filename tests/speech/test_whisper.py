# SPDX-License-Identifier: MIT
"""``Whisper``: transcriptions of a random model do not depend on others, on threads, or on the death of the DSP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType

from pyhexagon import ArgumentError, ClosedError, Device, DeviceLostError, Whisper
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.mel import log_mel
from pyhexagon.speech.segments import Segment
from speech import whisper_files
from speech.reference_model import ReferenceModel

F32 = npt.NDArray[np.float32]

SIZES: Final = replace(
    whisper_files.sized(64, 1), n_audio_ctx=52, n_text_ctx=32, n_mels=16,
    ftype=whisper_files.FTYPES[GGMLQuantizationType.F16],
)  # fmt: skip
OPTIONS: Final[dict[str, Any]] = {
    "without_timestamps": True,
    "word_timestamps": True,
    "temperature": (0.0, 0.4),
    "best_of": 2,
    "beam_size": 2,
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whisper_files.write(tmp_path_factory.mktemp("whisper") / "tiny.bin", SIZES, seed=5)


def audio(seed: int, seconds: float = 2.6) -> F32:
    """Return noise, of a few windows: a window of this model has about a second."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.standard_normal(int(seconds * 16000), dtype=np.float32) / 10)


@pytest.fixture(scope="module")
def wanted(path: Path) -> dict[int, list[Segment]]:
    """Return what each of three clips gives alone."""
    with Whisper(path, device="cpu", n_sequences=4) as whisper:
        return {seed: list(whisper.transcribe(audio(seed), **OPTIONS)[0]) for seed in (1, 2, 3)}


def test_segments_follow_each_other(wanted: dict[int, list[Segment]]) -> None:
    for segments in wanted.values():
        assert [segment.id for segment in segments] == list(range(1, len(segments) + 1))
        assert len({segment.seek for segment in segments}) > 1
        for segment in segments:
            assert 0 <= segment.start <= segment.end
            assert segment.avg_logprob < 0 <= segment.no_speech_prob <= 1
            assert "".join(word.word for word in segment.words or ()) == segment.text


def test_threads_share_messages_and_change_nothing(path: Path, wanted: dict[int, list[Segment]]) -> None:
    found: dict[int, list[Segment]] = {}
    with Whisper(path, device="cpu", n_sequences=4, n_windows=2) as whisper:  # for three clips: windows are evicted

        def transcribe(seed: int) -> None:
            found[seed] = list(whisper.transcribe(audio(seed), **OPTIONS)[0])

        threads = [threading.Thread(target=transcribe, args=(seed,)) for seed in wanted]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == wanted


def test_interleaved_iterators_change_nothing(path: Path, wanted: dict[int, list[Segment]]) -> None:
    with Whisper(path, device="cpu", n_sequences=1, n_windows=1) as whisper:
        streams: dict[int, Iterator[Segment]] = {seed: whisper.transcribe(audio(seed), **OPTIONS)[0] for seed in wanted}
        found: dict[int, list[Segment]] = {seed: [] for seed in wanted}
        while streams:
            for seed in list(streams):
                segment = next(streams[seed], None)
                if segment is None:
                    del streams[seed]
                else:
                    found[seed].append(segment)
    assert found == wanted


def test_a_killed_dsp_is_opened_again_and_the_text_goes_on(
    path: Path, wanted: dict[int, list[Segment]], faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    with Whisper(path, device="loopback", n_sequences=4) as whisper:
        segments, _ = whisper.transcribe(audio(1), **OPTIONS)
        first = next(segments)
        faults.kill(whisper.device)
        assert [first, *segments] == wanted[1]
    assert "opened again" in caplog.text


def test_the_iterator_goes_on_after_a_device_of_the_caller_was_opened_again(
    path: Path, wanted: dict[int, list[Segment]], faults: Faults
) -> None:
    with Device("loopback") as device, Whisper(path, device=device, n_sequences=4) as whisper:
        segments, _ = whisper.transcribe(audio(2), **OPTIONS)
        found = [next(segments)]
        faults.kill(device)
        with pytest.raises(DeviceLostError):
            list(segments)
        assert whisper.lost
        whisper.reopen()
        assert found + list(segments) == wanted[2]


def test_two_models_on_one_device(path: Path, wanted: dict[int, list[Segment]]) -> None:
    with Device("cpu") as device, Whisper(path, device=device, n_sequences=4) as one:
        with Whisper(path, device=device, n_sequences=4) as other:
            assert list(other.transcribe(audio(1), **OPTIONS)[0]) == wanted[1]
        assert list(one.transcribe(audio(2), **OPTIONS)[0]) == wanted[2]


def test_close(path: Path) -> None:
    whisper = Whisper(path, device="cpu")
    segments, _ = whisper.transcribe(audio(1))
    assert "tiny.bin" in repr(whisper)
    whisper.close()
    whisper.close()
    assert whisper.closed
    for use in (
        lambda: next(segments),
        lambda: whisper.transcribe(audio(1)),
        lambda: whisper.detect_language(audio(1)),
    ):
        with pytest.raises(ClosedError):
            use()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_size": 0}, "beam_size"),
        ({"best_of": 65}, "best_of"),
        ({"temperature": ()}, "temperature"),
        ({"temperature": (0.0, -1.0)}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"task": "sing"}, "task is 'sing'"),
        ({"task": "translate"}, "English only"),
        ({"initial_prompt": [51864]}, "initial_prompt"),
        ({"language": "tlh"}, "language"),
    ],
)
def test_bad_options_are_named(path: Path, options: dict[str, Any], message: str) -> None:
    with Whisper(path, device="cpu") as whisper, pytest.raises(ArgumentError, match=message):
        whisper.transcribe(audio(1), **options)


@pytest.mark.parametrize("given", [{"weights": "q4_0"}, {"kv": "f32"}, {"n_sequences": 0}, {"n_windows": 0}])
def test_bad_arguments_of_the_model_are_named(path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=str(next(iter(given.values())))):
        Whisper(path, device="cpu", **given)


@pytest.mark.parametrize(
    ("n_vocab", "n_mels", "n_languages"), [(whisper_files.MULTILINGUAL, 16, 99), (whisper_files.V3, 128, 100)]
)
def test_languages_are_detected_from_the_probabilities_after_the_start(
    tmp_path: Path, n_vocab: int, n_mels: int, n_languages: int
) -> None:
    sizes = replace(SIZES, n_vocab=n_vocab, n_mels=n_mels)
    own = whisper_files.write(tmp_path / "multilingual.bin", sizes, seed=7)
    file = WhisperFile(own)
    reference = ReferenceModel(file)
    spectrum = log_mel(audio(1), file.filters)[:, : 2 * sizes.n_audio_ctx].T
    logits = reference.decode([50258], reference.encode(np.ascontiguousarray(spectrum)))[0, 50259 : 50259 + n_languages]
    probabilities = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    with Whisper(own, device="cpu") as whisper:
        language, probability, languages = whisper.detect_language(audio(1))
        _, info = whisper.transcribe(audio(1), task="translate")
    assert whisper.is_multilingual
    assert (info.language, info.language_probability) == (language, probability) == languages[0]
    assert len(languages) == n_languages
    assert [one for _, one in languages] == sorted((one for _, one in languages), reverse=True)
    assert np.allclose(sorted(one for _, one in languages), np.sort(probabilities), rtol=0.02)
    assert probability == pytest.approx(probabilities.max(), rel=0.02)
