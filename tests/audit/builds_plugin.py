# SPDX-License-Identifier: MIT
"""Fixtures of the audits that need a build of their own: the skels for every version of the DSP, from nothing.

A plugin that the test modules name, for mypy allows a tree only one conftest.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import toolchain


@pytest.fixture(scope="session")
def every_arch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build tree with caches of its own, and in it the skels for v68 and all later versions."""
    directory = tmp_path_factory.mktemp("archs")
    caches = toolchain.own_caches(directory)
    tree = directory / "build"
    toolchain.configure(toolchain.ROOT, tree, {"PYHEXAGON_ARCHS": ";".join(("v68", *toolchain.LATER))}, caches)
    toolchain.build(tree, "pyhexagon_skel", environment=caches)
    return tree
