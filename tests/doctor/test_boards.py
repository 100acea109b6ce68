# SPDX-License-Identifier: MIT
"""Boards with wrong files: the first finding, its remedy, and that dependent checks are skipped."""

from __future__ import annotations

import io
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pyhexagon.doctor import Doctor, Findings, Status, stages
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.doctor import HARDWARE
from pyhexagon.doctor.session import Probe
from pyhexagon.doctor.stages import STAGES
from pyhexagon.process import locate

from . import boards, field_boards
from .boards import FIRMWARE, PAS, REMOTEPROC, FakeBoard
from .reports import REPORTS

Break = Callable[[FakeBoard], object]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DSP_LIBRARY_PATH", "ADSP_LIBRARY_PATH", "MACHINE_NAME", "PYHEXAGON_DEVICE", "PYHEXAGON_LOOPBACK"):
        monkeypatch.delenv(name, raising=False)


def examine(fake: FakeBoard) -> Findings:
    """Return the findings, with the loopback as the board's libcdsprpc."""
    return Doctor("cdsp", fake.board(), locate.installed("libcdsprpc.so.1")).run()


def two_libraries(fake: FakeBoard) -> None:
    fake.write("usr/lib/aarch64-linux-gnu/libcdsprpc.so.1", b"another")


def no_group_may(fake: FakeBoard) -> None:
    fake.deny("dev/fastrpc-cdsp")
    for name in ("dev/fastrpc-cdsp", "dev/fastrpc-cdsp-secure"):
        (fake.root / name).chmod(0o600)


def denied(fake: FakeBoard) -> None:
    fake.deny("dev/fastrpc-cdsp")
    fake.deny("dev/fastrpc-cdsp-secure")


def older_login(fake: FakeBoard) -> None:
    denied(fake)
    fake.write("etc/group", f"render:x:{os.getegid()}:other,somebody\n")


def heap_denied(fake: FakeBoard) -> None:
    fake.deny("dev/dma_heap/system")
    (fake.root / "dev/fastrpc-cdsp").chmod(0o664)


def no_nodes(fake: FakeBoard) -> None:
    fake.remove("dev/fastrpc-cdsp")
    fake.remove("dev/fastrpc-cdsp-secure")


def cdsp_disabled(fake: FakeBoard) -> None:
    fake.write(f"{PAS}/status", "disabled\0")
    no_nodes(fake)


def no_memory_region(fake: FakeBoard) -> None:
    fake.remove(f"{PAS}/memory-region")
    no_nodes(fake)


def no_fastrpc_in_tree(fake: FakeBoard) -> None:
    fake.remove(f"{PAS}/glink-edge")
    no_nodes(fake)


def no_cdsp_in_tree(fake: FakeBoard) -> None:
    fake.write(f"{PAS}/compatible", "qcom,sc7280-adsp-pas\0")
    no_nodes(fake)


def no_firmware(fake: FakeBoard) -> None:
    fake.write(f"{REMOTEPROC}/state", "offline\n")
    fake.remove(f"usr/lib/firmware/{FIRMWARE}")


