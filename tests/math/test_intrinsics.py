# SPDX-License-Identifier: MIT
"""Every HVX intrinsic that dsp/cpu/hvx emulates, against the v68 instruction in qemu-hexagon, byte by byte.

Operands are random, and extreme bytes, halves and words. Predicates are random bytes, so they differ within a lane.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import built

from pyhexagon.fetch.qemu import find as find_qemu
from pyhexagon.process import locate

ROOT = Path(__file__).resolve().parents[2]
EMULATION = ROOT / "dsp/cpu/hvx"
HEXAGON = ("-target", "hexagon-linux-musl", "-mcpu=hexagonv68+hvxv68+hvx_length128b", "-mhvx", "-c")
LINKER = ("ld.lld", "-m", "hexagonelf", "-static", "-no-pie", "--image-base=65536", "@hexagon/musl/link")
CPU = (f"-I{EMULATION}", "-fwrapv", "-fno-strict-aliasing", "-Wno-psabi")
FLAGS = {  # of CMakeLists.txt
    "avx2": ("-mavx2",),
    "avx512_vnni": (
        *("-mavx2", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni"),
        "-mprefer-vector-width=512",
    ),
    "neon": ("-mcpu=generic+v8_2a+dotprod",),
}
KINDS = {"HVX_Vector": "V", "HVX_VectorPair": "W", "HVX_VectorPred": "Q", "Word32": "R", "HVX_Vector*": "M", "void": ""}
N_ROWS, N_VECTORS = 300, 9
Signature = tuple[str, list[str]]


def header() -> str:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        if "CI" in os.environ:
            raise RuntimeError("no ziglang")
        pytest.skip("no compiler: pip install ziglang")
    return (Path(spec.origin).parent / "lib/include/hvx_hexagon_protos.h").read_text()


def signatures() -> dict[str, Signature]:
    """Return the result and the operands of each emulated intrinsic, in letters of KINDS."""
    source = (EMULATION / "hvx_hexagon_protos.h").read_text()
    emulated = set(re.findall(r"\b(Q6_\w+)\(", source))
    emulated |= {f"Q6_{name}" for name in re.findall(r"^CPU_(?!COMPARE)[A-Z_]+\((V\w+),", source, re.MULTILINE)}
    emulated |= {f"Q6_Q_vcmp_{name}" for name in re.findall(r"^CPU_COMPARE\((\w+),", source, re.MULTILINE)}
    found = {}
    for result, name, operands in re.findall(r"C Intrinsic Prototype: (\w+) (Q6_\w+)\(([^)]*)\)", header()):
        if name in emulated:
            found[name] = KINDS[result], [KINDS[one.split()[0]] for one in operands.split(",") if one]
    assert set(found) == emulated, "the emulation has an intrinsic that LLVM's header does not have"
    return found


def operand(kind: str, i: int) -> str:
    return {
        "V": f"v[{2 * i}]",
        "W": f"Q6_W_vcombine_VV(v[{2 * i + 1}], v[{2 * i}])",
        "Q": f"Q6_Q_vcmp_eq_VbVb(Q6_V_vand_VV(v[{2 * i}], one), one)",
        "R": "r",
        "M": "to",
    }[kind]


def statement(name: str, result: str, kinds: Sequence[str]) -> str:
    call = f"{name}({', '.join(operand(kind, i) for i, kind in enumerate(kinds))})"
    return {
        "V": f"to[0] = {call};",
        "W": f"HVX_VectorPair w = {call}; to[0] = Q6_V_lo_W(w); to[1] = Q6_V_hi_W(w);",
        "Q": f"to[0] = Q6_V_vmux_QVV({call}, Q6_V_vsplat_R(-1), Q6_V_vzero());",
        "R": f"to[0] = Q6_V_vsplat_R({call});",
        "": f"{call};",
    }[result]


def program(table: dict[str, Signature]) -> str:
    """Return C that reads rows of vectors and writes two vectors for each row and intrinsic."""
    functions = [
        f"static void f{i}(const HVX_Vector *v, HVX_Vector one, int r, HVX_Vector *to) {{ "
        f"(void)v, (void)one, (void)r; {statement(name, *signature)} }}"
        for i, (name, signature) in enumerate(table.items())
    ]
    return f"""#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <stdio.h>
{chr(10).join(functions)}
static void (*const all[])(const HVX_Vector *, HVX_Vector, int, HVX_Vector *) = {{
    {", ".join(f"f{i}" for i in range(len(table)))}}};
