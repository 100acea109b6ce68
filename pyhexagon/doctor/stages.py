# SPDX-License-Identifier: MIT
"""The checks that call libcdsprpc, in a child process with a deadline for each.

The real library may hang in an open or in a queue, keeps a lock after a failed open, and calls exit(1) when a second
copy is loaded. A child that does not answer in time is ended, and its check fails; the next check gets a new child.
SIGKILL can crash kernels before 7.1, whose driver frees memory that the DSP still uses; there the child first gets a
SIGTERM and time to close its session.
Parent and child exchange lines: the parent sends the name of a check, the child answers with status, finding and remedy
as JSON. The child makes all calls on its main thread.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO, Any, Final

from pyhexagon.doctor import compute, dma, known, ping_pong, system, user_kernel, workspace
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import KERNEL_LOG, Problem, Result, Status, of_error, without_hint
from pyhexagon.doctor.session import Probe
from pyhexagon.errors import DeviceLostError, HexagonError, causes
from pyhexagon.process import locate

STAGES: Final[MappingProxyType[str, tuple[Callable[[Probe], str], float]]] = MappingProxyType({
    "symbols": (Probe.symbols, 20.0),
    "capabilities": (Probe.capabilities, 20.0),
    "open": (Probe.open, 30.0),
    "contract": (Probe.contract, 10.0),
    "echo-invoke": (Probe.echo_invoke, 20.0),
    "memory": (compute.memory, 60.0),
    "workspace": (workspace.workspace, 30.0),
    "echo-dspqueue": (compute.echo_dspqueue, 30.0),
    "notifications": (compute.notifications, 30.0),
    "ping-pong": (ping_pong.ping_pong, 60.0),
    "matmul": (compute.matmul, 60.0),
    "selftest": (compute.self_test, 300.0),
    "dma": (dma.weight_bytes, 60.0),
    "kernel": (user_kernel.user_kernel, 60.0),
})
"""Each check with its deadline in seconds."""
_EXIT_TIMEOUT: Final = 5.0
_DSP_ENOMEMORY: Final = 0x80000402
_WORK: Final = MappingProxyType({
    "contract": "the first call of the skel",
    "echo-invoke": "a plain call that does no work",
    "workspace": "the start of its threads, or with a workspace",
    "echo-dspqueue": "the set-up of a queue",
    "ping-pong": "a copy, after echoes worked",
    "matmul": "an op, after echoes worked",
    "selftest": "an op, after a matmul worked",
    "kernel": "a user kernel, after built-in ops worked",
})
"""The DSP's work in each check in which its process may die."""


class Child:
    """A process that runs checks, started for the first one.

    Args:
        board: the files that remedies depend on, and the child's environment.
        deadline: seconds for any check, instead of the check's own.
    """

    def __init__(self, target: locate.Target, board: Board, deadline: float | None = None) -> None:
        self._request = json.dumps([target.name, str(target.library) if target.library else None, str(board.root)])
        self._environ = dict(board.environ)
        self._deadline = deadline
        self._kill_warning = "" if target.is_loopback else system.kill_warning(board)
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__

    def run(self, name: str) -> Result:
        """Run a check."""
        start = time.monotonic()
        deadline = self._deadline or STAGES[name][1]
        process = self._process = self._process or self._start()
        try:
            line = self._ask(process, name, start + deadline)
        except TimeoutError:
            code = self._end(process, kill=True)
            how = "was killed" if code == -signal.SIGKILL else "was ended by SIGTERM"
            finding = f"did not return within {deadline:g} s and {how}: other programs may hang on the DSP, too"
            finding += self._kill_warning
            return Result(name, Status.FAILED, finding, "sudo reboot", time.monotonic() - start)
        seconds = time.monotonic() - start
        if not line:
            code = self._end(process, kill=False)
            how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            finding = f"the process ended {how}{self._last_words()}"
            return Result(name, Status.FAILED, finding, KERNEL_LOG, seconds)
        status, finding, remedy = json.loads(line)
        return Result(name, Status(status), finding, remedy, seconds)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "pyhexagon.doctor.child", self._request],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env=self._environ,
            start_new_session=True,
        )

    def _ask(self, process: subprocess.Popen[bytes], name: str, end: float) -> bytes:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the child has no pipes")
        with suppress(BrokenPipeError):
            process.stdin.write(name.encode() + b"\n")
            process.stdin.flush()
        answer = b""
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                return b""
            answer += piece
        return answer

    def _end(self, process: subprocess.Popen[bytes], *, kill: bool) -> int:
        """End the child and its children. It may be stuck in the kernel, so all waits have a limit."""
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        if not kill:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_EXIT_TIMEOUT)
        for number in (signal.SIGTERM, signal.SIGKILL) if self._kill_warning else (signal.SIGKILL,):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_EXIT_TIMEOUT)
        return -signal.SIGKILL

    def _last_words(self) -> str:
        self._messages.seek(0)
        lines = self._messages.read().decode(errors="replace").splitlines()
        return f": {lines[-1]}" if lines else ""

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._end(self._process, kill=kind is not None)
        self._messages.close()


def serve(request: str, questions: IO[str], answers: IO[str]) -> None:
    """Run the child's side: answer each check's name, until the input ends."""
    device, library, root = json.loads(request)
    signal.signal(signal.SIGTERM, _leave)
    probe = Probe(locate.find_target(device, Path(library) if library else None), Board(Path(root)))
    try:
        for line in questions:
            answers.write(json.dumps(_run(probe, line.strip())) + "\n")
            answers.flush()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with suppress(HexagonError):
            probe.close()


def _leave(number: int, frame: object) -> None:
    """End the child as soon as the call of the library returns, which a signal interrupts: its session gets closed."""
    raise SystemExit(128 + number)


def _run(probe: Probe, name: str) -> list[Any]:
    try:
        return [Status.OK, STAGES[name][0](probe), ""]
    except Problem as problem:
        return [problem.status, problem.finding, problem.remedy]
    except HexagonError as error:
        found = of_failure(name, error, probe.board)
        return [found.status, found.finding, found.remedy]


def of_failure(name: str, error: HexagonError, board: Board) -> Problem:
    """Return the failure of a check whose session was open: a dead process and a full heap have causes of their own."""
    if isinstance(error, DeviceLostError) and name in _WORK:
        return Problem(f"the DSP process died in {_WORK[name]}: {without_hint(error)}", KERNEL_LOG)
    if error.code == _DSP_ENOMEMORY:
        cause = "this kernel and libcdsprpc cannot grow the heap of a DSP process"
        return Problem(f"{without_hint(error)}: {cause}", known.upgrade(board))
    known_cause = None if error.code is None else causes.of(error.code)
    if known_cause and not error.hint:
        finding = f"{without_hint(error)}: {known_cause.text}"
        return Problem(finding, known.command(board, known_cause.command))
    return of_error(error, "" if error.hint else KERNEL_LOG)