BROKEN: dict[str, tuple[Break, str, str, str]] = {
    "cdsp_disabled": (cdsp_disabled, "device-tree", "is disabled", "sudo rsetup"),
    "no_memory_region": (no_memory_region, "device-tree", "memory-region", "full-upgrade"),
    "no_fastrpc_in_tree": (no_fastrpc_in_tree, "device-tree", "no fastrpc node", "full-upgrade"),
    "no_cdsp_in_tree": (no_cdsp_in_tree, "device-tree", "no CDSP", "full-upgrade"),
    "no_remoteproc": (lambda f: f.remove("sys/class"), "remoteproc", "no remote processor", "modprobe qcom_q6v5_pas"),
    "no_cdsp": (lambda f: f.remove(REMOTEPROC), "remoteproc", "processors are adsp", "sudo dmesg"),
    "no_firmware": (no_firmware, "remoteproc", f"{FIRMWARE} is in none of", "radxa-firmware-qcs6490"),
    "offline": (
        lambda f: f.write(f"{REMOTEPROC}/state", "offline\n"),
        "remoteproc", "is offline, though", f"echo start | sudo tee /{REMOTEPROC}/state",
    ),
    "crashed": (lambda f: f.write(f"{REMOTEPROC}/state", "crashed\n"), "remoteproc", "has crashed", "sudo reboot"),
    "no_nodes": (no_nodes, "nodes", "exists (the cdsp is running)", "sudo modprobe fastrpc"),
    "denied": (denied, "nodes", "you are not in group render", "sudo usermod -aG render $USER"),
    "older_login": (older_login, "nodes", "this login is older", "log out and in again"),
    "no_group_may": (no_group_may, "nodes", "no group may", "sudo apt install fastrpc"),
    "no_library": (lambda f: f.remove("usr/lib/libcdsprpc.so.1"), "library", "is installed", "apt install libcdsprpc1"),
    "no_shell": (
        lambda f: f.remove("usr/lib/dsp"), "shell", "is in none of /usr/lib/dsp", "--reinstall radxa-firmware-qcs6490"
    ),
    "other_build": (
        lambda f: f.write(f"usr/lib/firmware/{FIRMWARE}", boards.firmware_bytes(boards.OTHER_BUILD)),
        "shell", f"has build {boards.BUILD}, the firmware {FIRMWARE} has build {boards.OTHER_BUILD}", "full-upgrade",
    ),
    "empty_shell": (
        lambda f: f.write("usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3", b""), "shell", "contains no build string",
        "--reinstall",
    ),
}  # fmt: skip
WARNED: dict[str, tuple[Break, str, str, str]] = {
    "tree_of_another_kind": (lambda f: f.remove(f"{PAS}/glink-edge"), "device-tree", "no fastrpc", "full-upgrade"),
    "no_heap": (lambda f: f.remove("dev/dma_heap"), "dma-heap", "does not exist", "CONFIG_DMABUF_HEAPS_SYSTEM"),
    "heap_denied": (
        heap_denied,
        "dma-heap", "no permission to open /dev/dma_heap/system", "sudo usermod -aG render $USER",
    ),
    "two_libraries": (two_libraries, "library", "2 different libcdsprpc", "keep one"),
    "colon": (
        lambda f: f.environ.update(ADSP_LIBRARY_PATH="/a:/b"), "search-paths", "the separator is ';'",
        "ADSP_LIBRARY_PATH='/a;/b'",
    ),
    "both_paths": (
        lambda f: f.environ.update(ADSP_LIBRARY_PATH="/a", DSP_LIBRARY_PATH="/b"),
        "search-paths", "ignores the second", "unset ADSP_LIBRARY_PATH",
    ),
}  # fmt: skip


