# SPDX-License-Identifier: MIT
"""CallThread: Ctrl-C anywhere in its start leaves no thread, and failed calls keep nothing alive."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import weakref
from types import FrameType
from typing import Any

import pytest
from waiting import LONG

from pyhexagon.process.callthread import Call, CallThread


def n_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def is_interrupted(at: int) -> bool:
    """Start a thread and raise KeyboardInterrupt when event number ``at`` of the tracer comes, also in threading.py.

    A return event raises after the call's effect, as a signal does that arrives in it: a lock then stays held.
    The garbage collector waits: what gc.callbacks raise, as hypothesis has one, ends in sys.unraisablehook.
    """
    left = at

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    gc.disable()
    sys.settrace(trace)
    try:
        thread = CallThread("pyhexagon-test")
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
        gc.enable()
    assert thread.ident in [one.ident for one in threading.enumerate()]
    assert thread.call(LONG, threading.get_ident) == thread.ident
    assert thread.close(LONG)
    return False


def test_ctrl_c_during_the_start_leaves_no_thread() -> None:
    before = n_threads()
    at = 1
    while is_interrupted(at):
        deadline = time.monotonic() + LONG
        while n_threads() > before:
            assert time.monotonic() < deadline, f"event {at} left a thread"
            time.sleep(1e-3)
        at += 1
    assert at > 30  # the constructor of Thread alone has more events


def test_the_caller_gets_the_error_of_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        CallThread("pyhexagon-test")


class Large:
    """What a call works on."""


def fail(large: Large) -> None:
    raise ValueError(large)


@pytest.mark.parametrize("is_waited_for", [False, True])
def test_a_failed_call_keeps_nothing_alive(is_waited_for: bool) -> None:
    gc.disable()  # which would free cycles, but nobody knows when
    try:
        large = Large()
        seen, call = weakref.ref(large), Call(fail, large)
        call.run()
        if is_waited_for:
            with pytest.raises(ValueError, match="Large"):
                call.wait(LONG)
        del large, call
        assert seen() is None
    finally:
        gc.enable()
