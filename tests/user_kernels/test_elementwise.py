# SPDX-License-Identifier: MIT
"""``Device.elementwise``: expressions over arrays that broadcast as NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pyhexagon import ArgumentError, Device, KernelError
from user_kernels.examples import EXAMPLES, load

SHAPES = [
    ((5, 641), (5, 641)),
    ((3, 4, 5), (4, 1)),
    ((1, 7), (6, 1)),
    ((2, 3, 4, 33), (33,)),
    ((2, 3, 4, 5, 6), (2, 3, 4, 5, 6)),
    ((300, 1024), (300, 1024)),
    ((130,), ()),
    ((), ()),
    ((0, 3), (1, 3)),
]


def test_arrays_are_broadcast_as_numpys(device: Device) -> None:
    kernel = device.elementwise("int16 a, int16 b; int32 k", "int32 out", "out = a * b + k", isolated=False)
    rng = np.random.default_rng(0)
    for shapes in SHAPES:
        a, b = (rng.integers(-32768, 32768, shape, dtype=np.int16) for shape in shapes)
        for one, other in ((a, b), (b, a)):
            expected = one.astype(np.int32) * other + 5
            found = np.array(kernel(one, other, k=5))
            np.testing.assert_array_equal(found, np.asarray(expected, np.int32), strict=True)
    with pytest.raises(ArgumentError, match="cannot be broadcast"):
        kernel(np.zeros((2, 3), np.int16), np.zeros((2, 4), np.int16), k=0)
    with pytest.raises(ArgumentError, match="a of float32: expected int16"):
        kernel(np.zeros(3, np.float32), np.zeros(3, np.int16), k=0)


def test_parameters_may_be_numpys_own_numbers(device: Device) -> None:
    """Also where they are sent to another process."""
    kernel = device.elementwise("uint8 a, int32 k", "int32 out", "out = a * k")
    np.testing.assert_array_equal(kernel(np.arange(9, dtype=np.uint8), k=np.int32(7)), np.arange(0, 63, 7))


def test_several_results_and_many_sources(device: Device) -> None:
    kernel = device.elementwise(
        "uint8 a, uint8 b, uint8 c, uint16 d", "uint16 sum, int8 sign",
        "sum = (uint16_t)(a + b + c + d); sign = (int8_t)(a > b ? 1 : a < b ? -1 : 0)", name="both", isolated=False,
    )  # fmt: skip
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(0, 256, (3, 100), dtype=np.uint8) for _ in range(3))
    d = rng.integers(0, 60000, (3, 1), dtype=np.uint16)
    total, sign = kernel(a, b, c, d)
    np.testing.assert_array_equal(np.array(total), (a.astype(np.uint16) + b + c + d).astype(np.uint16), strict=True)
    np.testing.assert_array_equal(np.array(sign), np.sign(a.astype(int) - b).astype(np.int8), strict=True)


def test_it_is_an_op_of_programs_on_views(device: Device) -> None:
    scale = device.elementwise("float32 x; float32 k", "float32 y", "y = x * k", isolated=False)
    x = np.random.default_rng(2).standard_normal((6, 40), dtype=np.float32)
    with device.program() as p:
        value = p.input(x.shape)
        h = p.call(scale, value[1:5, 3:20], k=2.0)
        p.output(p.add(h, h), p.call(scale, value[::2], k=0.5))
        program = p.compile()
    doubled, halved = program.run(x)
    np.testing.assert_array_equal(np.array(doubled), 4 * x[1:5, 3:20])
    np.testing.assert_array_equal(np.array(halved), x[::2] / 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("float64 x", "float32 y", "y = x"), "expected a dtype"),
        (("float32 x", "float32 x", "x = x"), "distinct names"),
        (("", "float32 x", "x = 1"), "distinct names"),
        (("uint8 x", "uint8 y", "y = z"), "<expression>:1:.*undeclared"),
    ],
)
def test_mistakes_are_named(dsp: Device, arguments: tuple[str, str, str], message: str) -> None:
    with pytest.raises((ArgumentError, KernelError), match=message):
        dsp.elementwise(*arguments)


def test_a_mistake_is_shown_once_and_without_warnings(device: Device) -> None:
    """The compiler sees the expression once, not in each loop for broadcast rows, and its warnings help nobody."""
    with pytest.raises(KernelError) as caught:
        device.elementwise("uint8 a, uint8 b; int32 unused", "uint8 out", "int x; out = a + nothing * b")
    text = str(caught.value)
    assert text.count("undeclared identifier 'nothing'") == 1
    assert "<expression>:1:" in text
    assert "warning" not in text


BY_HAND = """
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <pyhexagon_kernel.h>
typedef HVX_Vector unaligned __attribute__((aligned(1)));
static void compute(const unaligned *restrict x, const unaligned *restrict y, unaligned *restrict z, int n) {{
    #pragma clang loop unroll_count(4)
    for (int i = 0; i < n; i++) {{
        HVX_Vector a = x[i], b = y[i];
        z[i] = {expression};
    }}
}}
PHX_KERNEL(by_hand, .n_src = 2, .n_dst = 1) {{
    for (uint32_t row = call->first; row < call->end; row++) {{
        compute(PHX_ROW(const unaligned, call->src[0], row), PHX_ROW(const unaligned, call->src[1], row),
                PHX_ROW(unaligned, call->dst[0], row), (int)(call->dst[0].ne[0] * sizeof({dtype}_t) / 128));
    }}
    return 0;
}}
"""
WIDE = "Q6_Wuh_vmpy_VubVub(a, b)"


@pytest.mark.parametrize(
    ("dtype", "body", "expression"),
    [
        ("uint8", "out = a + b", "Q6_Vb_vadd_VbVb(a, b)"),
        ("int16", "out = a + b", "Q6_Vh_vadd_VhVh(a, b)"),
        ("uint8", "out = a * b", f"Q6_Vb_vshuffe_VbVb(Q6_V_hi_W({WIDE}), Q6_V_lo_W({WIDE}))"),
        ("int16", "out = a * b", "Q6_Vh_vmpyi_VhVh(a, b)"),
        ("uint8", "out = (a ^ b) >> 3", "Q6_Vub_vlsr_VubR(Q6_V_vxor_VV(a, b), 3)"),
        ("int16", "out = (a ^ b) >> 3", "Q6_Vh_vasr_VhR(Q6_V_vxor_VV(a, b), 3)"),
    ],
)
def test_sums_products_and_shifts_cost_at_most_1_5_times_a_kernel_by_hand(
    dsp: Device, dtype: str, body: str, expression: str
) -> None:
    limits, rng = np.iinfo(dtype), np.random.default_rng(4)
    a, b = rng.integers(limits.min, limits.max, (2, 64, 1920), dtype=dtype, endpoint=True)
    kernel = dsp.elementwise(f"{dtype} a, {dtype} b", f"{dtype} out", body)
    by_hand = dsp.kernel(BY_HAND.format(dtype=dtype, expression=expression))
    np.testing.assert_array_equal(kernel(a, b), by_hand(a, b), strict=True)
    assert packets(kernel, a, b) <= 1.5 * packets(by_hand, a, b)


def packets(kernel: Any, *sources: Any, **params: Any) -> int:
    _, report = kernel.run_with_report(*sources, **params)
    assert report.ops[0].packets is not None
    return int(report.ops[0].packets)


def test_expressions_cost_at_most_1_5_times_a_kernel_by_hand(dsp: Device) -> None:
    a, b = EXAMPLES["blend"].make(np.random.default_rng(3), 64, 1920)
    blend = dsp.elementwise("uint8 a, uint8 b, int32 w", "uint8 out", "out = (a * w + b * (256 - w) + 128) >> 8")
    assert packets(blend, a, b, w=77) <= 1.5 * packets(load(dsp, "blend"), a, b, w=77)
    x, y = EXAMPLES["saxpy"].make(np.random.default_rng(3), 64, 1920)
    body = "int v = ((x * a + (1 << 14)) >> 15) + y; v = v > 32767 ? 32767 : v; out = v < -32768 ? -32768 : v"
    saxpy = dsp.elementwise("int16 x, int16 y, int32 a", "int16 out", body)
    assert packets(saxpy, x, y, a=-12345) <= 1.5 * packets(load(dsp, "saxpy"), x, y, a=-12345)


def test_a_result_that_is_never_assigned_is_refused(device: Device) -> None:
    with pytest.raises(ArgumentError, match=r"elementwise of 'a - lo': expected out = "):
        device.elementwise("uint8 a; int32 lo", "uint8 out", "a - lo")