@pytest.fixture
def stop_before_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop before checks that need a session: files alone distinguish these boards."""
    monkeypatch.setattr("pyhexagon.doctor.doctor.STAGES", {})


@pytest.mark.usefixtures("stop_before_the_library")
@pytest.mark.parametrize("name", [*BROKEN, *WARNED])
def test_a_broken_board_is_named(name: str, tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    break_it, check, finding, remedy = {**BROKEN, **WARNED}[name]
    break_it(fake)
    report = examine(fake)
    first = report.first_problem
    assert first is not None
    assert (first.name, report.ok) == (check, name in WARNED), first
    assert finding in first.finding
    assert remedy in first.remedy
    assert "666" not in first.remedy


@pytest.mark.usefixtures("stop_before_the_library")
@pytest.mark.parametrize("name", REPORTS)
def test_a_board_of_the_field_is_named(name: str, tmp_path: Path) -> None:
    report = REPORTS[name]
    fake = report.make(tmp_path)
    for breaks in report.breaks:
        breaks(fake)
    findings = examine(fake)
    first = findings.first_problem
    if not report.check:
        assert first is None
        assert any(report.finding in result.finding for result in findings.results)
        return
    assert first is not None
    assert (first.name, findings.ok) == (report.check, report.warning), first
    assert report.finding in first.finding
    assert report.remedy in first.remedy
    assert "; " not in first.remedy.replace("'/a;/b'", "")  # one command


def test_the_field_has_fifty_boards() -> None:
    assert len(REPORTS) >= 50


@pytest.mark.usefixtures("stop_before_the_library")
@pytest.mark.parametrize("make", [boards.healthy, boards.debian])
def test_a_healthy_board_has_no_problem(make: Callable[[Path], FakeBoard], tmp_path: Path) -> None:
    report = examine(make(tmp_path))
    assert [result for result in report.results if result.status is not Status.OK] == []
    found = {result.name: result.finding for result in report.results}
    assert "Radxa Dragon Q6A" in found["soc"]
    assert "libcdsprpc1 1.0.2-1" in found["library"]
    assert boards.BUILD in found["shell"]


@pytest.mark.usefixtures("stop_before_the_library")
def test_a_library_in_a_folder_of_the_loaders_variable_is_found(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    fake.remove("usr/lib/libcdsprpc.so.1")
    fake.write("opt/dsp/libcdsprpc.so.1", b"one")
    fake.environ["LD_LIBRARY_PATH"] = "relative:/opt/dsp"
    report = examine(fake)
    assert report.first_problem is None
    assert "/opt/dsp/libcdsprpc.so.1 (from no package)" in {one.name: one.finding for one in report.results}["library"]


def test_every_check_has_a_section_in_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "doctor.md").read_text("utf-8")
    headings = [name for line in text.splitlines() if line.startswith("### ") for name in line[4:].split(", ")]
    assert headings == [*HARDWARE, "search-paths", "skel", *STAGES]


def test_a_machine_that_is_no_board_is_told_so_first(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    fake.remove("proc/device-tree")
    no_nodes(fake)
    report = examine(fake)
    first = report.first_problem
    assert first is not None
    assert (first.name, report.ok) == ("soc", False)
    assert "this is not a board" in first.finding
    assert first.remedy.startswith("on a PC use --device cpu")


def test_without_nodes_the_library_is_looked_at_and_nothing_is_opened(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    no_nodes(fake)
    report = examine(fake)
    status = {result.name: result.status for result in report.results}
    assert status["symbols"] is Status.OK
    assert {name for name, one in status.items() if one is Status.SKIPPED} == {
        "capabilities", "open", "contract", "echo-invoke", "echo-dspqueue", "memory", "matmul", "selftest",
        "notifications", "ping-pong", "dma", "kernel", "workspace",
    }  # fmt: skip
    assert all(one.finding for one in report.results)


def test_an_acl_gives_the_right_and_names_the_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(1, 6, 0), (4, 0, 0), (8, 6, 777), (16, 6, 0), (32, 0, 0)]
    raw = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    monkeypatch.setattr(os, "getxattr", lambda path, name: raw)
    fake = boards.healthy(tmp_path)
    fake.write("etc/group", f"root:x:{os.getegid()}:\nfastrpc:x:777:\n")
    node = fake.root / "dev/dma_heap/system"
    assert not Board(tmp_path, boards.UID, frozenset({boards.GID})).rights(node).readable
    rights = Board(tmp_path, boards.UID, frozenset({boards.GID, 777})).rights(node)
    assert rights.readable
    assert rights.groups == ("fastrpc",)
    assert "ACL for group fastrpc" in rights.text


def test_a_mask_takes_a_right_from_an_acl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(1, 6, 0), (4, 6, 0), (8, 6, 777), (16, 0, 0), (32, 0, 0)]
    raw = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    monkeypatch.setattr(os, "getxattr", lambda path, name: raw)
    node = boards.healthy(tmp_path).root / "dev/fastrpc-cdsp"
    assert not Board(tmp_path, boards.UID, frozenset({777})).rights(node).readable


@pytest.mark.usefixtures("stop_before_the_library")
@pytest.mark.parametrize("make", [boards.healthy, boards.debian, field_boards.rb3gen2, field_boards.x13s])
@pytest.mark.parametrize("has_rule", [False, True])
def test_an_offline_dsp_is_started_and_the_initramfs_left_alone(
    make: Callable[[Path], FakeBoard], has_rule: bool, tmp_path: Path
) -> None:
    # qualcomm-linux/kernel#923, #1086, qualcomm/fastrpc#372
    fake = make(tmp_path)
    fake.write(f"{REMOTEPROC}/state", "offline\n")
    no_nodes(fake)
    if has_rule:
        fake.write("usr/lib/udev/rules.d/59-fastrpc-remoteproc.rules", "")
    results = {one.name: one for one in examine(fake).results}
    start = f"echo start | sudo tee /{REMOTEPROC}/state"
    is_debian = make is not boards.healthy
    wanted = f"{start} && sudo apt install fastrpc-support" if is_debian and not has_rule else start
    assert [results[name].remedy for name in ("remoteproc", "nodes")] == [wanted, wanted]
    assert "driver is not loaded" not in results["nodes"].finding
    assert "initramfs" not in wanted


@pytest.mark.usefixtures("stop_before_the_library")
def test_a_denied_heap_is_a_warning_in_every_form(tmp_path: Path) -> None:
    # qualcomm/fastrpc#298: the FastRPC node gives memory instead
    fake = boards.healthy(tmp_path)
    (fake.root / "dev/dma_heap/system").chmod(0o600)
    fake.gids = {boards.GID}
    for node in ("dev/fastrpc-cdsp", "dev/fastrpc-cdsp-secure"):
        (fake.root / node).chmod(0o664)
    report = examine(fake)
    first = report.first_problem
    assert first is not None
    assert (first.name, first.status, report.ok) == ("dma-heap", Status.WARNING, True)
    assert "the udev rules are missing; buffers come from the FastRPC node instead" in first.finding
    assert first.remedy == "sudo apt install fastrpc && sudo reboot"


@pytest.mark.usefixtures("stop_before_the_library")
@pytest.mark.parametrize(
    ("kernel", "is_warned"),
    [("6.18.2-1-qcom", True), ("7.0.0", True), ("7.1.0-rc1", False), ("7.2.13-arm64", False), ("10.0.1", False),
     ("custom", False)],
)  # fmt: skip
def test_kernels_that_a_kill_can_crash_are_named(kernel: str, is_warned: bool, tmp_path: Path) -> None:
    # qualcomm/fastrpc#349, qualcomm-linux/kernel#302, #815, #867
    fake = boards.healthy(tmp_path)
    fake.write("proc/sys/kernel/osrelease", f"{kernel}\n")
    soc = examine(fake).results[0]
    assert soc.status is Status.OK
    assert ("SIGKILL may crash this kernel" in soc.finding) == is_warned


# --- fastrpc-healthcheck ---

TABLE = """DSP firmware path : /lib/firmware/qcom/qcs6490/radxa/dragon-q6a
DSP build ID      : c4-00004
DMA-BUF heap : available

