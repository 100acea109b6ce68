# SPDX-License-Identifier: MIT
"""The cases of pyhexagon/op_cases, on the host engine: results differ from float64 by at most their limits."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device, quants, weights
from pyhexagon._ffi import contract
from pyhexagon.gguf.reading import Rows
from pyhexagon.op_cases import entries, products
from pyhexagon.op_cases.case import Case
from pyhexagon.ops_report import compare
from pyhexagon.tensor import Tensor


@pytest.fixture(scope="module")
def host() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("row", contract.OPS.values(), ids=lambda row: {"mul_mat": "matmul"}.get(row.name, row.name))
def test_results_are_near_float64(host: Device, row: contract.OpRow) -> None:
    cases = [case for case in entries.cases_of(row) if case.limit is not None and not case.is_large]
    assert cases or row.name in {"cache_append", "cache_copy"}, f"{row.name}: no case has a limit on its error"
    verdicts = list(compare.run(host, cases))
    assert len(verdicts) == len(cases)
    assert [f"{compare.title(one.case)}: {one.problem}" for one in verdicts if one.problem] == []


def large() -> list[Case]:
    return [case for case in entries.cases_of(contract.OPS["mul_mat"]) if case.is_large]


@pytest.mark.long
@pytest.mark.parametrize("dtype", [dtype.name for dtype in quants.supported()])
def test_large_matmuls_are_near_float64(host: Device, dtype: str) -> None:
    cases = [case for case in large() if case.type == dtype]
    assert [case.name for case in cases] == ["weight 8192x8192, x 5x8192", "weight 16384x16384, x 1x16384"]
    tracemalloc.start()
    try:
        verdicts = list(compare.run(host, cases))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [one.problem or one.lacks_memory for one in verdicts] == ["", ""]
    assert peak < 150 << 20, f"{peak:,} bytes beside the device's memory"


def test_every_row_of_a_large_matmul_is_compared(host: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cases with smaller weights; a few rows in the wrong order are found."""
    monkeypatch.setattr(products, "LARGE", ((256, 5), (512, 1)))
    verdicts = list(compare.run(host, large()))
    assert {one.case.type for one in verdicts} == {dtype.name for dtype in quants.supported()}
    assert [compare.title(one.case) for one in verdicts if one.problem or one.nmse is None] == []
    pack_rows = weights.pack_rows

    def damaged(device: Device, dtype: Q, rows: Rows, shape: tuple[int, ...]) -> Tensor:
        def swapped(first: int, last: int) -> npt.NDArray[np.uint8]:
            read: npt.NDArray[np.uint8] = rows(first, last).copy()
            if first <= 288 < last:
                read[296 - first : 304 - first] = rows(296, 304)[::-1]
            return read

        return pack_rows(device, dtype, swapped, shape)

    monkeypatch.setattr(weights, "pack_rows", damaged)
    wrong = [one.case.name for one in compare.run(host, large()) if "NMSE" in one.problem]
    assert wrong == ["weight 512x512, x 1x512"] * len(quants.supported())
