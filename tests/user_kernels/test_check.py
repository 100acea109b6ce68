# SPDX-License-Identifier: MIT
"""``Kernel.check`` finds what is wrong with a kernel, and says what a right one costs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pyhexagon import ArgumentError, Device, KernelError, cli
from pyhexagon.kernels import guarded
from user_kernels.examples import EXAMPLES, FOLDER, load

ROWS = """
#include <pyhexagon_kernel.h>
PHX_KERNEL(rows, .n_src = 1, .n_dst = 1, .slack = {slack}) {{
    for (uint32_t row = call->first; row < call->end; row++) {{
        volatile uint8_t *x = PHX_ROW(volatile uint8_t, call->src[0], row), *y = PHX_ROW(uint8_t, call->dst[0], row);
        int n = (int)call->dst[0].ne[0];
        for (int i = 0; i < n; i++) {{
            y[i] = x[i];
        }}
        {more}
    }}
    return 0;
}}
"""


def test_a_good_kernel_is_measured(qemu: str) -> None:
    example = EXAMPLES["blend"]
    with Device("cpu") as cpu:
        found = load(cpu, "blend").check(
            example.make(np.random.default_rng(0), 3, 129), example.make(np.random.default_rng(0), 8, 1920),
            against=example.reference, w=77,
        )  # fmt: skip
    assert (found.name, found.n_calls, found.against) == ("blend", 2, True)
    assert 1600 < found.packets < 1920
    assert found.packets_per_row == found.packets / 8
    assert 12 * found.packets < 8 * 1920 * 3 == round(found.bytes_per_packet * found.packets)
    assert found.macs_per_packet * found.packets == pytest.approx(8 * 1920 * 2, rel=0.01)  # w is in both products
    assert f"{found.macs_per_packet:.1f} MACs a packet" in str(found)
    assert 0 < found.stack_bytes <= 4096
    assert "vmpy(" in found.hot_loop
    assert "stall" in found.hot_loop
    assert "line " in found.hot_loop
    assert "2 calls, the same bits on CPU and DSP and as the function" in str(found)


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_stays_within_its_tensors(qemu: str, name: str) -> None:
    example, rng = EXAMPLES[name], np.random.default_rng(5)
    sizes = ((1, 1), (3, 127), (2, 128), (4, 1000), (2, 2048), (5, 130))
    with Device("cpu") as cpu:
        calls = [example.make(rng, m, n) for m, n in sizes]
        found = load(cpu, name).check(*calls, against=example.reference, **example.params)
    assert found.n_calls == len(sizes)


def test_expressions_of_several_widths_stay_within_their_tensors(dsp: Device) -> None:
    """The compiler loads 64 int8 for 64 int32 with a whole vector: 64 bytes behind the array."""
    kernel = dsp.elementwise("int8 a, int16 b", "int32 out", "out = a * b")
    rng = np.random.default_rng(6)
    calls = [[rng.integers(-99, 99, shape).astype(dtype) for dtype in ("int8", "int16")]
             for shape in ((3, 127), (2, 128), (1, 4096))]  # fmt: skip
    found = kernel.check(*calls, against=lambda a, b: a.astype(np.int32) * b)
    assert found.n_calls == 3


def test_an_empty_result_costs_nothing(dsp: Device) -> None:
    found = dsp.elementwise("uint8 a", "uint8 out", "out = a ^ 1").check(np.ones((0, 128), np.uint8))
    assert (found.n_calls, found.packets) == (1, 0)


def test_a_kernel_without_products_has_no_macs(dsp: Device) -> None:
    found = dsp.elementwise("uint8 a", "uint8 out", "out = a ^ 1").check(np.ones((4, 128), np.uint8))
    assert found.macs_per_packet < 0.1  # addresses alone
    assert "MACs" not in str(found._replace(macs_per_packet=0.0))


@pytest.mark.parametrize(
    ("more", "slack", "message"),
    [
        ("(void)x[n];", 0, "accesses memory outside of its tensors, which lie at the end"),
        ("(void)x[-1];", 0, "at the start"),
        ("y[n] = 1;", 0, "at the end"),
        ("(void)x[n + 128];", 128, "at the end"),
        ("y[n] = 1;", 128, "writes outside of result 0"),
    ],
)
def test_accesses_outside_of_tensors_are_found(dsp: Device, more: str, slack: int, message: str) -> None:
    kernel = dsp.kernel(ROWS.format(more=more, slack=slack))
    with pytest.raises(KernelError, match=message):
        guarded.run(dsp, kernel, [np.ones((1, 40), np.uint8)], timeout=60, params={})


def test_accesses_within_the_slack_are_allowed(dsp: Device) -> None:
    kernel = dsp.kernel(ROWS.format(more="(void)x[n + 127];", slack=128))
    guarded.require_pure(kernel, guarded.run(dsp, kernel, [np.ones((3, 40), np.uint8)], timeout=60, params={}))


@pytest.mark.parametrize(
    ("dtype", "expression"),
    [
        ("uint8_t", "x[n - 1] + x[n]"),
        ("int8_t", "x[n - 1] ^ (x[n] & 64)"),
        ("int16_t", "x[n] > x[0] ? x[n] : x[0]"),
        ("uint8_t", "x[n + 20] < x[0] ? x[n + 20] : x[0]"),
        ("float", "x[n] > x[0] ? x[n] : x[0]"),
        ("float", "x[0] + 0 * x[n + 31]"),
    ],
)
def test_results_that_depend_on_bytes_behind_a_row_are_found(dsp: Device, dtype: str, expression: str) -> None:
    """Also behind a row that is not the last one, which rows with space between them show."""
    source = ROWS.format(more=f"y[0] = {expression};", slack=128).replace("uint8_t", dtype)
    x = np.full((2, 40), 3, dtype.removesuffix("_t").replace("float", "float32"))
    for wrong, is_last in ((source, True), (source.replace("y[0]", "if (row == 0) y[0]"), False)):
        kernel = dsp.kernel(wrong)
        runs = guarded.run(dsp, kernel, [x], timeout=60, params={})
        with pytest.raises(KernelError, match=r"result 0 of .* depends on memory outside of its tensors, first at"):
            guarded.require_pure(kernel, runs)
        if not is_last:  # the next row lies behind it, unless there is space between them
            guarded.require_pure(kernel, runs[:2])


def test_check_says_which_result_depends_on_bytes_behind_a_row(dsp: Device) -> None:
    source = ROWS.format(more="y[0] = x[n - 1] + x[n];", slack=128)
    with pytest.raises(
        KernelError,
        match=r"result 0 of .* depends on memory outside of its tensors, first at \(1, 0\): it is 2 with tensors "
        r"at the end of their memory and bytes of 255 around them, and 3 with .*Hint: bytes behind a row may",
    ):
        dsp.kernel(source).check(np.full((2, 40), 3, np.uint8))


def test_rows_that_a_kernel_takes_only_without_space_between_them_are_checked_so(dsp: Device) -> None:
    more = 'if (call->src[0].ne[1] > 1 && call->src[0].nb[1] != 40) return phx_fail(call, "rows apart");'
    kernel = dsp.kernel(ROWS.format(more=more, slack=128))
    assert len(guarded.run(dsp, kernel, [np.ones((3, 40), np.uint8)], timeout=60, params={})) == 2
    never = dsp.kernel(ROWS.format(more=more.replace("40", "41"), slack=128))
    with pytest.raises(KernelError, match="rows apart"):
        guarded.run(dsp, never, [np.ones((3, 40), np.uint8)], timeout=60, params={})


def test_writes_between_rows_are_found(dsp: Device) -> None:
    """Where rows touch, the next row covers them."""
    kernel = dsp.kernel(ROWS.format(more="if (row == 0) y[n] = 1;", slack=128))
    with pytest.raises(KernelError, match="writes outside of result 0"):
        guarded.run(dsp, kernel, [np.ones((3, 40), np.uint8)], timeout=60, params={})


def test_elements_that_are_not_written_are_named(dsp: Device) -> None:
    """Also if what lay there in one of the runs is right by chance; and rather than as a difference from NumPy."""
    kernel = dsp.kernel(ROWS.format(more="", slack=128).replace("y[i] =", "if (i % 7 != 3 || row == 0) y[i] ="))
    message = r"does not write 12 of 120 elements of result 0, first at \(1, 3\)"
    with pytest.raises(KernelError, match=message):
        kernel.check(np.zeros((3, 40), np.uint8), against=lambda x: x)
    runs = guarded.run(dsp, kernel, [np.full((3, 40), 255, np.uint8)], timeout=60, params={})
    with pytest.raises(KernelError, match=message):
        guarded.require_pure(kernel, runs)


def test_the_first_difference_is_named(dsp: Device) -> None:
    blend, sources = load(dsp, "blend"), EXAMPLES["blend"].make(np.random.default_rng(0), 3, 20)

    def wrong(a: object, b: object, w: int) -> object:
        right = EXAMPLES["blend"].reference(a, b, w)
        right[1, 7] += 1
        return right

    with pytest.raises(KernelError, match=r"differs in 1 of 60 elements, first at \(1, 7\): the CPU gives"):
        blend.check(*sources, against=wrong, w=3)
    with pytest.raises(ArgumentError, match="pass arrays"):
        blend.check(w=3)
    on_dsp = dsp.kernel(
        ROWS.format(slack=0, more="")
        .replace("y[i] = x[i];", "y[i] = x[i] + IS_DSP;")
        .replace("#include", "#ifdef __hexagon__\n#define IS_DSP 1\n#else\n#define IS_DSP 0\n#endif\n#include")
    )
    with pytest.raises(KernelError, match=r"first at \(0, 0\): the CPU gives 1, the DSP 2"):
        on_dsp.check(np.ones((1, 4), np.uint8))


def test_the_command_compiles_checks_and_saves(
    qemu: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("blend.c").write_bytes((FOLDER / "blend.c").read_bytes())
    command = ["kernel", "blend.c", "--param", "w=int32:77", "--dtype", "uint8"]
    assert cli.main([*command, "--shape", "8x641", "--check", "--save"]) == 0
    printed = capsys.readouterr().out
    assert "blend: 1 call, the same bits on CPU and DSP" in printed
    assert printed.endswith("saved as blend.phxk\n")
    assert cli.main([*command, "--save", "other.phxk", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"kernel": "blend", "check": None, "saved": "other.phxk"}
    with Device("cpu") as cpu:
        for name in ("blend.phxk", "other.phxk"):
            assert cpu.kernel(name, isolated=False).name == "blend"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["none.c"], "cannot read none.c"),
        (["--shape", "480x"], "the shape '480x' of a source: expected MxN, such as 480x640"),
        (["--shape=-1x4"], "the shape '-1x4' of a source"),
        (["--dtype", "u9"], "'u9' is no dtype of NumPy"),
        (["--dtype", "int64"], "a source of dtype int64: expected float32, float16"),
        (["--source", "uint8:3"] * 3, "3 times --source, for a kernel of 2"),
        (["--save", "none/blend.phxk"], "none/blend.phxk"),
        (["--param", "w"], "expected NAME=DTYPE:VALUE"),
    ],
)
def test_the_command_names_wrong_options(
    options: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["kernel", str(FOLDER / "blend.c"), "--param", "w=int32:77", "--check", *options]
    if options[0].endswith(".c"):
        command[1:] = options
    assert cli.main(command) == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_command_prints_the_lines_of_the_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "broken.c"
    source.write_text("#include <pyhexagon_kernel.h>\nPHX_KERNEL(broken, .n_src = 1, .n_dst = 1) {\n    return 0\n}\n")
    assert cli.main(["kernel", str(source)]) == 1
    first, *others = capsys.readouterr().err.splitlines()
    assert first == "pyhexagon: error: the kernel does not compile:"
    assert f"    {source}:3:13: error: expected ';' after return statement" in others
