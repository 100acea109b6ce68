# SPDX-License-Identifier: MIT
"""Memory for intermediates. Programs that never run at the same time may share it: then its size is the maximum of
their needs, not the sum."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping

from pyhexagon import interrupts
from pyhexagon.memory.buffer import Buffer
from pyhexagon.memory.memory import Memory
from pyhexagon.process.session import Session


class Arenas:
    """One buffer for each session that runs a part of these programs, and one for values that cross sessions.

    Args:
        memory: allocates the buffers.

    Attributes:
        lock: held while one of the programs runs or is compiled.
        buffers: the arenas by user, as in ``Plan.arenas``. Programs read this at each run, without a call.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.lock = threading.Lock()
        self.buffers: dict[Hashable, Buffer] = {}

    def reserve(self, sizes: Mapping[Hashable, int]) -> None:
        """Provide at least these sizes in bytes for each user; a larger size replaces the buffer.

        Raises:
            DspMemoryError: the arenas do not fit.
        """
        sessions, memory = self._memory.placement.sessions, self._memory
        for user in list(self.buffers):
            if isinstance(user, Session) and user not in sessions:  # the session was lost
                memory.dropped.append(self.buffers.pop(user))
        for user, size in sizes.items():
            before = self.buffers.get(user)
            if before is None or before.size < size:
                buffer = memory.allocate(size)
                buffer.reusable = False  # the DSP leaves dirty cache lines of it
                self.buffers[user] = buffer
                if before is not None:
                    memory.dropped.append(before)

    def __del__(self) -> None:
        try:
            if hasattr(self, "buffers"):  # Ctrl-C may have come in __init__
                self._memory.dropped.extend(self.buffers.values())
        except KeyboardInterrupt:
            self.__del__()
            interrupts.raise_again()
