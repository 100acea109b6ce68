# SPDX-License-Identifier: MIT
"""Calls of user kernels: what they take and return, and how they are loaded."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import ArgumentError, ClosedError, Device, DeviceLostError, KernelError, UnsupportedError
from user_kernels.examples import EXAMPLES, FOLDER, load

COPY = """
#include <pyhexagon_kernel.h>
PHX_KERNEL(copy, .n_src = 1, .n_dst = 1, .in_place = 1) {
    uint32_t n = call->dst[0].ne[0] * (call->dst[0].dtype == PHX_KERNEL_F32 || call->dst[0].dtype == PHX_KERNEL_I32 ? 4
                 : call->dst[0].dtype == PHX_KERNEL_I8 || call->dst[0].dtype == PHX_KERNEL_U8 ? 1 : 2);
    for (uint32_t row = call->first; row < call->end; row++) {
        for (uint32_t i = 0; i < n; i++) {
            phx_kernel_row(&call->dst[0], row)[i] = phx_kernel_row(&call->src[0], row)[i];
        }
    }
    return 0;
}
"""

SUMS = """
#include <pyhexagon_kernel.h>
/* All of one call: tasks on all threads, which take work memory of the first one. */
struct context {
    const struct phx_kernel_call *call;
    int32_t *sums;
};
static int sum_of(void *argument, int row) {
    struct context *context = argument;
    const int32_t *x = PHX_ROW(const int32_t, context->call->src[0], (uint32_t)row);
    int32_t sum = 0;
    for (uint32_t i = 0; i < context->call->src[0].ne[0]; i++) {
        sum += x[i];
    }
    context->sums[row] = sum;
    return 0;
}
PHX_KERNEL(sums, .n_src = 1, .n_dst = 1, .flags = PHX_KERNEL_WHOLE, .work_bytes = 4096) {
    int n = (int)call->src[0].ne[1];
    struct context context = {call, call->work};
    if (call->first != 0 || n > 1024 || phx_parallel(call, sum_of, &context, n)) {
        return phx_fail(call, "too many rows");
    }
    for (int i = 0; i < n; i++) {
        PHX_ROW(int32_t, call->dst[0], 0)[i] = context.sums[i];
    }
    return 0;
}
"""


# vavg of unsigned bytes with rounding, and vabsdiff: none of the skel's own kernels has them.
INTRINSICS = """
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <pyhexagon_kernel.h>
PHX_KERNEL(blend, .n_src = 2, .n_dst = 2, .slack = 128) {
    for (uint32_t row = call->first; row < call->end; row++) {
        const uint8_t *a = phx_kernel_row(&call->src[0], row), *b = phx_kernel_row(&call->src[1], row);
        for (uint32_t i = 0; i < call->dst[0].ne[0]; i += 128) {
            HVX_Vector x = *(const HVX_UVector *)(a + i), y = *(const HVX_UVector *)(b + i);
            *(HVX_UVector *)(phx_kernel_row(&call->dst[0], row) + i) = Q6_Vub_vavg_VubVub_rnd(x, y);
            *(HVX_UVector *)(phx_kernel_row(&call->dst[1], row) + i) = Q6_Vub_vabsdiff_VubVub(x, y);
        }
    }
    return 0;
}
"""


def test_intrinsics_beside_those_of_the_skel_have_the_bits_of_numpy(device: Device) -> None:
    a, b = np.random.default_rng(3).integers(0, 256, (2, 3, 256), np.uint8)
    mean, difference = device.kernel(INTRINSICS, shape=lambda a, b: (a, a))(a, b)
    np.testing.assert_array_equal(mean, (a.astype(np.int32) + b + 1) >> 1)
    np.testing.assert_array_equal(difference, np.abs(a.astype(np.int32) - b))


def test_it_takes_all_dtypes(device: Device) -> None:
    copy = device.kernel(COPY, isolated=False)
    for dtype in ("float32", "float16", "int8", "uint8", "int16", "uint16", "int32"):
        x = np.arange(0, 2 * 3 * 5 * 7).reshape(2, 3, 5, 7).astype(dtype)
        np.testing.assert_array_equal(copy(x).numpy(), x, strict=True)
        np.testing.assert_array_equal(copy(copy(x)).numpy(), x, strict=True)  # a tensor
    for wrong, better in ((np.float64, "float32"), (np.int64, "int32"), (bool, "uint8")):
        with pytest.raises(ArgumentError, match=rf'expected float32, float16.*x\.astype\("{better}"\) converts it'):
            copy(np.zeros(3, wrong))
    with pytest.raises(ArgumentError, match="expected numbers"):
        copy(np.zeros(3, np.complex64))


def test_other_ops_refuse_bytes(device: Device) -> None:
    with device.program() as p, pytest.raises(ArgumentError):
        p.add(p.input((4,), np.uint8), p.input((4,), np.uint8))


def test_a_whole_kernel_runs_tasks_on_all_threads(device: Device) -> None:
    sums = device.kernel(SUMS, shape=lambda x: (x[0],), isolated=False)
    x = np.random.default_rng(0).integers(-1000, 1000, (37, 211), dtype=np.int32)
    np.testing.assert_array_equal(sums(x).numpy(), x.sum(1).astype(np.int32), strict=True)
    with pytest.raises(KernelError, match="CALL sums: too many rows"):
        sums(np.zeros((1025, 1), np.int32))


def test_it_reuses_memory_in_a_program_if_it_may(device: Device) -> None:
    copy = device.kernel(COPY, isolated=False)
    with device.program() as p:
        x = p.input((4, 33))
        p.output(p.add(p.call(copy, p.call(copy, p.add(x, x))), x))
        program = p.compile()
    assert list(program._plan.arenas.values()) == [656]  # one value of 4 x 33 floats, and its slack
    np.testing.assert_array_equal(np.array(program(np.ones((4, 33), np.float32))), np.full((4, 33), 3, np.float32))


def test_wrong_arguments_are_named(device: Device) -> None:
    threshold, x = load(device, "threshold"), np.ones((2, 3), np.float32)
    with pytest.raises(ArgumentError, match=r"takes 1 source, not 2$"):
        threshold(x, x, limit=1)
    with pytest.raises(ArgumentError, match=r"takes 1 source, not 2\. Hint: pass parameters by name: limit=\.\.\."):
        threshold(x, 1.0)
    with pytest.raises(ArgumentError, match="parameters none: expected limit"):
        threshold(x)
    with pytest.raises(ArgumentError, match="at most 4 dimensions"):
        threshold(x.reshape(1, 1, 1, 2, 3), limit=1)
    blend = load(device, "blend")
    with pytest.raises(ArgumentError, match=r"w = 1\.5 \(int32\): it is no whole number"):
        blend(np.zeros(3, np.uint8), np.zeros(3, np.uint8), w=1.5)
    with pytest.raises(KernelError, match="CALL blend: w is outside of 0 to 255"):
        blend(np.zeros(3, np.uint8), np.zeros(3, np.uint8), w=256)
    with device.program() as p, pytest.raises(ArgumentError, match="kernels take rows"):
        p.call(threshold, device.weight(np.ones((32, 32), np.float32)), limit=1)
    with Device("loopback") as other, other.program() as p, pytest.raises(ArgumentError, match="another device"):
        p.call(threshold, p.input((2,)), limit=1)


def test_dtypes_of_sources_are_checked_if_they_are_declared(device: Device, tmp_path: Path) -> None:
    source = COPY.replace(".n_src = 1", ".n_src = 2")
    kernel = device.kernel(source, sources=[np.int16, "uint8"])
    kernel.save(tmp_path / "copy.phxk")
    a, b = np.arange(6, dtype=np.int16).reshape(2, 3), np.ones((2, 3), np.uint8)
    for one in (kernel, device.kernel(tmp_path / "copy.phxk")):
        np.testing.assert_array_equal(one(a, b).numpy(), a, strict=True)
        for wrong in ((b, b), (a, a), (a.astype(np.float32), b), (device.tensor(a.astype(np.float32)), b)):
            with pytest.raises(ArgumentError, match=r"source [01] of <Kernel copy.* is \w+: expected (int16|uint8)"):
                one(*wrong)
        for integers in (a.astype(np.int64), a.astype(np.float64)):
            with pytest.raises(ArgumentError, match=r'64: expected int16\. Hint: x\.astype\("int16"\) converts it'):
                one(integers, b)
            with pytest.raises(ArgumentError, match=r'64: expected uint8\. Hint: x\.astype\("uint8"\) converts it'):
                one(a, integers)
        with device.program() as p, pytest.raises(ArgumentError, match=r"source 1 of .* is int16: expected uint8"):
            p.call(one, p.input((4,), np.int16), p.input((4,), np.int16))
    with pytest.raises(ArgumentError, match="copy has 2 sources, 1 dtypes of sources are declared"):
        device.kernel(source, sources=np.int16)
    with pytest.raises(ArgumentError, match="a source of copy of dtype float64"):
        device.kernel(source, sources=[np.float64, np.int16])


def test_a_function_for_the_shape_that_fails_is_an_argument_error(device: Device) -> None:
    for function, reason in (
        (lambda x: (x[0], x[1]), r"fails for \(3,\): IndexError: tuple index out of range"),
        (lambda x, w: x, r"TypeError.*gets the shapes of the sources, then the parameters by name: lambda x: \.\.\."),
        (lambda x: (x[0] // 0,), "ZeroDivisionError"),
        (lambda x: (x[0] - 4,), "no length can be negative"),
    ):
        with pytest.raises(ArgumentError, match=reason):
            device.kernel(COPY, shape=function)(np.zeros(3, np.int8))
    blend = device.kernel(FOLDER / "blend.c", params={"w": np.int32}, shape=lambda x: x)
    with pytest.raises(ArgumentError, match=r"fails for \(3,\), \(3,\), w=1: .* by name: lambda x0, x1, w: \.\.\."):
        blend(np.zeros(3, np.uint8), np.zeros(3, np.uint8), w=1)


def test_slack_is_memory_behind_each_tensor(device: Device) -> None:
    source = """
    #include <pyhexagon_kernel.h>
    PHX_KERNEL(behind, .n_src = 1, .n_dst = 1, .slack = 128) {
        volatile uint8_t *end = call->src[0].data + call->src[0].n_bytes;
        (void)end[127];
        PHX_ROW(int32_t, call->dst[0], 0)[0] = 7;
        return 0;
    }
    """
    behind = device.kernel(source, shape=(1,), isolated=False)
    x = np.zeros(4096, np.int32)  # whole pages
    assert behind(x).numpy() == 7
    assert behind(device.tensor(x)).numpy() == 7
    with device.program() as p, pytest.raises(ArgumentError, match="which fills its memory"):
        p.call(behind, device.tensor(x))
    with device.program() as p:
        h = p.call(behind, p.input((4096,), np.int32))
        p.output(p.call(behind, h))
        program = p.compile()
    assert program(x).numpy() == 7


def test_kernels_are_loaded_again_by_reopen_and_by_new_sessions(qemu: str, faults: Faults) -> None:
    x = np.linspace(-2, 2, 64, dtype=np.float32)
    expected = np.where(x > 0.5, x, 0)
    with Device("loopback:qemu", max_sessions=2) as device:
        threshold = load(device, "threshold")
        faults.kill(device)
        with pytest.raises(DeviceLostError, match="the session is lost"):
            threshold(x, limit=0.5)
        device.reopen()
        np.testing.assert_array_equal(threshold(x, limit=0.5).numpy(), expected)
        assert device._memory.placement._open_another() is not None
        device._sessions.reverse()
        np.testing.assert_array_equal(threshold(x, limit=0.5).numpy(), expected)
        device._sessions.reverse()


def test_closed_kernels_free_their_number(device: Device) -> None:
    x = np.arange(8, dtype=np.float32)
    first = device.kernel(COPY, isolated=False)
    with device.program() as p:
        p.output(p.call(first, p.input((8,))))
        program = p.compile()
    assert (program(x).numpy() == x).all()
    first.close()
    first.close()
    with pytest.raises(ClosedError, match="copy"):
        first(x)
    for _ in range(70):  # more than a session loads at a time
        kernel = device.kernel(COPY, isolated=False)
        assert (kernel(x).numpy() == x).all()
        kernel.close()
    with pytest.raises(ClosedError, match="copy"):
        program(x)


def test_too_many_kernels_are_refused(device: Device) -> None:
    gc.collect()  # kernels of earlier tests
    n_loaded = len(device._user_kernels.all()) - len(device._unloaded)
    kernels = [device.kernel(COPY, isolated=False) for _ in range(64 - n_loaded)]
    with pytest.raises(KernelError, match="64 kernels are loaded"):
        device.kernel(COPY, isolated=False)
    for kernel in kernels:
        kernel.close()
    assert (load(device, "threshold")(np.ones(3, np.float32), limit=0.5).numpy() == 1).all()


def test_a_shell_without_dlopenbuf_loads_a_file(dsp: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    threshold = load(dsp, "threshold")
    session, image = dsp._session, dsp._user_kernels.all()[threshold.number]
    session.unload_kernel(threshold.number)
    load_from_memory = session.opened.stub.load_kernel

    def refuse(number: int, name: str, data: bytes, *, is_path: bool = False) -> None:
        if not is_path:
            raise UnsupportedError("no dlopenbuf")
        load_from_memory(number, name, data, is_path=True)

    monkeypatch.setattr(session.opened.stub, "load_kernel", refuse)
    session.load_kernel(threshold.number, image)
    monkeypatch.undo()
    x = EXAMPLES["threshold"].make(np.random.default_rng(0), 2, 65)[0]
    np.testing.assert_array_equal(threshold(x, limit=0.5).numpy(), np.where(x > 0.5, x, 0))


BITS = """
#include <pyhexagon_kernel.h>
PHX_KERNEL(bits, .n_src = 1, .n_dst = 1, .n_params = 1) {
    for (uint32_t row = call->first; row < call->end; row++) {
        for (uint32_t i = 0; i < call->dst[0].ne[0]; i++) {
            PHX_ROW(int32_t, call->dst[0], row)[i] = PHX_PARAM(int32_t, 0);
        }
    }
    return 0;
}
"""


def test_kernels_of_one_source_have_their_own_declarations(device: Device) -> None:
    """Also in the child process, which knows them all."""
    x = np.zeros((2, 3), np.int32)
    integer, real, other = (device.kernel(BITS, params=one) for one in ({"a": "i4"}, {"a": "f4"}, {"b": "i4"}))
    for value, found in ((3, integer(x, a=3)), (np.float32(3.5).view(np.int32), real(x, a=3.5)), (4, other(x, b=4))):
        np.testing.assert_array_equal(found, np.full((2, 3), value, np.int32))


@pytest.mark.parametrize("name", ["self", "p", "kernel", "shape", "dtype", "timeout", "against"])
def test_parameters_with_the_names_of_arguments_are_refused(device: Device, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"the parameter {name}: calls of kernels have an argument of this name"):
        device.kernel(BITS, params={name: np.int32})
