# SPDX-License-Identifier: MIT
"""Kernels that do not compile, do not fit, crash, or never return: each a typed error that says what to do."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pyhexagon import ArgumentError, Device, DeviceLostError, DspTimeoutError, KernelError, UnsupportedError
from pyhexagon.kernels import cache, elf, load, toolchain
from pyhexagon.process.user_kernels import Image

HEAD = "#include <pyhexagon_kernel.h>\n"
FAULTY = """#include <pyhexagon_kernel.h>
static int deep(volatile int *n) {
    volatile char frame[2048];
    frame[0] = (char)*n;
    return *n ? deep(n) + frame[0] : 0;
}
PHX_KERNEL(faulty, .n_src = 1, .n_dst = 1, .n_params = 1) {
    uint32_t how = PHX_PARAM(uint32_t, 0);
    if (how == 1) {
        *(volatile uint32_t *)16 = 1;
    }
    for (volatile int i = 0; how == 2; i++) {
    }
    volatile int n = how == 3;
    return how == 4 ? phx_fail(call, "as asked") : deep(&n);
}
"""
X = np.ones((2, 64), np.float32)


@pytest.fixture(params=["loopback", "loopback:qemu"])
def faulty_device(request: pytest.FixtureRequest) -> Iterator[Device]:
    if request.param == "loopback:qemu":
        request.getfixturevalue("qemu")
    with Device(request.param) as device:
        yield device


def test_a_crash_names_the_kernel_and_the_line(faulty_device: Device) -> None:
    faulty = faulty_device.kernel(FAULTY, params={"how": np.uint32})
    with pytest.raises(DeviceLostError) as caught:
        faulty(X, how=1)
    assert "the kernel faulty" in str(caught.value)
    assert re.search(r"at \+0x[0-9a-f]+, <kernel> line 10, which used the address 0x10", str(caught.value))
    if faulty.isolated:
        assert not faulty_device.lost  # a child process ended, which nothing else needs
    else:
        assert faulty_device.lost
        assert "device.reopen() starts another one, and loads weights and kernels into it again" in str(caught.value)
        faulty_device.reopen()
    with pytest.raises(KernelError, match="CALL faulty: as asked"):
        faulty(X, how=4)
    assert faulty(X, how=0).shape == X.shape


UNDECLARED = (
    HEAD
    + """
