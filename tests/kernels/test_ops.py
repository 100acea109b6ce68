# SPDX-License-Identifier: MIT
"""The kernels of ops of rows, called below the runtime in one qemu-hexagon process: hvx against ref bit for bit,
hvx against float64 and gguf, and what they cost.

Operands begin and end at any element between unmapped pages, with gaps, broadcasting and dst over src[0].
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon.quants import dequantise, repack, tile_bytes, tile_types

RANDOM_CASES = {
    **{"elementwise": 4000, "rms_norm": 1500, "get_rows": 1600, "cpy": 1000, "set_rows": 600, "rope": 1500},
    "soft_max": 1500,
    "l2_norm": 800,
    "hadamard": 800,
    "sum_rows": 800,
    **{"argmax": 800, "top_k": 800, "argsort": 300, "norm": 1000, "concat": 400, "repeat": 400},
    "ssm_conv": 500,
    "gated_delta_net": 500,
}

# Cases in the push lane of ops with slow cases; tests/ops compares the results of these ops for each type, too.
FIRST_CASES = {"get_rows": 400, "cpy": 400, "argsort": 100}

Floats = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def program(kernel_programs: Path) -> Path:
    """The program of ops/main.c, for qemu-hexagon."""
    return kernel_programs / "ops"


def run(qemu: str, program: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Runs the program; its output."""
    command = [qemu, "-cpu", "v68", str(program), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout[-500:]!r}{done.stderr!r}"
    return done.stdout


@pytest.mark.parametrize("op", RANDOM_CASES)
def test_random_cases_match_the_reference_bit_for_bit(qemu: str, program: Path, op: str) -> None:
    print(run(qemu, program, "check", op, "0", str(FIRST_CASES.get(op, RANDOM_CASES[op]))).decode())


@pytest.mark.long
@pytest.mark.parametrize("op", FIRST_CASES)
def test_the_other_random_cases_match_the_reference_bit_for_bit(qemu: str, program: Path, op: str) -> None:
    first = FIRST_CASES[op]
    print(run(qemu, program, "check", op, str(first), str(RANDOM_CASES[op] - first)).decode())


def test_one_case_shows_the_lane_that_differs_and_leaves_its_memory(
    qemu: str, program: Path, tmp_path: Path
) -> None:
    command = [qemu, "-cpu", "v68", str(program), "case", "wrong", "7", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 1
    found = re.search(
        r"wrong, case 7, dst 1 x 2 x 3 x 40, \d+ packets: row 4 \(0, 1, 1\) column 33: "
        r"ref ([0-9a-f]{8}), hvx ([0-9a-f]{8})\n", done.stdout,
    )  # fmt: skip
    assert found is not None, done.stdout
    ref, hvx = (np.fromfile(tmp_path / f"dst.{name}.bin", np.uint32) for name in ("ref", "hvx"))
    (at,) = np.flatnonzero(ref != hvx)
    assert (f"{ref[at]:08x}", f"{hvx[at]:08x}") == found.groups()
    assert int(ref[at]) ^ int(hvx[at]) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"src0.bin", "src1.bin", "dst.ref.bin", "dst.hvx.bin"}


def test_an_elementwise_op_has_cases_by_its_name_and_an_unknown_op_gets_the_names(qemu: str, program: Path) -> None:
    assert run(qemu, program, "case", "silu", "3").startswith(b"silu, case 3: equal")
    command = [qemu, "-cpu", "v68", str(program), "case", "swish", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 2
    assert re.search(r"no cases of swish, only of .* rms_norm .* silu ", done.stderr)


def nmse(got: Floats, exact: npt.NDArray[np.float64]) -> float:
    return float(((got - exact) ** 2).sum() / (exact**2).sum())


def test_sums_are_those_of_float64(qemu: str, program: Path, figure: Callable[[str], None]) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=4099).astype(np.float32) * 3, rng.normal(size=4099).astype(np.float32)
    got = np.frombuffer(run(qemu, program, "add", "4099", given=a.tobytes() + b.tobytes()), np.float32)
    error = nmse(got, a.astype(np.float64) + b)
    figure(f"add: NMSE {error:.1e}")
    assert error <= 1e-14


