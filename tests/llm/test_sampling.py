# SPDX-License-Identifier: MIT
"""Sampling a token from logits, and the end of a completion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.sampling import biased, greedy, log_probabilities, penalised, sampler, top_logprobs_of
from pyhexagon.llm.engine.sampling_params import SamplingParams, with_defaults
from pyhexagon.llm.engine.stopping import Stop

LOGITS = np.log(np.array([0.02, 0.5, 0.08, 0.3, 0.1], np.float32))


def drawn(n: int = 4000, **options: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the share of each token among n samples."""
    draw = sampler(seed=1, **{"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, **options})
    return np.bincount([draw(LOGITS) for _ in range(n)], minlength=len(LOGITS)) / n


def test_temperature_zero_is_greedy() -> None:
    assert sampler(0) is greedy
    assert greedy(LOGITS) == 1
    assert greedy(np.array([0, 3, 3], np.float32)) == 1


def test_the_model_s_own_distribution_is_drawn_from() -> None:
    np.testing.assert_allclose(drawn(), np.exp(LOGITS), atol=0.03)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"top_k": 2}, [1, 3]),
        ({"top_k": 1}, [1]),
        ({"top_p": 0.79}, [1, 3]),
        ({"top_p": 0.81}, [1, 3, 4]),
        ({"top_p": 0.0}, [1]),
        ({"min_p": 0.19}, [1, 3, 4]),
        ({"min_p": 1.0}, [1]),
        ({"top_k": 3, "min_p": 0.5}, [1, 3]),
    ],
)
def test_what_is_unlikely_is_never_drawn(options: dict[str, Any], kept: list[int]) -> None:
    often = drawn(**options)
    assert np.flatnonzero(often).tolist() == kept
    wanted = np.exp(LOGITS)[kept]
    np.testing.assert_allclose(often[kept], wanted / wanted.sum(), atol=0.03)


def test_a_low_temperature_prefers_the_likely() -> None:
    wanted = np.exp(LOGITS) ** 2
    np.testing.assert_allclose(drawn(temperature=0.5), wanted / wanted.sum(), atol=0.03)


def test_a_seed_draws_the_same_again() -> None:
    first, second = ([draw(LOGITS) for _ in range(50)] for draw in (sampler(seed=7), sampler(seed=7)))
    assert first == second
    assert first != [draw(LOGITS) for draw in [sampler(seed=8)] for _ in range(50)]


def test_the_first_of_equal_tokens_is_drawn_whatever_else_is_dropped() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        logits = random.integers(-3, 4, 200).astype(np.float32)
        for k in (1, 7, 199):
            order = np.argsort(-logits, kind="stable")[:k].tolist()
            seen = {sampler(1.0, top_k=k, top_p=1, min_p=0, seed=seed)(logits) for seed in range(20)}
            assert seen <= set(order)
            assert sampler(1e-6, top_k=k, top_p=1e-6, min_p=0, seed=0)(logits) == order[0]


def kept_by_sorting_all(logits: np.ndarray[Any, Any], top_p: float, min_p: float) -> set[int]:
    order = np.argsort(-logits, kind="stable")
    probabilities = np.exp(logits[order].astype(np.float64) - logits[order[0]])
    probabilities /= probabilities.sum()
    n_likely = int(np.searchsorted(np.cumsum(probabilities), top_p)) + 1 if top_p < 1 else len(order)
    n_fair = int((probabilities >= min_p * probabilities[0]).sum())
    return set(order[: max(1, min(n_likely, n_fair))].tolist())


@pytest.mark.parametrize("spread", [0.1, 1.0, 6.0])
@pytest.mark.parametrize(("top_p", "min_p"), [(0.9, 0.0), (1.0, 0.3), (0.999, 0.001), (1.0, 0.0)])
def test_without_top_k_what_is_kept_is_what_sorting_all_keeps(spread: float, top_p: float, min_p: float) -> None:
    chance = np.random.default_rng(3)
    logits = (spread * chance.standard_normal(6000)).astype(np.float32)
    kept = kept_by_sorting_all(logits, top_p, min_p)
    draw = sampler(1e3, top_k=0, top_p=top_p, min_p=min_p, seed=4)  # at this temperature all are about as likely
    seen = {draw(logits) for _ in range(min(600, 8 * len(kept)))}
    assert seen <= kept
    assert len(seen) > 0.2 * min(len(kept), 600)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=50), st.integers(0, 60))
