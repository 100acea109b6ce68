# SPDX-License-Identifier: MIT
"""SET_ROWS through programs: the same bits on every kernel and number of threads, in tensors and in results."""

from __future__ import annotations

import numpy as np
import pytest

from ops.checks import kernels_of
from ops.rows import numbers, run
from ops.test_cpy import stored
from pyhexagon import Device
from pyhexagon.errors import ArgumentError, ProgramError

TYPES = ("F32", "F16", "BF16", "Q8_0", "Q4_0")
IDS = np.array([0, 69, 64, 3, 5, 3], np.int32)


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_of_a_tensor_are_set_and_others_stay(device: Device, dtype: str) -> None:
    x, before = numbers(6, 1056) / 2**10, numbers(70, 1056, seed=1) / 2**10
    with device.empty((70, 1056), dtype=dtype) as table:
        p = device.program()
        p.set_rows(table, p.input(x.shape), p.input(IDS.shape, np.int32))
        program = p.compile()
        want = stored(before, dtype).copy()
        want[IDS[:3]], want[5], want[3] = stored(x, dtype)[:3], stored(x, dtype)[4], stored(x, dtype)[5]
        for kernels in kernels_of(device):
            device.kernels = kernels
            table.numpy()[...] = stored(before, dtype)
            assert program.run(x, IDS) == ()
            np.testing.assert_array_equal(table.numpy().view(np.uint8), want.view(np.uint8))
        device.kernels = "hvx"


def test_ops_before_and_after_see_what_is_there_then(device: Device) -> None:
    x, table = numbers(3, 40), numbers(9, 40, seed=1)
    ids = np.array([8, 1, 1], np.int32)
    p = device.program()
    values, rows, at = p.input(x.shape), p.input(table.shape), p.input(ids.shape, np.int32)
    copy = p.cpy(rows)
    before = p.get_rows(copy, at)
    after = p.get_rows(p.set_rows(copy, values, at), at)
    p.output(before, after, p.add(copy, copy))
    first, second, both = p.compile().run(x, table, ids)
    np.testing.assert_array_equal(first.numpy(), table[ids])
    np.testing.assert_array_equal(second.numpy(), x[[0, 2, 2]])
    table[ids] = x
    np.testing.assert_array_equal(both.numpy(), table + table)


def test_no_rows_are_set(device: Device) -> None:
    table, none = numbers(7, 40), np.empty((0, 40), np.float32)
    got = run(device, lambda p, t, v, i: p.cpy(p.set_rows(p.cpy(t), v, i)), table, none, np.empty(0, np.int32), n_ops=2)
    np.testing.assert_array_equal(got, table)


def test_ids_for_all_matrices_or_for_each(device: Device) -> None:
    x, table = numbers(2, 3, 40), numbers(2, 7, 40, seed=1)
    for ids in (np.array([6, 0, 2], np.int32), np.array([[6, 0, 2], [1, 2, 1]], np.int32)):
        got = run(device, lambda p, v, t, i: p.cpy(p.set_rows(p.cpy(t), v, i)), x, table, ids, n_ops=3)
        want = table.copy()
        for matrix in range(2):
            want[matrix, ids[matrix] if ids.ndim == 2 else ids] = x[matrix]
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("bad", [-1, 7])
def test_an_id_that_is_no_rows_number_is_an_error(device: Device, bad: int) -> None:
    with device.empty((7, 32)) as table:
        p = device.program()
        p.set_rows(table, p.input((2, 32)), p.input((2,), np.int32))
        with pytest.raises(ProgramError, match="PHX_E_INDEX"):
            p.compile().run(numbers(2, 32), np.array([1, bad], np.int32))


def test_threads_do_not_show(qemu: str) -> None:
    x, ids = numbers(40, 1024), np.tile(np.array([3, 1, 3, 0, 3], np.int32), 8)
    tables = []
    for threads in (1, 3):
        with Device("loopback:qemu", threads=threads) as device, device.empty((4, 1024), dtype="Q8_0") as table:
            table.numpy()[...] = 0
            p = device.program()
            p.set_rows(table, p.input(x.shape), p.input(ids.shape, np.int32))
            _, report = p.compile().run_with_report(x, ids)
            assert report.ops[0].n_threads == threads
            tables.append(table.numpy().copy())
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(tables[0][[0, 1, 3]], stored(x, "Q8_0")[[38, 36, 39]])


def test_what_does_not_fit_is_refused(device: Device) -> None:
    p = device.program()
    with pytest.raises(ArgumentError, match="expected a tensor, or the result of an op"):
        p.set_rows(p.input((4, 32)), p.input((1, 32)), p.input((1,), np.int32))
    with device.empty((4, 32)) as table, pytest.raises(ArgumentError, match="set_rows of a table"):
        p.set_rows(table, p.input((1, 33)), p.input((1,), np.int32))