static HVX_Vector rows[{N_ROWS}][{N_VECTORS}], to[2];
int main(void) {{
    HVX_Vector one = Q6_V_vsplat_R(0x01010101);
    if (fread(rows, sizeof(rows), 1, stdin) != 1) return 1;
    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (int row = 0; row < {N_ROWS}; row++) {{
            to[0] = to[1] = Q6_V_vzero();
            all[i](rows[row], one, *(const int *)&rows[row][{N_VECTORS - 1}], to);
            if (fwrite(to, sizeof(to), 1, stdout) != 1) return 1;
        }}
    return 0;
}}
"""


def rows() -> npt.NDArray[np.uint8]:
    """Return random vectors; in every other row extreme bytes, halves or words; in some a small last word."""
    rng = np.random.default_rng(68)
    found = rng.integers(0, 256, (N_ROWS, N_VECTORS * 128), dtype=np.uint8)
    for i in range(0, N_ROWS, 2):
        bits = 8 << i // 2 % 3
        extremes = np.array([0, 1, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2**bits - 1], f"u{bits // 8}")
        found[i] = rng.choice(extremes, N_VECTORS * 1024 // bits).view(np.uint8)
    found.view(np.int32)[1::4, -32] = rng.integers(-40, 160, len(found[1::4]))
    return found


def zig(*arguments: str, cwd: Path | None = None) -> None:
    command = [sys.executable, "-m", "ziglang", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:5000]


def build(source: Path, path: Path, *options: str) -> Path:
    zig("cc", "-std=gnu11", "-O2", *options, str(source), "-o", str(path))
    return path


def compute(path: Path, *runner: str) -> npt.NDArray[np.uint8]:
    run = subprocess.run([*runner, str(path)], input=rows().tobytes(), capture_output=True, check=False, timeout=600)
    assert run.returncode == 0, run.stderr
    return np.frombuffer(run.stdout, np.uint8).reshape(-1, N_ROWS, 256)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("intrinsics") / "intrinsics.c"
    path.write_text(program(signatures()))
    return path


@pytest.fixture(scope="module")
def v68(source: Path, qemu: str) -> npt.NDArray[np.uint8]:
    """Return what QEMU computes, in a program with the C library of the build directory."""
    objects, path = build(source, source.with_suffix(".o"), *HEXAGON), source.with_suffix("")
    zig(*LINKER, "-o", str(path), str(objects), cwd=built("pyhexagon_pd"))
    return compute(path, qemu, "-cpu", "v68")


def check(got: npt.NDArray[np.uint8], want: npt.NDArray[np.uint8]) -> None:
    problems = []
    for name, one, other in zip(signatures(), got, want, strict=True):
        places: Any = np.argwhere(one != other)
        if len(places):
            row, byte = places[0]
            problems.append(
                f"{name}: {len(places)} bytes; row {row}, byte {byte}: {one[row, byte]:02x}, not {other[row, byte]:02x}"
            )
    assert problems == []


@pytest.mark.parametrize("level", list(locate.CPU_LEVELS.get(platform.machine(), {})))
def test_the_emulation_has_the_bytes_of_the_dsp(
    tmp_path: Path, source: Path, v68: npt.NDArray[np.uint8], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYHEXAGON_CPU", raising=False)
    if level == "avx512_vnni" and locate.cpu_level() != level:
        pytest.skip(f"this CPU has no {level}")
    target = f"{platform.machine()}-linux-gnu.2.17"
    check(compute(build(source, tmp_path / "program", "-target", target, *CPU, *FLAGS[level])), v68)


@pytest.mark.long
def test_the_emulation_for_arm_has_the_bytes_of_the_dsp(
    tmp_path: Path, source: Path, v68: npt.NDArray[np.uint8]
) -> None:
    path = build(source, tmp_path / "program", "-target", "aarch64-linux-musl", "-static", *CPU, *FLAGS["neon"])
    check(compute(path, str(find_qemu("aarch64")), "-cpu", "cortex-a76"), v68)
