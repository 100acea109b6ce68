# SPDX-License-Identifier: MIT
"""Ctrl-C at a random moment of ordinary use, round after round: ``with`` statements leave nothing open.

Some hundred rounds by default. 10,000 on each engine, in about 10 minutes and 2 hours:

    PYHEXAGON_INTERRUPT_ROUNDS=10000 python -m pytest tests/conformance/test_interrupted_rounds.py
"""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import weights
from conftest import settled
from gguf import GGMLQuantizationType as Q
from holdings import PATIENCE, back_to, begins_del, held

import pyhexagon
from pyhexagon import Device, GGUFFile, interrupts

PACKAGE = str(Path(pyhexagon.__file__).parent)
N_ROUNDS = int(os.environ.get("PYHEXAGON_INTERRUPT_ROUNDS", "0"))
ROUNDS = {"loopback": N_ROUNDS or 300, "loopback:qemu": N_ROUNDS or 20}
RAW = weights.quantize(np.random.default_rng(0).standard_normal((40, 64), dtype=np.float32), Q.Q4_0)
X = np.random.default_rng(1).standard_normal((2, 64), dtype=np.float32)


def use(engine: str, file: Path) -> np.ndarray[Any, Any]:
    """Ordinary use of a device: nothing is closed a second time."""
    with Device(engine) as device, GGUFFile(file) as opened:
        w = device.load(file, "w")
        with device.load(opened, "w") as v, device.tensor(X) as x:
            np.testing.assert_array_equal(device.matmul(x, v).numpy(), (x @ w.T).numpy())
        with device.program() as p:
            p.output(p.silu(p.matmul(p.input((2, 64)), w)))
        program = p.compile()
        result: np.ndarray[Any, Any] = np.array(program(X).numpy())
    return result


class Ctrl:
    """Raises KeyboardInterrupt once, in this thread.

    Attributes:
        n_lines: different ones of the package, so far.
        where: it was raised, or an empty string.
        is_in_finalizer: whether a ``__del__`` or a weakref callback was running. At their edges Python reports an
            exception as unraisable, and no code of the package can catch it.
    """

    def __init__(self) -> None:
        self.n_lines, self.where, self.is_in_finalizer = 0, "", False

    @contextmanager
    def at_line(self, number: int) -> Iterator[None]:
        """At a line of the package when it runs first: the end of a ``with`` statement runs its first line once more,
        where a trace can raise, but no signal."""
        seen: set[tuple[str, int]] = set()

        def call(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
            return line if frame.f_code.co_filename.startswith(PACKAGE) else None

        def line(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
            place = (frame.f_code.co_filename, frame.f_lineno)
            if event == "line" and place not in seen and not begins_del(frame):
                seen.add(place)
                self.n_lines = len(seen)
                if self.n_lines == number:
                    sys.settrace(None)
                    self._raise(frame)
            return line

        sys.settrace(call)
        try:
            yield
        finally:
            sys.settrace(None)

    @contextmanager
    def after(self, seconds: float) -> Iterator[None]:
        """After some time, wherever that is."""

        def interrupt(_: int, frame: FrameType | None) -> None:
            if frame and begins_del(frame):
                signal.setitimer(signal.ITIMER_REAL, 1e-4)
            else:
                self._raise(frame)

        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _raise(self, frame: FrameType | None) -> None:
        self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "?"
        while frame and not self.is_in_finalizer:
            code, frame = frame.f_code, frame.f_back
            self.is_in_finalizer = code.co_name == "__del__" or code.co_filename.endswith("_weakrefset.py")
        raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore:.*was not closed:ResourceWarning")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # Ctrl-C came before ``with`` had it
def test_nothing_is_left_of_rounds_that_ctrl_c_ended(
    engine: str, gguf_file: Callable[..., Path], figure: Callable[[str], None], monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:  # fmt: skip
    rng = random.Random(seed)
    ignored: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: ignored.append(f"{one.exc_value!r} in {one.object!r}"))
    file = gguf_file(w=(Q.Q4_0, RAW))
    devices = [Device(engine) for _ in range(4)]  # so that all session numbers are known
    for device in devices:
        device.close()
    del devices, device
    ctrl = Ctrl()
    with ctrl.at_line(0):
        want = use(engine, file)
    start = time.monotonic()
    use(engine, file)
    usual = time.monotonic() - start
    n_lines, n_missed, problems = ctrl.n_lines, 0, list[str]()
    gc.collect()
    settled()
    gc.freeze()  # what pytest has made; gc.collect() takes a tenth of the time
    before = held()
    start = time.monotonic()
    for number in range(ROUNDS[engine]):
        ctrl = Ctrl()
        moment = ctrl.at_line(rng.randint(1, n_lines)) if number % 2 else ctrl.after(rng.uniform(1e-5, usual))
        try:
            with moment:
                result = use(engine, file)
            if ctrl.is_in_finalizer:
                back_to({"threads": before["threads"]})  # the one of interrupts.raise_again() has sent its signal
            elif ctrl.where:
                problems.append(f"{ctrl.where}: KeyboardInterrupt was lost")
            np.testing.assert_array_equal(result, want)
        except KeyboardInterrupt:
            pass
        else:
            n_missed += 1
        if ctrl.is_in_finalizer:
            ignored.clear()
        now = back_to(before)
        if now != before:
            changes = [f"{key} {now[key]}, before {before[key]}" for key in now if now[key] != before[key]]
            problems.append(f"{ctrl.where}: {', '.join(changes)}")
            before = now
    gc.unfreeze()
    assert not problems, f"{len(problems)} of {ROUNDS[engine]}:\n" + "\n".join(problems)
    assert not ignored, "\n".join(ignored)
    for device in [Device(engine) for _ in range(4)]:
        device.close()
    n_interrupted = ROUNDS[engine] - n_missed
    assert n_interrupted > ROUNDS[engine] / 4
    figure(f"{engine}: Ctrl-C in {n_interrupted} of {ROUNDS[engine]} rounds, {time.monotonic() - start:.0f} s")


def test_a_close_that_ctrl_c_interrupts_finishes_by_itself(gguf_file: Callable[..., Path]) -> None:
    """At each line of ``close``, though the device is still referred to and nobody calls close again."""
    file = gguf_file(w=(Q.Q4_0, RAW))

    def opened() -> Device:
        device = Device("loopback")
        device.matmul(X, device.load(file, "w"))
        return device

    ctrl = Ctrl()
    with opened() as device, ctrl.at_line(0):
        device.close()
    del device
    gc.collect()
    settled()
    gc.freeze()
    before, n_lines, n_interrupted = held(), ctrl.n_lines, 0
    for number in range(1, n_lines + 1):
        ctrl, device = Ctrl(), opened()
        try:
            with ctrl.at_line(number), device:
                pass
            if ctrl.where:  # in a __del__, and once more after it
                time.sleep(PATIENCE)
        except KeyboardInterrupt:
            n_interrupted += 1
        if not device.closed:  # before ``close`` could begin
            assert number < 10
            device.close()
        sessions = {what: before[what] for what in ("threads", "children", "sessions")}
        assert back_to(sessions) == sessions, f"line {number}, {ctrl.where}"
        del device  # with it a buffer that was just being freed
        now = back_to(before)
        assert now == before, f"line {number}, {ctrl.where}: {now}, before {before}"
    gc.unfreeze()
    assert n_interrupted > 100


def test_an_interrupt_in_a_del_is_raised_after_it() -> None:
    class Dropped:
        def __del__(self) -> None:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt:
                interrupts.raise_again()

    for _ in range(100):
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - when it comes is not known
            Dropped()
            time.sleep(PATIENCE)
