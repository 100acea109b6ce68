# SPDX-License-Identifier: MIT
"""The self test passes with the real kernels, and fails if one instruction is wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import oracle
import pytest
from conftest import Faults

from pyhexagon import Device, selftest
from pyhexagon._ffi import contract
from pyhexagon.cli import main
from pyhexagon.op_cases import products, seeds
from pyhexagon.process import locate
from pyhexagon.process.transport import NAMES

SUM_OF_PRODUCTS = "v0.w += vrmpy(v0.ub, r0.b)"
OPERANDS, SOURCE_REGISTER = 0x001FDF1F, 0x100  # of that instruction: registers and parse bits; the vector's lowest bit
MOST_TRIES = 16
NO_HVX = {"cache_copy"}  # which copies with memcpy either way


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["selftest", "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("device", "kernels", "transports"),
    [
        ("loopback", {"ref", "cpu"}, NAMES),
        ("loopback:qemu", {"ref", "hvx"}, ("invoke",)),
        pytest.param("loopback:qemu", {"ref", "hvx"}, NAMES, marks=pytest.mark.long),
    ],
)
def test_it_passes_with_every_kernel_through_every_transport(
    qemu: str, capsys: pytest.CaptureFixture[str], device: str, kernels: set[str], transports: tuple[str, ...]
) -> None:
    code, report = run(capsys, "--device", device, *(("--transport", *transports) if len(transports) == 1 else ()))
    assert code == 0
    assert report["passed"]
    assert report["first_problem"] is None
    assert (report["ops"], report["cases"]) == (len(contract.OPS), len(selftest.recorded()))
    tested = {(row["transport"], row["kernels"], row["op"]) for row in report["results"]}
    assert tested == {
        (transport, kernel, op)
        for transport, kernel, op in product(transports, kernels, contract.OPS)
        if kernel == "ref" or op not in NO_HVX
    }
    assert all(row["cases"] == row["equal"] > 0 for row in report["results"])
    assert "untested until" in report["scope"], "the loopback says nothing of a board"


def test_a_person_reads_a_table_and_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--device", "loopback", "--transport", "invoke"]) == 0
    text = capsys.readouterr().out
    assert "dspqueue  not tested: not tried: invoke was asked for" in text
    n = sum(case[0] == "mul_mat" for case in selftest.recorded())
    assert n >= 176
    assert re.search(rf"MUL_MAT +19 +{n} +{n} of {n}", text)
    assert f"passed: {len(contract.OPS)} ops, {len(selftest.recorded())} cases" in text
    assert "No DSP was used" in text


def test_the_record_is_what_an_independent_implementation_says() -> None:
    cases = {case[:3]: case for case in selftest.recorded()}
    for dtype, n, k, m, seed in products.recorded_products():
        raw = seeds.weight_bytes(dtype, n, k, 2 * seed)
        x = seeds.activations(m, k, 2 * seed + 1)
        want = oracle.matmul_exact(dtype, raw, n, k, x)
        case = cases["mul_mat", dtype.name, f"weight ({n}, {k}), x ({m}, {k})"]
        assert seeds.digest(want) == case.result, case


def test_the_generator_is_splitmix64() -> None:
    assert [f"{word:08x}" for word in seeds.words(0, 3)] == ["e220a839", "6e789e6a", "06c45d18"]


def test_a_result_that_was_not_recorded_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = {case.op: case for case in selftest.recorded()}
    other = cases["soft_max"]
    monkeypatch.setattr(selftest, "recorded", lambda: [cases["add"], other._replace(result=cases["add"].result)])
    code, report = run(capsys, "--device", "loopback", "--transport", "invoke")
    assert code == 1
    assert not report["passed"]
    assert [(row["op"], row["cases"], row["equal"]) for row in report["results"]] == [
        ("add", 1, 1), ("add", 1, 1), ("soft_max", 1, 0), ("soft_max", 1, 0)
    ]  # fmt: skip
    problem = report["first_problem"]
    assert "differs from the record" in problem["problem"]
    assert (problem["op"], problem["case"]) == ("soft_max", other.name)
    assert main(["selftest", "--device", "loopback", "--transport", "invoke"]) == 1
    text = capsys.readouterr().out
    assert f"cpu kernels, soft_max, {other.name}, through invoke" in text
    assert "FAILED: 2 of 4 results" in text


def test_other_inputs_than_recorded_are_not_blamed_on_the_dsp(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = selftest.recorded()[0]
    monkeypatch.setattr(selftest, "recorded", lambda: [case._replace(inputs="")])
    code, report = run(capsys, "--device", "loopback", "--transport", "invoke")
    assert code == 1
    assert "other operands" in report["first_problem"]["problem"]


def test_a_case_without_a_hash_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    case = selftest.recorded()[0]
    monkeypatch.setattr(selftest, "recorded", lambda: [case._replace(inputs="", result="")])
    code, report = run(capsys, "--device", "loopback", "--transport", "invoke")
    assert code == 1
    assert "scripts/record_selftest.py" in report["first_problem"]["problem"]


def test_a_dsp_that_dies_ends_the_test_with_its_error(faults: Faults) -> None:
    with Device("loopback", transport="invoke") as device:
        outcomes = selftest.run(device, selftest.recorded())
        assert not next(outcomes).problem
        faults.kill(device)
        *_, outcome = outcomes
        assert "the DSP process died" in outcome.problem


# --- One wrong instruction ---


def opcode(directory: Path) -> int:
    """SUM_OF_PRODUCTS as the assembler has it, without its operands."""
    source, target = directory / "one.s", directory / "one.o"
    source.write_text(f"{{ {SUM_OF_PRODUCTS} }}\n")
    options = "-target hexagon-freestanding-none -mcpu=hexagonv68+hvxv68+hvx_length128b"
    command = [sys.executable, "-m", "ziglang", "cc", *options.split(), "-c", str(source), "-o", str(target)]
    subprocess.run(command, check=True)
    data = target.read_bytes()
    (sections,) = struct.unpack_from("<I", data, 32)
    (n_sections,) = struct.unpack_from("<H", data, 48)
    for at in range(sections, sections + 40 * n_sections, 40):
        _, _, flags, _, offset, size = struct.unpack_from("<6I", data, at)
        if flags & 4 and size == 4:  # executable
            word: int = struct.unpack_from("<I", data, offset)[0]
            return word & ~OPERANDS
    raise AssertionError("the assembler made no code")


def places(skel: bytes, match: int) -> Iterator[int]:
    """Return the place of that instruction in the skel."""
    for at in range(0, len(skel) - 3, 4):
        if struct.unpack_from("<I", skel, at)[0] & ~OPERANDS == match:
            yield at


def test_one_wrong_instruction_fails_and_is_located(qemu: str, tmp_path: Path) -> None:
    """Flips a register number of a multiplication here and there in the skel, until one is found that matters."""
    library = tmp_path / "lib"
    shutil.copytree(locate.installed("libcdsprpc.so.1").parent, library)
    path = library / "v68" / locate.SKEL_FILE
    skel = path.read_bytes()
    command = [sys.executable, "-m", "pyhexagon", "selftest", "--json", "--device", "loopback:qemu"]
    command += ["--transport", "invoke"]
    candidates = list(places(skel, opcode(tmp_path)))
    assert len(candidates) >= MOST_TRIES
    for at in candidates[:: -(len(candidates) // MOST_TRIES)]:  # products lie behind attention
        wrong = bytearray(skel)
        wrong[at + 1] ^= SOURCE_REGISTER >> 8
        path.write_bytes(wrong)
        environment = {**os.environ, "PYHEXAGON_LIB": str(library)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        report = json.loads(done.stdout)
        assert (done.returncode == 0) == report["passed"]
        if not report["passed"] and report["first_problem"]["element"] is not None:
            break
    else:
        pytest.fail("none of the wrong instructions was noticed")
    problem = report["first_problem"]
    assert (problem["kernels"], problem["op"]) == ("hvx", "mul_mat")
    assert problem["type"] in {dtype.name for dtype in products.TYPES}
    assert re.fullmatch(r"weight \(\d+, \d+\), x \(\d+, \d+\)", problem["case"])
    assert "hvx differs from the record, ref does not; the first difference" in problem["problem"]
    assert "lane" in problem["problem"]
    assert all(row["equal"] == row["cases"] for row in report["results"] if row["kernels"] == "ref")
