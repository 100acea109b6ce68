# SPDX-License-Identifier: MIT
"""The skels for versions of the DSP after v68 give the recorded bits in QEMU; test_skel.py audits the files.

QEMU's newest CPU is v73 and stands for the later ones. A skel whose code is that of one already tested, but for the
word that says its version, is only opened and asked for a product.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import toolchain
from conftest import Faults
from elf32 import Elf32
from toolchain import LATER, BuildError
from waiting import LONG

from pyhexagon import Device, SkelLoadError, selftest
from pyhexagon.process import locate

pytest_plugins = ("builds_plugin",)

QEMU_NEWEST = "v73"  # its own CPU: tested in full, before archs that may turn out to have the same code
OP_TESTS = ("tests/ops/test_elementwise.py::Test_add", "tests/ops/test_leading.py", "tests/ops/test_cache_copy.py")
OPS = "Test_add or (qemu and (order or forks or (invoke and (Q4_0 or Q6_K or Q8_0))))"  # of those tests
Code = list[tuple[int, ...]]


def code(path: Path) -> Code:
    """The words of the executable sections."""
    return [struct.unpack(f"<{len(section.data) // 4}I", section.data) for section in Elf32.read(path).code]


def same_but_a_word(one: Code, other: Code) -> bool:
    if [len(words) for words in one] != [len(words) for words in other]:
        return False
    return sum(a != b for words in zip(one, other, strict=True) for a, b in zip(*words, strict=True)) <= 1


@pytest.fixture
def lib(every_arch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a pyhexagon/lib of the built skels."""
    for name in ("libcdsprpc.so.1", "libpyhexagon_native.so", "pyhexagon-pd", "host"):
        (tmp_path / name).symlink_to(locate.installed(name).resolve())
    for arch in ("v68", *LATER):
        (tmp_path / arch).symlink_to(every_arch / arch)
    monkeypatch.setenv("PYHEXAGON_LIB", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("qemu", "lib")
def test_op_tests_pass_on_the_skel_of_qemu_s_newest_cpu() -> None:
    """In a pytest of its own, whose loopback has such a DSP."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *OP_TESTS, "-k", OPS]
    environment = {**os.environ, "PYHEXAGON_LOOPBACK": f"arch=0x{QEMU_NEWEST[1:]}"}
    done = subprocess.run(
        command, cwd=toolchain.ROOT, env=environment, capture_output=True, text=True, check=False, timeout=5 * LONG
    )
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]


@pytest.mark.usefixtures("qemu")
def test_skels_for_later_versions_give_the_recorded_bits(lib: Path, faults: Faults) -> None:
    tested: list[Code] = []
    for arch in sorted(LATER, key=lambda one: one != QEMU_NEWEST):
        faults.set("arch", int(arch[1:], 16))
        with Device("loopback:qemu", transport="invoke") as device:
            info = device.info()
            assert Path(info.skel) == lib / arch / locate.SKEL_FILE
            assert f"v{device._session.info.arch:x}" == info.arch == arch
            this = code(Path(info.skel))
            if any(same_but_a_word(this, other) for other in tested):
                x, w = np.ones((3, 64), np.float32), np.ones((70, 64), np.float32)
                assert (device.matmul(x, device.weight(w)).numpy() == 64).all()
                continue
            outcomes = list(selftest.run(device, selftest.recorded()))
            assert {outcome.kernels for outcome in outcomes} == {"ref", "hvx"}
            assert [outcome for outcome in outcomes if outcome.problem] == [], arch
            tested.append(this)


def test_a_dsp_refuses_a_skel_for_a_later_one(
    every_arch: Path, faults: Faults, qemu: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loopback's loader does as the board's: what the binding refuses before would not have worked."""
    del qemu
    skel = every_arch / "v73" / locate.SKEL_FILE
    monkeypatch.setattr(locate, "with_skel_for", lambda target, arch: locate.Target(target.name, None, skel, 164))
    monkeypatch.setattr(locate, "check_skel", lambda target, arch=None: None)
    faults.set("arch", 0x71)
    with pytest.raises(SkelLoadError):
        Device("loopback:qemu")
    faults.set("arch", 0x73)
    Device("loopback:qemu").close()


def test_every_version_is_installed_in_its_folder(every_arch: Path) -> None:
    rules = (every_arch / "cmake_install.cmake").read_text()
    for arch in ("v68", *LATER):
        assert f'/pyhexagon/lib/{arch}" TYPE FILE FILES "{every_arch / arch}/{locate.SKEL_FILE}"' in rules


def test_wheels_contain_the_skels_that_were_tested(every_arch: Path, wheels: dict[str, Path]) -> None:
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if re.search(rf"/v\d+/{locate.SKEL_FILE}$", name)]
            assert len(names) == 3
            for name in names:
                assert archive.read(name) == (every_arch / name.removeprefix("pyhexagon/lib/")).read_bytes(), name


@pytest.mark.parametrize(("archs", "message"), [("v68;v70", "v70 is none of"), ("v73", "v68 must be")])
def test_versions_that_cannot_be_built_are_refused(tmp_path: Path, archs: str, message: str) -> None:
    with pytest.raises(BuildError, match=message):
        toolchain.configure(toolchain.ROOT, tmp_path / "build", {"PYHEXAGON_ARCHS": archs})
