# SPDX-License-Identifier: MIT
"""The first handle that starts owns VTCM until it stops."""

from __future__ import annotations

from pathlib import Path

import pd

from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library
from pyhexagon.process.stub import Stub

pytest_plugins = ("qemu_plugin",)

MIB = 1 << 20


def test_one_handle_holds_it_and_the_others_work_without(library: Library, skel_v68_path: Path) -> None:
    loopback.set_option(library, "vtcm", 2 * MIB)
    with pd.opened(library, skel_v68_path) as a, pd.opened(library, skel_v68_path) as b:
        first, second = Stub(library, a.handle), Stub(library, b.handle)
        assert first.info().vtcm_bytes == 2 * MIB  # all of it
        first.start(0, 2)
        assert second.info().vtcm_bytes == 0
        second.start(0, 2)
        assert (first.info().vtcm_bytes, second.info().vtcm_bytes) == (2 * MIB, 0)
        first.stop()
        assert second.info().vtcm_bytes == 0  # it is not looked for again
        second.stop()
        second.start(0, 2)
        assert (first.info().vtcm_bytes, second.info().vtcm_bytes) == (0, 2 * MIB)
        second.stop()
    with pd.opened(library, skel_v68_path) as c:  # and a handle that is closed without a stop
        third = Stub(library, c.handle)
        third.start(0, 1)
        assert third.info().vtcm_bytes == 2 * MIB


def test_there_is_no_more_than_its_most(library: Library, skel_v68_path: Path) -> None:
    loopback.set_option(library, "vtcm", 32 * MIB)
    with pd.opened(library, skel_v68_path) as handle:
        assert Stub(library, handle.handle).info().vtcm_bytes == 16 * MIB
