# SPDX-License-Identifier: MIT
"""Two equal transports for requests, and the shared memory that carries them.

``invoke`` passes the request and the room for its response as arguments of an ordinary FastRPC call, ``dspqueue`` as
buffers of a packet. Either way the bytes stay in the session's ``Area`` without a copy. A session has one request in
flight at a time.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.rpcmem import SharedMemory

NAMES: Final = ("dspqueue", "invoke")
ECHO_TEXT: Final = b"pyhexagon"


class Area:
    """A mapped buffer; its first part holds requests, the rest responses."""

    def __init__(self, buffer: SharedMemory, response_offset: int) -> None:
        self.buffer = buffer
        self.view = buffer.view
        self.response_offset = response_offset
        self.response_bytes = buffer.size - response_offset

    def request(self, size: int) -> npt.NDArray[np.uint8]:
        return self.buffer.bytes[:size]

    def response(self, size: int) -> npt.NDArray[np.uint8]:
        return self.buffer.bytes[self.response_offset : self.response_offset + size]


class Transport(Protocol):
    """The interface of a transport. One call at a time."""

    @property
    def name(self) -> str:
        """One of ``NAMES``."""

    def run(self, area: Area, request_size: int, response_size: int, sequence: int, timeout: float) -> None:
        """Send the request in ``area`` and wait until its response is there.

        Raises:
            DspTimeoutError: no answer in time.
            DeviceLostError: the DSP process died.
        """

    def echo(self, timeout: float) -> None:
        """Make a round trip without work. When it returns, all earlier requests have been answered.

        Raises:
            DspTimeoutError, DeviceLostError: as ``run``.
        """
