# SPDX-License-Identifier: MIT
"""Weights with leading dimensions end to end: ``Device.matmul``."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import ArgumentError, Device, GGUFFile

F32 = npt.NDArray[np.float32]


def activations(*shape: int, seed: int = 1) -> F32:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def exact(x: F32, w: F32) -> F32:
    n, k = w.shape
    return oracle.matmul_exact(Q.F32, w.view(np.uint8), n, k, x)


def same_bits(got: npt.ArrayLike, want: npt.ArrayLike) -> None:
    np.testing.assert_array_equal(np.asarray(got).view(np.uint32), np.asarray(want).view(np.uint32))


def test_equal_dimensions_multiply_matrix_by_matrix(device: Device) -> None:
    w, x = activations(2, 3, 33, 40), activations(2, 3, 5, 40, seed=2)
    y = device.matmul(x, device.weight(w))
    assert y.shape == (2, 3, 5, 33)
    for i, j in np.ndindex(2, 3):
        same_bits(y.numpy()[i, j], exact(x[i, j], w[i, j]))


def test_neighbouring_matrices_of_x_share_one_of_the_weight(device: Device) -> None:
    w, x = activations(2, 8, 40), activations(6, 3, 40, seed=2)
    y = device.matmul(x, device.weight(w)).numpy()
    for i in range(6):
        same_bits(y[i], exact(x[i], w[i // 3]))


def test_dimensions_of_x_before_the_weights_are_free(device: Device) -> None:
    w, x = activations(2, 8, 40), activations(3, 2, 4, 5, 40, seed=2)
    y = device.matmul(x, device.weight(w)).numpy()
    assert y.shape == (3, 2, 4, 5, 8)
    for i, j, a in np.ndindex(3, 2, 4):
        same_bits(y[i, j, a], exact(x[i, j, a], w[a // 2]))
    one = device.weight(w[:1])
    assert device.matmul(x[0, 0, 0], one).shape == (5, 8)
    assert device.matmul(x[0, 0, 0, 0], one).shape == (8,)
    assert device.matmul(x[:, :0], one).numpy().shape == (3, 0, 4, 5, 8)


def test_results_of_a_program_keep_their_dimensions(device: Device) -> None:
    up, down, x = activations(2, 16, 40), activations(2, 8, 16, seed=2), activations(4, 3, 40, seed=3)
    with device.program() as p:
        p.output(p.matmul(p.matmul(p.input(x.shape), device.weight(up)), device.weight(down)))
    y = p.compile()(x)
    for i in range(4):
        same_bits(y.numpy()[i], exact(exact(x[i], up[i // 2]), down[i // 2]))


@pytest.mark.parametrize(
    ("w_shape", "x_shape", "expected"),
    [
        ((2, 8, 40), (3, 5, 40), r"\(\.\.\., a multiple of 2, M, 40\)"),
        ((2, 8, 40), (5, 40), r"\(\.\.\., a multiple of 2, M, 40\)"),
        ((3, 1, 8, 40), (4, 2, 5, 40), r"\(a multiple of 3, any number, M, 40\)"),
        ((1, 1, 8, 40), (1, 1, 1, 5, 40), r"\(any number, any number, M, 40\)"),
        ((2, 8, 40), (2, 5, 39), r"\(\.\.\., 40\)"),
    ],
)
def test_dimensions_that_do_not_fit_are_refused_with_both_shapes(
    device: Device, w_shape: tuple[int, ...], x_shape: tuple[int, ...], expected: str
) -> None:
    with pytest.raises(ArgumentError, match=expected) as caught:
        device.matmul(activations(*x_shape), device.weight(activations(*w_shape)))
    assert str(w_shape) in str(caught.value)
    assert str(x_shape) in str(caught.value)


def test_forms_for_one_matrix_are_refused_for_many(device: Device) -> None:
    w = device.weight(activations(2, 8, 40))
    with pytest.raises(ArgumentError, match=r"device\.matmul"):
        w @ activations(40)
    with pytest.raises(ArgumentError, match=r"many matrices.*device\.matmul"):
        activations(2, 3, 40) @ w.T


def test_tensors_of_three_dimensions_are_loaded_from_a_file(device: Device, tmp_path: Path) -> None:
    raw = [weights.random_bytes(Q.Q4_K, 70, 256, np.random.default_rng(seed)) for seed in range(3)]
    path = tmp_path / "experts.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tensor("blk.0.ffn_up_exps.weight", np.stack(raw), raw_dtype=Q.Q4_K)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    done: list[tuple[int, int]] = []
    with GGUFFile(path) as file:
        info = file.info("blk.0.ffn_up_exps.weight")
        assert info.supported
        w = device.load(file, info.name, progress=lambda *at: done.append(at))
    assert w.shape == (3, 70, 256)
    assert done[-1] == (info.n_bytes, info.n_bytes)
    x = activations(3, 4, 256)
    y = device.matmul(x, w).numpy()
    for i in range(3):
        same_bits(y[i], oracle.matmul_exact(Q.Q4_K, raw[i], 70, 256, x[i]))
