# SPDX-License-Identifier: MIT
"""GET_ROWS through programs: the same bits on every kernel, equal to the table's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from ops.rows import numbers, run
from pyhexagon import Device, quants

IDS = np.array([0, 69, 64, 63, 5, 5], np.int32)


@pytest.mark.parametrize("dtype", quants.tile_types(), ids=lambda dtype: dtype.name)
def test_rows_of_a_weight_are_what_its_tiles_hold(device: Device, dtype: Q) -> None:
    values = np.random.default_rng(2).standard_normal((70, 512), dtype=np.float32)
    with device.pack(dtype, weights.quantize(values, dtype), (70, 512)) as table:
        got = run(device, lambda p, ids: p.get_rows(table, ids), IDS)
        np.testing.assert_allclose(got, table.dequantize()[IDS], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rows_of_values_are_copied(device: Device, dtype: type) -> None:
    table: npt.NDArray[Any] = np.random.default_rng(3).standard_normal((70, 45)).astype(dtype)
    got = run(device, lambda p, x, ids: p.get_rows(x, ids), table, IDS)
    np.testing.assert_array_equal(got, table[IDS].astype(np.float32))


def test_leading_dimensions_are_matched(device: Device) -> None:
    table, ids = numbers(2, 7, 40), np.array([[0, 6, 3], [2, 2, 5]], np.int32)
    got = run(device, lambda p, x, ids: p.get_rows(x, ids), table, ids)
    np.testing.assert_array_equal(got, np.stack([table[0][ids[0]], table[1][ids[1]]]))
