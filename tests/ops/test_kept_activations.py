# SPDX-License-Identifier: MIT
"""Ops of a program that share their activations: quantised once, and never mistaken for other activations.

Each op runs unfused here; tests/program/test_fusions.py tests fused ops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device, Tensor

N, K = 128, 512
AHEAD = 250
"""Packets of a product for the next one: whether it may, and the first copies of each thread."""
Q4, Q8, Q4_K, Q6_K = Q.Q4_0, Q.Q8_0, Q.Q4_K, Q.Q6_K


@pytest.fixture(scope="module")
def device(qemu: str) -> Iterator[Device]:
    with Device("loopback:qemu", threads=2) as device:
        yield device


def weight(device: Device, dtype: Q, seed: int, n: int = N, k: int = K) -> Tensor:
    values = np.random.default_rng(seed).standard_normal((n, k), dtype=np.float32)
    return device.pack(dtype, weights.quantize(values, dtype), (n, k))


def activations(m: int, k: int = K) -> npt.NDArray[np.float32]:
    return np.random.default_rng(7).standard_normal((m, k), dtype=np.float32)


def together(device: Device, x: Tensor, ws: Sequence[Tensor]) -> tuple[list[npt.NDArray[np.uint32]], list[int]]:
    """Return the products of one program as bits, and the packets of each in its second run."""
    with device.program() as p:
        rows = p.input(x.shape)
        p.output(*(p.matmul(rows, w) for w in ws))
    program = p.compile(without=["products"])
    program.run(x)
    results, report = program.run_with_report(x)
    return [y.numpy().view(np.uint32).copy() for y in results], [op.packets for op in report.ops if op.packets]


def apart(device: Device, x: Tensor, ws: Sequence[Tensor]) -> tuple[list[npt.NDArray[np.uint32]], list[int]]:
    products = [together(device, x, [w]) for w in ws]
    return [results[0] for results, _ in products], [packets[0] for _, packets in products]


@pytest.mark.parametrize("m", [1, 5])
@pytest.mark.parametrize("dtypes", [(Q4, Q4, Q8), (Q4_K, Q.Q5_K, Q4_K), (Q6_K, Q6_K, Q6_K), (Q.F16, Q.F32, Q.BF16)])
def test_ops_that_share_activations_quantise_them_once(device: Device, m: int, dtypes: tuple[Q, ...]) -> None:
    ws = [weight(device, dtype, seed) for seed, dtype in enumerate(dtypes)]
    x = device.tensor(activations(m))
    want, packets_apart = apart(device, x, ws)
    got, packets = together(device, x, ws)
    np.testing.assert_array_equal(got, want)
    assert 0 <= packets[0] - packets_apart[0] < AHEAD, "it quantizes, and prefetches the next weight's tiles"
    for shared, alone in zip(packets[1:], packets_apart[1:], strict=True):
        assert shared < alone - 100 * m, "quantised again"


@pytest.mark.parametrize("dtypes", [(Q4, Q4_K, Q4), (Q4, Q.Q4_1, Q.Q5_1), (Q.Q2_K, Q.Q3_K, Q6_K), (Q.F16, Q8, Q.F16)])
def test_types_that_want_other_activations_get_their_own(device: Device, dtypes: tuple[Q, ...]) -> None:
    ws = [weight(device, dtype, seed) for seed, dtype in enumerate(dtypes)]
    x = device.tensor(activations(3))
    np.testing.assert_array_equal(together(device, x, ws)[0], apart(device, x, ws)[0])


def test_activations_that_an_op_in_between_wrote_are_quantised_again(device: Device) -> None:
    """The results share memory: the second overwrites the first, which was quantised there."""
    square, w = weight(device, Q8, 1, K, K), weight(device, Q4, 2)
    xs = [activations(4), activations(4)[::-1].copy()]
    want = [device.matmul(device.matmul(x, square), w).numpy().view(np.uint32).copy() for x in xs]
    with device.program() as p:
        p.output(*(p.matmul(p.matmul(p.input(x.shape), square), w) for x in xs))
    program = p.compile()
    assert list(program._plan.arenas.values()) == [4 * 4 * K], "both lie in the same place"
    np.testing.assert_array_equal([y.numpy().view(np.uint32) for y in program.run(*xs)], want)


def test_rows_that_overlap_those_kept_are_not_taken_for_them(device: Device) -> None:
    """The same memory in other shapes: rows of K floats, and of K / 2."""
    ws = [weight(device, Q4, 1), weight(device, Q4, 2, N, K // 2), weight(device, Q4, 1)]
    values = activations(2)
    shapes = [(2, K), (4, K // 2), (2, K)]
    want = [device.matmul(values.reshape(shape), w).numpy().copy() for shape, w in zip(shapes, ws, strict=True)]
    with device.program() as p:
        x = p.input((2, K))
        p.output(*(p.matmul(x.reshape(shape), w) for shape, w in zip(shapes, ws, strict=True)))
    for got, wanted in zip(p.compile(without=["products"]).run(values), want, strict=True):
        np.testing.assert_array_equal(got.numpy(), wanted)


def test_activations_longer_than_a_chunk_are_quantised_each_time(device: Device) -> None:
    ws = [weight(device, Q4, seed, 64, 4096) for seed in range(2)]
    x = device.tensor(activations(2500, 4096))  # 13 MB of quantised rows
    want, packets_apart = apart(device, x, ws)
    got, packets = together(device, x, ws)
    np.testing.assert_array_equal(got, want)
    for one, alone in zip(packets, packets_apart, strict=True):
        assert abs(one - alone) < AHEAD


@pytest.mark.parametrize("dtype", [Q4, Q6_K])
def test_a_row_that_several_experts_share_is_quantised_once(device: Device, dtype: Q) -> None:
    n_experts, k = 4, 2048
    values = np.random.default_rng(1).standard_normal((n_experts * N, k), dtype=np.float32)
    experts = device.pack(dtype, weights.quantize(values, dtype), (n_experts, N, k))
    row = activations(1, k)
    ids = np.arange(n_experts, dtype=np.int32)

    def packets(x: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.uint32], int]:
        with device.program() as p:
            p.output(p.mul_mat_id(p.input(x.shape), experts, p.input(ids.shape, np.int32)))
        program = p.compile()
        program(x, ids)
        (y,), report = program.run_with_report(x, ids)
        return y.numpy().view(np.uint32).copy(), report.ops[0].packets or 0

    shared, of_shared = packets(row)
    repeated, of_repeated = packets(np.repeat(row, n_experts, axis=0))
    np.testing.assert_array_equal(shared, repeated)

    def quantising(m: int) -> int:
        first, second = together(device, device.tensor(activations(m, k)), [weight(device, dtype, 0, 1, k)] * 2)[1]
        return first - second

    assert of_repeated - of_shared > 0.9 * (quantising(n_experts) - quantising(1)) > 0
