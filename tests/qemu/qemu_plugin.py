# SPDX-License-Identifier: MIT
"""Fixtures of these tests: the probe skel, the board's files, and a library as after loading.

A plugin that the test modules name, for mypy allows a tree only one conftest.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import needs
import pd
import pytest

from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library, load
from pyhexagon.process import locate


@pytest.fixture
def library(qemu: str) -> Iterator[Library]:
    """The loopback, as after loading."""
    assert qemu
    library = load(locate.installed("libcdsprpc.so.1"))
    loopback.reset(library)
    yield library
    loopback.reset(library)


@pytest.fixture(scope="session")
def probe_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """probe_skel.c for v68."""
    return pd.build_probe(tmp_path_factory.mktemp("probe"))


@pytest.fixture(scope="session")
def board_files() -> Path:
    """The board's DSP files, unpacked from the distribution's package."""
    needs.require("board files")
    return needs.BOARD_FILES
