# SPDX-License-Identifier: MIT
"""GATED_DELTA_NET through programs: the same bits on every engine and kernel, close to the float64 recurrence."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import F32, Devices, results
from pyhexagon import Device
from pyhexagon.errors import ArgumentError, ProgramError
from pyhexagon.op_cases import reference

F64 = npt.NDArray[np.float64]


def operands(n_tokens: int, n_heads: int, n_keys: int, n_values: int, *batch: int, seed: int = 0) -> list[F32]:
    """Return operands like a model's: k and q of length 1, decays near 1, beta from 0 to 1."""
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, *batch, n_tokens, n_heads, n_keys))
    q, k = (one / np.linalg.norm(one, axis=-1, keepdims=True) for one in (q, k))
    v = rng.standard_normal((*batch, n_tokens, n_heads, n_values)) * 3
    g = -rng.exponential(0.1, (*batch, n_tokens, n_heads))
    beta = rng.random((*batch, n_tokens, n_heads))
    state = rng.standard_normal((*batch, n_heads, n_keys, n_values))
    return [one.astype(np.float32) for one in (q, k, v, g, beta, state)]


def both(p: Any, values: Any, **options: Any) -> Any:
    q, k, v, g, beta, state = values
    return p.gated_delta_net(q, k, v, g=g, beta=beta, state=state, **options)


def run(p: Any, values: Any, **options: Any) -> list[Any]:
    return [p.cpy(one) for one in both(p, values, **options)]


SHAPES = [(9, 3, 128, 128), (1, 4, 64, 64), (3, 2, 33, 45), (5, 1, 1, 130), (2, 2, 7, 1)]