DSP Summary:
DSP      State      SignedPD  UnsignedPD* FastRPC Support
ADSP     Online     No        No          No (Missing DSP modules)
{}
* If Unsigned PD not supported, needs signing to run
"""


@pytest.mark.usefixtures("stop_before_the_library")
@pytest.mark.parametrize(
    ("script", "is_ok", "finding"),
    [
        (f"cat <<E\n{TABLE.format('CDSP     Online     Yes       Yes         Yes')}E", True, "CDSP Online Yes Yes Yes"),
        (f"cat <<E\n{TABLE.format('CDSP     Offline    Yes       Yes         -')}E", False, "CDSP Offline, FastRPC"),
        (
            f"cat <<E\n{TABLE.format('CDSP     Online     Yes       No          No (Missing shell build ID)')}E",
            False, "FastRPC support No (Missing shell build ID)",
        ),
        (f"cat <<E\n{TABLE.format('CDSP1    Online     Yes       Yes         Yes')}E", False, "does not list CDSP"),
        ("echo no yaml >&2; exit 2", False, "exit code 2: no yaml"),
    ],
)  # fmt: skip
def test_the_systems_own_healthcheck_is_asked(script: str, is_ok: bool, finding: str, tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    fake.write("usr/bin/fastrpc-healthcheck", f"#!/bin/sh\n{script}\n").chmod(0o755)
    result = {one.name: one for one in examine(fake).results}["healthcheck"]
    assert result.status is (Status.OK if is_ok else Status.WARNING)
    assert finding in result.finding


# --- A check that does not return ---


@pytest.mark.parametrize(
    ("kernel", "ignores", "signals"),
    [
        ("7.1.0", False, [signal.SIGKILL]),
        ("6.18.2", False, [signal.SIGTERM]),
        ("6.18.2", True, [signal.SIGTERM, signal.SIGKILL]),
    ],
)
def test_a_hanging_child_is_killed_last_on_kernels_that_this_can_crash(
    kernel: str, ignores: bool, signals: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # qualcomm/fastrpc#349
    fake = boards.healthy(tmp_path)
    fake.write("proc/sys/kernel/osrelease", f"{kernel}\n")
    sent: list[int] = []
    kill = os.killpg

    def record(group: int, number: int) -> None:
        sent.append(number)
        kill(group, number)

    monkeypatch.setattr(os, "killpg", record)
    monkeypatch.setattr(stages, "_EXIT_TIMEOUT", 0.5)
    program = f"import signal, time; signal.signal(signal.SIGTERM, signal.{'SIG_IGN' if ignores else 'SIG_DFL'})"
    program += "; print(flush=True); time.sleep(600)"

    def start(child: stages.Child) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdout is not None
        process.stdout.readline()  # it ignores the signal from here on
        return process

    monkeypatch.setattr(stages.Child, "_start", start)
    target = locate.find_target("cdsp", locate.installed("libcdsprpc.so.1"))
    with stages.Child(target, fake.board(), deadline=0.1) as child:
        result = child.run("open")
    assert sent == signals
    assert ("was killed" if signal.SIGKILL in signals else "was ended by SIGTERM") in result.finding
    assert ("may crash this kernel" in result.finding) == (kernel != "7.1.0")


def test_a_child_that_gets_sigterm_closes_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(Probe, "close", lambda probe: closed.append(True))
    monkeypatch.setattr(stages, "_run", lambda probe, name: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as caught:
            stages.serve('["loopback", null, "/"]', io.StringIO("open\n"), io.StringIO())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (caught.value.code, closed) == (128 + signal.SIGTERM, [True])
