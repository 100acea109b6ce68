# SPDX-License-Identifier: MIT
"""Audio files and pipes as samples: every format against the tone that was written; hostile files."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from pyhexagon.errors import AudioError, UnsupportedError
from pyhexagon.speech.audio import SAMPLE_RATE, AudioFile, raw_audio, read_audio

HZ: Final = 440.0
Array = npt.NDArray[Any]


def tone(seconds: float, rate: int) -> Array:
    """Return a sine at half of full scale."""
    return (0.5 * np.sin(2 * np.pi * HZ * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def written(path: Path, samples: Array, rate: int, **more: Any) -> Path:
    soundfile.write(path, samples, rate, **more)
    return path


@pytest.mark.parametrize(
    ("suffix", "subtype", "worst"),
    [
        ("wav", "PCM_16", 1e-4), ("wav", "FLOAT", 1e-4), ("wav", "PCM_U8", 8e-3), ("flac", "PCM_24", 1e-4),
        ("ogg", "VORBIS", 0.03), ("ogg", "OPUS", 0.05), ("mp3", None, 0.03),
    ],
)  # fmt: skip
def test_a_format_gives_the_tone_that_was_written(
    tmp_path: Path, suffix: str, subtype: str | None, worst: float
) -> None:
    path = written(tmp_path / f"a.{suffix}", tone(1.0, 48_000), 48_000, subtype=subtype)
    samples = read_audio(path)
    assert samples.dtype == np.float32
    assert samples.shape == (SAMPLE_RATE,)
    middle = slice(2000, 14_000)
    assert np.abs(samples - tone(1.0, SAMPLE_RATE))[middle].max() < worst


@pytest.mark.parametrize(
    "rate",
    [1000, 11_025, 768_000, *(pytest.param(rate, marks=pytest.mark.long) for rate in (8000, 22_050, 44_100, 96_000))],
)
def test_a_sample_rate_is_converted(tmp_path: Path, rate: int) -> None:
    path = written(tmp_path / "a.wav", tone(0.5, rate), rate, subtype="FLOAT")
    with AudioFile(path) as file:
        assert file.duration == pytest.approx(0.5, abs=1e-4)
        samples = np.concatenate(list(file))
    assert abs(len(samples) - SAMPLE_RATE // 2) <= 16
    assert np.abs(samples[1000:7000] - tone(0.5, SAMPLE_RATE)[1000:7000]).max() < 2e-3


def test_blocks_do_not_depend_on_their_size(tmp_path: Path) -> None:
    """A file of many blocks has the samples of the same file as one block, at a rate that must be converted."""
    long = np.random.default_rng(5).uniform(-0.5, 0.5, (700_001, 1)).astype(np.float32)
    many = written(tmp_path / "a.wav", long, 44_100, subtype="FLOAT")
    wide = written(tmp_path / "b.wav", np.repeat(long, 3, axis=1), 44_100, subtype="FLOAT")
    with AudioFile(many) as file:
        blocks = list(file)
    assert len(blocks) > 2
    assert np.abs(np.concatenate(blocks) - read_audio(wide)).max() < 1e-6


def test_channels_are_mixed(tmp_path: Path) -> None:
    channels = np.stack([tone(0.2, SAMPLE_RATE) * k / 32 for k in range(64)], axis=1)
    samples = read_audio(written(tmp_path / "a.wav", channels, SAMPLE_RATE, subtype="FLOAT"))
    assert np.abs(samples - channels.astype(np.float64).mean(axis=1)).max() < 1e-6


def test_an_open_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = written(tmp_path / "a.flac", tone(0.3, SAMPLE_RATE), SAMPLE_RATE)
    expected = read_audio(path)
    with open(path, "rb") as file:
        file.read(100)
        assert np.array_equal(read_audio(file), expected)
    assert np.array_equal(read_audio(io.BytesIO(path.read_bytes())), expected)


def wav(n_data: int, *, rate: int = SAMPLE_RATE, n_channels: int = 1, content: bytes = b"") -> bytes:
    """Return a WAV file whose header states a number of bytes of samples."""
    head = struct.pack("<HHIIHH", 1, n_channels, rate, 2 * rate * n_channels & 0xFFFFFFFF, 2 * n_channels, 16)
    size = min(36 + n_data, 0xFFFFFFFF)
    return (
        b"RIFF" + struct.pack("<I", size) + b"WAVEfmt \x10\0\0\0" + head + b"data" + struct.pack("<I", n_data) + content
    )


def damaged(content: bytes) -> bytes:
    return content[:3000] + bytes(3000) + content[6000:]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty: expected an audio file"),
        (b"hello, this is a text\n" * 99, "it cannot be read as audio: Format not recognised"),
        (wav(100)[:30], "it cannot be read as audio: Error in WAV file"),
        (wav(0), "has no samples"),
        (wav(100, rate=1, content=bytes(100)), "its sample rate is 1 Hz: expected 1,000 to 768,000"),
        (wav(100, rate=3_000_000_000, content=bytes(100)), "it cannot be read as audio|its sample rate is"),
        (wav(100, n_channels=0, content=bytes(100)), "it cannot be read as audio"),
        (wav(100, n_channels=5000, content=bytes(100)), "it cannot be read as audio"),
    ],
)
def test_what_is_no_audio_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(AudioError, match=message) as caught:
        read_audio(path)
    assert str(caught.value).startswith(str(path))


def test_a_header_may_state_more_than_there_is(tmp_path: Path) -> None:
    """A header of 4 GiB, as programs write that do not know the end; and a file that was cut."""
    content = (tone(0.5, SAMPLE_RATE) * 32767).astype("<i2").tobytes()
    for n_data in (0xFFFFFFFF, 0xFFFFFFF0, len(content) * 2):
        path = tmp_path / "a.wav"
        path.write_bytes(wav(n_data, content=content))
        assert len(read_audio(path)) == SAMPLE_RATE // 2


def test_a_corrupt_file_says_where(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 64_000).astype(np.float32)
    path = written(tmp_path / "a.flac", noise, SAMPLE_RATE)
    path.write_bytes(damaged(path.read_bytes()))
    with pytest.raises(AudioError, match=r"it is corrupt after \d\.\d s: .*flac decoder lost sync"):
        read_audio(path)


@pytest.mark.parametrize(("value", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (1e30, "1e\\+30"), (-32768, "-32768")])
def test_samples_that_are_no_audio_are_refused(tmp_path: Path, value: float, shown: str) -> None:
    samples = tone(1.0, 8000)
    samples[4000] = value
    path = written(tmp_path / "a.wav", samples, 8000, subtype="FLOAT")
    with pytest.raises(AudioError, match=rf"a sample at 0\.500 s is {shown}: expected -1 to 1"):
        read_audio(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path / "pipe", "is not a regular file"), (tmp_path, "is not a regular file"),
        (tmp_path / "no", "No such file"), ("a\0b", "null"),
    ):  # fmt: skip
        with pytest.raises(AudioError, match=message):
            AudioFile(path)


def test_audio_that_is_too_long_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.flac", np.zeros(SAMPLE_RATE * 61, np.float32), SAMPLE_RATE)
    with pytest.raises(AudioError, match="is longer than 60 seconds") as caught:
        read_audio(path, max_seconds=60)
    assert "--vad" in caught.value.hint
    assert len(read_audio(path, max_seconds=61)) == SAMPLE_RATE * 61


def test_a_decoder_that_dies_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", np.zeros(SAMPLE_RATE * 120, np.float32), SAMPLE_RATE)
    with AudioFile(path) as file:
        blocks = iter(file)
        next(blocks)
        file._process.kill()
        with pytest.raises(AudioError, match="the decoder ended with signal 9"):
            list(blocks)
    file.close()  # idempotent
    assert file._process.returncode is not None


@pytest.mark.parametrize("extension", ["wav", "aiff", "au", "w64", "ogg", "opus", "mp3"])
def test_a_file_without_its_end_is_read_with_a_warning(
    tmp_path: Path, extension: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / f"a.{extension}"
    given = {"format": "OGG", "subtype": "OPUS"} if extension == "opus" else {}
    written(path, tone(20, SAMPLE_RATE), SAMPLE_RATE, **given)
    assert len(read_audio(path)) == pytest.approx(20 * SAMPLE_RATE, rel=0.02)
    assert not caplog.records
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    n = len(read_audio(path))
    assert 0 < n < 15 * SAMPLE_RATE
    (record,) = caplog.records
    assert record.getMessage() == f"{path}: its end is missing: it is read up to {n / SAMPLE_RATE:.1f} s"


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFF024])
def test_sizes_that_a_pipe_leaves_open_give_no_warning(
    tmp_path: Path, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path / "a.wav", tone(1, SAMPLE_RATE), SAMPLE_RATE)
    content = bytearray(path.read_bytes())
    content[4:8] = content[40:44] = size.to_bytes(4, "little")
    path.write_bytes(content)
    assert len(read_audio(path)) == SAMPLE_RATE
    assert not caplog.records


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "soxr.py").write_text("raise ImportError('gone', name='soxr')")
    path = written(tmp_path / "a.wav", tone(0.1, 8000), 8000)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UnsupportedError, match="audio files need the package soxr"):
        AudioFile(path)


def test_a_pipe_gives_raw_samples_as_they_come() -> None:
    values = np.arange(-20_000, 20_001, 7).astype("<i2")
    reading, writing = os.pipe()
    with open(reading, "rb") as stream, open(writing, "wb", buffering=0) as end:
        blocks = raw_audio(stream)
        end.write(values[:100].tobytes() + b"\x01")  # an odd byte is kept for what follows
        first = next(blocks)
        assert np.array_equal(first, values[:100] / np.float32(32768))
        end.write(b"\x02")
        assert next(blocks).tolist() == [0x0201 / 32768]
        end.write(values.tobytes() + b"\x03")
        end.close()
        rest = np.concatenate(list(blocks))
    assert np.array_equal(rest, values / np.float32(32768))


@pytest.mark.parametrize("begin", [b"RIFF", b"fLaC", b"OggS"])
def test_a_pipe_with_a_file_is_refused(begin: bytes) -> None:
    with pytest.raises(AudioError, match="expected raw 16-bit samples, mono, at 16000 Hz") as caught:
        list(raw_audio(io.BytesIO(begin + bytes(100))))
    assert "ffmpeg" in caught.value.hint
    assert list(raw_audio(io.BytesIO(b""))) == []
