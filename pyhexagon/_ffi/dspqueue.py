# SPDX-License-Identifier: MIT
"""Packet queues between CPU and DSP (dspqueue.h): ``Queue`` over a ``Library``.

What the real library does, and how this file deals with it:

- A read without a time limit that starts after the DSP process died hangs for ever: every wait here is finite.
- A write to a dead DSP process returns 0: only the next read reports the death (DeviceLostError).
- A queue size that is not a multiple of 8 aborts the process at the first use: refused here.
- Calls on a closed queue crash, and so does closing it during a call: each direction has a lock, and close takes both.
- With a packet callback the library runs Python on a thread of its own while it holds the queue's lock: queues are
  created without callbacks, and the waiting thread reads them.

A buffer of a packet names an fd that was mapped with ``fastrpc_mmap`` in this session. The CPU is coherent, so the
sender's cache flags are not needed; the DSP acts on the recipient's flags.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Library
from pyhexagon.errors import ArgumentError, ClosedError, UnsupportedError, aee, check, error

if TYPE_CHECKING:
    from typing_extensions import Buffer

MAX_BUFFERS: Final = ffi.integer_const("DSPQUEUE_MAX_BUFFERS")
MAX_MESSAGE_SIZE: Final = ffi.integer_const("DSPQUEUE_MAX_MESSAGE_SIZE")
MAX_QUEUE_SIZE: Final = ffi.integer_const("DSPQUEUE_MAX_QUEUE_SIZE")
MAX_TIMEOUT_US: Final = ffi.integer_const("DSPQUEUE_TIMEOUT_NONE") - 1

# Buffer flags.
REF: Final = ffi.integer_const("DSPQUEUE_BUFFER_FLAG_REF")
DEREF: Final = ffi.integer_const("DSPQUEUE_BUFFER_FLAG_DEREF")
FLUSH_SENDER: Final = ffi.integer_const("DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER")
INVALIDATE_SENDER: Final = ffi.integer_const("DSPQUEUE_BUFFER_FLAG_INVALIDATE_SENDER")
FLUSH_RECIPIENT: Final = ffi.integer_const("DSPQUEUE_BUFFER_FLAG_FLUSH_RECIPIENT")
INVALIDATE_RECIPIENT: Final = ffi.integer_const("DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT")

# Statistics for Queue.stat.
STAT_READ_QUEUE_PACKETS: Final = ffi.integer_const("DSPQUEUE_STAT_READ_QUEUE_PACKETS")
STAT_READ_QUEUE_BYTES: Final = ffi.integer_const("DSPQUEUE_STAT_READ_QUEUE_BYTES")
STAT_WRITE_QUEUE_PACKETS: Final = ffi.integer_const("DSPQUEUE_STAT_WRITE_QUEUE_PACKETS")
STAT_WRITE_QUEUE_BYTES: Final = ffi.integer_const("DSPQUEUE_STAT_WRITE_QUEUE_BYTES")
STAT_EARLY_WAKEUP_WAIT_TIME: Final = ffi.integer_const("DSPQUEUE_STAT_EARLY_WAKEUP_WAIT_TIME")
STAT_EARLY_WAKEUP_MISSES: Final = ffi.integer_const("DSPQUEUE_STAT_EARLY_WAKEUP_MISSES")
STAT_SIGNALING_PERF: Final = ffi.integer_const("DSPQUEUE_STAT_SIGNALING_PERF")
"""0: an RPC signal per write and read; 100: fewer; 1000: none through RPC."""

BUFFER_STRUCT: Final = struct.Struct("=IIIIQ")  # struct dspqueue_buffer; tests/abi compares


class QueueBuffer(NamedTuple):
    """A range of a mapped buffer; ``size`` 0 with ``offset`` 0 means all of it. ``address`` is set in packets read."""

    fd: int
    size: int = 0
    offset: int = 0
    flags: int = 0
    address: int = 0


class Packet(NamedTuple):
    """A packet that was read from the queue."""

    flags: int
    message: bytes
    buffers: list[QueueBuffer]


class PacketInfo(NamedTuple):
    """The flags and sizes of the next packet, from a peek."""

    flags: int
    n_buffers: int
    message_length: int


class Queue:
    """A queue pair: requests to the DSP, answers back. Any thread may call any method.

    Create it after a handle of the domain is open: otherwise the library reports every cause as "unsupported".
    """

    _queue: CData = None

    def __init__(self, library: Library, domain: int, request_size: int = 0, response_size: int = 0) -> None:
        """Create the queue.

        Args:
            library: the loaded library.
            domain: effective id.
            request_size: bytes, a multiple of 8 and at least 24; 0 is 65536. The largest packet, 8 bytes + 24 per
                buffer + message, rounded up to 8, fits in size - 8.
            response_size: bytes, a multiple of 8 and at least 24; 0 is 16384.
        """
        if "dspqueue" not in library.features:
            raise UnsupportedError(f"{library.path} has no dspqueue", call="dspqueue_create")
        for size in (request_size, response_size):
            if size % 8 or (size and not 24 <= size <= MAX_QUEUE_SIZE):
                raise ArgumentError(f"a queue has 24 to {MAX_QUEUE_SIZE} bytes, a multiple of 8, not {size}")
        self._library = library
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._write_buffers = ffi.new("struct dspqueue_buffer[]", MAX_BUFFERS)
        self._write_bytes = ffi.buffer(self._write_buffers)
        self._filled: tuple[QueueBuffer, ...] | None = None  # the array's content, to skip refills
        self._read_buffers = ffi.new("struct dspqueue_buffer[]", MAX_BUFFERS)
        self._read_bytes = ffi.buffer(self._read_buffers)
        self._message = ffi.new("uint8_t[]", MAX_MESSAGE_SIZE)
        self._message_bytes = ffi.buffer(self._message)
        self._flags, self._n_buffers, self._length = (ffi.new("uint32_t *") for _ in range(3))
        slot = ffi.new("dspqueue_t *")
        try:
            rc = library.dspqueue_create(domain, 0, request_size, response_size, ffi.NULL, ffi.NULL, ffi.NULL, slot)
            check("dspqueue_create", rc, domain=domain)
            self._queue = slot[0]
        except KeyboardInterrupt:
            if slot[0]:
                library.dspqueue_close(slot[0])
            raise

    def _open(self) -> CData:
        if self._queue is None:
            raise ClosedError("the queue is closed")
        return self._queue

    @property
    def closed(self) -> bool:
        """Whether ``close`` has succeeded."""
        return self._queue is None

    def close(self) -> None:
        """Close the queue; a second call is a no-op. Waits for reads in other threads; stop the skel's side first.

        Raises:
            ArgumentError: the DSP still has it imported; the queue stays open.
        """
        with self._writing, self._reading:
            if self._queue is not None:
                check("dspqueue_close", self._library.dspqueue_close(self._queue))
                self._queue = None

    def export_id(self) -> int:
        """Return the id by which the skel imports the queue."""
        queue_id = ffi.new("uint64_t *")
        with self._writing:
            check("dspqueue_export", self._library.dspqueue_export(self._open(), queue_id))
        return int(queue_id[0])

    def write(self, message: Buffer, buffers: Sequence[QueueBuffer] = (), *, timeout_us: int) -> None:
        """Sends a packet, waiting for room at most ``timeout_us`` microseconds.

        Raises:
            DspTimeoutError: no room in time.
            ArgumentError: the packet can never fit, or a buffer is not mapped or outside its mapping.
        """
        _finite(timeout_us)
        with self._writing:
            queue, n_buffers, data = self._open(), self._fill(buffers), ffi.from_buffer(message)
            rc = self._library.dspqueue_write(queue, 0, n_buffers, self._write_buffers, len(data), data, timeout_us)
            if rc:
                raise error("dspqueue_write", rc, n_buffers=n_buffers, message_bytes=len(data))

    def write_noblock(self, message: Buffer, buffers: Sequence[QueueBuffer] = ()) -> bool:
        """Sends a packet if there is room; returns whether there was."""
        with self._writing:
            queue, n_buffers, data = self._open(), self._fill(buffers), ffi.from_buffer(message)
            rc = self._library.dspqueue_write_noblock(queue, 0, n_buffers, self._write_buffers, len(data), data)
            if rc and rc != aee.WOULDBLOCK:
                raise error("dspqueue_write_noblock", rc, n_buffers=n_buffers, message_bytes=len(data))
            return rc == 0

    def _fill(self, buffers: Sequence[QueueBuffer]) -> int:
        n_buffers = len(buffers)
        if buffers is self._filled:
            return n_buffers
        self._filled = None
        if n_buffers > MAX_BUFFERS:
            raise ArgumentError(f"a packet has at most {MAX_BUFFERS} buffers, not {n_buffers}", call="dspqueue_write")
        try:
            for i, buffer in enumerate(buffers):
                BUFFER_STRUCT.pack_into(self._write_bytes, i * BUFFER_STRUCT.size, *buffer)
        except struct.error:
            raise ArgumentError(f"fd, size, offset and flags have 32 bits, unsigned: {buffers}") from None
        if isinstance(buffers, tuple):
            self._filled = buffers
        return n_buffers

    def read(self, *, timeout_us: int) -> Packet:
        """Takes the next packet, waiting for it at most ``timeout_us`` microseconds.

        Raises:
            DspTimeoutError: nothing came in time.
            DeviceLostError: the DSP process died.
        """
        _finite(timeout_us)
        with self._reading:
            self._read(timeout_us)
            return self._packet()

    def _read(self, timeout_us: int) -> None:
        rc = self._library.dspqueue_read(
            self._open(), self._flags, MAX_BUFFERS, self._n_buffers, self._read_buffers, MAX_MESSAGE_SIZE,
            self._length, self._message, timeout_us,
        )  # fmt: skip
        if rc:
            raise error("dspqueue_read", rc)

    def read_message(self, *, timeout_us: int) -> bytes:
        """Read the next packet and return its message only, for callers that know the buffers."""
        _finite(timeout_us)
        with self._reading:
            self._read(timeout_us)
            return bytes(self._message_bytes[: self._length[0]])

    def read_noblock(self) -> Packet | None:
        """Takes the next packet if there is one."""
        with self._reading:
            rc = self._library.dspqueue_read_noblock(
                self._open(), self._flags, MAX_BUFFERS, self._n_buffers, self._read_buffers, MAX_MESSAGE_SIZE,
                self._length, self._message,
            )  # fmt: skip
            if rc == aee.WOULDBLOCK:
                return None
            check("dspqueue_read_noblock", rc)
            return self._packet()

    def _packet(self) -> Packet:
        end = self._n_buffers[0] * BUFFER_STRUCT.size
        buffers = [QueueBuffer(*fields) for fields in BUFFER_STRUCT.iter_unpack(self._read_bytes[:end])]
        return Packet(self._flags[0], self._message_bytes[: self._length[0]], buffers)

    def peek(self, *, timeout_us: int) -> PacketInfo:
        """Return the flags and sizes of the next packet without removing it; waits like ``read``."""
        _finite(timeout_us)
        with self._reading:
            rc = self._library.dspqueue_peek(self._open(), self._flags, self._n_buffers, self._length, timeout_us)
            check("dspqueue_peek", rc)
            return PacketInfo(self._flags[0], self._n_buffers[0], self._length[0])

    def peek_noblock(self) -> PacketInfo | None:
        """Return the flags and sizes of the next packet, or None if there is none."""
        with self._reading:
            rc = self._library.dspqueue_peek_noblock(self._open(), self._flags, self._n_buffers, self._length)
            if rc == aee.WOULDBLOCK:
                return None
            check("dspqueue_peek_noblock", rc)
            return PacketInfo(self._flags[0], self._n_buffers[0], self._length[0])

    def early_wakeup(self, delay_us: int = 0, packet_flags: int = 0) -> bool:
        """Announce a packet that follows in about ``delay_us``; return whether the queue had room for the notice."""
        with self._writing:
            rc = self._library.dspqueue_write_early_wakeup_noblock(self._open(), delay_us, packet_flags)
            if rc and rc != aee.WOULDBLOCK:
                raise error("dspqueue_write_early_wakeup_noblock", rc)
            return rc == 0

    def stat(self, stat: int) -> int:
        """Return one of the STAT_ figures. Reading the two early-wakeup figures resets them."""
        value = ffi.new("uint64_t *")
        with self._writing:
            check("dspqueue_get_stat", self._library.dspqueue_get_stat(self._open(), stat, value), stat=stat)
        return int(value[0])

    def __repr__(self) -> str:
        return f"<Queue {'closed' if self.closed else 'open'}>"


def _finite(timeout_us: int) -> None:
    if not 0 <= timeout_us <= MAX_TIMEOUT_US:
        raise ArgumentError(f"a time-out is 0 to {MAX_TIMEOUT_US} microseconds, never endless, not {timeout_us}")
