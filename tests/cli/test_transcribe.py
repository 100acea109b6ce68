# SPDX-License-Identifier: MIT
"""``pyhexagon transcribe`` with a scripted model: files, formats, pipes, the microphone, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile
from conftest import Faults
from speech import whisper_files
from speech.scripted import ScriptedModel, levels
from speech.test_whisper import SIZES
from speech.test_whisper import audio as noise
from waiting import LONG

from pyhexagon import cli
from pyhexagon.cli import speech_options
from pyhexagon.speech import vad
from pyhexagon.speech.audio import SAMPLE_RATE, Samples
from pyhexagon.speech.shared import SharedWhisper


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    """The model of the command; loud audio is speech."""
    made = ScriptedModel()

    @contextmanager
    def loaded(*_: object, **__: object) -> Iterator[ScriptedModel]:
        yield made

    def probability() -> Callable[[Samples], float]:
        return lambda window: float(np.abs(window).mean() > 0.05)

    monkeypatch.setattr(speech_options, "loaded", loaded)
    monkeypatch.setattr(vad, "silero", probability)
    return made


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    return written(tmp_path / "a.wav", 10, 20, 30)


def written(path: Path, *values: int) -> Path:
    soundfile.write(path, levels(*values), SAMPLE_RATE)
    return path


def test_text_goes_to_stdout(model: ScriptedModel, audio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", str(audio)]) == 0
    assert capsys.readouterr() == ("10\n20\n30\n", "")
    assert cli.main(["transcribe", str(audio), "--format", "srt"]) == 0
    assert capsys.readouterr().out.startswith("1\n00:00:00,000 --> 00:00:01,000\n10\n\n2\n")
    other = written(audio.with_name("b.flac"), 40)
    assert cli.main(["transcribe", str(audio), str(other)]) == 0
    assert capsys.readouterr().out == f"==> {audio} <==\n10\n20\n30\n==> {other} <==\n40\n"


def test_options_reach_the_model(model: ScriptedModel, audio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", str(audio)]) == 0
    assert model.calls.pop() == {
        "language": None, "task": "transcribe", "beam_size": 1, "initial_prompt": None, "word_timestamps": False
    }  # fmt: skip
    words = ["--language", "de", "--translate", "--beam-size", "5", "--prompt", "Q6A", "--word-timestamps", "--json"]
    assert cli.main(["transcribe", str(audio), *words]) == 0
    assert model.calls.pop() == {
        "language": "de", "task": "translate", "beam_size": 5, "initial_prompt": "Q6A", "word_timestamps": True
    }  # fmt: skip
    capsys.readouterr()
    assert cli.main(["transcribe", str(audio), "--language", "xx"]) == 1
    assert "language is 'xx': expected one of en, de" in capsys.readouterr().err


def test_json_has_each_file(model: ScriptedModel, audio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = audio.with_name("bad.wav")
    bad.write_bytes(b"no audio")
    assert cli.main(["transcribe", str(audio), str(bad), "--json", "--word-timestamps"]) == 1
    answer = json.loads(capsys.readouterr().out)
    first, second = answer["files"]
    assert (first["file"], first["text"], first["duration"], len(first["words"])) == (str(audio), "10 20 30", 3.0, 3)
    assert second == {"file": str(bad), "error": f"{bad}: it cannot be read as audio: Format not recognised"}


def test_one_bad_file_does_not_stop_the_others(
    model: ScriptedModel, audio: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, last = audio.with_name("missing.wav"), written(audio.with_name("z.wav"), 50)
    assert cli.main(["transcribe", str(audio), str(missing), str(last)]) == 1
    out, err = capsys.readouterr()
    assert out.endswith("50\n")
    assert err == f"pyhexagon: error: {missing}: No such file or directory\n"
    assert cli.main(["transcribe", str(missing)]) == 1


def test_output_to_files(model: ScriptedModel, audio: Path, tmp_path: Path) -> None:
    other, folder = written(tmp_path / "b.wav", 40), tmp_path / "out"
    folder.mkdir()
    assert cli.main(["transcribe", str(audio), str(other), "--output", str(folder), "--format", "vtt"]) == 0
    assert sorted(os.listdir(folder)) == ["a.vtt", "b.vtt"]
    assert (folder / "b.vtt").read_text() == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n40\n\n"
    target = folder / "x.tsv"  # the ending names the format
    assert cli.main(["transcribe", str(other), "--output", str(target)]) == 0
    assert target.read_text() == "start\tend\ttext\n0\t1000\t40\n"
    assert cli.main(["transcribe", str(other), "--output", str(target), "--format", "json"]) == 0
    assert json.loads(target.read_text())["text"] == "40"


def test_ctrl_c_leaves_no_half_file(model: ScriptedModel, audio: Path, tmp_path: Path) -> None:
    def before(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    model.before = before
    target = tmp_path / "a.txt"
    target.write_text("before")
    assert cli.main(["transcribe", str(audio), "--output", str(target)]) == 130
    assert target.read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "a.wav"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "no audio: expected FILE ..., - or --mic"),
        ("- -", "- and --mic go on until they end: expected one of them, once"),
        ("- --mic", "- and --mic go on until they end: expected one of them, once"),
        ("a.wav b.wav --format srt", "2 files, and one output: --output FOLDER writes a file for each"),
        ("a.wav b.wav --output x.txt", "--output x.txt is no folder: expected one for 2 files"),
        ("a.wav --output x.txt --json", "--output and --json: expected one of them"),
        ("a.wav --output a.wav", "are one file: give each purpose a file of its own"),
        ("a.wav b/a.mp3 --output .", "two files have the same name, and would be written to one file"),
        ("a.wav --output none/x.txt", "there is no folder"),
    ],
)
def test_wrong_outputs_are_refused_before_a_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["transcribe", *words.split()]) == 1
    assert message in "".join(capsys.readouterr())
    assert os.listdir(tmp_path) == []


def test_a_long_file_is_cut_where_nobody_speaks(
    model: ScriptedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.flac", *[10] * 2, *[0] * 40, *[20] * 27, *[0] * 5, *[30] * 2)
    assert cli.main(["transcribe", str(path), "--vad", "--json"]) == 0
    (answer,) = json.loads(capsys.readouterr().out)["files"]
    assert answer["duration"] == 76.0
    starts = {segment["text"]: segment["start"] for segment in reversed(answer["segments"])}
    assert 0 <= starts[" 10"] < 0.1
    assert len(model.calls) == 2  # groups of at most 30 s
    assert 73.5 < answer["segments"][-1]["start"] < 76


def piped(*values: int) -> bytes:
    return (levels(*values) * 32767).astype("<i2").tobytes()


def test_a_pipe_gives_partial_results(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = threading.Event()
    model.before = lambda _: heard.set()
    reading, writing = os.pipe()

    def speak() -> None:
        with open(writing, "wb") as end:
            end.write(piped(10, 0))
            end.flush()
            assert heard.wait(LONG)  # the first utterance is transcribed before the second one is spoken
            end.write(piped(20))

    speaker = threading.Thread(target=speak)
    with open(reading, "rb") as stream:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
        speaker.start()
        assert cli.main(["transcribe", "-", "--format", "tsv"]) == 0
    speaker.join()
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert lines[1][2] == "10"
    assert 1700 <= int(lines[-1][0]) < 3000


def arecord(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program in the place of arecord."""
    program = folder / "bin/arecord"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_the_microphone_is_transcribed_until_ctrl_c(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "raw").write_bytes(piped(40, 0, 60))
    arecord(tmp_path, monkeypatch, f'echo "$@" > {tmp_path}/asked; cat {tmp_path}/raw; exec sleep 1000')
    pressed: list[bool] = []

    def before(_: int) -> None:
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    model.before = before
    target = tmp_path / "said.txt"
    assert cli.main(["transcribe", "--mic", "--output", str(target)]) == 0
    said = list(map(int, target.read_text().split()))  # levels of utterances, which have pads
    assert said[0] > 30
    assert said[-1] > 50  # what was recorded before Ctrl-C is transcribed
    assert (tmp_path / "asked").read_text() == "-q -t raw -f S16_LE -c 1 -r 16000\n"
    assert "listening; Ctrl-C ends" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_microphone_that_fails_is_an_error(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arecord(tmp_path, monkeypatch, 'echo "audio open error: No such file or directory" >&2; exit 1')
    assert cli.main(["transcribe", "--mic"]) == 1
    assert "arecord: audio open error: No such file or directory" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert cli.main(["transcribe", "--mic"]) == 1
    assert "--mic needs the command arecord. Hint: sudo apt install alsa-utils." in capsys.readouterr().err


def test_a_file_that_is_no_model_is_refused(audio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", str(audio), "--model", str(audio), "--device", "loopback"]) == 1
    assert "not a model of whisper.cpp" in capsys.readouterr().err


def test_a_lost_dsp_changes_no_text(
    tmp_path: Path, faults: Faults, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = whisper_files.write(tmp_path / "tiny.bin", SIZES, seed=5)
    soundfile.write(tmp_path / "a.wav", noise(1), SAMPLE_RATE, subtype="FLOAT")
    command = ["transcribe", str(tmp_path / "a.wav"), "--model", str(path), "--device", "loopback"]
    assert cli.main(command) == 0
    wanted = capsys.readouterr().out
    assert len(wanted.splitlines()) > 1
    n_steps, tried = [0], SharedWhisper._tried

    def with_death(self: SharedWhisper, step: Any, n_deaths: int = 0) -> Any:
        n_steps[0] += not n_deaths
        if n_steps[0] == 2 and not n_deaths:
            faults.kill(self.model.device)
        return tried(self, step, n_deaths)

    monkeypatch.setattr(SharedWhisper, "_tried", with_death)
    assert cli.main(command) == 0
    assert capsys.readouterr().out == wanted
    assert n_steps[0] > 2
