# SPDX-License-Identifier: MIT
"""The committed cffi module agrees with the headers, and cffi's layout with a C compiler's."""

from __future__ import annotations

import importlib.util
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pyhexagon._ffi import dspqueue, library
from pyhexagon._ffi._generated import ffi
from pyhexagon.errors import aee

ROOT = Path(__file__).resolve().parents[2]
OPAQUE = {"struct dspqueue"}  # cffi aborts the process when asked for its fields
CONTRACT_SIZES = {
    "phx_buffer": 8,
    "phx_tensor": 56,
    "phx_op": 120,
    "phx_definition": 16,
    "phx_patch": 16,
    "phx_request": 40,
    "phx_op_record": 88,
    "phx_thread_record": 48,
    "phx_response": 88,
    "phx_probe_record": 32,
    "phx_rms_norm_params": 4,
    "phx_flash_attn_ext_params": 16,
    "phx_rope_params": 8,
    "phx_soft_max_params": 4,
    "phx_l2_norm_params": 4,
    "phx_hadamard_params": 4,
    "phx_call_params": 64,
    "phx_log_note": 128,
    "phx_argsort_params": 4,
    "phx_gated_delta_net_params": 8,
    "phx_norm_params": 4,
    "phx_concat_params": 4,
    "phx_scale_params": 8,
    "phx_clamp_params": 8,
    "phx_swiglu_oai_params": 8,
    "phx_log_header": 8,
    "phx_log_entry": 32,
    "phx_meeting_host": 128,
    "phx_meeting_dsp": 128,
    "phx_meeting_tile": 128,
    "phx_message": 16,
}


@pytest.fixture(scope="module")
def build() -> Any:
    """Import the build script of this checkout, wherever pyhexagon was imported from."""
    spec = importlib.util.spec_from_file_location("ffi_build", ROOT / "pyhexagon" / "_ffi" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_module_is_what_the_headers_make(build: Any) -> None:
    committed = build.OUTPUT.read_text(encoding="utf-8")
    assert committed == build.generate(), "run python -m pyhexagon._ffi.build"


def test_generated_types_are_the_rows_of_their_header(build: Any) -> None:
    committed = build.TYPES_OUTPUT.read_text(encoding="utf-8")
    assert committed == build.generate_types(), "run python -m pyhexagon._ffi.build"


def test_generated_ops_are_the_rows_of_their_header(build: Any) -> None:
    committed = build.OPS_OUTPUT.read_text(encoding="utf-8")
    assert committed == build.generate_ops(), "run python -m pyhexagon._ffi.build"


def _compiler() -> list[str]:
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    return [sys.executable, "-m", "ziglang", "cc"]


def _structs() -> list[str]:
    typedefs, structs, unions = ffi.list_types()
    names = [f"struct {name}" for name in structs] + [f"union {name}" for name in unions] + typedefs
    return [name for name in names if ffi.typeof(name).kind in ("struct", "union") and name not in OPAQUE]


def test_cffi_and_a_c_compiler_agree_on_every_struct(build: Any, tmp_path: Path) -> None:
    lines = ["#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>"]
    lines += [f'#include "{header}"' for header in build.HEADERS]
    lines += ["int main(void)", "{"]
    expected = []
    for name in _structs():
        lines.append(f'    printf("%zu\\n", sizeof({name}));')
        expected.append(ffi.sizeof(name))
        for field, _ in ffi.typeof(name).fields:
            if field:
                lines.append(f'    printf("%zu\\n", offsetof({name}, {field}));')
                expected.append(ffi.offsetof(name, field))
    lines += ["    return 0;", "}"]
    source, program = tmp_path / "probe.c", tmp_path / "probe"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
    subprocess.run([*_compiler(), "-std=gnu11", *warnings, str(source), "-o", str(program)], check=True, timeout=300)
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=600).stdout
    assert [int(line) for line in output.split()] == expected


@pytest.mark.parametrize("name", CONTRACT_SIZES)
def test_contract_struct_has_the_size_that_the_dsp_asserts(name: str) -> None:
    assert ffi.sizeof(f"struct {name}") == CONTRACT_SIZES[name]


def test_contract_struct_has_no_padding() -> None:
    for name, size in CONTRACT_SIZES.items():
        assert sum(ffi.sizeof(field.type) for _, field in ffi.typeof(f"struct {name}").fields) == size, name


def test_every_struct_of_the_contract_is_in_the_table_of_sizes() -> None:
    structs = {name for name in ffi.list_types()[1] if name.startswith("phx_")}
    assert structs == set(CONTRACT_SIZES), f"CONTRACT_SIZES lacks {sorted(structs - set(CONTRACT_SIZES))}"


def test_every_status_of_the_contract_has_a_name_and_a_sentence() -> None:
    assert {number: name for number, (name, _) in aee.STATUSES.items()} == ffi.typeof("enum phx_status").elements
    assert all(sentence for _, sentence in aee.STATUSES.values())


def test_buffer_packer_matches_the_struct() -> None:
    packed = struct.unpack("=IIIIQ", bytes(ffi.buffer(_buffer())))
    assert packed == (1, 2, 3, 4, 5)
    assert dspqueue.BUFFER_STRUCT.size == ffi.sizeof("struct dspqueue_buffer")
    assert dspqueue.QueueBuffer._fields == ("fd", "size", "offset", "flags", "address")


def _buffer() -> Any:
    return ffi.new("struct dspqueue_buffer *", {"fd": 1, "size": 2, "offset": 3, "flags": 4, "address": 5})


def test_every_function_that_the_library_class_resolves_is_declared() -> None:
    declared = set(dir(ffi.dlopen(None)))
    resolved = {*library.REQUIRED, *(name for names in library.FEATURES.values() for name in names)}
    assert resolved <= declared
    assert {name for name in declared if name.startswith("loopback_")} <= resolved
    typed = set(library.Library.__annotations__)
    assert typed == resolved - set(library.FEATURES["async"])