@pytest.mark.parametrize("kind", ["normal", "outlier", "outlier among zeros", "large", "small", "constant"])
@pytest.mark.parametrize("n", [64, 2048, 4096, 5001])
def test_norms_are_those_of_float64(qemu: str, program: Path, figure: Callable[[str], None], n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    x, weight = rng.normal(size=n).astype(np.float32), rng.normal(0.5, 0.1, size=n).astype(np.float32)
    match kind:
        case "outlier":
            x[n // 3] = 3000
        case "outlier among zeros":
            x[:] = 0
            x[n // 3] = 3000
            x[n // 2] = 0.5
        case "large":
            x *= np.float32(2.0**100)
        case "small":
            x *= np.float32(2.0**-100)
        case "constant":
            x[:] = np.float32(1.9999)
    eps = 0.0 if kind == "small" else 1e-5
    out = run(qemu, program, "rms_norm", str(n), str(eps), given=x.tobytes() + weight.tobytes())
    got = np.frombuffer(out, np.float32)
    wide = x.astype(np.float64)
    error = nmse(got, wide / np.sqrt((wide**2).mean() + eps) * weight)
    figure(f"rms_norm, n = {n}, {kind}: NMSE {error:.1e}")
    assert error <= 1e-8


@pytest.mark.parametrize("dtype", tile_types(), ids=lambda dtype: dtype.name)
def test_rows_of_tiles_are_the_dequantised_weights(
    qemu: str, program: Path, figure: Callable[[str], None], dtype: Q
) -> None:
    n, k = 70, 512
    raw = weights.quantize(np.random.default_rng(5).normal(size=(n, k)).astype(np.float32), dtype)
    exact = weights.dequantize(raw, dtype).reshape(n, k)
    tiles = np.empty(tile_bytes(dtype, n, k), np.uint8)
    repack(dtype, raw, n, k, tiles)
    held = np.empty((n, k), np.float32)
    dequantise(dtype, tiles, held)
    out = run(qemu, program, "rows", str(int(dtype)), str(n), str(k), given=tiles.tobytes())
    got = np.frombuffer(out, np.float32).reshape(n, k)
    largest = np.abs(exact).max(axis=1, keepdims=True)
    if dtype == Q.Q2_K:  # the difference of two products is cut at 2^-9 units before it is rounded
        assert (np.abs(got - held) <= 2.0**-24 * largest).all()
    else:
        np.testing.assert_array_equal(got, held)
    apart = np.abs(got - exact) / largest
    figure(f"get_rows {dtype.name}: worst {apart.max():.1e} of the row's largest weight, NMSE {nmse(got, exact):.1e}")
    assert apart.max() <= (2.0**-12 if dtype in weights.FLOATS else 2.0**-13)


# Packets of whole kernels: for 32 numbers of one row, and for a row of 64.
LIMITS = {
    ("add", 4096): 14.0,
    ("sub", 4096): 15.5,
    ("mul", 4096): 9.5,
    ("scale", 4096): 8.2,
    ("silu", 4096): 23.2,
    ("gelu", 4096): 27.0,
    ("swiglu", 4096): 26.5,
    ("geglu", 4096): 30.0,
    ("rms_norm", 4096): 17.0,
    ("rms_norm", 2048): 19.0,
    ("rms_norm", 64): 110,
    ("add", 64): 62,
    ("l2_norm", 4096): 17.0,
    ("norm", 4096): 19.0,
    ("norm with weight", 4096): 22.5,
    ("norm with weight, bias", 4096): 38.0,
    ("sum_rows", 4096): 6.2,
    ("argmax", 128256): 1.5,
    ("top_k 40", 128256): 5.0,
    ("top_k 8", 128): 140.0,
    ("soft_max", 4096): 18.0,
    ("soft_max f16 mask", 4096): 18.0,
    ("soft_max f32 mask", 4096): 18.0,
    ("rope normal", 64): 12.0,  # 64 heads of a token
    ("rope neox", 64): 11.5,
    ("rope normal", 128): 12.6,
    ("rope neox", 128): 12.0,
}


def test_packets_stay_within_bounds(qemu: str, program: Path, figure: Callable[[str], None]) -> None:
    lines = run(qemu, program, "packets").decode().splitlines()
    records = [json.loads(line) for line in lines]
    figure("one thread, HVX: op, numbers, rows, aligned, packets, packets for 32 numbers")
    for record in records:
        shape = f"{record['n']:5} {record['rows']:3} {record['aligned']}"
        figure(f"{record['op']:>24} {shape} {record['packets']:6} {record['per_32']:7.2f}")
    for record in records:
        if record["aligned"] and (record["rows"] == 1 or record["op"].startswith("rope")):
            assert record["per_32"] <= LIMITS.get((record["op"], record["n"]), 1000), record
