# SPDX-License-Identifier: MIT
"""Forward the skel's log messages to Python's logging, as records of ``logging.getLogger("pyhexagon.dsp")``.

The skel writes messages into a ring in shared memory (idl/contract.h). The host reads it after every call, and also
after the DSP process died, since the memory belongs to the host. A record also has ``dsp_time_ns`` (the DSP's clock),
``dsp_thread`` and ``dsp_session`` (the session's index in its device). Messages overwritten before they were read are
counted, and the count is logged.

The environment variable ``PYHEXAGON_LOG`` (a level: debug, info, warning, error) sets the level of every device that
is opened without one, and prints the messages on stderr.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterator
from typing import Final

from pyhexagon._ffi import contract
from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.errors import ArgumentError

VARIABLE: Final = "PYHEXAGON_LOG"
LEVELS: Final = tuple(sorted(contract.LOG_LEVELS, key=lambda name: contract.LOG_LEVELS[name]))
FORMAT: Final = "%(levelname)-7s DSP %(dsp_session)d, %(dsp_time_ns)d ns, thread %(dsp_thread)d: %(message)s"
SIZE: Final = 64 << 10

logger: Final = logging.getLogger("pyhexagon.dsp")
logging.getLogger("pyhexagon").addHandler(logging.NullHandler())


def level_number(level: str | None) -> int:
    """Return the number of a level; None takes ``PYHEXAGON_LOG``, or else "warning"."""
    from_environment = os.environ.get(VARIABLE) if level is None else None
    if level is None:
        level = "warning" if from_environment is None else from_environment
    if level not in LEVELS:
        source = "" if from_environment is None else f" ({VARIABLE} of the environment)"
        raise ArgumentError(f"no log level {level!r}{source}: expected {', '.join(LEVELS)}")
    if from_environment is not None:
        _print_messages(contract.LOG_LEVELS[level])
    return contract.LOG_LEVELS[level]


def _print_messages(level: int) -> None:
    """Print the messages on stderr; a second call adds no second handler."""
    logger.setLevel(min(level, logger.level or level))
    if not any(isinstance(handler, _Stderr) for handler in logger.handlers):
        handler = _Stderr()
        handler.setFormatter(logging.Formatter(FORMAT))
        logger.addHandler(handler)


class _Stderr(logging.StreamHandler):  # type: ignore[type-arg]
    """A handler that writes to the current ``sys.stderr``."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


class LogRing:
    """The log ring of one session.

    Args:
        level: the lowest level that the DSP writes, one of ``contract.LOG_LEVELS``.
        session: the session's index in its device.
        is_coherent: whether the CPU sees the DSP's writes without maintenance of its caches.

    Attributes:
        header: the ring's header bytes.
        seen_header: the header at the last delivery.
    """

    def __init__(self, library: Library, level: int, session: int, is_coherent: bool) -> None:
        self.level = level
        self.is_coherent = is_coherent
        self._session = session
        self.buffer = SharedMemory(library, SIZE)
        self.buffer.bytes[:] = 0
        self.header = self.buffer.bytes[: contract.LOG_HEADER.size]
        self.seen_header = self.header.tobytes()
        self._n_slots = SIZE // contract.LOG_SLOT_BYTES - 1
        self._seen = 0
        self._lock = threading.Lock()
        self._open = True

    def deliver(self) -> None:
        """Pass new messages to the logger."""
        with self._lock:
            if self._open and not self.is_coherent:
                self.buffer.invalidate()
            if not self._open or self.header.tobytes() == self.seen_header:
                return
            records = list(self._read())
        for level, text, time_ns, thread in records:
            extra = {"dsp_time_ns": time_ns, "dsp_thread": thread, "dsp_session": self._session}
            logger.log(level, "%s", text, extra=extra)

    def note(self) -> tuple[int, str]:
        """Return what user kernels did last: the number of the one that is running, or -1; and why one failed."""
        with self._lock:
            if not self._open:
                return -1, ""
            if not self.is_coherent:
                self.buffer.invalidate()
            at = contract.LOG_NOTE_OFFSET
            note = self.buffer.bytes[at : at + contract.LOG_NOTE.size].tobytes()
        running, result, message = contract.LOG_NOTE.unpack(note)
        text = _printable(message.split(b"\0", 1)[0].decode(errors="replace"))
        return running - 1, text or (f"it returned {result}" if result else "")

    def close(self) -> None:
        """Deliver the last messages; afterwards the buffer can be freed."""
        self.deliver()
        with self._lock:
            self._open = False

    def _read(self) -> Iterator[tuple[int, str, int, int]]:
        """Yield new messages: level, text, the DSP's time in ns, and the DSP thread."""
        written = self._n_written()
        first = max(self._seen, written - self._n_slots + 1)
        lost = 0
        if written < self._seen:  # the counter only grows, so it was overwritten
            first, lost = written, 1
        found = [(number, self._slot(number)) for number in range(first, written)]
        oldest = self._n_written() - self._n_slots + 1  # older slots may have been overwritten during the read
        lost += first - self._seen if first > self._seen else 0
        self._seen = written
        self.seen_header = contract.LOG_HEADER.pack(written)
        good = []
        for number, slot in found:
            its_number, time_ns, level, thread, n_text, _ = contract.LOG_ENTRY.unpack_from(slot)
            if number < oldest or its_number != number or n_text > contract.LOG_TEXT_BYTES:
                lost += 1
                continue
            text = slot[contract.LOG_ENTRY.size :][:n_text].decode(errors="replace")
            good.append((level, _printable(text), time_ns, thread))
        if lost:
            yield logging.WARNING, f"{lost} messages of the DSP were lost", 0, 0
        yield from good

    def _n_written(self) -> int:
        (number,) = contract.LOG_HEADER.unpack(self.header.tobytes())
        return int(number)

    def _slot(self, number: int) -> bytes:
        at = contract.LOG_SLOT_BYTES * (1 + number % self._n_slots)
        return self.buffer.bytes[at : at + contract.LOG_SLOT_BYTES].tobytes()


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
