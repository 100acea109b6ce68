# SPDX-License-Identifier: MIT
"""The main program of the process that decodes an audio file; ``audio.py`` starts it.

It reads the file from its standard input, which is a regular file. It writes a line of JSON with the duration, then
blocks of mono float32 samples at the rate that it was given, each after its length as a little-endian int32, then -1
and a line of JSON: {}, a problem, or a warning. It imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import json
import os
import re
import resource
import struct
import sys
from typing import Any, BinaryIO, Final

_VALUES: Final = 1 << 18  # of all channels, that are decoded at once: 1 MiB
_LEAST_RATE: Final = 1000
_GREATEST_RATE: Final = 768_000
_LOUDEST: Final = 100.0  # 40 dB above full scale; integers that were stored as floats are far louder
_MORE_BYTES: Final = 512 << 20  # of address space, beside that of the libraries
_CPU_SECONDS: Final = 3600
_LOGGED_SIZE: Final = re.compile(r"^ *(?:data|SSND|riff|Data Size|Riff size) *: (\d+) \(should be (\d+)\)", re.M)
_UNKNOWN_SIZE: Final = 0x7FFFF000  # programs that write to a pipe state this size or more
_OGG_PAGE: Final = struct.Struct("<4sxB20xB")  # magic, flags, number of segments
_OGG_LAST: Final = 4  # flag of a stream's last page
_MOST_OGG_PAGE: Final = 27 + 255 + 255 * 255


def _limit() -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        n_bytes = int(file.read().split()[0]) * resource.getpagesize() + _MORE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _tell(output: BinaryIO, report: dict[str, Any]) -> None:
    output.write(json.dumps(report).encode() + b"\n")
    output.flush()


def _opened() -> Any:
    """Return the file as soundfile opens it; raises ValueError with a problem."""
    import soundfile as sf

    try:
        file = sf.SoundFile(0, closefd=False)
    except sf.SoundFileError as error:
        raise ValueError(f"it cannot be read as audio: {_reason(error)}") from None
    if not _LEAST_RATE <= file.samplerate <= _GREATEST_RATE:
        expected = f"expected {_LEAST_RATE:,} to {_GREATEST_RATE:,}"
        raise ValueError(f"its sample rate is {file.samplerate:,} Hz: {expected}")
    return file


def _lacks_end(file: Any, n_frames: int) -> bool:
    """Return whether a file of which ``n_frames`` were decoded ends too early.

    libsndfile decodes what is there: its log has the sizes that the headers of WAV, AIFF, AU and W64 state, MP3 has
    fewer frames than its header says (by a second at least), and only the last page of Ogg is marked so.
    """
    if any(int(real) < int(stated) < _UNKNOWN_SIZE for stated, real in _LOGGED_SIZE.findall(file.extra_info)):
        return True
    if file.format == "OGG":
        size = os.fstat(0).st_size
        end = os.pread(0, _MOST_OGG_PAGE, max(0, size - _MOST_OGG_PAGE))
        at = end.rfind(b"OggS")
        if at < 0 or len(end) - at < _OGG_PAGE.size:
            return True
        _, flags, n_segments = _OGG_PAGE.unpack_from(end, at)
        segments = end[at + _OGG_PAGE.size :][:n_segments]
        return not flags & _OGG_LAST or len(end) - at < _OGG_PAGE.size + n_segments + sum(segments)
    return bool(n_frames + file.samplerate < file.frames < 1 << 48)


def _decode(file: Any, output: BinaryIO, rate: int) -> int:
    """Write the samples of the file, and return the number of its frames; raises ValueError with a problem."""
    import numpy as np
    import soundfile as sf
    import soxr

    resampler = None if file.samplerate == rate else soxr.ResampleStream(file.samplerate, rate, 1, dtype="float32")
    n_done, is_last = 0, False
    while not is_last:
        try:
            block = file.read(max(1, _VALUES // file.channels), dtype="float32", always_2d=True)
        except sf.SoundFileError as error:
            at = f"{n_done / file.samplerate:.1f} s"
            raise ValueError(f"it is corrupt after {at}: {_reason(error)}") from None
        is_last = not len(block)
        mono = block.mean(axis=1, dtype=np.float32)
        wrong = np.flatnonzero(~(np.abs(mono) <= _LOUDEST))  # NaN compares as false
        if len(wrong):
            at = f"{(n_done + int(wrong[0])) / file.samplerate:.3f} s"
            raise ValueError(f"a sample at {at} is {mono[wrong[0]]:g}: expected -1 to 1")
        n_done += len(block)
        if resampler is not None:
            mono = resampler.resample_chunk(mono, last=is_last)
        if len(mono):
            output.write(struct.pack("<i", len(mono)) + mono.tobytes())
    return n_done


def _reason(error: Exception) -> str:
    """Return what libsndfile says, without the name that soundfile gives to the file."""
    text = str(getattr(error, "error_string", None) or error)
    return text.removeprefix("System error. ").strip().rstrip(".")


def main() -> None:
    given = json.loads(sys.argv[1])
    sys.path[:] = given["path"]
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries may print
    try:
        import soundfile  # noqa: F401 - the limit of memory does not count what is loaded
        import soxr  # noqa: F401
    except ImportError as error:
        _tell(output, {"missing": error.name})
        return
    _limit()
    report: dict[str, Any] = {}
    try:
        file = _opened()
        is_known = 0 <= file.frames < 1 << 48
        _tell(output, {"duration": file.frames / file.samplerate if is_known else 0})
    except ValueError as problem:
        _tell(output, {"problem": str(problem)})
        return
    try:
        n_frames = _decode(file, output, given["rate"])
        if _lacks_end(file, n_frames):
            report = {"warning": f"its end is missing: it is read up to {n_frames / file.samplerate:.1f} s"}
    except ValueError as problem:
        report = {"problem": str(problem)}
    except MemoryError:
        report = {"problem": f"it takes more than {_MORE_BYTES >> 20} MiB of memory to decode"}
    output.write(struct.pack("<i", -1))
    _tell(output, report)


if __name__ == "__main__":
    main()
