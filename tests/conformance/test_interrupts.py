# SPDX-License-Identifier: MIT
"""Ctrl-C at any line: a trace hook raises KeyboardInterrupt there, and afterwards no resource is left open.

By default a random sample of the lines is tested. All of them take 10 to 30 minutes:

    PYHEXAGON_ALL_LINES=1 python -m pytest tests/conformance/test_interrupts.py
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np
import pytest
import weights
from conftest import ROOT, Faults, settled
from gguf import GGMLQuantizationType as Q
from holdings import PATIENCE, back_to, begins_del, held

import pyhexagon
from pyhexagon import Device, DspTimeoutError, Tensor
from pyhexagon.process.callthread import Call, StillRunningError
from pyhexagon.process.session import Session

PACKAGE = str(Path(pyhexagon.__file__).parent)
STAGES = ("open", "load", "matmul", "reopen", "close")
ALL = os.environ.get("PYHEXAGON_ALL_LINES") == "1"
LEAST_LIMIT = 2.0  # seconds, of waits for what must come; the clean-up after an interrupted open waits for less
SAMPLE = {"loopback": 150, "loopback:qemu": 25}  # lines, by default
RAW = weights.quantize(np.random.default_rng(0).standard_normal((40, 64), dtype=np.float32), Q.Q4_0)
X = np.random.default_rng(1).standard_normal((2, 64), dtype=np.float32)

Line = tuple[str, str, int]  # stage, file, number


class Tracer:
    """Traces every line of the package on the main thread; raises at one of them."""

    def __init__(self, victim: Line | None) -> None:
        self.stage = ""
        self.seen: dict[Line, None] = {}
        self.has_raised = False
        self._victim = victim

    def __enter__(self) -> Tracer:
        sys.settrace(self._call)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if event == "line" and not begins_del(frame):
            line = (self.stage, frame.f_code.co_filename, frame.f_lineno)
            self.seen[line] = None
            if line == self._victim:
                sys.settrace(None)
                self.has_raised = True
                raise KeyboardInterrupt(*line)
        return self._line


class Program:
    """Opens, loads, multiplies, reopens, closes. Its attributes hold the objects that it has opened so far."""

    def __init__(self, engine: str, transport: str | None, file: Path, faults: Faults) -> None:
        self.engine, self.transport, self.file, self.faults = engine, transport, file, faults
        self.device: Device | None = None
        self.w: Tensor | None = None

    def run(self, tracer: Tracer) -> None:
        with tracer:
            tracer.stage = "open"
            self.device = device = Device(self.engine, transport=self.transport)
            tracer.stage = "load"
            self.w = device.load(self.file, "w")
            tracer.stage = "matmul"
            for _ in range(3):  # defines the program, then uses the kept one
                device.matmul(X, self.w)
            sys.settrace(None)
            self.faults.kill(device)
            sys.settrace(tracer._call)
            tracer.stage = "reopen"
            device.reopen()
            tracer.stage = "close"
            self.w.close()
            device.close()

    def end(self, want: np.ndarray[Any, Any]) -> None:
        """Continue after an interruption, and check the results."""
        device, w = self.device, self.w
        if device is None:
            return
        if not device.closed and w is not None and not w.closed:
            device.reopen()
            np.testing.assert_array_equal(device.matmul(X, w).numpy(), want)
            np.testing.assert_array_equal(device.matmul(X, w).numpy(), want)
            w.close()
        device.close()


@pytest.fixture
def expired(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the limits of waits for the DSP that found no answer, in seconds, as they come."""
    limits: list[float] = []
    wait, timed_out = Call.wait, Session._timed_out

    def wait_and_note(self: Call[Any], timeout: float) -> Any:
        try:
            return wait(self, timeout)
        except StillRunningError:
            limits.append(timeout)
            raise

    def note(self: Session, timeout: float) -> DspTimeoutError:
        limits.append(timeout)
        return timed_out(self, timeout)

    monkeypatch.setattr(Call, "wait", wait_and_note)
    monkeypatch.setattr(Session, "_timed_out", note)
    return limits


@pytest.fixture
def no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore exceptions of __del__: pytest's hook would keep them, and with them the tensor and its memory."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)


@pytest.mark.usefixtures("no_hook")
@pytest.mark.filterwarnings("ignore:.*was not closed:ResourceWarning")
def test_ctrl_c_at_any_line_leaves_nothing(  # noqa: PLR0917
    engine: str, transport: str, faults: Faults, gguf_file: Callable[..., Path], figure: Callable[[str], None],
    seed: int, expired: list[float],
) -> None:  # fmt: skip
    file = gguf_file(w=(Q.Q4_0, RAW))
    devices = [Device(engine, transport=transport) for _ in range(4)]  # reserves all session numbers
    want = devices[0].matmul(X, devices[0].load(file, "w")).numpy().copy()
    for device in devices:
        device.close()
    del devices, device
    tracer = Tracer(None)
    Program(engine, transport, file, faults).run(tracer)
    gc.collect()
    settled()
    before = held()
    lines = list(tracer.seen)
    assert {stage for stage, _, _ in lines} == set(STAGES)
    if not ALL:
        lines = random.Random(seed).sample(lines, min(SAMPLE[engine], len(lines)))
    start, n_missed, problems = time.monotonic(), 0, []
    for line in lines:
        where = f"{line[0]}: {line[1].removeprefix(str(ROOT))}:{line[2]}"
        program = Program(engine, transport, file, faults)
        expired.clear()
        tracer = Tracer(line)
        try:
            program.run(tracer)
            if tracer.has_raised:  # in a __del__, and once more after it
                time.sleep(PATIENCE)
                problems.append(f"{where}: Python has taken no notice")
        except KeyboardInterrupt:
            pass
        else:
            n_missed += 1
        waits = [seconds for seconds in expired if seconds >= LEAST_LIMIT]
        try:
            program.end(want)
        except Exception as error:
            problems.append(f"{where}: then {error!r}")
        del program
        now = back_to(before)
        if now != before:
            changes = [f"{key} {now[key]}, before {before[key]}" for key in now if now[key] != before[key]]
            problems.append(f"{where}: {', '.join(changes)}")
            before = now
        if waits:
            problems.append(f"{where}: waited {waits} seconds for a missing answer")
    assert not problems, f"{len(problems)} of {len(lines)}:\n" + "\n".join(problems)
    opened = [Device(engine, transport=transport) for _ in range(4)]
    for device in opened:
        device.close()
    figure(f"{engine}, {transport}: Ctrl-C at {len(lines) - n_missed} lines in {time.monotonic() - start:.0f} s")
