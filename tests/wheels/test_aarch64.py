# SPDX-License-Identifier: MIT
"""The aarch64 wheel in an arm64 Debian userland under qemu-aarch64: the binding and the host engine on the loopback,
and the binding and doctor on the real libcdsprpc of Debian's libfastrpc1, where no DSP is."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import weights
from doctor import boards
from userland import ROOT, Userland
from waiting import LONG

pytest_plugins = ("wheels_plugin",)

TIMEOUT = 900  # emulation takes its time: about two minutes for the tests of this checkout, on an idle machine
EXAMINE = """
import json, os, sys
from pathlib import Path
from pyhexagon.doctor import Doctor
from pyhexagon.doctor.board import Board

root, uid, gid, deadline = sys.argv[1:]
board = Board(Path(root), int(uid), frozenset({int(gid)}), dict(os.environ))
report = Doctor("cdsp", board, deadline=float(deadline)).run()
print(json.dumps(report.facts()))
sys.exit(not report.ok)
"""
# Asserts are not rewritten: that takes eleven seconds there.
PYTEST = ("-m", "pytest", "-p", "no:cacheprovider", "-rp", "--assert=plain")
OP_TESTS = ("test_matmul.py", "test_leading.py", "test_mul_mat_id.py", "test_accuracy.py")
SELECTED = "not compiler and not qemu and not repacker"


@pytest.fixture(scope="module")
def tested(arm64: Userland, qemu: str) -> str:
    """Run tests of this checkout there, on the installed wheel, in one process; return pytest's output.

    The ABI's and the ops': every type, every transport, and the small shapes of tests/ops/cases.py, for emulation takes
    its time. Without the tests that need the QEMU engine or a compiler, and those of whole models' matrices
    (test_models.py), which are large.
    """
    # Some fixtures ask for qemu-hexagon; pyhexagon get-qemu finds this machine's on PATH.
    search = os.pathsep.join((str(Path(qemu).parent), os.environ.get("PATH", os.defpath)))
    environment = {"PATH": search, "PYHEXAGON_TEST_SHAPES": "small"}
    paths = [ROOT / "tests/abi", *(ROOT / "tests/ops" / name for name in OP_TESTS)]
    try:
        done = arm64.run(*PYTEST, *paths, "-k", SELECTED, environment=environment, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as expired:
        pytest.fail(f"the tests took longer than {TIMEOUT} s there:\n{expired.stdout!r}")
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
    return done.stdout


def test_the_wheel_is_what_runs(arm64: Userland) -> None:
    script = "import os, pyhexagon, sys; print(os.uname().machine, pyhexagon.__file__)"
    done = arm64.run("-c", script, timeout=TIMEOUT)
    assert done.stdout.split() == ["aarch64", str(arm64.site / "pyhexagon/__init__.py")], done.stderr


def test_numpy_s_products_are_right_there(arm64: Userland) -> None:
    script = (
        "import numpy as np; rng = np.random.default_rng(0); a, b = rng.integers(-99, 99, (2, 257, 257))\n"
        "for t in np.float32, np.float64: assert (a.astype(t) @ b.astype(t) == a @ b).all(), t"
    )
    done = arm64.run("-c", script, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr


def test_abi_tests_pass(tested: str) -> None:
    assert len(re.findall(r"^PASSED .*\babi/test_\w+\.py::", tested, re.MULTILINE)) >= 40


def test_op_suite_passes_on_the_host_engine(tested: str) -> None:
    for dtype in weights.TYPES:
        row = re.search(rf"^{dtype.name}((?: +\d+ of \d+){{4}})$", tested, re.MULTILINE)
        assert row, f"{dtype.name} was not multiplied through both transports, by NEON and by ref:\n{tested[-5000:]}"
        cells = re.findall(r"(\d+) of (\d+)", row[1])
        assert all(equal == n and int(n) > 100 for equal, n in cells)


@pytest.fixture(scope="module")
def real(arm64: Userland, real_library: Path) -> dict[str, Any]:
    """Return the result of each step of real_library.py."""
    script = Path(__file__).with_name("real_library.py")
    try:
        done = arm64.run(script, environment={"LD_LIBRARY_PATH": str(real_library)}, timeout=TIMEOUT)
        output, ending = done.stdout, f"ended with {done.returncode}: {done.stderr[-5000:]}"
    except subprocess.TimeoutExpired as expired:
        output, ending = (expired.stdout or b"").decode(), "hangs"
    lines = [json.loads(line) for line in output.splitlines()]
    # The process itself must also end well: the library's destructors run at its exit.
    assert ending == "ended with 0: ", f"{lines[-1:]}: {ending}"
    steps = [line for line in lines if "step" in line]
    assert [line["begin"] for line in lines if "begin" in line] == [line["step"] for line in steps]
    assert max(line["seconds"] for line in steps) < LONG
    return {line["step"]: line["result"] for line in steps}


def test_device_names_the_missing_node_first(real: dict[str, Any]) -> None:
    assert re.match(
        r"DeviceNotFoundError: .*?neither /dev/fastrpc-cdsp-secure nor /dev/fastrpc-cdsp exists", real["Device()"]
    )


def test_every_symbol_resolves_or_is_a_known_absent_feature(real: dict[str, Any]) -> None:
    assert Path(real["path"]).name.startswith("libcdsprpc.so.1")
    assert real["lacks"] == ["async", "loopback"]


# The C calls give what was seen in experiments with this library on both architectures; the binding adds the types.
NO_DEVICE = 0x72
WITHOUT_DEVICE = {
    "dsp_info 0": 0,
    "dsp_info 9": ["DeviceNotFoundError", "remote_handle_control", NO_DEVICE],
    "dsp_info 1": ["DeviceNotFoundError", "remote_handle_control", NO_DEVICE],
    "dsp_info 6": ["DeviceNotFoundError", "remote_handle_control", NO_DEVICE],
    "dsp_info 5": ["DeviceNotFoundError", "remote_handle_control", NO_DEVICE],
    "capability block as session control": ["ArgumentError", "remote_session_control", 0xE],
    "enable_unsigned": None,
    "open": ["DeviceNotFoundError", "remote_handle64_open", NO_DEVICE],
    "open again": ["DeviceNotFoundError", "remote_handle64_open", NO_DEVICE],
    "open in another thread": ["DeviceNotFoundError", "remote_handle64_open", NO_DEVICE],
    "open without a domain": ["ArgumentError", "", None],  # the binding's own check
    "raw open without a domain": ["ArgumentError", "remote_handle64_open", 0xE],
    "raw open": ["DeviceNotFoundError", "remote_handle64_open", NO_DEVICE],
    "handle is untouched": True,
    "rpcmem_alloc": ["DspMemoryError", "rpcmem_alloc", None],
    "dspqueue_create": ["UnsupportedError", "dspqueue_create", 0x14],
    "fastrpc_mmap": ["HexagonError", "fastrpc_mmap", 0x6B],
    "mem_map": ["HexagonError", "remote_mem_map", 0x6B],
    "invoke": ["ClosedError", "remote_handle64_invoke", None],  # the library would answer 0 and do nothing
    "raw invoke": 0,
    "close": ["ClosedError", "remote_handle64_close", None],
    "raw close": ["ClosedError", "remote_handle64_close", 0x2C],
}


@pytest.mark.parametrize("name", WITHOUT_DEVICE)
def test_call_without_a_device_ends_in_its_error(real: dict[str, Any], name: str) -> None:
    assert real[name] == WITHOUT_DEVICE[name]


def test_every_step_is_in_the_table(real: dict[str, Any]) -> None:
    assert real.keys() - WITHOUT_DEVICE.keys() == {"Device()", "path", "lacks"}


# --- doctor ---


def run_doctor(arm64: Userland, library: Path, directory: Path, root: Path, uid: int) -> dict[str, Any]:
    """The doctor's report there, on the files below a root and with the real library; its checks by name are added."""
    script = directory / "examine.py"
    script.write_text(EXAMINE)
    # A child's deadline counts from its start, and an emulated Python takes seconds for its imports.
    arguments = (script, root, str(uid), str(os.getegid()), str(TIMEOUT / 6))
    done = arm64.run(*arguments, environment={"LD_LIBRARY_PATH": str(library)}, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (1, ""), done.stderr[-5000:]
    report: dict[str, Any] = json.loads(done.stdout)
    report["by_name"] = {check["name"]: check for check in report["checks"]}
    assert not any("did not return within" in check["finding"] for check in report["checks"])
    assert not any("the process ended" in check["finding"] for check in report["checks"])
    return report


def test_doctor_says_that_this_is_no_board(arm64: Userland, real_library: Path, tmp_path: Path) -> None:
    report = run_doctor(arm64, real_library, tmp_path, Path("/"), os.geteuid())
    assert report["first_problem"]["check"] == "soc"
    assert "this is not a board" in report["first_problem"]["finding"]
    nodes = report["by_name"]["nodes"]
    assert nodes["status"] == "failed"
    assert nodes["finding"].startswith("neither /dev/fastrpc-cdsp-secure nor /dev/fastrpc-cdsp exists")
    assert (report["by_name"]["symbols"]["status"], report["by_name"]["skel"]["status"]) == ("ok", "ok")
    assert str(real_library) in report["by_name"]["symbols"]["finding"]
    # The other checks need the missing device: they are skipped, with the reason.
    skipped = {check["name"] for check in report["checks"] if check["status"] == "skipped"}
    assert {"capabilities", "open", "echo-invoke", "selftest"} <= skipped


def test_doctor_gets_a_typed_error_from_every_call_it_makes(
    arm64: Userland, real_library: Path, tmp_path: Path
) -> None:
    """The files of a healthy board, so that nothing is skipped for them; the library finds no node all the same."""
    fake = boards.healthy(tmp_path / "root")
    report = run_doctor(arm64, real_library, tmp_path, fake.root, boards.UID)
    assert {name for name, check in report["by_name"].items() if check["status"] == "failed"} == {
        "capabilities", "open",
    }  # fmt: skip
    for name, call in (("capabilities", "remote_handle_control"), ("open", "remote_handle64_open")):
        assert "AEE_ECONNREFUSED (0x72" in report["by_name"][name]["finding"]
        assert call in report["by_name"][name]["finding"]
        assert report["by_name"][name]["remedy"]
