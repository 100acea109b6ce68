# SPDX-License-Identifier: MIT
"""Compiled kernels in the user's cache: found again, and compiled again whenever their bytes may differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pyhexagon.kernels import cache, elf, toolchain
from pyhexagon.kernels.toolchain import Compiled

SOURCE = "#include <pyhexagon_kernel.h>\nPHX_KERNEL(k, .n_src = 1, .n_dst = 1) { (void)call; return 0; }\n"
TARGET = toolchain.HEXAGON


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the sources that were compiled, with an empty cache."""
    names: list[str] = []
    compile_c = toolchain.compile_c

    def record(source: str, name: str, target: str, options: Any) -> Compiled:
        names.append(name)
        return compile_c(source, name, target, options)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(toolchain, "compile_c", record)
    return names


def test_a_source_is_compiled_once(compiled: list[str]) -> None:
    first = cache.compiled(SOURCE, "k.c", TARGET, ())
    assert cache.compiled(SOURCE, "k.c", TARGET, ()) == first
    assert compiled == ["k.c"]
    (file,) = cache.folder().iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    assert cache.compiled(SOURCE, "k.c", TARGET, ()) == first
    assert compiled == ["k.c"] * 2


@pytest.mark.parametrize(
    ("module", "name", "other"),
    [
        (cache, "VERSION", "9.9"),
        (elf, "ABI", 2),
        (cache, "_compiler", lambda: "9.9"),
        (cache, "_headers", lambda target: "9.9"),
        (toolchain, "options_of", lambda target: ["-O3"]),
        (toolchain, "link_options", lambda target: ["-s"]),
    ],
)
def test_the_name_of_a_compiled_kernel_depends_on(
    module: Any, name: str, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache._key(SOURCE, "k.c", TARGET, ())
    monkeypatch.setattr(module, name, other)
    assert cache._key(SOURCE, "k.c", TARGET, ()) != before


def test_arguments_are_parts_of_the_name() -> None:
    names = {
        cache._key(*arguments)
        for arguments in (
            (SOURCE, "k.c", TARGET, ()), (SOURCE + " ", "k.c", TARGET, ()), (SOURCE, "l.c", TARGET, ()),
            (SOURCE, "k.c", "aarch64-neon", ()), (SOURCE, "k.c", TARGET, ("-DA",)),
            (SOURCE, "k.c", TARGET, ("-DA", "-DB")), (SOURCE, "k.c", TARGET, ("-DA-DB",)),
        )
    }  # fmt: skip
    assert len(names) == 7
