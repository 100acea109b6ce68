# SPDX-License-Identifier: MIT
"""Each integer HVX intrinsic of v68, as dsp/cpu/hvx emulates it, against the instruction in qemu-hexagon, byte by byte.

Operands are random, extreme bytes, halves and words, and ramps. Predicates are random bytes, so they differ within a
lane.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import re
import runpy
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
KINDS = {"HVX_Vector": "V", "HVX_VectorPair": "W", "HVX_VectorPred": "Q", "Word32": "R", "Word64": "P", "void": ""}
POINTERS = {"HVX_Vector*": "to", "HVX_VectorPred*": "carry"}
IMMEDIATES = {"Iu1": "2", "Iu2": "4", "Iu3": "8"}  # the number of their values
FLOATING_POINT = re.compile("[VW](?:sf|hf|qf16|qf32)")
N_ROWS, N_VECTORS = 200, 9
Signature = tuple[str, list[str]]


def headers() -> Path:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        if "CI" in os.environ:
            raise RuntimeError("no ziglang")
        pytest.skip("no compiler: pip install ziglang")
    return Path(spec.origin).parent / "lib/include"


def target() -> tuple[str, ...]:
    level = next(iter(locate.CPU_LEVELS.get(platform.machine(), {})), "")
    if not level:
        pytest.skip(f"no vector kernels for {platform.machine()}")
    return "-target", f"{platform.machine()}-linux-gnu.2.17", *CPU, *FLAGS[level]


def preprocess(header: str, *options: str) -> str:
    command = [sys.executable, "-m", "ziglang", "cc", "-E", *options, "-xc", "-"]
    include = f"#include <hexagon_types.h>\n#include <{header}>\n"
    return subprocess.run(command, input=include, capture_output=True, text=True, check=True).stdout


@functools.cache
def signatures() -> dict[str, Signature]:
    """Return the intrinsics that LLVM's header has for v68 without floating-point vectors, those of dsp/hvx first.

    The result and the operands are letters of KINDS, names of POINTERS, "Rt" and "Mu" (a region of memory), or the
    number of values of an immediate number.
    """
    defined = set(re.findall(r"#define (\w+)\(", preprocess("hvx_hexagon_protos.h", "-dM", *HEXAGON[:-1])))
    found = {}
    text = (headers() / "hvx_hexagon_protos.h").read_text()
    for result, name, operands in re.findall(r"C Intrinsic Prototype: (\w+) (Q6_\w+)\(([^)]*)\)", text):
        if name in defined and not FLOATING_POINT.search(name):
            pairs = [one.split() for one in operands.split(",") if one]
            special = {**IMMEDIATES, **({"Rt": "Rt", "Mu": "Mu"} if "Mu" in operands else {})}
            found[name] = KINDS[result], [special.get(of) or {**KINDS, **POINTERS}[kind] for kind, of in pairs]
    return dict(sorted(found.items(), key=lambda item: item[0] not in defined_in("hvx_hexagon_protos.h")))


@functools.cache
def defined_in(header: str) -> list[str]:
    """Return the vector intrinsics that a header of dsp/cpu/hvx and the headers that it includes define."""
    found = re.findall(r"(?<=static inline )[^{;]*?\b(Q6_\w+) ?\(", preprocess(header, *target()))
    return [name for name in found if not name.startswith("Q6_R_combine")]


def operand(kind: str, i: int) -> str:
    return {
        "V": f"v[{2 * i}]",
        "W": f"Q6_W_vcombine_VV(v[{2 * i + 1}], v[{2 * i}])",
        "Q": f"Q6_Q_vcmp_eq_VbVb(Q6_V_vand_VV(v[{2 * i}], one), one)",
        "R": "r",
        "P": f"*(const long long *)&v[{N_VECTORS - 1}]",
        "to": "to",
        "carry": "&carry",
        "Rt": "region + (r & 1)",
        "Mu": "255 - (r & 1)",
    }.get(kind, "IMMEDIATE")


def memory(name: str, kinds: Sequence[str]) -> str:
    """Return C that gathers from 256 bytes of the row, or scatters to 256 bytes of the result."""
    size, region = (4 if "Vw" in name else 2), ("v + 4" if "gather" in name else "to")
    at = kinds.index("Mu") + 1
    last = 255 if "acc" in name else 256 - size  # of aligned elements; what accumulates aligns them
    mask = f"Q6_V_vsplat_R({last if 'w' in name else last * 65537})"
    offsets = "Q6_W_vcombine_VV(low[1], low[0])" if kinds[at] == "W" else "low[0]"
    arguments = [offsets if i == at else operand(kind, i) for i, kind in enumerate(kinds)]
    return f"""uintptr_t region = (uintptr_t)({region});
        HVX_Vector mask = {mask}, low[] = {{Q6_V_vand_VV(v[0], mask), Q6_V_vand_VV(v[1], mask)}};
        to[0] = v[6], to[1] = v[7];
        __asm__ volatile("" ::: "memory");
        {name}({", ".join(arguments)});
        __asm__ volatile("" ::: "memory");"""


def statement(name: str, result: str, kinds: Sequence[str]) -> str:
    if "Mu" in kinds:
        return memory(name, kinds)
    call = f"{name}({', '.join(operand(kind, i) for i, kind in enumerate(kinds))})"
    code = {
        "V": f"to[0] = {call};",
        "W": f"HVX_VectorPair w = {call}; to[0] = Q6_V_lo_W(w); to[1] = Q6_V_hi_W(w);",
        "Q": f"to[0] = Q6_V_vmux_QVV({call}, Q6_V_vsplat_R(-1), Q6_V_vzero());",
        "R": f"to[0] = Q6_V_vsplat_R({call});",
        "": f"{call};",
    }[result]
    if "carry" in kinds:
        carry = operand("Q", kinds.index("carry"))
        code = f"HVX_VectorPred carry = {carry}; {code} to[1] = Q6_V_vmux_QVV(carry, Q6_V_vsplat_R(-1), Q6_V_vzero());"
    n = next((int(kind) for kind in kinds if kind.isdigit()), 0)
    cases = (f"case {i}: {{ {code.replace('IMMEDIATE', str(i))} break; }}" for i in range(n))
    return f"IMMEDIATELY({n}, {code}, {' '.join(cases)})" if n else code


def program() -> str:
    """Return C that reads rows of vectors and writes two vectors for each row and intrinsic.

    With -DNATIVE only for the intrinsics of dsp/hvx, some of which have instructions of the CPU's level.
    """
    n = len(defined_in("hvx_hexagon_protos.h"))
    functions = [
        f"static void f{i}(const HVX_Vector *v, HVX_Vector one, int r, HVX_Vector *to) {{ "
        f"(void)v, (void)one, (void)r; {statement(name, *signature)} }}"
        for i, (name, signature) in enumerate(signatures().items())
    ]
    return f"""#ifdef __hexagon__
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#define IMMEDIATELY(n, code, ...) switch (r & ((n) - 1)) {{ __VA_ARGS__ }}
#else
#include <all.h>
#define IMMEDIATE (r & (n - 1))
#define IMMEDIATELY(n_values, code, ...) const int n = n_values; code
#endif
#include <stdint.h>
#include <stdio.h>
{chr(10).join(functions[:n])}
#ifdef NATIVE
#define OTHERS
#else
{chr(10).join(functions[n:])}
#define OTHERS {", ".join(f"f{i}" for i in range(n, len(functions)))}
#endif
static void (*const all[])(const HVX_Vector *, HVX_Vector, int, HVX_Vector *) = {{
    {", ".join(f"f{i}" for i in range(n))}, OTHERS}};
