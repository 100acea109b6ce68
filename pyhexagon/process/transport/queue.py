# SPDX-License-Identifier: MIT
"""Requests as packets of a dspqueue.

A packet is a phx_message; a request's packet has two buffers, the request and the room for its response. The answer
carries the same sequence number; answers to older messages (whose wait was abandoned) are skipped. Waiting is done in
slices: C must return now and then so that Ctrl-C works.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from pyhexagon._ffi.contract import MESSAGE, MessageKind
from pyhexagon._ffi.dspqueue import FLUSH_SENDER, INVALIDATE_RECIPIENT, Queue, QueueBuffer
from pyhexagon._ffi.library import Library
from pyhexagon.errors import DeviceLostError, DspTimeoutError, check
from pyhexagon.process.transport import Area

SLICE_US: Final = 50_000
_FLAGS: Final = FLUSH_SENDER | INVALIDATE_RECIPIENT
_ECHO_SEQUENCES: Final = 1 << 63  # disjoint from the requests' sequences


class QueueTransport:
    """Carries requests over a dspqueue of its own. The skel imports it by ``queue_id`` when it starts."""

    name: Final = "dspqueue"

    def __init__(self, library: Library, domain: int) -> None:
        self._queue = Queue(library, domain)
        self._echoes = _ECHO_SEQUENCES
        self._area: Area | None = None
        self._sizes = 0, 0
        self._buffers: tuple[QueueBuffer, ...] = ()  # of the last request
        try:
            self.queue_id = self._queue.export_id()
        except BaseException:
            self._queue.close()
            raise

    def run(self, area: Area, request_size: int, response_size: int, sequence: int, timeout: float) -> None:
        sizes = request_size, response_size
        if area is not self._area or sizes != self._sizes:
            fd = area.buffer.fd
            self._buffers = (
                QueueBuffer(fd, request_size, 0, _FLAGS),
                QueueBuffer(fd, response_size, area.response_offset, _FLAGS),
            )
            self._area, self._sizes = area, sizes
        self._round_trip(MessageKind.RUN, sequence, self._buffers, timeout)

    def echo(self, timeout: float) -> None:
        self._echoes += 1
        self._round_trip(MessageKind.ECHO, self._echoes, (), timeout)

    def close(self) -> None:
        self._queue.close()

    def await_death(self, timeout: float) -> None:
        """Wait until the library has noticed that the DSP process is dead, at most ``timeout`` seconds.

        A read waits for an answer, or for the library's watcher thread to end the wait.
        """
        deadline = time.monotonic() + timeout
        with suppress(DspTimeoutError, DeviceLostError):
            while True:
                self._next(deadline)  # an answer to an abandoned wait

    def _round_trip(
        self, kind: MessageKind, sequence: int, buffers: tuple[QueueBuffer, ...], timeout: float
    ) -> None:
        deadline = time.monotonic() + timeout
        message = MESSAGE.pack(kind, 0, sequence)
        while not self._queue.write_noblock(message, buffers):
            self._next(deadline)  # drain answers to abandoned waits
        while True:
            _, result, answered = MESSAGE.unpack(self._next(deadline))
            if answered == sequence:
                if result:
                    check("dspqueue_read", result, f"answer to {kind.name}")
                return

    def _next(self, deadline: float) -> bytes:
        """Return the message of the next answer."""
        while True:
            left_us = int((deadline - time.monotonic()) * 1e6)
            try:
                return self._queue.read_message(timeout_us=max(0, min(left_us, SLICE_US)))
            except DspTimeoutError:
                if left_us <= SLICE_US:
                    raise
