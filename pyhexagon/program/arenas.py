# SPDX-License-Identifier: MIT
"""Memory for intermediates. Programs that never run at the same time may share it: then it is as large as the largest
of them needs, and not as all together."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping

from pyhexagon.memory.buffer import Buffer
from pyhexagon.memory.memory import Memory
from pyhexagon.process.session import Session


class Arenas:
    """A buffer for each session that runs a part of these programs, and one for what crosses from one to another.

    Args:
        memory: where it is taken from.

    Attributes:
        lock: held while one of the programs runs or is compiled.
        buffers: of each user, as ``Plan.arenas`` names them. Programs read it at each run, without a call.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.lock = threading.Lock()
        self.buffers: dict[Hashable, Buffer] = {}

    def reserve(self, sizes: Mapping[Hashable, int]) -> None:
        """Has so many bytes for each user; more than before makes a new buffer.

        Raises:
            DspMemoryError: they do not fit.
        """
        sessions, memory = self._memory.placement.sessions, self._memory
        for user in list(self.buffers):
            if isinstance(user, Session) and user not in sessions:  # it was lost: nobody runs there again
                memory.dropped.append(self.buffers.pop(user))
        for user, size in sizes.items():
            before = self.buffers.get(user)
            if before is None or before.size < size:
                buffer = memory.allocate(size)
                buffer.reusable = False  # what the DSP writes there stays in its caches
                self.buffers[user] = buffer
                if before is not None:
                    memory.dropped.append(before)

    def __del__(self) -> None:
        self._memory.dropped.extend(self.buffers.values())