static HVX_Vector rows[{N_ROWS}][{N_VECTORS}], to[{N_ROWS}][2];
int main(void) {{
    HVX_Vector one = Q6_V_vsplat_R(0x01010101);
    if (fread(rows, sizeof(rows), 1, stdin) != 1) return 1;
    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {{
        for (int row = 0; row < {N_ROWS}; row++) {{
            to[row][0] = to[row][1] = Q6_V_vzero();
            all[i](rows[row], one, *(const int *)&rows[row][{N_VECTORS - 1}], to[row]);
        }}
        if (fwrite(to, sizeof(to), 1, stdout) != 1) return 1;
    }}
    return 0;
}}
"""


def rows() -> npt.NDArray[np.uint8]:
    """Return random vectors; in every other row extreme bytes, halves or words, or ramps; in some a small last word."""
    rng = np.random.default_rng(68)
    found = rng.integers(0, 256, (N_ROWS, N_VECTORS * 128), dtype=np.uint8)
    for i in range(0, N_ROWS, 2):
        bits = 8 << i // 2 % 4
        if bits == 64:
            found[i] = np.arange(N_VECTORS * 128) * (1 + i // 8) + i
            continue
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
    path.write_text(program())
    return path


@pytest.fixture(scope="module")
def v68(source: Path, qemu: str) -> npt.NDArray[np.uint8]:
    """Return what QEMU computes, in a program with the C library of the build directory."""
    objects, path = build(source, source.with_suffix(".o"), *HEXAGON), source.with_suffix("")
    zig(*LINKER, "-o", str(path), str(objects), cwd=built("pyhexagon_pd"))
    return compute(path, qemu, "-cpu", "v68")


def check(got: npt.NDArray[np.uint8], want: npt.NDArray[np.uint8]) -> None:
    problems = []
    for name, one, other in zip(signatures(), got, want, strict=False):
        places: Any = np.argwhere(one != other)
        if len(places):
            row, byte = places[0]
            problems.append(
                f"{name}: {len(places)} bytes; row {row}, byte {byte}: {one[row, byte]:02x}, not {other[row, byte]:02x}"
            )
    assert problems == []


def test_each_integer_intrinsic_of_v68_is_defined_once() -> None:
    assert sorted(defined_in("all.h")) == sorted(signatures())
    assert len(signatures()) == 397


def levels() -> list[Any]:
    """Return this CPU's levels; all but the first for the intrinsics of dsp/hvx, and in the long lane for all."""
    first, *others = locate.CPU_LEVELS.get(platform.machine(), {}) or [""]
    others = [level for level in others if level != "avx512_vnni" or locate.cpu_level() == level]
    complete = [pytest.param(level, marks=pytest.mark.long) for level in others]
    return [first, *(f"{level} native" for level in others), *complete] if first else []


