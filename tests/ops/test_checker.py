# SPDX-License-Identifier: MIT
"""The checker's rules for shapes, one field at a time: the status, and the blamed tensor.

Every tensor ends at the end of its buffer, so one more row or matrix is out of range. tests/fuzz covers combinations of
wrong fields.
"""

from __future__ import annotations

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Q

from ops.placed import Layout, Product, Weight
from pyhexagon import ArgumentError, Builder, Device, HexagonError, Value, quants
from pyhexagon._ffi import contract
from pyhexagon.errors.aee import STATUSES
from pyhexagon.program import graph, wire
from pyhexagon.program.limits import check_products

N, K = 65, 64
ALL_ONES = 0xFFFFFFFF
DTYPE, LAYOUT, NE, NB = 0, 1, 4, 8  # words of struct phx_tensor
CODE, KERNELS, SRC, DST, PARAMS = 0, 1, 2, 10, 14  # words of struct phx_op


def layout(device: Device, leading: tuple[int, ...], x: tuple[int, ...], ids: tuple[int, ...] | None = None) -> Layout:
    """Lay out one op: a weight with these leading dimensions, x (..., M, K), and for experts ids in turn."""
    tiles = np.zeros(int(np.prod(leading)) * quants.tile_bytes(Q.Q4_0, N, K), np.uint8)
    chosen = None if ids is None else (np.arange(np.prod(ids), dtype=np.int32) % leading[0]).reshape(ids)
    product = Product(Weight(Q.Q4_0, N, K, tiles, leading), np.ones((*x, K), np.float32), ids=chosen)
    return Layout(device, "ends", [product])


def outcome(op: Layout, tensor: int | None, changes: dict[int, int]) -> tuple[str, int]:
    """Return the status and the blamed tensor of a request with changed words of a tensor (None: of the op)."""
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


@pytest.mark.parametrize(("tensor", "row"), [(1, K), (2, N)])
def test_no_element_lies_behind_the_buffer(device: Device, tensor: int, row: int) -> None:
    """The second of two matrices begins one element further behind, so that its last element is out of range."""
    assert outcome(layout(device, (2,), (2, 3)), tensor, {NB + 2: 3 * 4 * row}) == ("OK", contract.NONE)
    assert outcome(layout(device, (2,), (2, 3)), tensor, {NB + 2: 3 * 4 * row + 4}) == ("E_RANGE", tensor)


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
        ({KERNELS: 16 << 16}, "E_RESERVED"),  # an unknown flag
        ({DST + 1: 0}, "E_INDEX"),
        ({SRC + 2: ALL_ONES}, "E_INDEX"),
        ({SRC + 4: 0}, "E_INDEX"),
        ({PARAMS: 1}, "E_PARAM"),
        ({CODE: 3, SRC: 2, SRC + 1: 2, SRC + 2: contract.NONE}, "E_DTYPE"),  # an ADD of ids
        ({CODE: 3, SRC: 1, SRC + 1: 2, SRC + 2: contract.NONE}, "E_SHAPE"),
    ],
)
def test_fields_of_the_op_are_checked(device: Device, changes: dict[int, int], status: str) -> None:
    assert outcome(layout(device, (5,), (3, 2), (3, 2)), None, changes)[0] == status


# Strides of 0 make any number of rows or elements from a small buffer.
REPEATED = {NB + 1: 0, NB + 2: 0, NB + 3: 0}
TOO_MANY = [
    {NE + 1: contract.MAX_ROWS + 1, NE + 2: 1, **REPEATED},
    {NE + 1: 1 << 16, NE + 2: 1 << 16, NE + 3: 1 << 16, **REPEATED},
    {NE + 1: ALL_ONES, NE + 2: ALL_ONES, NE + 3: ALL_ONES, **REPEATED},
    {NE: 1 << 16, NB: 0, NE + 1: 1 << 17, NE + 2: 2, **REPEATED},
]


@pytest.mark.parametrize("changes", TOO_MANY, ids=str)
def test_a_view_of_more_than_an_op_may_visit_is_refused(device: Device, changes: dict[int, int]) -> None:
    assert outcome(layout(device, (2,), (4, 3)), 1, changes) == ("E_SHAPE", 1)


def too_much(p: Builder) -> Value:
    """Return an op that is valid except for the number of elements that it would visit."""
    return p.sum_rows(p.input((1, 1 << 16)).broadcast_to((1 << 17) + 1, 1 << 16))


def test_an_op_that_would_not_end_in_time_is_refused(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match="elements, an op takes 8,589,934,592 at most") as caught:
        too_much(device.program())
    assert "split it into several ops" in str(caught.value)
    monkeypatch.setattr(graph, "check_view", lambda *_: None)  # the DSP checks it as well
    p = device.program()
    p.output(too_much(p))
    with pytest.raises(HexagonError, match="PHX_E_SHAPE"):
        p.compile().run(np.ones((1, 1 << 16), np.float32))


def test_products_that_would_take_minutes_are_refused() -> None:
    check_products("matmul", (8192, 262144), 8192)  # the logits of a long prompt
    with pytest.raises(ArgumentError, match="products, an op takes"):
        check_products("matmul", (8192, 262145), 8192)
    with Device("loopback") as device:
        w = device.weight(np.zeros((64, 4096), np.float32))
        p = device.program()
        with pytest.raises(ArgumentError, match="split it into several ops"):
            p.matmul(p.input((1, 4096)).broadcast_to(1 << 27, 4096), w)
