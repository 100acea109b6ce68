# SPDX-License-Identifier: MIT
"""``pyhexagon wyoming`` as a process, with the client of Home Assistant."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from speech import whisper_files
from speech.test_whisper import SIZES
from speech.test_whisper import audio as noise
from speech.test_wyoming import events, pytestmark, request_of
from waiting import LONG

from pyhexagon import Whisper, cli
from pyhexagon.speech.formats import text_of

__all__ = ["pytestmark"]  # a filter of warnings


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whisper_files.write(tmp_path_factory.mktemp("whisper") / "ears.bin", SIZES, seed=5)


def test_the_command_serves_until_sigterm(path: Path) -> None:
    samples = (noise(1) * 32767).astype("<i2")
    with Whisper(path, device="loopback") as whisper:
        wanted = text_of(whisper.transcribe(samples / np.float32(32768))[0])
    command = [sys.executable, "-m", "pyhexagon", "wyoming", str(path), "--port", "0", "--device", "loopback"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        name, uri = process.stdout.readline().split(" at tcp://")
        assert name == "ears"
        host, _, port = uri.strip().rpartition(":")
        (answer,) = asyncio.run(events(host, int(port), *request_of(samples.tobytes())))
        assert answer.data == {"text": wanted, "language": "en"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0


def test_wrong_options_are_refused(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["--port", "70000"], "--port is 70000: expected 0 to 65535"),
        (["--language", "xx", "--device", "loopback"], "--language is xx: expected one of en"),
        (["--host", "no.such.host.invalid", "--device", "loopback"], "cannot listen to 'no.such.host.invalid'"),
    ):
        assert cli.main(["wyoming", str(path), *words]) == 1
        assert message in capsys.readouterr().err
