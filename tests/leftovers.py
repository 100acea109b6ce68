# SPDX-License-Identifier: MIT
"""Closes devices that a test leaves open, also when it fails: a process has only four sessions."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from pyhexagon import Device

_opened: weakref.WeakSet[Device] = weakref.WeakSet()
_init = Device.__init__


@functools.wraps(_init)
def _recorded_init(self: Device, *arguments: Any, **options: Any) -> None:
    _init(self, *arguments, **options)
    _opened.add(self)


Device.__init__ = _recorded_init  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def no_device_left() -> Iterator[None]:
    """Close the devices that a test opened and did not close, and fail the test for them."""
    before = [weakref.ref(device) for device in _opened]
    yield
    left = [device for device in _opened if not device.closed and weakref.ref(device) not in before]
    for device in left:
        device.close()
    if left:
        pytest.fail(f"left open, and closed now: {', '.join(map(repr, left))}", pytrace=False)
