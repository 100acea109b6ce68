# SPDX-License-Identifier: MIT
"""Load balancing of rows over four threads: the bits equal those of one thread, and packets measure the balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ops.elementwise import numbers
from pyhexagon import Builder, Device, Value

Build = Callable[..., Value]

OPS: dict[str, Build] = {
    "rms_norm": lambda p, x, w, b: p.rms_norm(x, w),
    "l2_norm": lambda p, x, w, b: p.l2_norm(x),
    "norm": lambda p, x, w, b: p.norm(x, w, b),
    "norm_without_bias": lambda p, x, w, b: p.norm(x, w),
    "norm_alone": lambda p, x, w, b: p.norm(x),
    "swiglu": lambda p, x, w, b: p.swiglu(x, x),
    "geglu": lambda p, x, w, b: p.geglu(x, x),
}

# By number of rows of 4096 elements: the largest share of the busiest of four threads. 4 and 8 rows are assigned whole.
# With fewer than 4, a norm's part costs some 300 packets, whatever its length.
NORMS = {1: 0.645, 2: 0.355, 3: 0.325} | dict.fromkeys((4, 5, 6, 7, 8, 9, 17), 0.27)
NORM_WITHOUT_BIAS = dict.fromkeys((4, 5, 6, 7, 8, 9, 17), 0.27)
# Reducing a row costs more than writing its results: rows reduced by two threads cost more than the others' share.
NORM_ALONE = {4: 0.27, 5: 0.284, 6: 0.275, 7: 0.27, 8: 0.27, 9: 0.27, 17: 0.27}
GLU = {3: 0.28} | dict.fromkeys((4, 5, 6, 7, 8, 9, 17), 0.27)
LIMITS = dict.fromkeys(("rms_norm", "l2_norm", "norm"), NORMS) | {
    "norm_without_bias": NORM_WITHOUT_BIAS,
    "norm_alone": NORM_ALONE,
    "swiglu": GLU,
    "geglu": GLU,
}
CASES = [(op, n, most) for op, limits in LIMITS.items() for n, most in limits.items()]


def packets(device: Device, build: Build, n: int) -> tuple[int, int]:
    """Return the packets of the op over n rows: in total, and of the busiest thread."""
    p: Builder = device.program()
    given = numbers(n, 4096), numbers(4096, seed=1), numbers(4096, seed=2)
    x, weight, bias = (p.input(one.shape) for one in given)
    p.output(build(p, x, weight, bias), p.add(weight, bias))
    program = p.compile()
    program.run(*given)  # allocates the memory
    op, _ = program.run_with_report(*given)[1].ops
    assert op.packets is not None
    assert op.packets_max_thread is not None
    return op.packets, op.packets_max_thread


@pytest.mark.parametrize(("op", "n", "limit"), CASES)
def test_the_busiest_of_four(
    devices: tuple[Device, Device], figure: Callable[[str], None], op: str, n: int, limit: float
) -> None:
    alone, _ = packets(devices[0], OPS[op], n)
    _, busiest = packets(devices[1], OPS[op], n)
    figure(f"{op}, {n} rows: {busiest} of {alone}, {busiest / alone:.4f}")
    assert busiest <= limit * alone


# Of the last two rows: what kernels leave to the reference, or to one thread.
SPECIALS = [(np.nan, 0.0), (-np.inf, 1e-41), (1.0, 1.0)]


# With the last four sizes, some threads have no shared row.
SIZES = [
    *((1, 9000), (2, 4096), (3, 4100), (5, 4096), (6, 1100), (6, 4100), (7, 2049), (9, 515)),
    *((17, 515), (18, 400), (33, 250), (65, 130)),
]


@pytest.mark.parametrize(("n", "size"), SIZES)
def test_bits_are_those_of_one_thread(devices: tuple[Device, Device], n: int, size: int) -> None:
    def build(p: Builder, x: Value, w: Value, b: Value, odd: Value) -> list[Value]:
        made = [p.rms_norm(p.scale(x, 1.0), w), p.norm(p.scale(x, 1.0), w, b)]  # in place
        for one in (x, x[:, 1:]):
            weight, bias, special = (v[: one.shape[-1]] for v in (w, b, odd))
            made += [
                p.rms_norm(one), p.rms_norm(one, weight), p.rms_norm(one, special, eps=0.0), p.l2_norm(one),
                p.norm(one), p.norm(one, weight), p.norm(one, weight, bias), p.norm(one, special, special, eps=0.0),
                p.swiglu(one, one),
            ]  # fmt: skip
        return made

    weight, bias = numbers(size, seed=1, spread=3), numbers(size, seed=2, spread=3)
    odd: Any = weight.copy()
    odd[[3, size // 2, size - 1]] = np.nan, np.inf, -np.inf
    given = [numbers(n, size, seed=i, spread=3) for i in range(len(SPECIALS))]
    for x, specials in zip(given, SPECIALS, strict=True):
        for row, special in zip((n - 1, n - 2)[:n], specials[:n], strict=True):
            x[row] = x[row] if abs(special) >= 1 or np.isnan(special) else special
            x[row, -3] = special
    with Device("loopback", transport="invoke") as host:
        got = []
        for device in (*devices, host):
            p: Builder = device.program()
            p.output(*build(p, *(p.input(shape) for shape in ((n, size), (size,), (size,), (size,)))))
            program = p.compile()
            got.append([[y.numpy().copy() for y in program.run(x, weight, bias, odd)] for x in given])
    for i, of_one in enumerate(got[0]):
        for j, y in enumerate(of_one):
            for others in got[1:]:
                np.testing.assert_array_equal(others[i][j].view(np.uint32), y.view(np.uint32), f"{i}, {j}")
