# SPDX-License-Identifier: MIT
"""The cases of pyhexagon/op_cases, on the host engine: results differ from float64 by at most their limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pyhexagon import Device
from pyhexagon._ffi import contract
from pyhexagon.op_cases import entries
from pyhexagon.ops_report import compare


@pytest.fixture(scope="module")
def host() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("row", contract.OPS.values(), ids=lambda row: {"mul_mat": "matmul"}.get(row.name, row.name))
def test_results_are_near_float64(host: Device, row: contract.OpRow) -> None:
    cases = [case for case in entries.cases_of(row) if case.limit is not None]
    assert cases or row.name in {"cache_append", "cache_copy"}, f"{row.name}: no case has a limit on its error"
    verdicts = list(compare.run(host, cases))
    assert len(verdicts) == len(cases)
    assert [f"{compare.title(one.case)}: {one.problem}" for one in verdicts if one.problem] == []
