# SPDX-License-Identifier: MIT
"""The doctor's check of user kernels: the kernel that comes with the skel loads, runs, and gives the right values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyhexagon import Device
from pyhexagon.doctor import Status, stages, user_kernel
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.session import Probe
from pyhexagon.errors import DeviceLostError, UnsupportedError
from pyhexagon.kernels import elf, probe, toolchain
from pyhexagon.process import locate
from pyhexagon.process.stub import Stub
from pyhexagon.process.user_kernels import Image

Check = Callable[[], str]


@pytest.fixture(params=["loopback", "loopback:qemu"])
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "loopback:qemu":
        request.getfixturevalue("qemu")
    return str(request.param)


@pytest.fixture
def check(name: str) -> Check:
    return lambda: user_kernel.user_kernel(Probe(locate.find_target(name, None), Board()))


def test_a_kernel_that_loads_and_is_right_passes(check: Check) -> None:
    found = check()
    assert "loads from memory in" in found
    assert found.endswith("all values are right")


def test_the_dsps_image_uses_hvx_and_imports_a_function(qemu: str) -> None:
    image = locate.installed(f"v68/{probe.FILE}").read_bytes()
    descriptor, imports = elf.read(image, toolchain.HEXAGON)
    assert (descriptor.n_src, descriptor.n_dst, descriptor.n_params) == (1, 1, 1)
    assert "memcpy" in imports
    assert imports <= toolchain.exports()
    with Device("loopback:qemu") as device:
        _, report = probe.kernel(device).run_with_report(np.zeros((1, 32), np.int32), mask=0)
    assert report is not None
    assert report.ops[0].hvx_instructions


def test_a_shell_without_dlopenbuf_is_named(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    from_memory = Stub.load_kernel

    def refuse(stub: Stub, number: int, name: str, image: bytes, *, is_path: bool = False) -> None:
        if image and not is_path:
            raise UnsupportedError("no dlopenbuf")
        from_memory(stub, number, name, image, is_path=is_path)

    monkeypatch.setattr(Stub, "load_kernel", refuse)
    assert "from a file, since the DSP's shell has no dlopenbuf" in check()


def test_an_installation_without_the_kernel_skips_the_check(
    check: Check, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(probe, "installed", lambda name: tmp_path / name)
    assert check().startswith("not checked: this installation has no compiled kernel")


def test_a_kernel_that_the_dsp_refuses_is_a_warning(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    image = probe.image
    monkeypatch.setattr(probe, "image", lambda device: Image("probe", image(device).data[:500]))
    with pytest.raises(Problem, match="kernels of users do not load, all built-in ops work: the DSP refuses") as caught:
        check()
    assert caught.value.status is Status.WARNING


def test_wrong_values_are_found(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    right = probe.expected

    def wrong(x: Any, mask: int) -> Any:
        values = right(x, mask)
        values[3, 330] += 1
        return values

    monkeypatch.setattr(probe, "expected", wrong)
    with pytest.raises(Problem, match=r"1 of 22177 wrong values, the first in row 3") as caught:
        check()
    assert caught.value.status is Status.FAILED


def test_a_process_that_dies_in_the_kernel_is_named() -> None:
    found = stages.of_failure("kernel", DeviceLostError("the session is lost"), Board())
    assert "the DSP process died in a user kernel, after built-in ops worked: the session is lost" in found.finding


def test_what_numpy_expects_of_it() -> None:
    x = np.array([[0, -1], [1, 2], [-(1 << 31), 7]], np.int32)
    np.testing.assert_array_equal(probe.expected(x, 0), x + np.arange(3, dtype=np.int32)[:, None])
    np.testing.assert_array_equal(probe.expected(x, 0xFFFFFFFF)[0], [-1, 0])
