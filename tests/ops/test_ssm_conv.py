# SPDX-License-Identifier: MIT
"""SSM_CONV through programs: the same bits on every engine and kernel, equal to MUL and ADD."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, numbers, results
from pyhexagon import Device
from pyhexagon.errors import ArgumentError, ProgramError
from pyhexagon.op_cases.reference import ssm_conv

SIZES = [(4, 7, 1024), (4, 1, 3072), (4, 5, 31), (1, 3, 33), (3, 2, 127), (7, 6, 300), (2, 4, 1)]


def test_sums_of_all_sizes(engines: Devices) -> None:
    inputs = []
    for taps, tokens, channels in SIZES:
        inputs += [numbers(tokens + taps - 1, channels, seed=taps, spread=2), numbers(taps, channels, spread=2)]

    def build(p: Any, *values: Any) -> list[Any]:
        return [p.ssm_conv(x, weight) for x, weight in zip(values[::2], values[1::2], strict=True)]

    for x, weight, got in zip(inputs[::2], inputs[1::2], results(engines, build, *inputs), strict=True):
        assert nmse(got.astype(np.float64), ssm_conv(x, weight)) < 1e-13


def test_it_has_the_bits_of_products_and_sums(engines: Devices) -> None:
    x, weight = numbers(2, 12, 512), numbers(4, 512, seed=1)

    def build(p: Any, x: Any, weight: Any) -> list[Any]:
        total = p.mul(x[:, :9], weight[0])
        for j in range(1, 4):
            total = p.add(total, p.mul(x[:, j : j + 9], weight[j]))
        pieces = p.concat([p.ssm_conv(x[:, :8], weight), p.ssm_conv(x[:, 5:], weight)], 1)
        return [p.ssm_conv(x, weight), total, pieces, p.ssm_conv(x[1, ::2, 3:], weight[1:3, 3:])]

    whole, total, pieces, part = results(engines, build, x, weight)
    np.testing.assert_array_equal(whole, total)
    np.testing.assert_array_equal(whole, pieces)
    assert nmse(part.astype(np.float64), ssm_conv(x[1, ::2, 3:], weight[1:3, 3:])) < 1e-13


def test_special_numbers_stay_in_their_channel(engines: Devices) -> None:
    clean, weight = numbers(9, 300), numbers(4, 300, seed=1)
    x, odd = clean.copy(), weight.copy()
    x[3, 5], x[4, 6], x[5, 7], x[6, 8] = np.nan, np.inf, -np.inf, 3e38
    odd[2, 100], odd[3, 8] = np.inf, 3e38
    inputs = x, odd, clean, weight
    got, before = results(engines, lambda p, *v: [p.ssm_conv(v[0], v[1]), p.ssm_conv(v[2], v[3])], *inputs)
    at = [5, 6, 7, 8, 100]
    np.testing.assert_array_equal(np.delete(got, at, 1), np.delete(before, at, 1))
    with np.errstate(all="ignore"):
        want = x[:6] * odd[0]
        for j in range(1, 4):
            want = want + x[j : j + 6] * odd[j]
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want))


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 700), st.integers(0, 33), st.integers(0, 3))
    def check(taps: int, tokens: int, channels: int, first: int, batch: int) -> None:
        shape = (*[batch] * bool(batch), tokens + taps - 1, channels + first)
        x, weight = numbers(*shape, seed=channels), numbers(taps, channels + first, seed=1)
        (got,) = results(engines, lambda p, v, w: [p.ssm_conv(v[..., first:], w[:, first:])], x, weight)
        want = ssm_conv(x[..., first:], weight[:, first:])
        assert nmse(got.astype(np.float64), want) < 1e-12

    check()


def in_slots(p: Any, before: Any, x: Any, weight: Any, ids: Any) -> list[Any]:
    """Return the convolution and the table; row 0 of the ids has the slots to read, row 1 those to write."""
    table = p.cpy(before)
    return [p.ssm_conv(x, weight, state=table, slots=(ids[0], ids[1])), table]


# taps, tokens, channels, sequences
IN_SLOTS = [(4, 1, 1024, 1), (4, 2, 300, 3), (2, 1, 31, 2), (4, 3, 512, 2), (9, 5, 127, 2), (3, 40, 256, 2)]


@pytest.mark.parametrize("shape", IN_SLOTS, ids=str)
def test_the_tokens_before_may_be_in_slots_of_a_table(engines: Devices, shape: tuple[int, ...]) -> None:
    taps, tokens, channels, sequences = shape
    before, x = numbers(2 * sequences + 1, taps - 1, channels), numbers(sequences, tokens, channels, seed=1)
    weight = numbers(taps, channels, seed=2)
    ids = np.random.default_rng(taps).permutation(2 * sequences).astype(np.int32).reshape(2, -1)
    got, table = results(engines, in_slots, before, x, weight, ids)
    whole = np.concatenate([before[ids[0]], x], axis=1)
    (want,) = results(engines, lambda p, x, weight: [p.ssm_conv(x, weight)], whole, weight)
    np.testing.assert_array_equal(got, want)
    after = before.copy()
    after[ids[1]] = whole[:, tokens:]
    np.testing.assert_array_equal(table, after)


def test_special_numbers_reach_the_slot(engines: Devices) -> None:
    x = np.random.default_rng(5).integers(0, 1 << 32, (1, 2, 300), np.uint32).view(np.float32)
    before, weight, ids = numbers(2, 3, 300), numbers(4, 300, seed=1), np.array([[0], [1]], np.int32)
    _, table = results(engines, in_slots, before, x, weight, ids)
    np.testing.assert_array_equal(table[1, 1:].view(np.uint32), x[0].view(np.uint32))


def test_an_update_goes_on_from_the_slot_that_another_one_wrote(engines: Devices) -> None:
    before, x, weight = numbers(6, 3, 300), numbers(2, 7, 300, seed=1), numbers(4, 300, seed=2)
    ids = np.array([[0, 1], [4, 2], [3, 5]], np.int32)

    def build(p: Any, before: Any, x: Any, weight: Any, ids: Any) -> list[Any]:
        table = p.cpy(before)
        first = p.ssm_conv(x[:, :2], weight, state=table, slots=(ids[0], ids[1]))
        second = p.ssm_conv(x[:, 2:], weight, state=table, slots=(ids[1], ids[2]))
        return [p.concat([first, second], 1), table]

    got, table = results(engines, build, before, x, weight, ids)
    whole = np.concatenate([before[:2], x], axis=1)
    (want,) = results(engines, lambda p, x, weight: [p.ssm_conv(x, weight)], whole, weight)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(table[ids[1]], whole[:, 2:5])
    np.testing.assert_array_equal(table[ids[2]], whole[:, 7:])


def test_a_sequence_with_a_negative_slot_is_skipped(engines: Devices) -> None:
    before, x, weight = numbers(4, 3, 300), numbers(3, 2, 300, seed=1), numbers(4, 300, seed=2)
    ids = np.array([[0, 0, -1], [2, -1, 3]], np.int32)
    got, table = results(engines, in_slots, before, x, weight, ids)
    assert got[0].all()
    assert not got[1:].any()
    np.testing.assert_array_equal(table[[0, 1, 3]], before[[0, 1, 3]])


@pytest.mark.parametrize("threads", [1, 3, 4])
def test_threads_update_a_tensor_in_place(qemu: str, threads: int) -> None:
    before, x, weight = numbers(4, 3, 6144), numbers(2, 1, 6144, seed=1), numbers(4, 6144, seed=2)
    ids = np.array([[0, 1], [3, 2]], np.int32)
    with Device("loopback:qemu", threads=threads) as device:
        table = device.tensor(before)
        with device.program() as p:
            inputs = [p.input(one.shape, one.dtype) for one in (x, weight, ids)]
            p.output(p.ssm_conv(inputs[0], inputs[1], state=table, slots=(inputs[2][0], inputs[2][1])))
        answers, report = p.compile().run_with_report(x, weight, ids)
        assert report.ops[0].n_threads == threads
        whole = np.concatenate([before[:2], x], axis=1)
        assert nmse(answers[0].numpy().astype(np.float64), ssm_conv(whole, weight)) < 1e-13
        np.testing.assert_array_equal(table.numpy()[[3, 2]], whole[:, 1:])
        np.testing.assert_array_equal(table.numpy()[:2], before[:2])


def test_slots_that_sequences_share_and_slots_beyond_the_table(engines: Devices) -> None:
    for device in engines:
        with device.program() as p:
            before, x, weight = p.input((4, 3, 40)), p.input((2, 1, 40)), p.input((4, 40))
            p.output(*in_slots(p, before, x, weight, p.input((2, 2), np.int32)))
        program, inputs = p.compile(), [numbers(4, 3, 40), numbers(2, 1, 40), numbers(4, 40)]
        program.run(*inputs, np.array([[0, 0], [2, 1]], np.int32))
        for wrong in ([[0, 1], [2, 2]], [[0, 1], [1, 2]], [[0, 4], [2, 3]], [[0, 1], [2, 4]], [[0, 1], [0, 2]]):
            with pytest.raises(ProgramError, match="id"):
                program.run(*inputs, np.array(wrong, np.int32))


def test_slots_that_do_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        x, weight, ids = p.input((2, 5, 8)), p.input((4, 8)), p.input((2,), np.int32)
        table = p.cpy(p.input((6, 3, 8)))
        p.ssm_conv(x, weight, state=table, slots=(ids, ids))
        for wrong in (p.input((1,), np.int32), p.input((2, 1), np.int32)):
            with pytest.raises(ArgumentError, match=r"slots .* of 2 sequences: expected \(2,\)"):
                p.ssm_conv(x, weight, state=table, slots=(ids, wrong))
        for wrong in (p.input((6, 4, 8)), p.input((6, 3, 7)), p.input((3, 8))):
            with pytest.raises(ArgumentError, match=r"ssm_conv of x .*, state .*: expected \(B, T, C\)"):
                p.ssm_conv(x, weight, state=p.cpy(wrong), slots=(ids, ids))
        for given in ((x[0], weight), (x[:, :0], weight), (x, p.input((1, 8))), (x, p.input((4, 7)))):
            with pytest.raises(ArgumentError, match="ssm_conv of x"):
                p.ssm_conv(*given, state=table, slots=(ids, ids))
        with pytest.raises(ArgumentError, match="takes slots"):
            p.ssm_conv(x, weight, state=table)
        with pytest.raises(ArgumentError, match="takes none"):
            p.ssm_conv(x, weight, slots=(ids, ids))
        with pytest.raises(ArgumentError, match=r"ssm_conv into .*: expected a tensor"):
            p.ssm_conv(x, weight, state=p.input((6, 3, 8)), slots=(ids, ids))


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        good = (8, 4), (4, 4)
        for x in ((8,), (), (1, 2, 8, 4), (2, 4)):
            with pytest.raises(ArgumentError, match="ssm_conv of x"):
                p.ssm_conv(p.input(x), p.input(good[1]))
        for weight in ((4, 5), (0, 4), (4,), (), (1, 4, 4)):
            with pytest.raises(ArgumentError, match="ssm_conv of x"):
                p.ssm_conv(p.input(good[0]), p.input(weight))
