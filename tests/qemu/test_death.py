# SPDX-License-Identifier: MIT
"""The end of a PD, however it comes, and of the program that uses it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pd
import pytest
from conftest import check_settled, settled
from waiting import LONG, once_waiting, until

from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import Library
from pyhexagon.errors import DeviceLostError

pytest_plugins = ("qemu_plugin",)

HERE = Path(__file__).parent


def lost(call: Callable[[], object]) -> int:
    """Calls, expects the device-lost error, which does not take long, and gives its code."""
    start = time.monotonic()
    with pytest.raises(DeviceLostError) as caught:
        call()
    assert time.monotonic() - start < LONG / 2
    return caught.value.code or 0


def gone(pid: int) -> bool:
    """Whether a process ends."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (pd.FAULT, "Segmentation fault at address 0xdead0000"),
        (pd.ABORT, "abort called"),
        (pd.ILLEGAL, "Illegal"),
        (pd.OVERFLOW, "Segmentation fault"),
    ],
)
def test_a_crash_of_the_skel_is_reported_and_a_new_session_works(
    library: Library, probe_path: Path, kind: int, why: str
) -> None:
    with pd.opened(library, probe_path) as probe:
        assert lost(lambda: probe.probe(pd.CRASH, kind)) == 0x8000040D
        assert lost(lambda: probe.probe(pd.COUNT, 1)) == 0x68
    assert why in pd.log(library)
    with pd.opened(library, probe_path) as probe:
        assert probe.probe(pd.COUNT, 7)[1] == 7


@pytest.mark.parametrize("offset", [-1, 8192], ids=["before its first page", "past its last page"])
def test_touching_memory_beside_a_mapping_is_a_fault(library: Library, probe_path: Path, offset: int) -> None:
    with pd.opened(library, probe_path) as probe, pd.mapped(library, 8192) as (_, fd):
        assert probe.probe(pd.PEEK, fd, 8191)[0] == 0
        assert lost(lambda: probe.probe(pd.PEEK, fd, offset)) == 0x8000040D


def test_a_spinning_skel_can_be_killed(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        killer = once_waiting(loopback.kill, library, remote.CDSP)
        with pytest.raises(DeviceLostError):
            probe.probe(pd.CRASH, pd.SPIN)
        killer.join()


def test_a_pd_killed_from_outside_is_noticed_at_once(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        (pid,) = pd.children()
        killer = once_waiting(os.kill, pid, signal.SIGKILL)
        with pytest.raises(DeviceLostError):
            probe.probe(pd.CRASH, pd.SPIN)  # it would spin for ever
        assert lost(lambda: probe.probe(pd.COUNT, 1)) == 0x68
        killer.join()


def test_a_stalled_pd_answers_later(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        loopback.stall(library, remote.CDSP, True)
        answers: list[tuple[int, ...]] = []

        def wake() -> None:
            answers.append(())
            loopback.stall(library, remote.CDSP, False)

        waker = once_waiting(wake)
        answers.append(probe.probe(pd.COUNT, 5))
        waker.join()
    assert [answer[1:2] for answer in answers] == [(), (5,)]  # it has waited for the waker


def test_a_session_opened_by_a_thread_outlives_the_thread(library: Library, probe_path: Path) -> None:
    opened = pd.opened(library, probe_path)
    probes: list[pd.Module] = []
    thread = threading.Thread(target=lambda: probes.append(opened.__enter__()))
    thread.start()
    thread.join()
    ended = f"/proc/self/task/{thread.native_id}"
    until(lambda: not Path(ended).exists(), "the end of the thread")  # the kernel has sent a signal bound to it before
    assert probes[0].probe(pd.COUNT, 3)[1] == 3
    opened.__exit__(None, None, None)


def test_the_pd_writes_no_core_file(library: Library, probe_path: Path, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    directory = Path.cwd()
    os.chdir(tmp_path)
    try:
        with pd.opened(library, probe_path) as probe:
            (pid,) = pd.children()
            limits = Path(f"/proc/{pid}/limits").read_text()
            lost(lambda: probe.probe(pd.CRASH, pd.FAULT))
    finally:
        os.chdir(directory)
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    assert "Max core file size        0                    0" in limits
    assert list(tmp_path.iterdir()) == []


def test_sessions_and_crashes_leave_nothing_behind(library: Library, probe_path: Path) -> None:
    def cycle(i: int) -> None:
        with pd.opened(library, probe_path) as probe, pd.mapped(library, 10000):
            worker = threading.Thread(target=probe.probe, args=(pd.COUNT, 10))
            worker.start()
            worker.join()
            if i % 2:
                lost(lambda: probe.probe(pd.CRASH, pd.FAULT))

    cycle(0)
    cycle(1)
    before = settled()
    for i in range(20):
        cycle(i)
    check_settled(before)
    assert pd.all_gone()


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "exit"])
@pytest.mark.parametrize("what", ["idle", "spin"])
def test_no_pd_survives_its_program(probe_path: Path, qemu: str, how: str, what: str) -> None:
    child = subprocess.Popen(
        [sys.executable, str(HERE / "victim.py"), str(probe_path), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert child.stdin is not None
    assert child.stdout is not None
    with child:
        pid = int(child.stdout.readline())
        assert not Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].startswith(" Z")
        if how == "exit":
            child.stdin.write("exit\n")
            child.stdin.flush()
        else:
            child.send_signal(getattr(signal, how))
        child.wait(LONG)
        assert gone(pid)
