# SPDX-License-Identifier: MIT
"""``pyhexagon ops``: which op takes which type, whether all are right, and what they cost."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import quants
from pyhexagon._ffi import contract
from pyhexagon.cli import main
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import elementwise, entries, products
from pyhexagon.ops_report import compare, perf, support

PERF = {"op", "type", "shape", "threads", "packets", "packets_max_thread", "elements", "packets_per_32"}


def run(capsys: pytest.CaptureFixture[str], *arguments: str, device: str = "loopback") -> tuple[int, Any]:
    code = main(["ops", "--json", "--device", device, *arguments])
    return code, json.loads(capsys.readouterr().out)


# --- Which types ---


def test_support_names_every_op_and_type_with_a_reason_for_each_no(capsys: pytest.CaptureFixture[str]) -> None:
    code, records = run(capsys, "--support")
    assert code == 0
    found = {(one["op"], one["type"]): one for one in records}
    assert set(found) == {(op, dtype) for op in contract.OPS for dtype in support.TYPES}
    assert all(one["supported"] == (not one["reason"]) for one in records)
    taken = {op: {dtype for dtype in support.TYPES if found[op, dtype]["supported"]} for op in contract.OPS}
    weights, rows = {dtype.name for dtype in quants.supported()}, {dtype.name for dtype in ELEMENTS}
    assert taken["mul_mat"] == taken["mul_mat_id"] == weights
    assert taken["set_rows"] == rows - {"I32"}
    assert taken["cpy"] == rows
    assert "Q8_0" in taken["flash_attn_ext"]
    assert all(taken.values())
    assert found["add", "Q4_K"]["reason"] == "x is a Q4_K weight: expected an array, a tensor or a value of float32"


def test_support_needs_no_dsp(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("PYHEXAGON_DEVICE", raising=False)
    assert main(["ops", "--support", "--filter", "^cpy$"]) == 0
    assert "CPY" in capsys.readouterr().out


def test_a_person_reads_a_table_and_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--support", "--device", "loopback", "--filter", "^(swiglu|cpy)$"]) == 0
    text = capsys.readouterr().out
    assert [line.split()[0] for line in text.splitlines()[:3]] == ["op", "SWIGLU", "CPY"]
    assert "gate is T: expected an array, a tensor or a value of float32" in text


# --- Whether they are right ---


def test_there_are_cases_and_shapes_to_measure_for_every_op() -> None:
    counts = Counter(one.op for one in compare.chosen(""))
    missing = set(contract.OPS) - set(counts) - {"cache_append", "cache_copy"}  # compared through FLASH_ATTN_EXT
    assert not missing, f"no case of {sorted(missing)} in pyhexagon/op_cases has a limit on its error"
    assert sum(counts.values()) > 1600
    names = Counter(map(compare.title, entries.all_cases()))
    assert [name for name, n in names.items() if n > 1] == []
    unmeasured = set(contract.OPS) - {case.op for case in perf.cases()}
    assert not unmeasured, f"no case of {sorted(unmeasured)} in pyhexagon/op_cases is added with cases.measure"


def test_some_are_right_under_qemu(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    """tests/ops/test_cases.py compares all of them on the host engine."""
    code, records = run(capsys, "--test", "--filter", r"17x|x7x5|head 80|2 of 4|ids", device="loopback:qemu")
    assert [one for one in records if not one["passed"]] == []
    assert code == 0
    assert len(records) > 90
    assert all(one["nmse"] <= one["limit"] for one in records)


def test_a_wrong_op_is_named_and_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(elementwise.OPS, "tanh", [elementwise.Elementwise(np.sin, 1e-14, 0.0)])
    assert main(["ops", "--test", "--device", "loopback", "--filter", "tanh|neg"]) == 1
    text = capsys.readouterr().out
    assert "TANH(F32, 2x2x2x128)" in text
    assert "the limit is 1e-14" in text
    assert "FAILED: 10 wrong, 0 not tried, of 20 cases" in text


def test_weights_that_do_not_fit_are_told_and_no_failure(
    faults: Faults, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "LARGE", ((4096, 1), (8192, 1)))
    faults.set("map_limit", 8 << 20)  # of each of four sessions
    arguments = ["--test", "--device", "loopback", "--filter", r"MUL_MAT\(Q4_0, .*(4096|8192)x"]
    assert main(["ops", *arguments]) == 0
    text = capsys.readouterr().out
    assert "MUL_MAT(Q4_0, weight 8192x8192, x 1x8192)" in text
    assert "a Q4_0 weight (8192, 8192)" in text
    assert "passed: 1 cases, 1 were not tried: their weights do not fit" in text
    assert main(["ops", "--json", *arguments]) == 0
    small, large = json.loads(capsys.readouterr().out)
    assert (small["passed"], large["passed"], large["nmse"], large["problem"]) == (True, False, None, "")
    assert "does not fit" in large["lacks_memory"]


def test_an_op_without_an_entry_or_a_parameter_is_named_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(elementwise.OPS, "scale", [elementwise.OPS["scale"][0]._replace(params={"bias": 1.0})])
    with pytest.raises(LookupError, match=r"values for \['bias'\]; the fields .* are \['bias', 'scale'\]"):
        list(entries.all_cases())
    monkeypatch.delitem(elementwise.OPS, "mul")
    with pytest.raises(LookupError, match=r"OPS in pyhexagon/op_cases/elementwise\.py lacks 'mul'"):
        list(entries.all_cases())


def test_nan_elsewhere_and_another_shape_are_wrong() -> None:
    one = next(iter(compare.chosen("")))
    x = np.ones((2, 3), np.float32)
    odd = x.copy()
    odd[1, 1] = np.nan
    assert "NaN" in compare.judge(one, [odd], [x], 0.0).problem
    assert "shape" in compare.judge(one, [x[:1]], [x], 0.0).problem
    assert compare.judge(one, [odd], [odd], 0.0).problem == ""


# --- What they cost ---


def test_packets_are_null_where_nothing_counts_them(capsys: pytest.CaptureFixture[str]) -> None:
    code, records = run(capsys, "--perf", "--filter", "^rms_norm|^cache_copy", "--threads", "1,2")
    assert code == 0
    assert {(one["op"], one["threads"]) for one in records} == {
        (op, n) for op in ("rms_norm", "cache_copy") for n in (1, 2)
    }
    assert all(one["packets"] is one["packets_max_thread"] is one["packets_per_32"] is None for one in records)
    assert main(["ops", "--perf", "--device", "loopback", "--filter", "^rms_norm", "--threads", "1", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert set(rows[0]) > PERF
    assert rows[0]["elements"] == str(32 * 4096)


def test_qemu_counts_packets(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, (one, four) = run(capsys, "--perf", "--filter", r"^add\(", device="loopback:qemu")
    assert code == 0
    assert set(one) > PERF
    assert one["packets_per_32"] == pytest.approx(one["packets"] * 32 / (32 * 4096), abs=1e-3)
    assert one["packets_max_thread"] == one["packets"]
    assert four["packets_max_thread"] < 0.3 * one["packets"]


def test_modelled_cycles_of_ops_are_told_by_function(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--perf", "--filter", r"^rms_norm\(", "--threads", "1", "--cycles")
    code, (one, *_) = run(capsys, *arguments, device="loopback:qemu")
    assert code == 0
    assert one["packets"] <= one["cycles_model"] < 2 * one["packets"]
    assert one["cycles_model"] - one["packets"] == sum(each["cycles"] - each["packets"] for each in one["functions"])
    assert main(["ops", *arguments, "--device", "loopback:qemu"]) == 0
    assert "waits most in" in capsys.readouterr().out


def test_a_filter_that_nothing_matches_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for what in ("--support", "--test", "--perf"):
        assert main(["ops", what, "--device", "loopback", "--filter", "no such op"]) == 1
        assert "nothing matches 'no such op'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["ops", "--test", "--filter", "("])
    assert "no regular expression" in capsys.readouterr().err
