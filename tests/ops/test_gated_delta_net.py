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
from pyhexagon.errors import ArgumentError
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


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_accuracy(engines: Devices, shape: tuple[int, int, int, int]) -> None:
    inputs = operands(*shape)
    got = results(engines, lambda p, *values: run(p, values), *inputs)
    for one, want in zip(got, both(reference, inputs), strict=True):
        assert nmse(one.astype(np.float64), want) < 1e-11


def test_many_tokens_in_pieces_and_sequences_have_the_same_bits(engines: Devices) -> None:
    inputs = operands(40, 5, 64, 96, 2)

    def build(p: Any, *values: Any) -> list[Any]:
        *tokens, state = values
        whole = run(p, values)
        first, between = both(p, [*(one[:, :13] for one in tokens), state])
        second, last = both(p, [*(one[:, 13:] for one in tokens), between])
        alone = run(p, [one[1] for one in values])
        part = run(p, [*(one[1] for one in tokens[:2]), tokens[2][1, ..., 32:64], *(one[1] for one in tokens[3:]),
                       state[1, ..., 32:64]])  # fmt: skip
        return [*whole, p.concat([first, second], 1), p.cpy(last), *alone, *part]

    answers, state, pieces, last, one_answers, one_state, part_answers, part_state = results(engines, build, *inputs)
    np.testing.assert_array_equal(pieces, answers)
    np.testing.assert_array_equal(last, state)
    np.testing.assert_array_equal(one_answers, answers[1])
    np.testing.assert_array_equal(one_state, state[1])
    np.testing.assert_array_equal(part_answers, answers[1, ..., 32:64])
    np.testing.assert_array_equal(part_state, state[1, ..., 32:64])
    want_answers, want_state = both(reference, inputs)
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


def test_special_numbers_stay_where_they_belong(engines: Devices) -> None:
    clean = operands(3, 6, 32, 40)
    q, k, v, g, beta, state = (one.copy() for one in clean)
    state[0, 5, 7], v[1, 1, 8], state[5, :, 9] = np.nan, np.inf, 3e38
    k[1, 2, 3], g[1, 3], q[1, 4, 5] = np.nan, np.inf, np.inf
    dirty = [q, k, v, g, beta, state]
    answers, now, good_answers, good_state = results(
        engines, lambda p, *values: run(p, values[:6]) + run(p, values[6:]), *dirty, *clean
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
    @given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 70), st.integers(1, 100), st.integers(0, 2))
    def check(n_tokens: int, n_heads: int, n_keys: int, n_values: int, batch: int) -> None:
        inputs = operands(n_tokens, n_heads, n_keys, n_values, *[batch] * bool(batch), seed=n_keys)
        got = results(engines, lambda p, *values: run(p, values), *inputs)
        for one, want in zip(got, both(reference, inputs), strict=True):
            assert nmse(one.astype(np.float64), want) < 1e-10

    check()


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        p = device.program()
        good = [p.input(one.shape) for one in operands(2, 3, 8, 4)]
        for i, shape in ((0, (2, 3, 9)), (1, (2, 2, 8)), (2, (2, 3)), (3, (2, 3, 1)), (4, (3, 3)), (5, (3, 4, 8))):
            with pytest.raises(ArgumentError, match="gated_delta_net of q, k, v, g, beta, state"):
                both(p, [*good[:i], p.input(shape), *good[i + 1 :]])
        with pytest.raises(ArgumentError, match="scale is 0"):
            both(p, good, scale=0)
