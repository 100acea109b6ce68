# SPDX-License-Identifier: MIT
"""CLAMP through programs."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from ops.elementwise import F64, SPECIALS, Devices, Elementwise, flushed, numbers, results


class TestClamp(Elementwise):
    name = "clamp"
    n_src = 1
    nmse = 1e-30
    worst = 0.0
    params: ClassVar = {"min": -1.5, "max": 2.25}

    def exact(self, *sources: F64) -> F64:
        return np.asarray(np.clip(sources[0], -1.5, 2.25))


@pytest.mark.parametrize("least", [-np.inf, -1.0, -0.0, 1.0, np.nan], ids=str)
@pytest.mark.parametrize("most", [np.inf, 3.0, 0.0, -2.0, np.nan], ids=str)
def test_bounds_may_be_anything(engines: Devices, least: float, most: float) -> None:
    x = np.concatenate([np.array(SPECIALS, np.float32), numbers(90)])
    (got,) = results(engines, lambda p, value: [p.clamp(value, least, most)], x)
    np.testing.assert_array_equal(got, np.maximum(np.minimum(flushed(x), np.float32(most)), np.float32(least)))