def test_the_likeliest_are_those_that_sorting_all_gives(values: list[int], n: int) -> None:
    logprobs = np.array(values, np.float64)
    order = np.argsort(-logprobs, kind="stable")[:n]
    assert top_logprobs_of(logprobs, n) == tuple(zip(order.tolist(), logprobs[order].tolist(), strict=True))


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"top_k": -1}, {"top_p": 1.5}, {"min_p": float("nan")}])
def test_numbers_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(ArgumentError, match=next(iter(wrong))):
        sampler(**wrong)  # type: ignore[arg-type]


def test_log_probabilities_sum_to_one_however_large_the_logits_are() -> None:
    logprobs = log_probabilities(np.array([[1e4, 1e4], [-3e38, 0]], np.float32))
    np.testing.assert_allclose(np.exp(logprobs).sum(axis=-1), 1)


def test_biases() -> None:
    process = biased({1: -np.inf, 0: 10})
    assert greedy(process([], LOGITS)) == 0
    assert LOGITS[1] == np.log(np.float32(0.5))  # as it was
    with pytest.raises(ArgumentError, match="a bias for token 5: tokens are 0 to 4"):
        biased({5: 1.0})([], LOGITS)


def test_penalties() -> None:
    logits = np.array([2, -2, 1, 0], np.float32)
    process = penalised(repeat=2, frequency=0.5, presence=0.25, last=3)
    np.testing.assert_array_equal(process([2, 0, 0, 1], logits), [2 / 2 - 1 - 0.25, -2 * 2 - 0.5 - 0.25, 1, 0])
    np.testing.assert_array_equal(penalised(repeat=2, last=0)([0, 1, 2], logits), logits)
    with pytest.raises(ArgumentError, match="repeat is 0"):
        penalised(repeat=0)


def test_what_may_begin_a_stop_text_is_held_back() -> None:
    stop = Stop("END")
    assert [stop.add(one) for one in ("a", "E", "N", "x", "EN", "D", "z")][:6] == ["a", "", "", "ENx", "", ""]
    assert stop.is_found


def test_what_was_held_back_comes_at_the_end() -> None:
    stop = Stop(["END", "\n\n"])
    assert stop.add("EEN") == "E"
    assert stop.rest() == "EN"
    assert not stop.is_found


@given(st.text("abc", max_size=30), st.lists(st.text("abc", min_size=1, max_size=4), max_size=3), st.randoms())
def test_any_cut_of_a_text_stops_at_the_same_place(text: str, stops: list[str], chance: Any) -> None:
    stop, shown, rest = Stop(stops), "", text
    while rest and not stop.is_found:
        n = chance.randint(1, 3)
        shown, rest = shown + stop.add(rest[:n]), rest[n:]
    shown += "" if stop.is_found else stop.rest()
    ends = [text.find(one) + len(one) for one in stops if one in text]
    if not ends:
        assert shown == text
    else:
        seen = text[: len(text) - len(rest)]
        assert shown == seen[: min(seen.find(one) for one in stops if one in seen)]


def test_stop_texts_are_not_empty() -> None:
    with pytest.raises(ArgumentError, match="not empty"):
        Stop(["a", ""])


def test_a_misspelled_parameter_names_the_right_one() -> None:
    with pytest.raises(ArgumentError, match=r"no sampling parameter temprature: did you mean temperature\?"):
        with_defaults({"temprature": 0.5})
    with pytest.raises(ArgumentError, match=r"no sampling parameter beams$"):
        with_defaults({"beams": 3})
    assert with_defaults({"top_k": 3})["top_k"] == 3
    assert set(with_defaults({})) == {*SamplingParams.__annotations__, "temperature"}
