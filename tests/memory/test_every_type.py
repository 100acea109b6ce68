# SPDX-License-Identifier: MIT
"""A GGUF file with a weight of every type, as mixes of types are published: loaded whole, multiplied, looked up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import oracle
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device

Write = Callable[..., Path]
TYPES = (*weights.TYPES, *weights.RECODED)
N, K, EXPERTS = 70, 512, 3
IDS = np.array([69, 0, 33], np.int32)


@pytest.fixture(scope="module")
def contents() -> dict[Q, weights.U8]:
    """The GGUF bytes of three matrices of each type, (3, N, row bytes)."""
    w = np.random.default_rng(0).standard_normal((EXPERTS * N, K), dtype=np.float32)
    return {dtype: weights.quantize(w, dtype).reshape(EXPERTS, N, -1) for dtype in TYPES}


@pytest.mark.parametrize("engine", ["loopback", "loopback:qemu"])
def test_a_file_with_every_type_loads_whole_and_runs(
    engine: str, gguf_file: Write, contents: dict[Q, weights.U8]
) -> None:
    x = np.random.default_rng(1).standard_normal((5, K), dtype=np.float32)
    each = {f"{dtype.name}.weight": (dtype, raw[0]) for dtype, raw in contents.items() if dtype not in weights.FLOATS}
    chosen = np.array([[2, 0], [1, 2]], np.int32)
    with Device(engine) as device, device.program() as p:
        loaded = device.load_all(gguf_file(**each))
        for name, (dtype, raw) in each.items():
            weight = loaded[name]
            assert weight.gguf_type == dtype
            p.output(p.matmul(p.input(x.shape), weight), p.matmul(p.input((1, K)), weight))
            p.output(p.get_rows(weight, p.input(IDS.shape, np.int32)))
            held = np.abs(weight.dequantize() - weights.dequantize(raw, dtype)).max()
            assert held <= 2.0**-13 * np.abs(weights.dequantize(raw, dtype)).max()
        program = p.compile()
        results = iter([y.numpy() for y in program.run(*[x, x[:1], IDS] * len(each))])
        for name, (dtype, raw) in each.items():
            want = oracle.matmul_exact(dtype, raw, N, K, x)
            np.testing.assert_array_equal(next(results), want, err_msg=name)
            np.testing.assert_array_equal(next(results), want[:1], err_msg=name)
            np.testing.assert_allclose(next(results), loaded[name].dequantize()[IDS], rtol=1e-5, atol=1e-6)
        for dtype in weights.RECODED:
            with device.pack(dtype, contents[dtype], (EXPERTS, N, K)) as experts, device.program() as q:
                q.output(q.mul_mat_id(q.input((2, 1, K)), experts, q.input(chosen.shape, np.int32)))
                got = q.compile()(x[:2, None], chosen).numpy()
            for token, used in np.ndindex(chosen.shape):
                raw = contents[dtype][chosen[token, used]]
                want = oracle.matmul_exact(dtype, raw, N, K, x[token : token + 1])
                np.testing.assert_array_equal(got[token, used], want[0], err_msg=dtype.name)
