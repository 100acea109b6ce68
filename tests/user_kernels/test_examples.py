# SPDX-License-Identifier: MIT
"""The kernels of docs/kernels give NumPy's result on every engine: the same bits for all sizes, views and threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from pyhexagon import Device, Kernel, KernelError
from user_kernels.examples import EXAMPLES, arrays, load

LACKING = """
#include <pyhexagon_kernel.h>
PHX_KERNEL(lacking, .n_src = 1, .n_dst = 1, .flags = PHX_KERNEL_LOADS) {
    for (uint32_t row = call->first; row < call->end; row++) {
        const uint8_t *x = phx_load_rows(call, row)[0];
        *PHX_ROW(int32_t, call->dst[0], row) = x ? x[7] : 0;
    }
    return 0;
}
"""
NEGATE = """
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <pyhexagon_kernel.h>
typedef HVX_Vector unaligned __attribute__((aligned(4)));
PHX_KERNEL(negate, .n_src = 1, .n_dst = 1) {
    for (uint32_t row = call->first; row < call->end; row++) {
        const unaligned *x = PHX_ROW(const unaligned, call->src[0], row);
        unaligned *y = PHX_ROW(unaligned, call->dst[0], row);
        for (uint32_t i = 0; i < call->dst[0].ne[0] / 32; i++) {
            y[i] = Q6_V_vxor_VV(x[i], Q6_V_vsplat_R(0x80000000));
        }
    }
    return 0;
}
"""
SIZES = ((1, 1), (3, 127), (2, 128), (5, 641), (17, 33))


@pytest.fixture(scope="module", params=EXAMPLES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def kernel(device: Device, name: str) -> Iterator[Kernel]:
    kernel = load(device, name)
    yield kernel
    kernel.close()


def test_it_gives_numpys_result(kernel: Kernel, name: str) -> None:
    example, rng = EXAMPLES[name], np.random.default_rng(0)
    for m, n in SIZES:
        sources = example.make(rng, m, n)
        found = arrays(kernel(*sources, **example.params))
        expected = arrays(example.reference(*sources, **example.params))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True, err_msg=f"{m} x {n}")


def test_it_takes_views_in_a_program_and_beside_other_ops(device: Device, kernel: Kernel, name: str) -> None:
    example, rng = EXAMPLES[name], np.random.default_rng(1)
    sources = example.make(rng, 6, 200)
    with device.program() as p:
        inputs = [p.input((x.shape[0] + 3, x.shape[1] + 5), x.dtype) for x in sources]
        views = [one[2:-1, 3:-2] for one in inputs]
        made = p.call(kernel, *views, **example.params)
        results = made if isinstance(made, tuple) else (made,)
        again = p.call(kernel, *views, **example.params)
        results += again if isinstance(again, tuple) else (again,)
        x = p.input((2, 64))
        p.output(*results, p.add(x, x))
        program = p.compile()
    whole = [np.pad(x, ((2, 1), (3, 2)), constant_values=7) for x in sources]
    *found, total = program.run(*whole, np.ones((2, 64), np.float32))
    expected = arrays(example.reference(*sources, **example.params))
    for one, other in zip(found, expected * 2, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    assert (np.array(total) == 2).all()


@pytest.mark.parametrize("name", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long)])
def test_bits_do_not_depend_on_the_number_of_threads(name: str, request: pytest.FixtureRequest) -> None:
    if name == "loopback:qemu":
        request.getfixturevalue("qemu")
    found: dict[str, list[list[bytes]]] = {one: [] for one in EXAMPLES}
    for threads in (1, 2, 3, 4):
        with Device(name, threads=threads) as device:
            for one, example in EXAMPLES.items():
                sources = example.make(np.random.default_rng(2), 37, 777)
                made, report = load(device, one).run_with_report(*sources, **example.params)
                assert report is not None
                assert 1 <= report.ops[0].n_threads <= threads
                assert report.ops[0].n_threads == threads or one in ("gemv",)
                found[one].append([array.tobytes() for array in arrays(made)])
    for one, each in found.items():
        assert all(bits == each[0] for bits in each), one


@pytest.mark.parametrize("engine", ["loopback", "loopback:qemu"])
def test_they_run_in_incoherent_memory(engine: str, monkeypatch: pytest.MonkeyPatch, qemu: str) -> None:
    """Alone, and in a program between two results of built-in ops."""
    monkeypatch.setenv("PYHEXAGON_LOOPBACK", "incoherent")
    with Device(engine) as device:
        for name, example in EXAMPLES.items():
            sources = example.make(np.random.default_rng(3), 7, 300)
            kernel = load(device, name)
            with device.program() as p:
                x = p.input((2, 64))
                made = p.call(kernel, *(p.input(one.shape, one.dtype) for one in sources), **example.params)
                p.output(p.add(x, x), *(made if isinstance(made, tuple) else (made,)))
                program = p.compile()
            _, *in_program = program.run(np.ones((2, 64), np.float32), *sources)
            expected = arrays(example.reference(*sources, **example.params))
            for found in (arrays(kernel(*sources, **example.params)), in_program):
                for one, other in zip(found, expected, strict=True):
                    np.testing.assert_array_equal(np.array(one), other, strict=True, err_msg=name)


def test_blending_takes_at_most_15_packets_for_128_bytes(dsp: Device) -> None:
    sources = EXAMPLES["blend"].make(np.random.default_rng(4), 64, 1920)
    _, report = load(dsp, "blend").run_with_report(*sources, w=77)
    assert report is not None
    assert report.ops[0].packets is not None
    assert report.ops[0].packets * 128 / sources[0].size <= 15


def test_a_single_row_stands_for_all_of_a_kernel_that_loads_rows(device: Device) -> None:
    example, rng = EXAMPLES["gemv"], np.random.default_rng(5)
    gemv = load(device, "gemv")
    for m, n in ((1, 1), (37, 129), (64, 1000)):
        w, x = example.make(rng, m, n)
        found = gemv(w, x[0], **example.params)
        np.testing.assert_array_equal(found, example.reference(w, x[:1], **example.params), strict=True)
    with pytest.raises(KernelError, match=r"expected w \(N, K\), x \(K,\) or \(N, K\)"):
        gemv(w, x[:2], **example.params)


def test_rows_that_a_source_lacks_are_null(device: Device) -> None:
    kernel = device.kernel(LACKING, shape=lambda x: (5, 1), dtype=np.int32)
    for n_rows, expected in ((3, [1, 1, 1, 0, 0]), (1, [1] * 5), (5, [1] * 5)):
        found = kernel(np.ones((n_rows, 8), np.int8)).numpy()
        np.testing.assert_array_equal(found[:, 0], expected)
    np.testing.assert_array_equal(kernel(np.ones((0, 8), np.int8)).numpy()[:, 0], [0] * 5)


def test_a_call_takes_at_most_100_packets_more_than_a_built_in_op(dsp: Device) -> None:
    """The kernel computes what NEG does: one vector."""
    negate = dsp.kernel(NEGATE)
    x, found = np.ones((1, 32), np.float32), []
    for is_call in (True, False):
        totals = []
        for n in (8, 16):
            with dsp.program() as p:
                value = p.input(x.shape)
                p.output(*(p.call(negate, value) if is_call else p.neg(value) for _ in range(n)))
                program = p.compile()
            program.run(x)  # defines it
            results, report = program.run_with_report(x)
            assert (np.array(results[-1]) == -1).all()
            assert report is not None
            totals.append(report.packets or 0)
        found.append((totals[1] - totals[0]) / 8)  # an op's packets, with what surrounds it
    assert found[0] <= found[1] + 100
