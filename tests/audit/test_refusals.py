# SPDX-License-Identifier: MIT
"""A skel with a fault that the board would punish does not get through: the build or an audit stops it.

A small skel is built with the functions of dsp/cmake/skel.cmake, one fault at a time.
"""

from __future__ import annotations

from pathlib import Path

import audits
import pytest
import toolchain
from elf32 import Elf32
from toolchain import BuildError

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
include("{skel_cmake}")
hexagon_skel(pyhexagon_skel SOURCES skel.c OPTIONS {options})
"""
CODE = """
{declarations}
int HAP_mmap(void);
int pyhexagon_skel_handle_invoke(unsigned long long handle, unsigned scalars, void *args);
static int body(void) {{ return HAP_mmap() && {expression}; }}
static int (*volatile pointer)(void) = body;
__attribute__((visibility("default")))
int pyhexagon_skel_handle_invoke(unsigned long long handle, unsigned scalars, void *args) {{
    return handle && scalars && args && pointer();
}}
"""
SHELL = frozenset({"HAP_mmap"})


def _build(directory: Path, declarations: str, expression: str = "1", *options: str) -> Elf32:
    """Builds the small skel with something more declared, evaluated and asked of the compiler."""
    (directory / "CMakeLists.txt").write_text(
        PROJECT.format(skel_cmake=toolchain.ROOT / "dsp/cmake/skel.cmake", options=" ".join(options))
    )
    (directory / "build").mkdir()  # in which the compilers run
    (directory / "build/skel.c").write_text(CODE.format(declarations=declarations, expression=expression))
    toolchain.configure(directory, directory / "build", {"PYHEXAGON_PD": "OFF"})
    toolchain.build(directory / "build", "pyhexagon_skel")
    return Elf32.read(directory / "build" / toolchain.SKEL)


def test_small_skel_without_a_fault_passes(tmp_path: Path) -> None:
    skel = _build(tmp_path, "")
    assert audits.shape_problems(skel) == []
    assert audits.import_problems(skel, SHELL) == []


@pytest.mark.parametrize(
    ("declarations", "expression", "options", "message"),
    [
        ("static _Thread_local volatile int n;", "n++", [], "thread-local data"),
        ("extern volatile int n; volatile int n = 1;", "n", ["-fno-pic", "-fvisibility=default"], "-fPIC"),
        ("static inline int f(int unused) { return 1; }", "f(1)", [], "unused-parameter"),
    ],
    ids=["thread-local", "text-relocation", "warning"],
)
def test_build_refuses(tmp_path: Path, declarations: str, expression: str, options: list[str], message: str) -> None:
    with pytest.raises(BuildError, match=message):
        _build(tmp_path, declarations, expression, *options)


@pytest.mark.parametrize(
    ("declarations", "expression", "problem"),
    [
        ("int mmap(void);", "mmap()", "mmap: refused by the loader"),
        ("int HAP_mmap2(void);", "HAP_mmap2()", "HAP_mmap2: not exported by the shell"),
        (
            "__attribute__((weak)) int HAP_mmap2(void);",
            "HAP_mmap2 && HAP_mmap2()",
            "HAP_mmap2: a weak import without a reason in WEAK_IMPORTS",
        ),
        (
            "static volatile double d; static volatile _Float16 h;",
            "(h = (_Float16)d) > 1",
            "__truncdfhf2: not exported by the shell",
        ),
    ],
    ids=["blacklisted", "absent", "weak", "compiler-helper"],
)
def test_import_is_found(tmp_path: Path, declarations: str, expression: str, problem: str) -> None:
    assert audits.import_problems(_build(tmp_path, declarations, expression), SHELL) == [problem]


def test_import_that_the_loader_replaces_is_allowed(tmp_path: Path) -> None:
    skel = _build(tmp_path, "int qurt_timer_sleep(void);", "qurt_timer_sleep()")
    assert {symbol.name for symbol in skel.imports} == {"HAP_mmap", "qurt_timer_sleep"}
    assert audits.import_problems(skel, SHELL) == []


def test_second_export_is_found(tmp_path: Path) -> None:
    skel = _build(tmp_path, 'extern __attribute__((visibility("default"))) int phx_more; int phx_more = 1;')
    assert audits.shape_problems(skel) == ["exports ['phx_more', 'pyhexagon_skel_handle_invoke']"]


@pytest.mark.parametrize(("attribute", "section"), [("constructor", ".ctors"), ("destructor", ".dtors")])
def test_function_that_nobody_would_call_is_found(tmp_path: Path, attribute: str, section: str) -> None:
    """Nothing in the dynamic table tells: the target fills .ctors, and only an SDK's start files walk them."""
    function = f"static volatile int n; __attribute__(({attribute})) static void f(void) {{ n = 1; }}"
    assert audits.shape_problems(_build(tmp_path, function, "n")) == [f"section {section}: nobody calls what is in it"]
