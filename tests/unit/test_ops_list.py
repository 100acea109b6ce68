# SPDX-License-Identifier: MIT
"""Every op of idl/ops.h has the files, tests and docstrings that it needs."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

from pyhexagon import Builder
from pyhexagon._ffi import contract
from pyhexagon.op_cases import elementwise, reference

ROOT = Path(__file__).resolve().parents[2]
PRODUCTS = ["dsp/ref/matmul/matmul.c", "dsp/hvx/matmul/kernels.c"]
OWN = {
    "mul_mat": ["dsp/ops/matmul/mul_mat.c", *PRODUCTS],
    "mul_mat_id": ["dsp/ops/matmul/mul_mat_id.c", *PRODUCTS],
    "flash_attn_ext": [f"dsp/{room}/attention/{name}.c" for room, name in (
        ("ops", "flash_attn_ext"), ("ref", "attend"), ("hvx", "attend"))],
    "cache_copy": ["dsp/ops/attention/cache_copy.c"],
    "cache_append": [f"dsp/{room}/attention/{name}.c" for room, name in (
        ("ops", "cache_append"), ("ref", "append"), ("hvx", "append"))],
}  # fmt: skip
FUNCTIONS = {"mul_mat": "matmul"}  # functions with NumPy's name


@pytest.mark.parametrize("row", contract.OPS.values(), ids=lambda row: row.name)
def test_every_row_has_its_kernels_its_shape_rule_and_its_tests(row: contract.OpRow) -> None:
    name = FUNCTIONS.get(row.name, row.name)
    module = importlib.import_module(f"pyhexagon.ops.{name}")
    function = getattr(module, name)
    assert name in vars(Builder), f"the class in pyhexagon/ops/builder.py lacks {name}"
    assert getattr(Builder, name) is function
    for part in ("Args:", "Returns:", "Accuracy", "ggml's"):
        assert part in (inspect.getdoc(function) or ""), f"{name}'s docstring lacks {part!r}"
    kernels = [f"dsp/ref/{row.name}.c", f"dsp/hvx/{row.name}.c"]
    if row.kind == "OWN":
        kernels = OWN[row.name]
    if row.name != "cache_copy":  # copies bytes
        getattr(reference, name)  # raises with the file that lacks it
    tests = "elementwise" if row.kind in ("UNARY", "BINARY") else name
    for path in (*kernels, f"tests/ops/test_{tests}.py"):
        assert (ROOT / path).is_file(), path
    assert set(inspect.signature(function).parameters) >= set(row.fields), "keywords are named as the struct's fields"
    if row.kind in ("UNARY", "BINARY"):
        elementwise.entries(row)  # raises with the missing line


def test_every_method_that_adds_an_op_has_a_row() -> None:
    names = {FUNCTIONS.get(name, name) for name in contract.OPS} | {contract.CALL.name}
    modules = {path.stem for path in (ROOT / "pyhexagon" / "ops").glob("*.py")} - {"__init__", "builder", "elementwise"}
    assert modules == names


def test_rows_are_within_the_contract() -> None:
    codes = [row.code for row in contract.OPS.values()]
    assert codes == sorted(set(codes))
    for row in contract.OPS.values():
        assert 1 <= row.least <= row.most <= contract.MAX_SRC
        assert 1 <= row.results <= contract.MAX_DST
        assert row.in_place < 1 << row.most
        assert (row.params.size if row.params else 0) <= 4 * contract.MAX_PARAMS
