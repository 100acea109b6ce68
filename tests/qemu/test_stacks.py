# SPDX-License-Identifier: MIT
"""The PD's threads have the stack that was asked for, and every kernel of the skel uses at most half of it.

The PD paints each stack and logs at the thread's end if more than half of it was used (dsp/loopback/shell/stack.c).
"""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pd
import pytest
from conftest import Faults
from llm import tiny
from waiting import until

from pyhexagon import LLM, Device, selftest
from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import Library
from pyhexagon.errors import DeviceLostError
from pyhexagon.kernels.cycles import Functions, Log
from pyhexagon.process import locate

pytest_plugins = ("qemu_plugin",)

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"/dsp/(hvx|ref|math)/\S+\.o:\(\.text\.([A-Za-z_]\w*)\)$", re.MULTILINE)
LOOP = re.compile(r"^ .* {2}(hvx_sum_\w+)$", re.MULTILINE)  # of dsp/hvx/matmul/generated
MORE_THAN_HALF = "more than half"
KIB = 1 << 10
DEFAULT = 16 * KIB


def use(library: Library, probe_path: Path, kib: int) -> bool:
    """Use that much of the stack of a FastRPC thread, end the thread, and return whether that is logged."""
    with pd.opened(library, probe_path) as probe:
        probe.probe(pd.COUNT, 1)  # this thread's own DSP thread is there
        (pid,) = pd.children()
        n_threads = pd.n_threads(pid)
        caller = threading.Thread(target=probe.probe, args=(pd.CRASH, pd.DEEP, kib))
        caller.start()
        caller.join()
        until(lambda: pd.n_threads(pid) == n_threads, "the library ends the DSP's thread after the caller's")
        probe.probe(pd.COUNT, 1)  # an answer comes after the log lines that are older
        return "of 16384 bytes of stack, more than half" in pd.log(library)


@pytest.fixture(autouse=True)
def default_stack(library: Library) -> None:
    """Ask for FastRPC's default: what a device of an earlier test asked for holds as long as the process lives."""
    remote.thread_params(library, remote.CDSP, stack_size=DEFAULT)


def test_a_thread_that_uses_more_than_half_is_logged(library: Library, probe_path: Path) -> None:
    assert not use(library, probe_path, 4)
    assert use(library, probe_path, 10)


def test_a_stack_is_as_large_as_was_asked_for(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe, pytest.raises(DeviceLostError):
        probe.probe(pd.CRASH, pd.DEEP, 24)
    remote.thread_params(library, remote.CDSP, stack_size=32 * KIB)
    with pd.opened(library, probe_path) as probe:
        probe.probe(pd.CRASH, pd.DEEP, 24)
    with pd.opened(library, probe_path) as probe, pytest.raises(DeviceLostError):
        probe.probe(pd.CRASH, pd.DEEP, 40)


@pytest.fixture
def default_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """FastRPC threads have 16 KiB, as if the library had refused more: half of it is 8 KiB."""
    ask = remote.thread_params
    monkeypatch.setattr(remote, "thread_params", lambda library, domain, **_: ask(library, domain, stack_size=DEFAULT))


def check(library: Library) -> None:
    """Check the log of a session that was closed: its threads have ended."""
    assert not [line for line in loopback.log(library).splitlines() if MORE_THAN_HALF in line]


@pytest.mark.usefixtures("qemu", "default_stacks")
def test_the_self_test_uses_at_most_half_through_dspqueue(faults: Faults) -> None:
    loopback.reset(faults.library)
    with Device("loopback:qemu", transport="dspqueue", threads=4) as device:
        for case in selftest.recorded()[::8]:
            selftest.run_case(device, case)
    check(faults.library)


@pytest.mark.usefixtures("default_stacks")
def test_every_kernel_of_the_skel_runs_in_the_self_test_and_uses_at_most_half(
    qemu: str, faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """QEMU writes down what code of the skel it translates, which is what runs."""
    skel = locate.installed(f"v68/{locate.SKEL_FILE}")
    listing = next(ROOT.glob("build/*/v68/libpyhexagon_skel.so.map")).read_text()
    kernels = {name for _, name in SECTION.findall(listing)} | set(LOOP.findall(listing))
    assert {"phx_rope_hvx", "phx_rope_ref", "hvx_sum_q4_0_tiles"} <= kernels
    monkeypatch.setenv("QEMU_LOG", "in_asm")
    monkeypatch.setenv("QEMU_LOG_FILENAME", str(tmp_path / "%d.log"))
    loopback.reset(faults.library)
    cases = selftest.recorded()
    products = [case for case in cases if case.op == "mul_mat"]
    for has_dcfetch, some in ((False, cases), (True, products)):  # on a board, a profile decides
        with Device("loopback:qemu", transport="invoke", threads=4, dcfetch=has_dcfetch) as device:
            for case in some:
                selftest.run_case(device, case)
    check(faults.library)
    ran = set[str | None]()
    for path in tmp_path.glob("*.log"):
        log = Log(path)
        log.costs()
        functions = Functions(skel, log.words)
        ran |= {functions.name(address) for address in log.words}
    assert not kernels - ran, f"kernels that no recorded case of pyhexagon/op_cases runs: {sorted(kernels - ran)}"


@pytest.mark.usefixtures("qemu", "default_stacks")
def test_a_model_uses_at_most_half(faults: Faults, tmp_path: Path) -> None:
    model = tiny.write(tmp_path / "llama.gguf", "llama", **tiny.TINY["llama"])
    loopback.reset(faults.library)
    with Device("loopback:qemu", threads=4) as device, LLM(model, 128, device=device) as llm:
        llm.generate([1, *range(3, 70)], 4, temperature=0)
    check(faults.library)
