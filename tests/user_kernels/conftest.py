# SPDX-License-Identifier: MIT
"""Devices for user kernels, opened once; and a cache of compiled kernels that the tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pyhexagon import Device

# "loopback" is the engine of "cpu" with the threads of a DSP.
NAMES = ("cpu", pytest.param("loopback", marks=pytest.mark.long), "loopback:qemu")


@pytest.fixture(scope="module", params=NAMES)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    if request.param == "loopback:qemu":
        request.getfixturevalue("qemu")
    with Device(request.param) as device:
        yield device


@pytest.fixture(scope="module")
def dsp(qemu: str) -> Iterator[Device]:
    """The DSP's binary, in the emulator."""
    with Device("loopback:qemu") as device:
        yield device
