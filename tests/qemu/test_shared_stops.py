# SPDX-License-Identifier: MIT
"""Either side of matmuls that CPU and DSP share stops, dies or is interrupted in a run: no hang, and the same bits."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pd
import pytest
import shared_runs
from waiting import LONG

from pyhexagon import DeviceLostError, DspTimeoutError
from pyhexagon._ffi.library import Library
from pyhexagon.program.program import Program

pytest_plugins = ("qemu_plugin",)

SEED = 5
N_STOPS = 4
MOST_ROUNDS = 20  # until an event comes in the middle of a run
QUIET = 0.1  # seconds without computing, of a DSP process that has nothing to do


def cpu_ticks(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def await_quiet(pid: int) -> None:
    end, before = time.monotonic() + LONG, -1
    while (now := cpu_ticks(pid)) != before:
        assert time.monotonic() < end, "the DSP process computes on and on"
        before = now
        time.sleep(QUIET)


def test_the_dsp_completes_a_run_while_the_host_process_is_stopped(
    library: Library, figure: Callable[[str], None]
) -> None:
    """A stopped process has neither CPU threads that compute tiles nor one that waits for the response."""
    rng = random.Random(SEED)
    command = [sys.executable, shared_runs.__file__]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as host:
        try:
            assert host.stdout is not None
            dsp = int(host.stdout.readline())
            for _ in range(N_STOPS):
                time.sleep(rng.uniform(0.01, 0.1))
                os.kill(host.pid, signal.SIGSTOP)
                await_quiet(dsp)
                os.kill(host.pid, signal.SIGCONT)
            os.kill(host.pid, signal.SIGUSR1)
            out, _ = host.communicate(timeout=LONG)
        finally:
            host.kill()
    assert host.returncode == 0
    rows = [tuple(map(int, line.split())) for line in out.splitlines()]
    n_computed, n_taken = map(sum, zip(*rows, strict=True))
    assert n_taken > 0
    figure(f"{len(rows)} runs: {n_computed} rows of the CPU, {n_taken} taken back")


def kill() -> None:
    os.kill(pd.children()[0], signal.SIGKILL)


def stop() -> None:
    os.kill(pd.children()[0], signal.SIGSTOP)


def interrupt() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


@pytest.mark.filterwarnings("ignore:a DSP session is abandoned:ResourceWarning")
def test_after_an_event_in_the_middle_of_a_run_the_bits_are_the_same(library: Library) -> None:
    rng, want = random.Random(SEED), shared_runs.expected()
    with shared_runs.opened(0.5) as device:
        program = shared_runs.compiled(device)
        program(shared_runs.X)
        start = time.monotonic()
        program(shared_runs.X)
        took = time.monotonic() - start
        for event in (kill, stop, interrupt):
            for _ in range(MOST_ROUNDS):
                is_hit = happens_in_a_run(program, event, rng.uniform(0.1, 0.6) * took, took)
                if event is not interrupt:
                    device.reopen()
                assert (shared_runs.bits(program(shared_runs.X)) == want).all()
                if is_hit:
                    break
            else:
                pytest.fail(f"no {event.__name__} came in the middle of a run")
    assert pd.all_gone()


def happens_in_a_run(program: Program, event: Callable[[], None], delay: float, took: float) -> bool:
    """Run the program, with an event after a delay; return whether the run failed for it."""
    timer = threading.Timer(delay, event)
    timer.start()
    try:
        program(shared_runs.X, timeout=2 * took + 0.5 if event is stop else LONG)
        timer.join()
        time.sleep(0)  # Ctrl-C may come after the run
    except (DeviceLostError, DspTimeoutError, KeyboardInterrupt):
        return True
    finally:
        timer.join()
    return False
