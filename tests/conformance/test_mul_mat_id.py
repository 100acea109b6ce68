# SPDX-License-Identifier: MIT
"""A mixture of experts end to end: ``Device.mul_mat_id``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import oracle
import pytest
from gguf import GGMLQuantizationType as Q

from pyhexagon import ArgumentError, Device, ProgramError, Tensor
from pyhexagon.ops import mul_mat_id

F32 = npt.NDArray[np.float32]
EXPERTS = np.random.default_rng(0).standard_normal((6, 33, 40), dtype=np.float32)
IDS = np.array([[0, 5], [5, 2], [3, 3]], np.int32)


@pytest.fixture
def experts(device: Device) -> Tensor:
    return device.weight(EXPERTS)


def activations(*shape: int, seed: int = 1) -> F32:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def exact(x: F32, ids: npt.ArrayLike) -> F32:
    """Return the exact result for x (..., U, K), repeated if a token has one row."""
    ids = np.asarray(ids)
    out = np.empty((*ids.shape, 33), np.float32)
    rows = np.broadcast_to(x, (*ids.shape, 40))
    for at in np.ndindex(ids.shape):
        out[at] = oracle.matmul_exact(Q.F32, EXPERTS[ids[at]].view(np.uint8), 33, 40, rows[at][None].copy())[0]
    return out


def same_bits(got: npt.ArrayLike, want: npt.ArrayLike) -> None:
    np.testing.assert_array_equal(np.asarray(got).view(np.uint32), np.asarray(want).view(np.uint32))


def test_a_token_has_a_row_for_each_expert_or_one_for_all(device: Device, experts: Tensor) -> None:
    x = activations(3, 2, 40)
    same_bits(device.mul_mat_id(x, experts, IDS), exact(x, IDS))
    same_bits(device.mul_mat_id(x[:, :1], experts, IDS), exact(x[:, :1], IDS))
    same_bits(device.mul_mat_id(x[:, 0], experts, IDS), exact(x[:, :1], IDS))


def test_leading_dimensions_are_those_of_the_ids(device: Device, experts: Tensor) -> None:
    x = activations(2, 3, 40)
    ids = np.stack([IDS, IDS[::-1]])
    y = device.mul_mat_id(x, experts, ids)
    assert y.shape == (2, 3, 2, 33)
    same_bits(y, exact(x[:, :, None], ids))
    same_bits(device.mul_mat_id(x[0, 0], experts, IDS[0]), exact(x[0, :1], IDS[0]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", ">i4", "uint64"])
def test_ids_of_any_integer_type_are_taken(device: Device, experts: Tensor, dtype: str) -> None:
    x = activations(3, 40)
    same_bits(device.mul_mat_id(x, experts, IDS.astype(dtype)), exact(x[:, None], IDS))
    same_bits(device.mul_mat_id(x, experts, IDS.tolist()), exact(x[:, None], IDS))


def test_a_gate_and_two_layers_run_as_one_program(device: Device, experts: Tensor) -> None:
    """As in a layer of experts: up for each token's experts, then down for each of their results."""
    down = activations(6, 40, 33, seed=3)
    x = activations(3, 40)
    with device.program() as p:
        ids = p.input(IDS.shape, np.int32)
        h = p.mul_mat_id(p.input(x.shape), experts, ids)
        p.output(h, p.mul_mat_id(h, device.weight(down), ids))
    program = p.compile()
    for order in (1, -1):
        (h_run, y), report = program.run_with_report(IDS[::order], x)
        first = exact(x[:, None], IDS[::order])
        same_bits(h_run, first)
        for t, u in np.ndindex(3, 2):
            expert = down[IDS[::order][t, u]].view(np.uint8)
            same_bits(y.numpy()[t, u], oracle.matmul_exact(Q.F32, expert, 40, 33, first[t, u][None])[0])
    assert [op.op for op in report.ops] == ["mul_mat_id", "mul_mat_id"]
    assert all(op.n_threads == device.info().threads for op in report.ops)


def test_without_tokens_or_experts_the_result_is_empty(device: Device, experts: Tensor) -> None:
    none = np.zeros((0, 2), np.int32)
    assert device.mul_mat_id(activations(0, 40), experts, none).numpy().shape == (0, 2, 33)
    assert device.mul_mat_id(activations(3, 40), experts, np.zeros((3, 0), np.int32)).numpy().shape == (3, 0, 33)


