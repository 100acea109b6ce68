# SPDX-License-Identifier: MIT
"""The self test has recorded cases for every op and every type."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from importlib import resources

import pytest
from gguf import GGMLQuantizationType as Q

from pyhexagon import cache, quants, selftest
from pyhexagon._ffi import contract
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import entries

WEIGHTS = {dtype.name for dtype in quants.tile_types()}
ROWS = {dtype.name for dtype in ELEMENTS}
CACHES = {kind.upper() for kind in cache.KINDS}
TYPES = {
    "mul_mat": WEIGHTS,
    "mul_mat_id": WEIGHTS,
    "get_rows": WEIGHTS | {"F32", "F16"},
    "set_rows": ROWS - {"I32"},
    "cpy": ROWS,
    "flash_attn_ext": CACHES,
    "cache_append": CACHES,
    "cache_copy": CACHES,
}


@pytest.mark.parametrize("op", contract.OPS)
def test_every_op_has_cases_and_each_has_its_hash(op: str) -> None:
    cases = [case for case in selftest.recorded() if case.op == op]
    assert len(cases) >= 1
    for case in cases:
        assert case.result, f"{case}: run scripts/record_selftest.py, which records what the v68 skel gives"
    if op in TYPES:
        assert {case.type for case in cases} == TYPES[op]


def test_an_op_that_is_not_elementwise_must_have_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(entries.OPS, "rope")
    with pytest.raises(LookupError, match=r"OPS in pyhexagon/op_cases/entries\.py lacks 'rope'"):
        list(entries.recorded_cases())


def test_what_is_recorded_is_of_cases_that_there_are() -> None:
    record = json.loads(resources.files("pyhexagon").joinpath(selftest.RECORD).read_text("utf-8"))
    there = [(one["op"], one["type"], one["case"]) for one in record["cases"]]
    assert there == [case[:3] for case in entries.recorded_cases()]
    assert max(Counter(there).values()) == 1


def test_copies_go_from_each_type_to_each() -> None:
    ways = defaultdict(set)
    for case in entries.recorded_cases():
        if case.op == "cpy" and case.name.startswith("as "):
            ways[case.type].add(case.name.removeprefix("as "))
    floats = {dtype.name for dtype in ELEMENTS if dtype != Q.I32}
    assert ways == {**dict.fromkeys(floats, floats), "I32": {"I32"}}
