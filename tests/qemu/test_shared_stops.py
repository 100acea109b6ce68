# SPDX-License-Identifier: MIT
"""Either side of matmuls that CPU and DSP share stops, dies or is interrupted in a run: no hang, and the same bits."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import deadlines
import pd
import pytest
import shared_runs
from holdings import back_to, children, held
from waiting import APART, LONG, SAMPLES, until

from pyhexagon import Device, DeviceLostError, DspTimeoutError
from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library

pytest_plugins = ("qemu_plugin",)

MOMENTS = (1, 4, 16, 40)  # of a run, all of them before its end
SHARES = (0.2, 0.5, 0.8)


def is_asleep(pid: int) -> bool:
    """Return whether all threads of a process sleep, as those of a DSP process do that has nothing to do."""
    states = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            states.append((task / "stat").read_text().rpartition(")")[2].split()[0])
    return set(states) == {"S"}


def is_quiet(pid: int) -> bool:
    for _ in range(SAMPLES):
        if not is_asleep(pid):
            return False
        time.sleep(APART)
    return True


def test_the_dsp_completes_a_run_while_the_host_process_is_stopped(
    library: Library, figure: Callable[[str], None]
) -> None:
    """A stopped process has neither CPU threads that compute tiles nor one that waits for the response."""
    command, rows = [sys.executable, shared_runs.__file__], []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as host:
        try:
            assert host.stdout is not None
            dsp = int(host.stdout.readline())
            for _ in range(shared_runs.N_STOPS):
                until(lambda: pd.state(host.pid) == "T", "the host process stops itself")
                until(lambda: is_quiet(dsp), "the DSP process has nothing to do")
                os.kill(host.pid, signal.SIGCONT)
                rows.append(host.stdout.readline())
            host.wait(LONG)
        finally:
            host.kill()
    assert host.returncode == 0
    n_computed, n_taken = map(sum, zip(*(map(int, row.split()) for row in rows), strict=True))
    assert n_taken > 0
    figure(f"{len(rows)} runs: {n_computed} rows of the CPU, {n_taken} taken back")


def kill() -> None:
    os.kill(pd.children()[0], signal.SIGKILL)


def stop() -> None:
    pid = pd.children()[0]
    os.kill(pid, signal.SIGSTOP)
    until(lambda: pd.state(pid) == "T", "the DSP process stops")


def interrupt() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


@pytest.mark.filterwarnings("ignore:a DSP session is abandoned:ResourceWarning")
@pytest.mark.parametrize("event", [kill, stop, interrupt])
def test_after_an_event_in_the_middle_of_a_run_the_bits_are_the_same(
    library: Library, monkeypatch: pytest.MonkeyPatch, event: Callable[[], None]
) -> None:
    deadlines.come_at_once(monkeypatch, lambda: any(pd.state(pid) == "T" for pid in children()))
    want = shared_runs.expected()
    with shared_runs.opened(0.5) as device:
        program = shared_runs.compiled(device)
        program(shared_runs.X)
        for moment in MOMENTS:
            timer = at_moment(library, device, moment, event)
            with pytest.raises((DeviceLostError, DspTimeoutError, KeyboardInterrupt)):
                program(shared_runs.X, timeout=LONG)
            timer.join()
            if event is interrupt:
                loopback.stall(library, device._session.domain.effective_id, False)
            else:
                device.reopen()
            assert (shared_runs.bits(program(shared_runs.X)) == want).all()
    assert pd.all_gone()


@pytest.mark.parametrize("reopens", [True, False], ids=["reopened", "closed"])
def test_dsp_processes_killed_in_shared_runs_leave_nothing(
    library: Library, reopens: bool, figure: Callable[[str], None]
) -> None:
    """Descriptors, maps of shared memory, threads, children and session numbers after each kill; the weights go with
    the device's tensors."""
    counts: list[dict[str, object]] = []
    for share in SHARES:
        for moment in MOMENTS:
            with shared_runs.opened(share) as device:
                program = shared_runs.compiled(device)
                program(shared_runs.X)
                timer = at_moment(library, device, moment, kill)
                with pytest.raises(DeviceLostError):
                    program(shared_runs.X, timeout=LONG)
                timer.join()
                if reopens:
                    device.reopen()
                    program(shared_runs.X)
            del program, device
            gc.collect()
            if not counts:
                before = held()  # what a process opens once stays open
            counts.append(back_to(before))
            assert counts[-1] == before, f"after kill {len(counts)}, share {share}, moment {moment}"
    assert pd.all_gone()
    figure(f"{len(counts)} kills")


def at_moment(library: Library, device: Device, moment: int, event: Callable[[], None]) -> threading.Thread:
    """Let the event happen when the DSP process has come to a moment of the run that follows, and waits there."""
    domain = device._session.domain.effective_id
    loopback.stall_at(library, domain, moment)

    def watch() -> None:
        until(lambda: loopback.is_stalled(library, domain), f"moment {moment} of a run")
        event()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread
