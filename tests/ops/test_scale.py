# SPDX-License-Identifier: MIT
"""SCALE through programs, with a bias and without."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from ops.elementwise import F64, SPECIALS, Devices, Elementwise, numbers, results


class TestScale(Elementwise):
    name = "scale"
    n_src = 1
    nmse = 1e-14
    worst = 0.51 * 2.0**-23
    params: ClassVar = {"scale": -0.37}

    def exact(self, *sources: F64) -> F64:
        return np.asarray(sources[0] * np.float32(-0.37).astype(np.float64))


class TestScaleAndBias(Elementwise):
    name = "scale"
    n_src = 1
    nmse = 1e-14
    worst = np.inf  # of a sum that is near 0
    params: ClassVar = {"scale": 1.7, "bias": -0.25}

    def exact(self, *sources: F64) -> F64:
        return np.asarray(sources[0] * np.float32(1.7).astype(np.float64) - 0.25)


@pytest.mark.parametrize("scale", [np.nan, np.inf, 0.0, 1e-40, 3e38], ids=str)
@pytest.mark.parametrize("bias", [0.0, -np.inf, 1.0], ids=str)
def test_parameters_may_be_anything(engines: Devices, scale: float, bias: float) -> None:
    x = np.concatenate([np.array(SPECIALS, np.float32), numbers(90)])
    (got,) = results(engines, lambda p, value: [p.scale(value, scale, bias)], x)
    with np.errstate(all="ignore"):
        product = np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(0, x), x) * np.float64(
            0 if scale == 1e-40 else scale
        )
        want = (product.astype(np.float32) + np.float32(bias)).astype(np.float32)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1.2e-38)
