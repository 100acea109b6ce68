# SPDX-License-Identifier: MIT
"""The microphone, through ALSA's arecord, which also knows PulseAudio's and PipeWire's."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pyhexagon.errors import AudioError, UnsupportedError
from pyhexagon.speech.audio import SAMPLE_RATE, Samples, raw_audio

_ARECORD: Final = ("arecord", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(SAMPLE_RATE))


@contextmanager
def microphone() -> Iterator[Iterator[Samples]]:
    """Record until Ctrl-C, and yield the blocks of samples. The first Ctrl-C ends the recording, a second one all.

    Raises:
        UnsupportedError: arecord is not installed.
        AudioError: it cannot record; raised when the blocks are read.
    """
    try:
        recorder = subprocess.Popen(
            _ARECORD, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C of a terminal is not for it
        )  # fmt: skip
    except FileNotFoundError:
        raise UnsupportedError("--mic needs the command arecord", hint="sudo apt install alsa-utils") from None
    before: Any = None

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        recorder.terminate()

    def blocks() -> Iterator[Samples]:
        assert recorder.stdout
        assert recorder.stderr
        n = 0
        for block in raw_audio(recorder.stdout, "arecord"):
            n += 1
            yield block
        if not n:
            problem = recorder.stderr.read(2000).decode(errors="replace").strip() or "it recorded nothing"
            raise AudioError(f"arecord: {problem}")

    with recorder:
        try:
            if threading.current_thread() is threading.main_thread():
                before = signal.signal(signal.SIGINT, stop)
            yield blocks()
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
            recorder.kill()