@pytest.mark.parametrize("level", levels())
def test_the_emulation_has_the_bytes_of_the_dsp(
    tmp_path: Path, source: Path, v68: npt.NDArray[np.uint8], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYHEXAGON_CPU", raising=False)
    level, _, native = level.partition(" ")
    machine, options = f"{platform.machine()}-linux-gnu.2.17", ["-DNATIVE"] if native else []
    got = compute(build(source, tmp_path / "program", "-target", machine, *CPU, *FLAGS[level], *options))
    assert len(got) == len(defined_in("hvx_hexagon_protos.h") if native else signatures())
    check(got, v68)


@pytest.mark.long
def test_the_emulation_for_arm_has_the_bytes_of_the_dsp(
    tmp_path: Path, source: Path, v68: npt.NDArray[np.uint8]
) -> None:
    path = build(source, tmp_path / "program", "-target", "aarch64-linux-musl", "-static", *CPU, *FLAGS["neon"])
    check(compute(path, str(find_qemu("aarch64")), "-cpu", "cortex-a76"), v68)


OUTSIDE = """#include <all.h>
#include <stdio.h>
static _Alignas(128) uint16_t region[64], offsets[65];
int main(void) {
    HVX_Vector even, to = Q6_Vh_vsplat_R(7), ones = Q6_Vh_vsplat_R(1);
    for (int i = 0; i < 64; i++) region[i] = (uint16_t)(100 + i), offsets[i + 1] = (uint16_t)(4 * i);
    even = *(const HVX_UVector *)(offsets + 1);
    Q6_vgather_ARMVh(&to, (uintptr_t)region, 63, even);
    Q6_vscatter_RMVhV((uintptr_t)region, 31, even, ones);
    Q6_vscatteracc_RMVhV((uintptr_t)region, 63, even, ones);
    return fwrite(&to, 128, 1, stdout) != 1 || fwrite(region, 128, 1, stdout) != 1;
}
"""


def test_what_lies_outside_a_region_is_neither_gathered_nor_scattered(tmp_path: Path) -> None:
    source, region = tmp_path / "outside.c", np.arange(100, 164, dtype=np.uint16)
    source.write_text(OUTSIDE)
    run = subprocess.run([str(build(source, tmp_path / "outside", *target()))], capture_output=True, check=True)
    gathered, scattered = np.frombuffer(run.stdout, np.uint16).reshape(2, 64)
    np.testing.assert_array_equal(gathered, [*region[:32:2], *[7] * 48])
    region[:16:2] = 1
    region[:32:2] += 1
    np.testing.assert_array_equal(scattered, region)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("(&to, (uintptr_t)", "(&to, (int)(uintptr_t)", r"wrong.c:8:.*write the address as \(uintptr_t\)region"),
        ("Q6_Vh_vsplat_R(1)", "Q6_Vqf32_vadd_VsfVsf(to, to)", r"wrong.c:5:.*undeclared.*Q6_Vqf32_vadd_VsfVsf"),
    ],
)
def test_what_a_cpu_cannot_do_does_not_compile(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(OUTSIDE.replace(right, wrong))
    with pytest.raises(AssertionError, match=message):
        build(source, tmp_path / "wrong", *target())


def test_the_page_for_users_lists_them() -> None:
    script = runpy.run_path(str(ROOT / "scripts/hvx_table.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["page"]() == page, "run scripts/hvx_table.py"
    listed = re.findall(r"`(Q6_\w+)`", page)
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(signatures())