@pytest.mark.parametrize("delta_rule", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_accuracy(engines: Devices, shape: tuple[int, int, int, int], *, delta_rule: bool) -> None:
    inputs = operands(*shape)
    got = results(engines, lambda p, *values: run(p, values, delta_rule=delta_rule), *inputs)
    for one, want in zip(got, both(reference, inputs, delta_rule=delta_rule), strict=True):
        assert nmse(one.astype(np.float64), want) < 1e-11


def test_without_the_delta_rule_it_is_mamba_s_scan(engines: Devices) -> None:
    rng = np.random.default_rng(7)
    n_tokens, n_heads, n_groups, n_states, size = 11, 6, 2, 24, 20
    b, c = rng.standard_normal((2, n_tokens, n_groups, n_states)).astype(np.float32)
    x = rng.standard_normal((n_tokens, n_heads, size)).astype(np.float32)
    steps = rng.exponential(1, (n_tokens, n_heads)).astype(np.float32)
    a = -rng.exponential(0.5, n_heads).astype(np.float32)
    state = rng.standard_normal((n_heads, n_states, size)).astype(np.float32)
    b, c = (one.repeat(n_heads // n_groups, 1) for one in (b, c))
    got, got_state = results(
        engines, lambda p, *values: run(p, values, scale=1.0, delta_rule=False), c, b, x, steps * a, steps, state
    )
    want, h = np.empty(x.shape), state.astype(np.float64)
    for token in range(n_tokens):
        for head in range(n_heads):
            kept = np.exp(float(steps[token, head]) * float(a[head])) * h[head]
            h[head] = kept + steps[token, head] * np.outer(b[token, head], x[token, head]).astype(np.float64)
            want[token, head] = c[token, head] @ h[head]
    assert nmse(got.astype(np.float64), want) < 1e-10  # float32 rounds the decay's logarithm
    assert nmse(got_state.astype(np.float64), h) < 1e-10


def in_slots(p: Any, values: Any, table: Any, reads: Any, writes: Any, **options: Any) -> Any:
    q, k, v, g, beta = values
    return p.gated_delta_net(q, k, v, g=g, beta=beta, state=table, slots=(reads, writes), **options)


def table_of(states: F32) -> F32:
    """Return states (..., S, D) as slots of a table (..., S + 2, D): docs/math.md, 20."""
    exponents = np.maximum((states.view(np.int32) >> 23 & 255).max(-2, keepdims=True), 31)
    numbers = np.trunc(np.ldexp(states.astype(np.float64), 157 - exponents)).astype(np.int32)
    scales = [exponents.astype(np.int32), np.zeros_like(numbers[..., :1, :])]
    return np.concatenate([numbers, *scales], -2).view(np.float32)


def states_of(table: F32) -> F32:
    """Return the states (..., S, D) of slots (..., S + 2, D), rounded half away from zero as the op rounds them."""
    words = np.ascontiguousarray(table).view(np.int32).astype(np.int64)
    numbers, exponents, shifts = words[..., :-2, :], words[..., -2:-1, :], words[..., -1:, :]
    mantissas, powers = np.frexp(np.ldexp(np.abs(numbers << shifts).astype(np.float64), exponents - 157))
    rounded = np.ldexp(np.floor(np.ldexp(mantissas, 24) + 0.5), powers - 24)
    return np.where(exponents == 255, np.nan, np.copysign(rounded, numbers)).astype(np.float32)


def same_bits(got: F32, want: F32) -> None:
    np.testing.assert_array_equal(got.view(np.uint32), want.view(np.uint32))


@pytest.mark.parametrize("delta_rule", [True, False])
def test_many_tokens_in_pieces_and_sequences_have_the_same_bits(engines: Devices, *, delta_rule: bool) -> None:
    rule = {"delta_rule": delta_rule}
    inputs = operands(40, 5, 64, 96, 2)
    table = np.concatenate([table_of(inputs[-1]), np.zeros((6, 5, 66, 96), np.float32)])

    def build(p: Any, table: Any, slots: Any, *values: Any) -> list[Any]:
        *tokens, state = values
        begin, end, middle, last = (slots[n : n + 2] for n in (0, 2, 4, 6))
        whole, table = in_slots(p, tokens, p.cpy(table), begin, end, **rule)
        first, table = in_slots(p, [one[:, :13] for one in tokens], table, begin, middle, **rule)
        second, table = in_slots(p, [one[:, 13:] for one in tokens], table, middle, last, **rule)
        alone = run(p, [one[1] for one in values], **rule)
        part = run(p, [*(one[1] for one in tokens[:2]), tokens[2][1, ..., 32:64], *(one[1] for one in tokens[3:]),
                       state[1, ..., 32:64]], **rule)  # fmt: skip
        return [*run(p, values, **rule), p.cpy(whole), p.concat([first, second], 1), table, *alone, *part]

    answers, state, whole, pieces, after, one_answers, one_state, part_answers, part_state = results(
        engines, build, table, np.arange(8, dtype=np.int32), *inputs
    )
    same_bits(whole, answers)
    same_bits(pieces, answers)
    same_bits(after[6:], after[2:4])
    same_bits(states_of(after[2:4]), state)
    same_bits(one_answers, answers[1])
    same_bits(one_state, state[1])
    np.testing.assert_array_equal(part_answers, answers[1, ..., 32:64])
    np.testing.assert_array_equal(part_state, state[1, ..., 32:64])
    want_answers, want_state = both(reference, inputs, **rule)
    assert nmse(answers.astype(np.float64), want_answers) < 1e-11
    assert nmse(state.astype(np.float64), want_state) < 1e-11


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_threads_take_heads(qemu: str, threads: int) -> None:
    inputs = operands(3, 6, 32, 64)
    with Device("loopback") as host, Device("loopback:qemu", threads=threads) as device:
        got = [results((one,), lambda p, *values: run(p, values), *inputs) for one in (host, device)]
    for want, one in zip(*got, strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), want.view(np.uint32))


def test_heads_share_q_and_k_by_broadcasting(engines: Devices) -> None:
    q, k, *others = operands(4, 6, 32, 32)

    def build(p: Any, q: Any, k: Any, *others: Any) -> list[Any]:
        shared = [one[:, 2:3].broadcast_to((4, 6, 32)) for one in (q, k)]
        return run(p, [*shared, *others], scale=0.5) + run(p, [p.cpy(one) for one in shared] + [*others], scale=0.5)

    got = results(engines, build, q, k, *others)
    np.testing.assert_array_equal(got[0], got[2])
    np.testing.assert_array_equal(got[1], got[3])


@pytest.mark.parametrize("delta_rule", [True, False])
def test_special_numbers_stay_where_they_belong(engines: Devices, *, delta_rule: bool) -> None:
    rule = {"delta_rule": delta_rule}
    clean = operands(3, 6, 32, 40)
    q, k, v, g, beta, state = (one.copy() for one in clean)
    state[0, 5, 7], v[1, 1, 8], state[5, :, 9] = np.nan, np.inf, 3e38
    k[1, 2, 3], g[1, 3], q[1, 4, 5] = np.nan, np.inf, np.inf
    dirty = [q, k, v, g, beta, state]
    answers, now, good_answers, good_state = results(
        engines, lambda p, *values: run(p, values[:6], **rule) + run(p, values[6:], **rule), *dirty, *clean
    )
    want, want_state = np.zeros(answers.shape, bool), np.zeros(now.shape, bool)
    want[:, 0, 7], want_state[0, :, 7] = True, True
    want[1:, 1, 8], want_state[1, :, 8] = True, True
    want[1:, 2:4], want_state[2:4] = True, True
    want[1, 4] = True
    others, others_state = np.ones(want.shape, bool), np.ones(want_state.shape, bool)
    others[:, 5, 9], others_state[5, :, 9] = False, False  # overflow: any result
    np.testing.assert_array_equal(np.isnan(answers)[others], want[others])
    np.testing.assert_array_equal(np.isnan(now)[others_state], want_state[others_state])
    np.testing.assert_array_equal(answers[others & ~want], good_answers[others & ~want])
    np.testing.assert_array_equal(now[others_state & ~want_state], good_state[others_state & ~want_state])


def test_decays_to_nothing_and_betas_of_nothing(engines: Devices) -> None:
    q, k, v, g, beta, state = operands(2, 3, 16, 32)
    g[:, 0], beta[:, 1], g[:, 1], v[:, 2], state[2] = -1000, 0, 0, 0, 0
    answers, now = results(engines, lambda p, *values: run(p, values), q, k, v, g, beta, state)
    want_answers, want_state = both(reference, (q, k, v, g, beta, state))
    np.testing.assert_allclose(now, want_state, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(answers, want_answers, rtol=1e-5, atol=1e-5)
    assert not now[2].any()


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=6)
    @given(st.tuples(*(st.integers(1, n) for n in (4, 5, 70, 100))), st.integers(0, 2), st.booleans())
    def check(shape: tuple[int, int, int, int], batch: int, delta_rule: bool) -> None:
        inputs = operands(*shape, *[batch] * bool(batch), seed=shape[2])
        got = results(engines, lambda p, *values: run(p, values, delta_rule=delta_rule), *inputs)
        for one, want in zip(got, both(reference, inputs, delta_rule=delta_rule), strict=True):
            assert nmse(one.astype(np.float64), want) < 1e-10

    check()


@pytest.mark.parametrize(
    ("reads", "writes"), [([2], [0]), ([1, 1, 4], [0, 3, 2]), ([3, 0, 2], [3, 1, 2]), ([0, -1, 4], [1, 2, -1])]
)
@pytest.mark.parametrize("shape", [(1, 4, 64, 64), (3, 3, 33, 45)], ids=str)
def test_slots_of_a_table_are_read_and_written(
    engines: Devices, shape: tuple[int, ...], reads: list[int], writes: list[int]
) -> None:
    n_tokens, n_heads, n_keys, n_values = shape
    *tokens, states = operands(n_tokens, n_heads, n_keys, n_values, len(reads))
    slots = np.random.default_rng(1).standard_normal((5, n_heads, n_keys, n_values)).astype(np.float32)
    states[:], table = slots[reads], table_of(slots)

    def build(p: Any, table: Any, reads: Any, writes: Any, states: Any, *tokens: Any) -> list[Any]:
        answers, after = in_slots(p, tokens, p.cpy(table), reads, writes)
        return [p.cpy(answers), after, *run(p, [*tokens, states])]

    ids = [np.array(one, np.int32) for one in (reads, writes)]
    answers, after, want, new = results(engines, build, table, *ids, states, *tokens)
    runs = [min(pair) >= 0 for pair in zip(reads, writes, strict=True)]
    want[[not one for one in runs]] = 0
    np.testing.assert_array_equal(answers, want)
    for slot, state, is_run in zip(writes, new, runs, strict=True):
        if is_run:
            same_bits(states_of(after[slot]), state)
            table[slot] = after[slot]
    same_bits(after, table)


def test_an_update_goes_on_from_the_slot_that_another_one_wrote(engines: Devices) -> None:
    *tokens, states = operands(5, 3, 32, 64, 2)
    table = table_of(np.concatenate([states, np.full_like(states, 3e38)]))

    def build(p: Any, table: Any, *values: Any) -> list[Any]:
        *tokens, ids = values
        a, b, c = (ids[n : n + 2] for n in (0, 2, 4))
        first, table = in_slots(p, [one[:, :2] for one in tokens], p.cpy(table), a, b)
        second, table = in_slots(p, [one[:, 2:] for one in tokens], table, b, c)
        return [p.concat([first, second], 1), table]

    ids = np.array([0, 1, 3, 2, 3, 2], np.int32)
    got, after = results(engines, build, table, *tokens, ids)
    want, new = results(engines, lambda p, *values: run(p, values), *tokens, states)
    np.testing.assert_array_equal(got, want)
    same_bits(states_of(after[[3, 2]]), new)
    same_bits(after[:2], table[:2])


def test_a_table_of_any_bits(engines: Devices) -> None:
    *tokens, _ = operands(3, 3, 24, 40, 2)
    table = np.random.default_rng(3).integers(0, 1 << 32, (4, 3, 26, 40), np.uint32)
    table[2, :, -2] %= 256  # an exponent

    def build(p: Any, table: Any, *values: Any) -> list[Any]:
        answers, table = in_slots(p, values[:5], p.cpy(table), *values[5:])
        return [p.cpy(answers), table]

    results(engines, build, table.view(np.float32), *tokens, *np.array([[0, 2], [1, 3]], np.int32))


def test_a_column_of_a_table_stays_nan(engines: Devices) -> None:
    *tokens, states = operands(2, 1, 16, 64, 1)
    table, ids = table_of(states), np.zeros(1, np.int32)
    table[0, 0, -2, 5] = np.int32(255).view(np.float32)
    answers, after = results(
        engines, lambda p, table, ids, *values: list(in_slots(p, values, p.cpy(table), ids, ids)), table, ids, *tokens
    )
    np.testing.assert_array_equal(np.isnan(answers).any((0, 1, 2)), np.arange(64) == 5)
    np.testing.assert_array_equal(np.isnan(states_of(after)).all((0, 1, 2)), np.arange(64) == 5)


@pytest.mark.parametrize("threads", [1, 3, 4])
def test_threads_update_a_tensor_in_place(qemu: str, threads: int) -> None:
    *tokens, states = operands(1, 6, 64, 64, 2)
    ids = [np.array(one, np.int32) for one in ([0, 1], [3, 1])]
    with Device("loopback") as host, Device("loopback:qemu", threads=threads) as device:
        want, new = results((host,), lambda p, *values: run(p, values), *tokens, states)
        table = device.tensor(table_of(np.concatenate([states, np.zeros_like(states)])))
        with device.program() as p:
            *values, reads, writes = (p.input(one.shape, one.dtype) for one in (*tokens, *ids))
            p.output(p.cpy(in_slots(p, values, table, reads, writes)[0]))
        answers, report = p.compile().run_with_report(*tokens, *ids)
        assert report.ops[0].n_threads == threads
        np.testing.assert_array_equal(answers[0].numpy(), want)
        after = table.numpy()
    same_bits(states_of(after[[3, 1]]), new)
    same_bits(after[[0, 2]], table_of(np.stack([states[0], np.zeros_like(states[0])])))


def test_slots_that_sequences_share_and_slots_beyond_the_table(engines: Devices) -> None:
    *tokens, states = operands(1, 2, 8, 40, 2)
    for device in engines:
        with device.program() as p:
            *values, table = (p.input(one.shape) for one in (*tokens, table_of(states)))
            ids = p.input((2, 2), np.int32)
            p.output(p.cpy(in_slots(p, values, p.cpy(table), ids[0], ids[1])[0]))
        program = p.compile()
        program.run(*tokens, table_of(states), np.array([[0, 1], [0, 1]], np.int32))
        for wrong in ([[0, 1], [0, 0]], [[0, 1], [1, 0]], [[0, 2], [0, 1]], [[0, 1], [0, 2]], [[0, 1], [0, 1 << 30]]):
            with pytest.raises(ProgramError, match="id"):
                program.run(*tokens, table_of(states), np.array(wrong, np.int32))


def test_slots_that_do_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        *tokens, _ = (p.input(one.shape) for one in operands(2, 3, 8, 4, 2))
        table, ids = p.cpy(p.input((5, 3, 10, 4))), p.input((2,), np.int32)
        in_slots(p, tokens, table, ids, ids)
        for wrong in (p.input((1,), np.int32), p.input((2, 1), np.int32)):
            with pytest.raises(ArgumentError, match=r"slots .* of 2 sequences: expected \(2,\)"):
                in_slots(p, tokens, table, ids, wrong)
        with pytest.raises(ArgumentError, match=r"slots is .*int32"):
            in_slots(p, tokens, table, ids, p.input((2,)))
        with pytest.raises(ArgumentError, match=r"gated_delta_net into .*: expected a tensor"):
            in_slots(p, tokens, p.input((5, 3, 10, 4)), ids, ids)
        with pytest.raises(ArgumentError, match="gated_delta_net of q, k, v, g, beta, state"):
            in_slots(p, [one[0] for one in tokens], table, ids, ids)
        with pytest.raises(ArgumentError, match="gated_delta_net of q, k, v, g, beta, state"):
            in_slots(p, tokens, p.cpy(p.input((5, 3, 8, 4))), ids, ids)


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        good = [p.input(one.shape) for one in operands(2, 3, 8, 4)]
        for i, shape in ((0, (2, 3, 9)), (1, (2, 2, 8)), (2, (2, 3)), (3, (2, 3, 1)), (4, (3, 3)), (5, (3, 4, 8))):
            with pytest.raises(ArgumentError, match="gated_delta_net of q, k, v, g, beta, state"):
                both(p, [*good[:i], p.input(shape), *good[i + 1 :]])
        with pytest.raises(ArgumentError, match="scale is 0"):
            both(p, good, scale=0)
