# SPDX-License-Identifier: MIT
"""The checker's rules for shapes, one field at a time: which status, and which tensor is blamed.

Every tensor ends at the end of its buffer, so one row or matrix more than there is reaches outside. tests/fuzz has the
fields that are wrong in combination.
"""

from __future__ import annotations

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Q

from ops.placed import Layout, Product, Weight
from pyhexagon import Device, quants
from pyhexagon._ffi import contract
from pyhexagon.aee import STATUSES
from pyhexagon.program import wire

N, K = 65, 64
ALL_ONES = 0xFFFFFFFF
DTYPE, LAYOUT, NE, NB = 0, 1, 4, 8  # words of struct phx_tensor
CODE, KERNELS, SRC, DST, PARAMS = 0, 1, 2, 10, 14  # words of struct phx_op


def layout(device: Device, leading: tuple[int, ...], x: tuple[int, ...], ids: tuple[int, ...] | None = None) -> Layout:
    """One op: a weight with these leading dimensions, x (..., M, K), for experts ids with each of them in turn."""
    tiles = np.zeros(int(np.prod(leading)) * quants.tile_bytes(Q.Q4_0, N, K), np.uint8)
    chosen = None if ids is None else (np.arange(np.prod(ids), dtype=np.int32) % leading[0]).reshape(ids)
    product = Product(Weight(Q.Q4_0, N, K, tiles, leading), np.ones((*x, K), np.float32), ids=chosen)
    return Layout(device, "ends", [product])


def outcome(op: Layout, tensor: int | None, changes: dict[int, int]) -> tuple[str, int]:
    """Status and blamed tensor of the request with words of a tensor (None: of the op) changed."""
    request = op.encode("ref")
    at = op.tensor_at(len(op.placed) if tensor is None else tensor)
    for word, value in changes.items():
        request[at + 4 * word : at + 4 * word + 4] = value.to_bytes(4, "little")
    answer = wire.Response.of(op.send(request))
    op.release()
    return STATUSES[answer.status][0].removeprefix("PHX_"), answer.failed_tensor


MUL_MAT = [  # tensors: 0 the weight (2, N, K), 1 x (4, 3, K), 2 dst
    (0, {NE + 2: 3}, "E_RANGE"),
    (0, {NE + 3: 2}, "E_RANGE"),
    (0, {NE + 2: 1 << 31}, "E_RANGE"),
    (0, {NE + 2: ALL_ONES, NE + 3: ALL_ONES}, "E_RANGE"),
    (0, {NE + 2: 1 << 31, NE + 3: 1 << 31}, "E_RANGE"),  # 0 bytes in 64 bits
    (0, {NE + 1: ALL_ONES, NE + 2: ALL_ONES, NE + 3: ALL_ONES}, "E_RANGE"),
    (0, {NE + 2: 0}, "E_SHAPE"),
    (0, {NE + 3: 0}, "E_SHAPE"),
    (0, {DTYPE: Q.I32}, "E_LAYOUT"),
    (1, {NE + 2: 3}, "E_SHAPE"),
    (1, {NE + 3: 2}, "E_RANGE"),
    (1, {NE + 2: 5}, "E_RANGE"),
    (1, {NB + 2: 4 * K}, "OK"),  # operands may overlap themselves
    (1, {NB + 1: 0}, "OK"),
    (1, {NB: 0}, "E_STRIDE"),
    (1, {NB + 2: 3 * 4 * K + 2}, "E_STRIDE"),
    (1, {DTYPE: Q.I32}, "E_DTYPE"),
    (2, {NE + 2: 2}, "E_SHAPE"),
    (2, {NE + 1: 2}, "E_SHAPE"),
    (2, {NE: N - 1}, "E_SHAPE"),
    (2, {NB + 1: 0}, "E_STRIDE"),  # results must not
    (2, {NB + 2: 4 * N}, "E_STRIDE"),
]
MUL_MAT_ID = [  # 0 the experts (5, N, K), 1 x (3, 2, K), 2 the ids (3, 2), 3 dst
    (0, {NE + 2: 6}, "E_RANGE"),
    (0, {NE + 2: 1, NE + 3: 5}, "E_SHAPE"),
    (1, {NE + 1: 0}, "E_SHAPE"),
    (1, {NE + 2: 2}, "E_SHAPE"),
    (2, {DTYPE: Q.F32}, "E_DTYPE"),
    (2, {LAYOUT: 1}, "E_LAYOUT"),
    (2, {NB: 0}, "E_STRIDE"),
    (2, {NB: 2}, "E_STRIDE"),
    (2, {NE + 1: 4}, "E_RANGE"),
    (2, {NE + 1: 1, NE + 2: 3, NB + 2: 8}, "E_SHAPE"),
    (3, {NE + 1: 1}, "E_SHAPE"),
    (3, {NE + 2: 2}, "E_SHAPE"),
]


@pytest.mark.parametrize(("tensor", "changes", "status"), MUL_MAT, ids=str)
def test_mul_mat_is_refused(device: Device, tensor: int, changes: dict[int, int], status: str) -> None:
    blamed = contract.NONE if status == "OK" else tensor
    assert outcome(layout(device, (2,), (4, 3)), tensor, changes) == (status, blamed)


@pytest.mark.parametrize(("tensor", "changes", "status"), MUL_MAT_ID, ids=str)
def test_mul_mat_id_is_refused(device: Device, tensor: int, changes: dict[int, int], status: str) -> None:
    assert outcome(layout(device, (5,), (3, 2), (3, 2)), tensor, changes) == (status, tensor)


def test_rows_that_do_not_divide_the_ids_are_the_fault_of_x(device: Device) -> None:
    assert outcome(layout(device, (5,), (3, 2), (3, 2)), 2, {NE: 1}) == ("E_SHAPE", 1)


def test_fewer_experts_than_the_ids_name_are_refused(device: Device) -> None:
    assert outcome(layout(device, (5,), (3, 2), (3, 2)), 0, {NE + 2: 4}) == ("E_INDEX", contract.NONE)


def test_experts_have_a_limit(device: Device) -> None:
    op = layout(device, (contract.MAX_EXPERTS + 1,), (1, 1), (1, 1))
    assert outcome(op, 0, {}) == ("E_SHAPE", 0)
    op = layout(device, (contract.MAX_EXPERTS,), (1, 1), (1, 1))
    assert outcome(op, 0, {}) == ("OK", contract.NONE)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({CODE: 99}, "E_OP"),
        ({KERNELS: 2}, "E_RESERVED"),
        ({KERNELS: 8 << 16}, "E_RESERVED"),  # a flag that nobody knows
        ({DST + 1: 0}, "E_INDEX"),
        ({SRC + 2: ALL_ONES}, "E_INDEX"),
        ({SRC + 3: 0}, "E_INDEX"),
        ({PARAMS: 1}, "E_PARAM"),
        ({CODE: 3, SRC: 2, SRC + 1: 2, SRC + 2: contract.NONE}, "E_DTYPE"),  # an ADD of ids
        ({CODE: 3, SRC: 1, SRC + 1: 2, SRC + 2: contract.NONE}, "E_SHAPE"),
    ],
)
def test_fields_of_the_op_are_checked(device: Device, changes: dict[int, int], status: str) -> None:
    assert outcome(layout(device, (5,), (3, 2), (3, 2)), None, changes)[0] == status