PHX_KERNEL(k, .n_src = 1, .n_dst = 1, .n_params = 1) {{
    for (uint32_t row = call->first; row < call->end; row++) {{
        int32_t *y = PHX_ROW(int32_t, call->dst[0], row), sum = 0;
        uint32_t n = call->dst[0].ne[0];
        for (uint32_t i = 0; i < n; i++) {{
            {body}
        }}
        y[0] = sum;
    }}
    return 0;
}}
"""
)


@pytest.mark.parametrize(
    "body",
    [
        "sum += PHX_ROW(const int32_t, call->src[1], row)[i];",
        "for (uint32_t j = 0; j < call->src[1].ne[0]; j++) sum += ((const int32_t *)(void *)call->src[1].data)[j];",
        "PHX_ROW(int32_t, call->dst[1], row)[i] = sum;",
        pytest.param("sum += PHX_ROW(const int32_t, call->src[7], 0)[i];", marks=pytest.mark.long),
        pytest.param(
            "for (uint32_t j = 0; j < call->dst[3].ne[1]; j++) call->dst[3].data[j] = 1;", marks=pytest.mark.long
        ),
    ],
)
def test_sources_and_results_that_are_not_declared_have_no_memory(device: Device, body: str) -> None:
    kernel = device.kernel(UNDECLARED.format(body=body), params={"a": np.int32})
    with pytest.raises(
        DeviceLostError, match=r"the kernel k.* line [78], .* address 0x0 \(NULL: .* beyond n_src and n_dst"
    ):
        kernel(X, a=1)
    if device.lost:
        device.reopen()


def test_check_finds_sources_that_are_not_declared(dsp: Device) -> None:
    body = "sum += PHX_ROW(const int32_t, call->src[1], row)[i];"
    with pytest.raises(DeviceLostError, match=r"line [78], .*beyond n_src and n_dst"):
        dsp.kernel(UNDECLARED.format(body=body), params={"a": np.int32}).check(X, a=1)
    assert not dsp.lost


def test_parameters_that_are_not_declared_do_not_compile(device: Device) -> None:
    for i in (1, 14, 15, -1):
        with pytest.raises(
            KernelError, match=r"<kernel>:8:20: error: .* this parameter is beyond \.n_params"
        ) as caught:
            device.kernel(UNDECLARED.format(body=f"sum += PHX_PARAM(int32_t, {i});"), params={"a": np.int32})
        assert "pyhexagon_kernel.h" not in str(caught.value)  # no lines of the header beside the user's
    kernel = device.kernel(UNDECLARED.format(body="sum += PHX_PARAM(int32_t, i);"), params={"a": np.int32})
    assert kernel(np.zeros((2, 1), np.int32), a=7).numpy().tolist() == [[7], [7]]
    with pytest.raises(DeviceLostError, match=r"a trap, as of PHX_PARAM beyond n_params"):
        kernel(X, a=1)
    if device.lost:
        device.reopen()


def test_check_finds_parameters_that_are_read_past_their_end(dsp: Device) -> None:
    """Without PHX_PARAM: they have other values on the CPU than on the DSP."""
    kernel = dsp.kernel(UNDECLARED.format(body="sum += ((const int32_t *)call->params)[1];"), params={"a": np.int32})
    with pytest.raises(KernelError, match="the CPU gives -1515870811, the DSP 1515870810"):
        kernel.check(np.zeros((3, 1), np.int32), a=1)


def test_a_result_other_than_0_without_a_message_is_named(device: Device) -> None:
    with pytest.raises(KernelError, match="CALL five: it returned 5"):
        device.kernel(HEAD + "PHX_KERNEL(five, .n_src = 1, .n_dst = 1) { return 5; }")(X)


def test_a_division_by_zero_is_named_on_cpus(dsp: Device) -> None:
    """The DSP has no instruction for it, and its function returns some number: docs/own-kernels.md."""
    source = UNDECLARED.format(body="sum += (int32_t)i / PHX_PARAM(int32_t, 0);")
    assert dsp.kernel(source, params={"a": np.int32})(X, a=0).shape == X.shape
    with Device("cpu") as cpu:
        kernel = cpu.kernel(source, params={"a": np.int32})
        assert kernel(np.zeros((1, 5), np.int32), a=2).numpy()[0, 0] == 4
        if platform.machine() == "x86_64":
            with pytest.raises(DeviceLostError, match=r"\(integer division by zero\) at .*<kernel> line 8"):
                kernel(X, a=0)


def test_a_stack_overflow_and_an_endless_loop_are_errors(faulty_device: Device) -> None:
    faulty = faulty_device.kernel(FAULTY, params={"how": np.uint32})
    faulty(X, how=0)
    with pytest.raises(DeviceLostError, match="the kernel faulty"):
        faulty(X, how=3)
    faulty_device.reopen()
    with pytest.raises(DspTimeoutError, match="the kernel faulty"):
        faulty(X, how=2, timeout=0.5)
    faulty_device.reopen()
    assert faulty(X, how=0).shape == X.shape


def test_a_call_of_a_program_is_tried_before_it_runs_in_this_process() -> None:
    with Device("loopback") as device:
        faulty = device.kernel(FAULTY, params={"how": np.uint32})
        with device.program() as p:
            x = p.input(X.shape)
            with pytest.raises(DeviceLostError, match="the kernel faulty"):
                p.call(faulty, x, how=1)
            p.output(p.call(faulty, x, how=0))
            p.compile()(X)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 1) {\n    return undeclared;\n}\n", r"<kernel>:3:12: .*undeclared"),
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 1) {\n    return 0\n}\n", r"<kernel>:3:13: .*expected ';'"),
        (
            "int not_there(void);\nPHX_KERNEL(k, .n_src = 1, .n_dst = 1) {\n    return not_there();\n}\n",
            "needs not_there: the DSP has no such function",
        ),
        ("PHX_KERNEL(k, .n_src = 9, .n_dst = 1) { return 0; }", "has 9 sources: expected 1 to 8"),
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 0) { return 0; }", "has 0 results: expected 1 to 4"),
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 1, .flags = 3) { return 0; }", "has the flags 3"),
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 1, .in_place = 2) { return 0; }", "the kernel has 1 sources"),
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 1, .stack_bytes = 65536) { return 0; }", "65536 bytes of stack"),
        ("PHX_KERNEL(k, .n_src = 1, .n_dst = 1, .n_params = 1) { return 0; }", "1 words of parameters, 0 are declared"),
        ("__thread int x;\nPHX_KERNEL(k, .n_src = 1, .n_dst = 1) { return x++; }", "thread-local data"),
        (
            "PHX_KERNEL(k, .n_src = 1, .n_dst = 1) {\n    volatile char big[30000];\n"
            "    for (int i = 0; i < 30000; i++) big[i] = 1;\n"
            "    return big[call->first];\n}",
            "stack frame size",
        ),
    ],
)
def test_sources_that_do_not_fit_are_refused(dsp: Device, source: str, message: str) -> None:
    with pytest.raises((KernelError, ArgumentError), match=message):
        dsp.kernel(HEAD + source)
    assert not dsp.lost


def test_a_path_without_a_kernel_is_an_argument_error(dsp: Device, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot read"):
        dsp.kernel(tmp_path / "none.c")
    (tmp_path / "empty.c").write_text("int x;\n")
    with pytest.raises(ArgumentError, match=r"empty\.c has no PHX_KERNEL"):
        dsp.kernel(tmp_path / "empty.c")
    (tmp_path / "k.c").write_text(HEAD + "PHX_KERNEL(k, .n_src = 1, .n_dst = 1) {\n    return x;\n}\n")
    with pytest.raises(KernelError, match=r"k\.c:3:12"):
        dsp.kernel(tmp_path / "k.c")


def test_without_a_compiler_the_error_says_how_to_install_it(dsp: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    toolchain.zig.cache_clear()
    with pytest.raises(UnsupportedError, match=r"ziglang.*kernels"):
        dsp.kernel(HEAD + "PHX_KERNEL(fresh_source, .n_src = 1, .n_dst = 1) { return 17; }")


def test_the_dsp_refuses_damaged_images_and_lives(dsp: Device) -> None:
    source = HEAD + "PHX_KERNEL(k, .n_src = 1, .n_dst = 1) { return 0; }"
    image = cache.compiled(source, "k", toolchain.HEXAGON, ()).image
    rng = np.random.default_rng(0)
    n_refused = 0
    for _ in range(150):
        damaged = bytearray(image)
        for at in rng.integers(0, 0x400, rng.integers(1, 6)):
            damaged[at] = rng.integers(256)
        data = bytes(damaged[: rng.integers(1, len(image))] if rng.integers(4) == 0 else damaged)
        try:
            elf.read(data, toolchain.HEXAGON)
        except KernelError:
            n_refused += 1
        try:
            number = dsp._load_kernel(Image("damaged", data))  # past Python's own checks
        except KernelError:
            continue
        except DeviceLostError:  # the loader's own fault, on a DSP that this process outlives
            dsp.reopen()
            continue
        dsp._unload_kernel(number)
    assert n_refused > 30
    x = np.ones((3, 5), np.float32)
    kernel = load.kernel(dsp, FAULTY, params={"how": np.uint32})
    assert kernel(x, how=0).shape == x.shape


def test_a_descriptor_that_lies_is_refused_by_the_dsp(dsp: Device) -> None:
    source = HEAD + "PHX_KERNEL(k, .n_src = 1, .n_dst = 1) { return 0; }"
    image = cache.compiled(source, "k", toolchain.HEXAGON, ()).image
    at = image.index(_head(image))
    for word, value, reason in ((0, 9, "another version"), (3, 9, "number of sources"), (7, 6, "overwrite"),
                                (6, 3, "flags"), (8, 1 << 20, "slack"), (11, 1 << 20, "stack")):  # fmt: skip
        changed = bytearray(image)
        changed[at + 4 * word : at + 4 * word + 4] = value.to_bytes(4, "little")
        with pytest.raises(KernelError, match=reason):
            dsp._load_kernel(Image("liar", bytes(changed)))


def _head(image: bytes) -> bytes:
    """Return the first words of the descriptor: version and size, which are followed by a relocated pointer."""
    descriptor, _ = elf.read(image, toolchain.HEXAGON)
    return descriptor.abi.to_bytes(4, "little") + descriptor.size.to_bytes(4, "little")