@pytest.mark.parametrize(("wrong", "text"), [(6, r"ids\[1, 0\] is 6"), (-1, r"ids\[1, 0\] is -1")])
def test_ids_of_no_expert_are_refused(device: Device, experts: Tensor, wrong: int, text: str) -> None:
    ids = IDS.astype(np.int64)
    ids[1, 0] = wrong
    with pytest.raises(ArgumentError, match=f"{text}.*0 to 5"):
        device.mul_mat_id(activations(3, 40), experts, ids)


@pytest.mark.parametrize("wrong", [6, -1, 1 << 30])
def test_the_dsp_checks_the_ids_of_a_tensor_and_names_the_op(device: Device, experts: Tensor, wrong: int) -> None:
    x, ids = activations(3, 40), device.tensor(IDS)
    with device.program() as p:
        v = p.input(x.shape)
        p.matmul(v, device.weight(EXPERTS[0]))
        p.output(p.mul_mat_id(v, experts, p.input(IDS.shape, "I32")))
    program = p.compile()
    ids.numpy()[2, 1] = wrong
    for _ in range(2):
        with pytest.raises(ProgramError, match=r"PHX_E_INDEX.*names no expert.*op 1 \(MUL_MAT_ID\)"):
            program(x, ids)
    ids.numpy()[2, 1] = 4
    same_bits(program(x, ids), exact(x[:, None], [[0, 5], [5, 2], [3, 4]]))


def test_what_does_not_fit_is_refused_with_all_shapes(device: Device, experts: Tensor) -> None:
    x = activations(3, 2, 40)
    wrong = [(x, IDS[:2]), (x[:, :, :39], IDS), (x[0], IDS), (activations(3, 3, 40), IDS), (x, IDS[0, 0])]
    for bad_x, bad_ids in wrong:
        with pytest.raises(ArgumentError, match=r"experts \(6, 33, 40\)") as caught:
            device.mul_mat_id(bad_x, experts, bad_ids)
        assert f"x {bad_x.shape} and ids {np.shape(bad_ids)}" in str(caught.value)
    with pytest.raises(ArgumentError, match=r"expected a weight \(E, N, K\)"):
        device.mul_mat_id(x, device.weight(EXPERTS[0]), IDS)


def test_more_experts_than_the_dsp_takes_are_refused(
    device: Device, experts: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mul_mat_id, "MAX_EXPERTS", 5)
    with pytest.raises(ArgumentError, match=r"\(6, 33, 40\): 6 experts, the maximum is 5"):
        device.mul_mat_id(activations(3, 40), experts, IDS)


def test_operands_of_another_type_are_refused(device: Device, experts: Tensor) -> None:
    x = activations(3, 40)
    with pytest.raises(ArgumentError, match="ids of dtype float32: expected integers"):
        device.mul_mat_id(x, experts, IDS.astype(np.float32))
    with pytest.raises(ArgumentError, match="ids of dtype bool: expected integers"):
        device.mul_mat_id(x, experts, IDS == 0)
    with pytest.raises(ArgumentError, match="ids of experts are arrays or tensors of int32"):
        device.mul_mat_id(x, experts, device.tensor(IDS.astype(np.float32)))
    with pytest.raises(ArgumentError, match="activations are arrays or tensors of float32"):
        device.mul_mat_id(device.tensor(np.ones((3, 40), np.int32)), experts, IDS)
    with pytest.raises(ArgumentError, match="activations are arrays or tensors of float32"):
        device.matmul(device.tensor(np.ones((3, 40), np.int32)), device.weight(EXPERTS[0]))
    with pytest.raises(ArgumentError, match="expected float32"):
        device.mul_mat_id(x.astype(np.float64), experts, IDS)


def test_int32_tensors_come_back_as_they_went(device: Device) -> None:
    ids = device.tensor(IDS)
    assert ids.numpy().dtype == np.int32
    np.testing.assert_array_equal(np.asarray(ids), IDS)
    np.testing.assert_array_equal(ids.numpy(), IDS)
