# SPDX-License-Identifier: MIT
"""The aarch64 wheel in an arm64 Debian userland under qemu-aarch64: the binding and the host engine on the loopback,
and the binding on the real libcdsprpc of Debian's libfastrpc1, where no DSP is."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from userland import ROOT, Userland

pytest_plugins = ("wheels_plugin",)

TIMEOUT = 300


def run_tests(arm64: Userland, qemu: str, folder: str, expression: str) -> str:
    """Runs tests of this checkout there, on the installed wheel; returns pytest's output."""
    # Some fixtures ask for qemu-hexagon; scripts/get-qemu finds this machine's on PATH.
    environment = {"PATH": os.pathsep.join((str(Path(qemu).parent), os.environ.get("PATH", os.defpath)))}
    arguments = ("-m", "pytest", "-p", "no:cacheprovider", ROOT / folder, "-k", expression)
    try:
        done = arm64.run(*arguments, environment=environment, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as expired:
        pytest.fail(f"{folder} took longer than {TIMEOUT} s there:\n{expired.stdout!r}")
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
    return done.stdout


def passed(output: str) -> int:
    found = re.search(r"(\d+) passed", output)
    return int(found[1]) if found else 0


def test_the_wheel_is_what_runs(arm64: Userland) -> None:
    script = "import os, pyhexagon, sys; print(os.uname().machine, pyhexagon.__file__)"
    done = arm64.run("-c", script, timeout=TIMEOUT)
    assert done.stdout.split() == ["aarch64", str(arm64.site / "pyhexagon/__init__.py")], done.stderr


def test_abi_tests_pass(arm64: Userland, qemu: str) -> None:
    assert passed(run_tests(arm64, qemu, "tests/abi", "not compiler")) >= 10


def test_op_suite_passes_on_the_host_engine(arm64: Userland, qemu: str) -> None:
    # All through one transport but the 200 random cases, and a part through the other: emulation takes its time.
    expression = "(loopback-invoke or (loopback-dspqueue and special)) and not random"
    assert passed(run_tests(arm64, qemu, "tests/ops/test_matmul.py", expression)) >= 24


@pytest.fixture(scope="module")
def real(arm64: Userland, real_library: Path) -> dict[str, Any]:
    """What each step of real_library.py gave."""
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
    assert max(line["seconds"] for line in steps) < 10
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
