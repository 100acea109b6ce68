# SPDX-License-Identifier: MIT
"""Audio as whisper takes it: float32 samples from -1 to 1, mono, at 16 kHz.

A file is decoded by libsndfile in a process of its own (decode.py), which has limits of memory and CPU time: a file
that breaks the decoder breaks nothing else. Samples come in blocks, so a file of any length takes little memory.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from pyhexagon import extras
from pyhexagon.errors import AudioError

SAMPLE_RATE: Final = 16_000
MAX_SECONDS: Final = 3 * 3600.0  # of audio that is in memory at once: 690 MB
_LOG: Final = logging.getLogger("pyhexagon.speech")
_DECODER: Final = str(Path(__file__).with_name("decode.py"))
_LENGTH: Final = struct.Struct("<i")  # of a block in samples; -1: a report follows
_PIPE_BLOCK: Final = SAMPLE_RATE // 10 * 2  # bytes of raw samples, 0.1 s
_CONTAINERS: Final = {b"RIFF": "WAV", b"fLaC": "FLAC", b"OggS": "Ogg", b"ID3\x03": "MP3", b"ID3\x04": "MP3"}

Samples = npt.NDArray[np.float32]


class AudioFile:
    """An audio file that is decoded while it is iterated: blocks of float32 samples, mono, at 16 kHz.

    A file whose end is missing is read up to there, with a warning in the log ``pyhexagon.speech``.

    Args:
        source: a path, or an open binary file, which is read from its beginning.
        name: of the file, for messages; empty: that of ``source``.

    Attributes:
        duration: in seconds as the file's header states it; 0: it does not.

    Raises:
        AudioError: the file cannot be read, is empty, is no audio that libsndfile knows, or has a sample rate outside
            1,000 to 768,000 Hz. Iteration raises it for a NaN, or a corrupt file.
        UnsupportedError: a package of ``pyhexagon[speech]`` is missing.
    """

    def __init__(self, source: str | os.PathLike[str] | BinaryIO, name: str = "") -> None:
        is_path = isinstance(source, (str, os.PathLike))
        self.name = name or (os.fspath(source) if is_path else "the audio")  # type: ignore[arg-type]
        with _opened(source, self.name) as file:
            self._process = subprocess.Popen(
                [sys.executable, "-I", _DECODER, json.dumps({"path": sys.path, "rate": SAMPLE_RATE})],
                stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={"OPENBLAS_NUM_THREADS": "1"}, start_new_session=True,  # Ctrl-C of a terminal is not for it
            )  # fmt: skip
        assert self._process.stdout
        self._output = self._process.stdout
        try:
            self.duration = float(self._report()["duration"])
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[Samples]:
        """Yield the blocks that follow."""
        while True:
            length = self._output.read(_LENGTH.size)
            if len(length) < _LENGTH.size:
                raise self._ended()
            (n,) = _LENGTH.unpack(length)
            if n < 0:
                self._report()
                return
            content = self._output.read(4 * n)
            if len(content) < 4 * n:
                raise self._ended()
            yield np.frombuffer(content, np.float32)

    def _report(self) -> dict[str, Any]:
        """Return the line of JSON that comes next; raise the problem in it."""
        line = self._output.readline()
        if not line.endswith(b"\n"):
            raise self._ended()
        report: dict[str, Any] = json.loads(line)
        if package := report.get("missing"):
            raise extras.missing("audio files", package, "speech")
        if problem := report.get("problem"):
            raise AudioError(f"{self.name}: {problem}")
        if warning := report.get("warning"):
            _LOG.warning("%s: %s", self.name, warning)
        return report

    def _ended(self) -> AudioError:
        status = self._process.wait()
        why = f"signal {-status}" if status < 0 else f"exit status {status}"
        return AudioError(f"{self.name}: the decoder ended with {why}: the file is corrupt, or takes too much memory")

    def close(self) -> None:
        """End the decoder; idempotent."""
        self._output.close()
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> AudioFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_output"):
            self.close()


def read_audio(source: str | os.PathLike[str] | BinaryIO, *, max_seconds: float = MAX_SECONDS) -> Samples:
    """Return all samples of an audio file: float32, shape (samples,), mono, at 16 kHz.

    Args:
        source: a path, or an open binary file, which is read from its beginning.
        max_seconds: most seconds of audio.

    Raises:
        AudioError: as ``AudioFile``, or the audio is longer than ``max_seconds``, or has no samples.
    """
    with AudioFile(source) as file:
        return joined(file, file.name, max_seconds=max_seconds)


def joined(blocks: Iterable[Samples], name: str, *, max_seconds: float = MAX_SECONDS) -> Samples:
    """Return blocks of samples as one array.

    Args:
        blocks: of samples.
        name: of the audio, for messages.
        max_seconds: most seconds of audio.

    Raises:
        AudioError: it is longer, or has no samples.
    """
    kept: list[Samples] = []
    n = 0
    for block in blocks:
        n += len(block)
        if n > max_seconds * SAMPLE_RATE:
            told = f"{name} is longer than {max_seconds:g} seconds, the most that is held in memory"
            raise AudioError(told, hint="--vad of pyhexagon transcribe takes audio of any length")
        kept.append(block)
    if not n:
        raise AudioError(f"{name} has no samples")
    return np.concatenate(kept)


def raw_audio(stream: IO[bytes], name: str = "stdin") -> Iterator[Samples]:
    """Yield blocks of float32 samples, of a stream of raw 16-bit little-endian samples, mono, at 16 kHz.

    A block is there as soon as a tenth of a second has come. An odd byte at the end is ignored.

    Raises:
        AudioError: the stream begins as an audio file does.
    """
    left = b""
    is_first = True
    read = getattr(stream, "read1", stream.read)  # what has come, in place of all that was asked for
    while content := read(_PIPE_BLOCK):
        content = left + content
        if is_first and len(content) < 4:
            left = content
            continue
        if is_first and (kind := _CONTAINERS.get(content[:4])):
            hint = f"name the file, or convert it: ffmpeg -i FILE -f s16le -ar {SAMPLE_RATE} -ac 1 -"
            told = f"{name} has a file of the type {kind}: expected raw 16-bit samples, mono, at {SAMPLE_RATE} Hz"
            raise AudioError(told, hint=hint)
        is_first = False
        n = len(content) & ~1
        left = content[n:]
        if n:
            yield np.frombuffer(content[:n], "<i2") / np.float32(32768)


def _opened(source: str | os.PathLike[str] | BinaryIO, name: str) -> BinaryIO:
    """Return a regular file with the content of a source, at its beginning."""
    if isinstance(source, (str, os.PathLike)):
        try:
            fd = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # which waits for no end of a pipe
        except (OSError, ValueError) as error:
            raise AudioError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    else:
        fd = _copied(source)
    problem, hint, status = "", "", os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        problem, hint = "is not a regular file", "pyhexagon transcribe - reads raw samples of a pipe"
    elif not status.st_size:
        problem = "is empty: expected an audio file"
    if problem:
        os.close(fd)
        raise AudioError(f"{name} {problem}", hint=hint)
    return open(fd, "rb")


def _copied(source: BinaryIO) -> int:
    """Return another descriptor of an open file, or of a temporary file with what is in memory."""
    with suppress(OSError, AttributeError):  # it is in memory
        fd = os.dup(source.fileno())
        os.lseek(fd, 0, os.SEEK_SET)
        return fd
    source.seek(0)
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(source, file)
        file.flush()
        fd = os.dup(file.fileno())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
