# SPDX-License-Identifier: MIT
"""The accuracy of the device's matmuls, next to llama.cpp's scheme on the same data; and a real model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import accuracy
import gguf
import needs
import numpy as np
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from ops.cases import FLOATS, SMALL
from ops.checks import Checker, Matrix, first_difference
from pyhexagon import Device, GGUFFile

LIMIT, FLOAT_LIMIT = 1.3, 1e-4


@pytest.fixture(scope="module", params=["loopback", "loopback:qemu"])
def device(request: pytest.FixtureRequest, qemu: str) -> Iterator[Device]:
    with Device(request.param) as device:
        yield device


@pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
def test_the_error_is_that_of_llama_cpp_or_less(
    device: Device, matrix: Matrix, gguf_file: Callable[..., Path], dtype: Q
) -> None:
    n, k = (128 if SMALL else 1024), 1024
    raw = weights.quantize(np.random.default_rng(0).standard_normal((n, k), dtype=np.float32), dtype)
    dequantized = weights.dequantize(raw, dtype)
    with GGUFFile(gguf_file(w=(dtype, raw))) as file:
        w = device.load(file, "w")
    for data in (accuracy.normal, accuracy.outliers):
        for m in (1, 7) if SMALL else (1, 7, 33):
            x = data(m, k, seed=m)
            exact = x.astype(np.float64) @ dequantized.T
            ours = accuracy.nmse(device.matmul(x, w).numpy(), exact)
            line = f"{device.name:14}{dtype.name:6}{data.__name__:9}M={m:<4}NMSE {ours:.2e}"
            if dtype in FLOATS:
                limit = FLOAT_LIMIT
            else:
                llama = accuracy.nmse(accuracy.llama_product(dtype, dequantized, x), exact)
                limit = LIMIT * llama
                line += f"   llama.cpp's scheme {llama:.2e}   ratio {ours / llama:.2f}"
            matrix.accuracy.append(line)
            assert ours <= limit, line
    w.close()


def test_every_matrix_of_a_real_model_is_multiplied_correctly(device: Device, matrix: Matrix) -> None:
    checker = Checker(device, matrix)
    n_tensors = 0
    with GGUFFile(needs.STORIES) as file:
        for name in file.names():
            info = file.info(name)
            if len(info.shape) != 2:
                continue
            n, k = info.shape
            x = accuracy.normal(3, k, seed=n_tensors)
            raw = file.raw(name)
            want = oracle.matmul_exact(info.gguf_type, np.ascontiguousarray(raw).view(np.uint8), n, k, x)
            exact = x.astype(np.float64) @ gguf.dequantize(raw, info.gguf_type).astype(np.float64).T
            with device.load(file, name) as w:
                for kernels in checker.kernels:
                    device.kernels = kernels
                    got = np.array(device.matmul(x, w))
                    assert not first_difference(got, want), f"{name} {info.gguf_type.name} {kernels}"
                    assert accuracy.nmse(got, exact) < FLOAT_LIMIT, name
            n_tensors += 1
    device.kernels = "hvx"
    kinds = " and ".join(checker.kernels)
    matrix.accuracy.append(f"{device.name:14}stories: {n_tensors} matrices, {kinds}, bit for bit as specified")
    assert n_tensors > 30
