# SPDX-License-Identifier: MIT
"""The choice of a skel: the newest installed one that the DSP runs, reported by info and doctor; never a later one.

The skels here are copies of the v68 skel with other versions in their ELF headers; tests/audit/test_archs.py has real
ones.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import ContractError, Device
from pyhexagon._ffi import remote
from pyhexagon.process import locate

X = np.ones((2, 32), np.float32)
W = np.ones((4, 32), np.float32)


@pytest.fixture
def lib(qemu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a pyhexagon/lib with skels for v68, v73 and v79, and other folders."""
    for name in ("libcdsprpc.so.1", "pyhexagon-pd"):
        (tmp_path / name).symlink_to(locate.installed(name).resolve())
    image = bytearray(locate.installed(f"v68/{locate.SKEL_FILE}").read_bytes())
    for version in (0x68, 0x73, 0x79):
        struct.pack_into("<I", image, 36, version)
        folder = tmp_path / f"v{version:x}"
        folder.mkdir()
        (folder / locate.SKEL_FILE).write_bytes(image)
    for name in ("v75", "v7", "vzz", "host"):
        (tmp_path / name).mkdir()
        if name != "v75":
            shutil.copy(tmp_path / "v68" / locate.SKEL_FILE, tmp_path / name)
    monkeypatch.setenv("PYHEXAGON_LIB", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("dsp", "skel"),
    [(0x68, "v68"), (0x69, "v68"), (0x71, "v68"), (0x73, "v73"), (0x75, "v73"), (0x79, "v79"), (0x81, "v79")],
    ids=lambda value: value if isinstance(value, str) else f"{value:x}",
)
def test_the_newest_skel_that_the_dsp_runs_is_taken(lib: Path, faults: Faults, dsp: int, skel: str) -> None:
    faults.set("arch", dsp)
    with Device("loopback:qemu") as device:
        info = device.info()
        assert (device.matmul(X, device.weight(W)).numpy() == 32).all()
    assert info.arch == f"v{dsp:x}"
    assert Path(info.skel) == lib / skel / locate.SKEL_FILE
    assert info.skel_reason == f"{skel}: the newest that a v{dsp:x} DSP runs; here are v68, v73, v79"


def test_a_dsp_that_does_not_tell_its_version_gets_the_oldest(lib: Path, faults: Faults) -> None:
    faults.set("arch", 0)
    arch = remote.arch(faults.library, remote.CDSP)
    assert arch is None
    target = locate.with_skel_for(locate.find_target("loopback:qemu"), arch)
    assert target.skel == lib / "v68" / locate.SKEL_FILE
    assert "the library does not report the DSP's version" in target.skel_reason


def test_a_dsp_that_is_too_old_is_refused_before_anything_is_opened(lib: Path, faults: Faults) -> None:
    faults.set("arch", 0x66)
    before = faults.count("remote_handle64_open")
    with pytest.raises(ContractError, match="built for Hexagon v68, this DSP is v66"):
        Device("loopback:qemu")
    assert faults.count("remote_handle64_open") == before


def test_a_skel_in_the_wrong_folder_is_refused_before_anything_is_opened(lib: Path, faults: Faults) -> None:
    shutil.copy(lib / "v79" / locate.SKEL_FILE, lib / "v73")
    faults.set("arch", 0x73)
    before = faults.count("remote_handle64_open")
    with pytest.raises(ContractError, match="built for Hexagon v79, this DSP is v73"):
        Device("loopback:qemu")
    assert faults.count("remote_handle64_open") == before


def test_only_one_version_is_installed_by_default(engine: str) -> None:
    with Device(engine) as device:
        reason = device.info().skel_reason
    kernels = f"CPU kernels: {locate.cpu_level()}"
    assert reason == (kernels if engine == "loopback" else "v68: the newest that a v68 DSP runs; only one here")


@pytest.mark.long
@pytest.mark.usefixtures("lib")
def test_doctor_and_info_tell_the_choice() -> None:
    def ask(command: str) -> str:
        arguments = [sys.executable, "-m", "pyhexagon", command, "--device", "loopback:qemu", "--json"]
        environment = {**os.environ, "PYHEXAGON_LOOPBACK": "arch=0x75"}
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=300, env=environment)
        return done.stdout

    reason = "v73: the newest that a v75 DSP runs; here are v68, v73, v79"
    assert json.loads(ask("info"))["skel_reason"] == reason
    (capabilities,) = (one for one in json.loads(ask("doctor"))["checks"] if one["name"] == "capabilities")
    assert capabilities["finding"].startswith("arch v75, ")
    assert capabilities["finding"].endswith(f"; skel {reason}")
