# SPDX-License-Identifier: MIT
"""How requests travel: two equal transports, and the shared memory that both carry them in.

``invoke`` passes the request and the room for its response as arguments of an ordinary FastRPC call, ``dspqueue`` as
buffers of a packet. Either way the bytes stay in the session's ``Area`` and are not copied. A session has one on
its way at a time.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi.rpcmem import SharedMemory

NAMES: Final = ("dspqueue", "invoke")
ECHO_TEXT: Final = b"pyhexagon"


class Area:
    """A mapped buffer, its first part for requests and the rest for responses."""

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
    """What a session needs of a transport. One call at a time."""

    @property
    def name(self) -> str:
        """One of ``NAMES``."""

    def run(self, area: Area, request_size: int, response_size: int, sequence: int, timeout: float) -> None:
        """Sends the request in ``area`` and waits for its response there.

        Raises:
            DspTimeoutError: no answer in time.
            DeviceLostError: the DSP process died.
        """

    def echo(self, timeout: float) -> None:
        """A round trip without work. When it returns, everything sent before has been answered.

        Raises:
            DspTimeoutError, DeviceLostError: as ``run``.
        """
