# SPDX-License-Identifier: MIT
"""Boards with right files and a faulty DSP: the loopback injects the failures."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from pyhexagon.doctor import Doctor, Findings, Status, stages
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Result, anonymous
from pyhexagon.doctor.stages import STAGES
from pyhexagon.errors import error
from pyhexagon.process import locate

from . import boards

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DSP_LIBRARY_PATH", "ADSP_LIBRARY_PATH", "PYHEXAGON_DEVICE", "PYHEXAGON_LOOPBACK"):
        monkeypatch.delenv(name, raising=False)


def examine(options: str = "", **environ: str) -> Findings:
    environment = {**os.environ, "PYHEXAGON_LOOPBACK": options, **environ}
    with tempfile.TemporaryDirectory() as folder:
        root = boards.healthy(Path(folder)).root
        return Doctor("loopback", Board(root, environ=environment)).run()


def run_command(*arguments: str, options: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pyhexagon", "doctor", *arguments]
    environment = {**os.environ, "PYHEXAGON_LOOPBACK": options}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=environment)


def odd_skel(folder: Path, *options: str) -> Path:
    """Return a folder with a host skel that is not ours."""
    compiler = ["cc"]
    if find_spec("ziglang") is not None:
        compiler = [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17"]
    target = folder / "host" / locate.cpu_level() / locate.SKEL_FILE
    target.parent.mkdir(parents=True)
    source = str(HERE / "odd_skel.c")
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", *options, "-o", str(target), source], check=True)
    library = locate.installed("libcdsprpc.so.1")
    shutil.copy(library, folder / library.name)
    return folder


@pytest.mark.parametrize(
    ("options", "check", "finding", "remedy"),
    [
        ("device=0", "capabilities", "AEE_ECONNREFUSED (0x72", "ls -l /dev/fastrpc-*"),
        ("fail=remote_handle64_open:1:0x80000406", "open", "AEE_EUNABLETOLOAD (0x80000406, from dsp)", "journalctl"),
        ("fail=remote_handle64_open:1:0x80000442", "open", "AEE_ENOSUCHSYMBOL (0x80000442", "--force-reinstall"),
        ("fail=remote_handle64_open:1:0x80000600", "open", "AEE_ERPC (0x80000600, from dsp)", "dmesg"),
        ("fail=remote_handle64_open:1:0x68", "open", "0x68", "ls -l /dev/dma_heap/system"),
        # qualcomm/fastrpc#401: the firmware answers the creation of a process with AEE_ERESOURCENOTFOUND
        ("fail=remote_handle64_open:1:0x80000416", "open", "the firmware refuses processes", "full-upgrade"),
        ("fail=remote_handle64_open:1:-1", "open", "(0xffffffff", "sudo dmesg"),
        # qualcomm-linux/qcom-deb-images#298: no file in conf.d names the machine
        ("fail=remote_handle64_open:1:0x8000044f", "open", "no file in conf.d names", "radxa-firmware-qcs6490"),
        # qualcomm/fastrpc#188, #180, #269
        ("fail=remote_handle64_open:1:0x8000054f", "open", "of different builds", "radxa-firmware-qcs6490"),
        ("fail=remote_handle64_open:1:-5", "open", "the DSP did not create the process, or", "sudo dmesg"),
        ("fail=remote_handle64_invoke:2:0x8000040d", "echo-invoke", "AEE_EBADSTATE (0x8000040d", "sudo dmesg"),
        # qualcomm/fastrpc#299, #140: the heap of the DSP process does not grow
        ("heap=100000", "workspace", "cannot grow the heap", "full-upgrade"),
        # geerlingguy/sbc-reviews#85: FastRPC capability query failed (err -1)
        ("fail=remote_handle_control:1:-1", "capabilities", "there is no CDSP: remote_handle_control", "ls -l /dev"),
        ("fail=remote_handle64_invoke:1:0x80000414", "contract", "AEE_EUNSUPPORTED (0x80000414", "same version"),
        ("memory_limit=1000", "memory", "only 0 MiB", "free -h"),
    ],
)  # fmt: skip
def test_a_session_that_fails_is_named(options: str, check: str, finding: str, remedy: str) -> None:
    report = examine(options)
    first = report.first_problem
    assert first is not None
    assert (first.name, report.ok) == (check, False), first
    assert finding in first.finding
    assert remedy in first.remedy
    assert "; " not in first.remedy  # one command
    assert [one.name for one in report.results][-len(STAGES) :] == list(STAGES)


@pytest.mark.parametrize(
    ("options", "check", "finding", "remedy"),
    [
        ("dspqueue=0", "echo-dspqueue", "AEE_EUNSUPPORTED (0x14", "--transport invoke"),
        ("dspqueue_import=0x80000414", "echo-dspqueue", "the DSP refused it (dspqueue_import)", "invoke"),
        ("dspqueue_echo=0", "echo-dspqueue", "dspqueue does not work, plain invokes do", "--transport invoke"),
        # qualcomm/fastrpc#377: 0x2e at the first echo means that the queue does not work
        ("fail=dspqueue_read:1:0x2e", "echo-dspqueue", "at the first echo", "--transport invoke"),
        # geerlingguy/sbc-reviews#85: "failed to query HTP version", the other capabilities are known
        ("fail=remote_handle_control:5:-1", "capabilities", "does not report arch of the DSP", "full-upgrade"),
        ("memory_limit=20971520", "memory", "only 20 MiB", "free -h"),
    ],
)
def test_what_still_works_is_a_warning(options: str, check: str, finding: str, remedy: str) -> None:
    report = examine(options)
    first = report.first_problem
    assert first is not None
    assert (first.name, report.ok, first.status) == (check, True, Status.WARNING), first
    assert finding in first.finding
    assert remedy in first.remedy
    assert "; " not in first.remedy  # one command
    results = {one.name: one.status for one in report.results}
    assert results["selftest"] is Status.OK


def test_0x2e_after_an_op_is_a_death_and_not_the_queues_fault() -> None:
    # ggml-org/llama.cpp#26123, qualcomm/GenieX#1170
    problem = stages.of_failure("matmul", error("remote_handle64_invoke", 0x2E), Board())
    assert problem.finding.startswith("the DSP process died in an op, after echoes worked: remote_handle64_invoke")
    assert problem.remedy.startswith("sudo dmesg | grep")
    assert problem.status is Status.FAILED


def test_a_capability_that_lies_is_told_and_is_no_problem() -> None:
    report = examine("unsigned=0")
    found = {one.name: one for one in report.results}
    assert report.first_problem is None
    assert "although the capability reads 0" in found["open"].finding


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ("", "status notifications: registered; poll mode: available"),
        ("poll=0", "status notifications: registered; poll mode: refused: AEE_EUNSUPPORTED (0x14)"),
    ],
)
def test_notifications_and_poll_mode_are_told_and_are_no_problem(options: str, finding: str) -> None:
    report = examine(options)
    assert report.first_problem is None
    assert {one.name: one.finding for one in report.results}["notifications"] == finding


def test_a_heap_that_does_not_grow_is_told_and_is_no_problem() -> None:
    report = examine("heap=262144")
    found = {one.name: one for one in report.results}
    assert report.first_problem is None
    assert "the heap of the DSP process does not grow by 16 MiB (remote_handle64_invoke" in found["workspace"].finding


def test_a_workspace_that_cannot_be_mapped_is_named() -> None:
    report = examine("map_limit=15728640")
    found = {one.name: one for one in report.results}
    assert found["workspace"].status is Status.FAILED
    assert "no workspace of 16 MiB can be allocated and mapped" in found["workspace"].finding
    assert found["matmul"].status is Status.SKIPPED


def test_a_skel_of_another_contract_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_LIB", str(odd_skel(tmp_path)))
    first = examine().first_problem
    assert first is not None
    assert first.name == "contract"
    assert "contract version 99" in first.finding
    assert "unset PYHEXAGON_LIB" in first.remedy


def test_a_skel_that_hangs_is_stopped_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_LIB", str(odd_skel(tmp_path, "-DHANGS")))
    check, _ = STAGES["contract"]  # the others may take their time
    monkeypatch.setattr(stages, "STAGES", {**STAGES, "contract": (check, 3.0)})
    report = examine()
    first = report.first_problem
    assert first is not None
    assert first.name == "contract"
    assert "did not return within 3 s" in first.finding
    assert report.results[-1].status is Status.SKIPPED


def test_a_library_that_ends_the_process_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_LIB", str(odd_skel(tmp_path, "-DDIES")))
    first = examine().first_problem
    assert first is not None
    assert first.name == "contract"
    assert "exit code 3" in first.finding


def test_a_skel_for_another_machine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "host" / locate.cpu_level()
    folder.mkdir(parents=True)
    shutil.copy(locate.installed(f"v68/{locate.SKEL_FILE}"), folder)
    monkeypatch.setenv("PYHEXAGON_LIB", str(tmp_path))
    first = examine().first_problem
    assert first is not None
    assert first.name == "skel"
    assert "built for Hexagon" in first.finding
    assert "--force-reinstall" in first.remedy


def test_a_missing_skel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(locate.installed("libcdsprpc.so.1"), tmp_path)
    monkeypatch.setenv("PYHEXAGON_LIB", str(tmp_path))
    first = examine().first_problem
    assert first is not None
    assert first.name == "skel"
    assert "No such file" in first.finding


def test_a_library_that_is_none_is_named(tmp_path: Path) -> None:
    library = tmp_path / "libcdsprpc.so.1"
    library.write_bytes(b"not a library")
    report = Doctor("cdsp", boards.healthy(tmp_path / "root").board(), library).run()
    first = report.first_problem
    assert first is not None
    assert first.name == "symbols"
    assert "apt install --reinstall" in first.remedy


def test_a_dsp_older_than_the_skel_is_refused_before_the_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a skel for a later DSP must be refused before the DSP does
    monkeypatch.setattr("pyhexagon.doctor.doctor.STAGES", ("symbols", "capabilities"))
    fake = boards.healthy(tmp_path)
    fake.environ["PYHEXAGON_LOOPBACK"] = "arch=0x66"
    first = Doctor("cdsp", fake.board(), locate.installed("libcdsprpc.so.1")).run().first_problem
    assert first is not None
    assert first.name == "capabilities"
    assert "v66" in first.finding
    assert "install" in first.remedy


@pytest.mark.usefixtures("qemu")
def test_a_healthy_board_passes_to_the_end(tmp_path: Path) -> None:
    report = Doctor("cdsp", boards.healthy(tmp_path).board(), locate.installed("libcdsprpc.so.1")).run()
    assert [one for one in report.results if one.status is not Status.OK] == []
    assert report.ok
    assert report.first_problem is None


def test_json_has_every_check_and_the_exit_code_tells() -> None:
    done = run_command("--device", "loopback", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert set(facts) == {"ok", "first_problem", "checks"}
    assert (facts["ok"], facts["first_problem"]) == (True, None)
    assert all(set(one) == {"name", "status", "finding", "remedy", "seconds"} for one in facts["checks"])
    assert facts["checks"][0]["finding"] == "not applicable (loopback)"
    done = run_command("--device", "loopback", "--json", options="device=0")
    assert done.returncode == 1
    assert set(json.loads(done.stdout)["first_problem"]) == {"check", "finding", "remedy"}


def test_text_ends_with_the_first_problem_and_its_remedy() -> None:
    done = run_command("--device", "loopback", options="device=0")
    assert done.returncode == 1
    last = done.stdout.splitlines()[-4:]
    assert [line.split()[0] for line in last] == ["result", "first", "finding", "remedy"]


def test_report_is_a_file_without_names(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    results = [Result("skel", Status.FAILED, f"{Path.home()}/x is missing", "pip")]
    Findings("cdsp", results).write(path)
    facts = json.loads(path.read_text())
    assert facts["first_problem"] == {"check": "skel", "finding": "~/x is missing", "remedy": "pip"}
    assert facts["device"] == "cdsp"
    assert os.listdir(tmp_path) == ["report.json"]


def test_report_names_neither_host_nor_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "kitchen")
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    assert anonymous("ada on kitchen: /media/ada/x, adapter, kitchen-sink") == (
        "USER on HOST: /media/USER/x, adapter, kitchen-sink"
    )


def test_a_report_of_a_broken_board_has_no_serial_number(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path / "root")
    fake.remove("dev/fastrpc-cdsp")
    report = Doctor("cdsp", fake.board(), tmp_path / "absent").run()
    report.write(tmp_path / "report.json")
    assert "SECRET" not in (tmp_path / "report.json").read_text()


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    done = run_command("--device", "loopback", "--report", str(tmp_path / "no" / "report.json"))
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert len(done.stderr.splitlines()) == 1
