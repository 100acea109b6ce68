# SPDX-License-Identifier: MIT
"""The libraries for this machine, as the linker leaves them: small, and silent about who built them.

An install strips them once more where the machine has strip, so the files are looked at in the build tree.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import toolchain
from conftest import built

from pyhexagon._ffi import contract
from pyhexagon.process import locate

# And the bytes that each may have; with debug information they have four times as many.
LIBRARIES = {
    "libcdsprpc.so.1": 130_000,
    "host/ref/libpyhexagon_skel.so": 88_000 + 3_000 * len(contract.OPS),
    f"host/{locate.cpu_level()}/libpyhexagon_skel.so": 6_000_000,  # kernels of whole DSP vectors, unrolled
    "libpyhexagon_native.so": 170_000,  # packers of 26 types of weights
    "host/ref/libpyhexagon_sharing.so": 50_000,
    f"host/{locate.cpu_level()}/libpyhexagon_sharing.so": 500_000,  # the matmuls alone
}


@pytest.fixture(scope="module")
def tree() -> Path:
    """Return this checkout's build directory."""
    levels = [f"{name}_{level}" for level in ("ref", locate.cpu_level()) for name in ("host_skel", "sharing")]
    return built("cdsprpc", "pyhexagon_native", *levels)


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_host_library_has_no_debug_information(tree: Path, name: str) -> None:
    image = (tree / name).read_bytes()
    assert b".debug_" not in image
    assert b".symtab" not in image
    assert len(image) <= LIBRARIES[name]


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_host_library_names_no_folder_of_its_builder(tree: Path, name: str) -> None:
    image = (tree / name).read_bytes()
    for folder in (toolchain.ROOT, tree, Path.home(), Path("/tmp")):
        assert str(folder).encode() + b"/" not in image


def test_what_the_compiler_writes_names_the_sources_from_the_checkout_on(tree: Path) -> None:
    objects = sorted((tree / "CMakeFiles").glob("*.dir/**/*.o"))  # without CMake's own program
    assert len(objects) > 20
    for path in objects:
        assert str(toolchain.ROOT).encode() + b"/" not in path.read_bytes(), path
