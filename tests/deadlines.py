# SPDX-License-Identifier: MIT
"""Deadlines that come at once while the DSP does not answer: a test's timeouts are long, and it waits for none of them.

A short timeout would also hit what the DSP answers, on a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pyhexagon._ffi import invoke, remote
from pyhexagon.process.callthread import Call, StillRunningError
from pyhexagon.process.transport import queue

HOUR = 3600.0
SLICE = 0.01  # seconds, as long as a call is waited for before the next look


def come_at_once(monkeypatch: pytest.MonkeyPatch, is_stalled: Callable[[], bool]) -> None:
    """While the DSP is stalled, a wait for its answer finds that another hour has passed at each look at the clock.

    So a wait without a limit still has no end. The call that makes a hanging DSP process fault is waited for as usual.
    """
    hours = 0

    def monotonic() -> float:
        nonlocal hours
        hours += is_stalled()
        return time.monotonic() + hours * HOUR

    wait = Call.wait

    def wait_in_slices(self: Call[Any], timeout: float) -> Any:
        end = time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            try:
                return wait(self, min(left, SLICE))
            except StillRunningError:
                may_leap = timeout <= HOUR and self._function is not remote.process_exception
                if left <= SLICE or (may_leap and is_stalled()):
                    raise

    for module in (invoke, queue):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(Call, "wait", wait_in_slices)
