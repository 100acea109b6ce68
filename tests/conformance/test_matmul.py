# SPDX-License-Identifier: MIT
"""Matmuls end to end: GGUF bytes in, the specified bits out, on every engine through every transport."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import ArgumentError, Device, GGUFFile, Tensor

F32 = npt.NDArray[np.float32]


def activations(*shape: int, seed: int = 1) -> F32:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def same_bits(got: npt.ArrayLike, want: npt.ArrayLike) -> None:
    np.testing.assert_array_equal(np.asarray(got).view(np.uint32), np.asarray(want).view(np.uint32))


@pytest.fixture
def weight(device: Device) -> Tensor:
    return device.weight(activations(33, 40, seed=2))


@pytest.fixture
def exact(weight: Tensor) -> Callable[[F32], F32]:
    raw = activations(33, 40, seed=2).view(np.uint8)
    return lambda x: oracle.matmul_exact(Q.F32, raw, 33, 40, x)


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_a_gguf_tensor_times_an_array_gives_the_specified_bits(
    device: Device, gguf_file: Callable[..., Path], dtype: Q
) -> None:
    for n, k in ((1, 256), (65, 512)):
        raw = weights.random_bytes(dtype, n, k, np.random.default_rng(n))
        with GGUFFile(gguf_file(w=(dtype, raw))) as file:
            w = device.load(file, "w")
        for m in (1, 2, 5):
            x = activations(m, k, seed=m)
            same_bits(device.matmul(x, w), oracle.matmul_exact(dtype, raw, n, k, x))


@pytest.fixture(scope="module")
def two_devices(qemu: str) -> Iterator[tuple[Device, Device]]:
    """Yield devices without and with dcfetch."""
    with (
        Device("loopback:qemu", transport="invoke") as plain,
        Device("loopback:qemu", transport="invoke", dcfetch=True) as fetching,
    ):
        yield plain, fetching


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_dcfetch_changes_no_bit_and_costs_packets_of_several_rows_only(
    two_devices: tuple[Device, Device], gguf_file: Callable[..., Path], dtype: Q
) -> None:
    """K of two and a half batches, and, for types that allow it, of one batch and three blocks."""
    for n, k in ((65, 2560), *([(3, 1120)] if dtype in (Q.Q4_0, Q.Q8_0, Q.MXFP4, Q.F16) else [])):
        raw = weights.random_bytes(dtype, n, k, np.random.default_rng(n))
        for m in (1, 4, 7, 33):
            x = activations(m, k, seed=m)
            packets = []
            for device in two_devices:
                with GGUFFile(gguf_file(w=(dtype, raw))) as file, device.load(file, "w") as w:
                    with device.program() as p:
                        p.output(p.matmul(p.input((m, k)), w))
                    (y,), report = p.compile().run_with_report(x)
                    same_bits(y, oracle.matmul_exact(dtype, raw, n, k, x))
                    packets.append(report.ops[0].packets or 0)
            if m == 1:
                assert packets[0] == packets[1]
            elif m > 3:
                assert 1.005 < packets[1] / packets[0] < 1.25, packets


def test_leading_dimensions_of_x_stay(device: Device, weight: Tensor, exact: Callable[[F32], F32]) -> None:
    x = activations(2, 3, 40)
    y = x @ weight.T
    assert y.shape == (2, 3, 33)
    same_bits(y, exact(x.reshape(6, 40)).reshape(2, 3, 33))
    assert device.matmul(x[0, 0], weight).shape == (33,)


def test_weight_at_x_has_the_meaning_of_numpy(device: Device, weight: Tensor, exact: Callable[[F32], F32]) -> None:
    x = activations(40, 5)
    same_bits(weight @ x, exact(x.T).T)
    same_bits(weight @ x[:, 0], exact(x[:, 0][None])[0])


def test_products_chain_in_both_forms(device: Device, weight: Tensor, exact: Callable[[F32], F32]) -> None:
    x, back = activations(3, 40), activations(40, 33, seed=3)
    second = device.weight(back)
    want = oracle.matmul_exact(Q.F32, back.view(np.uint8), 40, 33, exact(x))
    same_bits((x @ weight.T) @ second.T, want)
    same_bits(second @ (weight @ x.T), want.T)
    columns = activations(33, 3)
    same_bits(second @ device.tensor(columns), (second @ columns).numpy())


def test_a_program_runs_several_ops_and_reports_each(device: Device) -> None:
    up, down = activations(64, 32, seed=2), activations(16, 64, seed=3)
    x = activations(4, 32)
    w_up, w_down = device.weight(up), device.weight(down)
    with device.program() as p:
        h = p.matmul(p.input(x.shape), w_up)
        p.output(h, p.matmul(h, w_down))
    program = p.compile()
    for _ in range(2):
        (h_run, y), report = program.run_with_report(x)
        first = oracle.matmul_exact(Q.F32, up.view(np.uint8), 64, 32, x)
        same_bits(h_run, first)
        same_bits(y, oracle.matmul_exact(Q.F32, down.view(np.uint8), 16, 64, first))
    assert [op.op for op in report.ops] == ["mul_mat", "mul_mat"]
    assert report.transport == device._session.transport.name
    assert all(op.kernels in ("ref", "cpu", "hvx") and 1 <= op.n_threads <= device.info().threads for op in report.ops)
    assert report.dsp_nanoseconds >= 0
    assert report.seconds > 0


def test_a_program_of_many_ops_outgrows_the_first_message(device: Device) -> None:
    w = device.weight(activations(8, 8))
    x = activations(1, 8)
    with device.program() as p:
        v = p.input(x.shape)
        p.output(*(p.matmul(v, w) for _ in range(700)))
    results, report = p.compile().run_with_report(x)
    assert len(report.ops) == len(results) == 700
    want = device.matmul(x, w)
    for result in results:
        same_bits(result, want)


def test_new_content_of_an_operand_is_seen(device: Device, weight: Tensor, exact: Callable[[F32], F32]) -> None:
    """For an input that is a tensor, and for a constant that the host writes between runs."""
    x = device.tensor(activations(2, 40))
    with device.program() as as_input, device.program() as as_constant:
        as_input.output(as_input.matmul(as_input.input((2, 40)), weight))
        as_constant.output(as_constant.matmul(x, weight))
    given, kept = as_input.compile(), as_constant.compile()
    for seed in (1, 2, 3):
        x.numpy()[...] = activations(2, 40, seed=seed)
        same_bits(given(x), exact(activations(2, 40, seed=seed)))
        same_bits(kept(), exact(activations(2, 40, seed=seed)))


def test_strided_and_read_only_arrays_are_taken(device: Device, weight: Tensor, exact: Callable[[F32], F32]) -> None:
    x = activations(40, 6).T[::-2]
    x.flags.writeable = False
    same_bits(device.matmul(x, weight), exact(np.ascontiguousarray(x)))
    w = activations(80, 66)[::2, ::2].T
    same_bits(
        device.matmul(x, device.weight(w)),
        oracle.matmul_exact(Q.F32, np.ascontiguousarray(w).view(np.uint8), 33, 40, np.ascontiguousarray(x)),
    )


def test_no_rows_give_an_empty_result(device: Device, weight: Tensor) -> None:
    y = device.matmul(np.empty((0, 40), np.float32), weight)
    assert y.shape == (0, 33)
    assert y.numpy().shape == (0, 33)
    assert (weight @ np.empty((40, 0), np.float32)).numpy().shape == (33, 0)
    assert device.matmul(np.empty((2, 0, 40), np.float32), weight).numpy().shape == (2, 0, 33)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_row_with_nan_or_infinity_gives_a_row_of_nan(device: Device, weight: Tensor, value: float) -> None:
    x = activations(3, 40)
    want = device.matmul(x, weight).numpy().copy()
    x[1, 7] = value
    y = device.matmul(x, weight).numpy()
    assert np.isnan(y[1]).all()
    same_bits(y[[0, 2]], want[[0, 2]])


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int8", ">f4", "complex64", "bool"])
def test_activations_of_another_dtype_are_refused(device: Device, weight: Tensor, dtype: str) -> None:
    with pytest.raises(ArgumentError, match="expected float32"):
        device.matmul(np.ones((1, 40), dtype), weight)
    with pytest.raises(ArgumentError, match="expected float32"):
        weight @ np.ones(40, dtype)


@pytest.mark.parametrize("shape", [(), (39,), (40, 39), (0,)])
def test_activations_of_the_wrong_shape_are_refused_with_both_shapes(
    device: Device, weight: Tensor, shape: tuple[int, ...]
) -> None:
    with pytest.raises(ArgumentError, match=r"\(33, 40\).*expected x \(\.\.\., 40\)"):
        device.matmul(np.ones(shape, np.float32), weight)


def test_products_without_a_meaning_are_refused(device: Device, weight: Tensor) -> None:
    x = device.tensor(activations(2, 40))
    with pytest.raises(ArgumentError, match=r"x @ w\.T"):
        activations(2, 33) @ weight
    with pytest.raises(ArgumentError, match="is a weight"):
        weight @ device.weight(activations(40, 3))
    with pytest.raises(ArgumentError, match="must be a weight"):
        x @ x
    with pytest.raises(ArgumentError, match=r"device\.weight"):
        device.matmul(x, activations(33, 40))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="expected x"):
        weight @ activations(2, 40)
    with pytest.raises(TypeError):
        np.add(weight, 1)


@pytest.mark.parametrize("shape", [(0, 8), (8, 0), (8,), (2, 0, 8), (0, 8, 8), (1, 1, 1, 8, 8)])
def test_weights_of_an_impossible_shape_are_refused(device: Device, shape: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError):
        device.weight(np.ones(shape, np.float32))


def test_weights_of_another_dtype_are_refused(device: Device) -> None:
    with pytest.raises(ArgumentError, match="float64"):
        device.weight(np.ones((8, 8)))


def test_an_unknown_tensor_is_answered_with_near_names(device: Device, gguf_file: Callable[..., Path]) -> None:
    raw = weights.random_bytes(Q.Q8_0, 4, 32, np.random.default_rng(0))
    with pytest.raises(KeyError, match=r"ffn_up.*near names are blk\.0\.ffn_up\.weight"):
        device.load(gguf_file(**{"blk.0.ffn_up.weight": (Q.Q8_0, raw)}), "blk.0.ffn_up")


def test_threads_share_a_device(device: Device, weight: Tensor, exact: Callable[[F32], F32]) -> None:
    def work(seed: int) -> None:
        x = activations(seed % 4 + 1, 40, seed=seed)
        want = exact(x)
        for _ in range(20):
            same_bits(device.matmul(x, weight), want)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == [None] * 6
