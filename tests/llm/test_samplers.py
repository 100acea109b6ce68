# SPDX-License-Identifier: MIT
"""DRY, XTC, top-n-sigma and locally typical sampling against llama.cpp's definitions, written token by token."""

from __future__ import annotations

import math
from typing import Any

import needs
import numpy as np
import pytest

from llm import llama_cpp, tiny
from pyhexagon import LLM
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.dry import BREAKERS, SequenceBreakers, dry
from pyhexagon.llm.engine.sampling import greedy, sampler
from pyhexagon.llm.engine.sampling_chain import sampler_of
from pyhexagon.llm.engine.sampling_params import with_defaults
from pyhexagon.llm.tokens.tokenizer import Tokenizer

Candidates = list[tuple[int, float]]  # tokens with their logits
SIZES = (1, 2, 3, 7, 64, 65, 511, 1031)


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tiny.write(tmp_path_factory.mktemp("models") / "model.gguf", "llama")
    with LLM(path, 256, device="loopback") as model:
        yield model


# --- The definitions ---


def softmax(candidates: Candidates) -> list[float]:
    top = max(logit for _, logit in candidates)
    weights = [math.exp(logit - top) for _, logit in candidates]
    return [weight / sum(weights) for weight in weights]


def by_logit(candidates: Candidates) -> Candidates:
    return sorted(candidates, key=lambda one: -one[1])


def after_sigma(candidates: Candidates, n: float) -> Candidates:
    if n <= 0 or len(candidates) < 2:
        return candidates
    logits = [logit for _, logit in candidates if logit > -math.inf]
    mean = sum(logits) / len(logits)
    deviation = math.sqrt(sum((logit - mean) ** 2 for logit in logits) / len(logits))
    return [one for one in candidates if one[1] > -math.inf and one[1] >= max(logits) - n * deviation]


def after_typical(candidates: Candidates, p: float) -> Candidates:
    if p >= 1:
        return candidates
    ordered = by_logit(candidates)
    probabilities = softmax(ordered)
    entropy = -sum(one * math.log(one) for one in probabilities if one)
    away = [abs((math.inf if not one else -math.log(one)) - entropy) for one in probabilities]
    kept, total = [], 0.0
    for place in sorted(range(len(ordered)), key=away.__getitem__):
        kept.append(ordered[place])
        total += probabilities[place]
        if total > p:
            break
    return kept


def after_top_p(candidates: Candidates, p: float) -> Candidates:
    ordered, kept, total = by_logit(candidates), 0, 0.0
    for probability in softmax(ordered):
        kept, total = kept + 1, total + probability
        if total >= p:
            break
    return ordered[: kept or 1] if p < 1 else ordered


def after_min_p(candidates: Candidates, p: float) -> Candidates:
    least = max(logit for _, logit in candidates) + (math.log(p) if p else -math.inf)
    return [one for one in candidates if one[1] >= least]


def after_xtc(candidates: Candidates, threshold: float) -> Candidates:
    ordered = by_logit(candidates)
    n_top = sum(one >= threshold for one in softmax(ordered))
    return ordered[n_top - 1 :] if n_top > 1 and threshold <= 0.5 else candidates


def chain(logits: Any, top_k: int, xtc: float | None, **params: float) -> set[int]:
    """Return the tokens that llama.cpp's chain keeps; ``xtc`` is the threshold where the dice say that XTC acts."""
    candidates = after_sigma([*enumerate(logits.astype(np.float64).tolist())], params.get("top_n_sigma", -1))
    candidates = by_logit(candidates)[: top_k or None]
    candidates = after_typical(candidates, params.get("typical_p", 1.0))
    candidates = after_min_p(after_top_p(candidates, params.get("top_p", 1.0)), params.get("min_p", 0.0))
    return {token for token, _ in (candidates if xtc is None else after_xtc(candidates, xtc))}


def dry_penalties(tokens: list[int], heads: dict[int, list[list[int]]], n_tokens: int, **params: Any) -> list[float]:
    """Return the penalty of each token, by comparing each earlier place with the end, one token after the other."""
    allowed, window = params["allowed_length"], tokens[len(tokens) - params["last"] :] if params["last"] > 0 else tokens
    n = len(window)
    penalties = [0.0] * n_tokens
    if n <= allowed:
        return penalties
    limit = n
    for n_after in range(n):
        matches = [
            len(tail) for tail in heads.get(window[n - 1 - n_after], ()) if window[n - n_after :][: len(tail)] == tail
        ]
        if matches:
            limit = n_after - max(matches)
            break
    if limit < allowed:
        return penalties
    most = int(88.7228391 / math.log(params["base"]))
    for end in range(n - 1):
        length = 0
        while length < min(limit, end + 1) and window[end - length] == window[n - 1 - length]:
            length += 1
        token = window[end + 1]
        if length >= allowed and [] not in heads.get(token, ()):
            penalty = params["multiplier"] * params["base"] ** min(length - allowed, most)
            penalties[token] = max(penalties[token], penalty)
    return penalties


# --- The tests ---


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "params",
    [
        {"top_n_sigma": 1.0}, {"top_n_sigma": 0.3}, {"typical_p": 0.5}, {"typical_p": 0.05}, {"typical_p": 0.99},
        {"top_n_sigma": 1.5, "typical_p": 0.6, "top_p": 0.8, "min_p": 0.1},
    ],
    ids=str,
)  # fmt: skip
def test_the_kept_tokens_are_those_of_llama_cpp_s_chain(n: int, params: dict[str, float]) -> None:
    random = np.random.default_rng(n)
    for top_k in {0, 1, min(5, n), n}:
        logits = random.normal(0, 2, n).astype(np.float32)
        if n > 3:
            logits[1] = -np.inf
        wanted = chain(logits, top_k, None, **params)
        options: Any = {"top_p": 1.0, "min_p": 0.0, **params}
        draw = sampler(50.0, top_k=top_k, seed=1, **options)
        seen = {draw(logits) for _ in range(40 * len(wanted))} if len(wanted) < 12 else {draw(logits)}
        assert seen == wanted if len(wanted) < 12 else seen <= wanted


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.2, 0.45, 0.5, 0.51])
@pytest.mark.parametrize("n", SIZES)
def test_xtc_drops_all_top_choices_but_the_least_probable(n: int, threshold: float) -> None:
    logits = np.random.default_rng(n + 1).normal(0, 2, n).astype(np.float32)
    params: Any = {"top_p": 1.0, "min_p": 0.0, "xtc_probability": 1.0, "xtc_threshold": threshold}
    wanted = chain(logits, 7, threshold)
    draw = sampler(50.0, top_k=7, seed=3, **params)
    assert {draw(logits) for _ in range(400)} == wanted
    if len(wanted) > 1 or n == 1:
        best = max(wanted, key=lambda token: logits[token])
        assert sampler(0, top_k=7, **params)(logits) == best


def test_xtc_acts_as_often_as_its_probability_says() -> None:
    logits = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    draw = sampler(1e-6, xtc_probability=0.25, xtc_threshold=0.25, seed=5)
    share = np.mean([draw(logits) == 1 for _ in range(4000)])  # of 0 and 1, the less probable one stays
    assert abs(share - 0.25) < 0.03


def test_samplers_that_are_off_leave_the_bits_as_they_are() -> None:
    random = np.random.default_rng(2)
    off = {"typical_p": 1.0, "top_n_sigma": 0.0, "xtc_probability": 0.5, "xtc_threshold": 0.6}
    plain, more = sampler(0.9, seed=4), sampler(0.9, seed=4, **off)  # type: ignore[arg-type]
    for n in SIZES:
        logits = random.normal(0, 3, n).astype(np.float32)
        assert [plain(logits) for _ in range(9)] == [more(logits) for _ in range(9)]
    assert sampler(0, top_n_sigma=1.0) is greedy


def test_only_what_needs_all_logits_reads_them() -> None:
    for params, n_top in (
        ({}, 40), ({"typical_p": 0.5}, 40), ({"xtc_probability": 0.5}, 40), ({"top_n_sigma": 1.0}, 0),
        ({"temperature": 0}, 1), ({"temperature": 0, "typical_p": 0.5}, 40), ({"top_k": 65}, 0),
    ):  # fmt: skip
        assert sampler_of(with_defaults(params), 1000)[1] == n_top, params


@pytest.mark.parametrize("n", [1, 2, 3, 5, 31, 64, 130, 400])
def test_dry_penalizes_what_would_continue_a_repetition(n: int) -> None:
    random = np.random.default_rng(n)
    for case in range(30):
        n_tokens = int(random.integers(2, 6))
        tokens = random.integers(0, n_tokens, n).tolist()
        if case % 3 == 0:
            tokens = (tokens[: n // 3 + 1] * 4)[:n]
        heads: dict[int, list[list[int]]] = {} if case % 2 else {0: [[]]}
        if case % 5 == 0:
            heads = {1: [[0], [0, 1]]}
        params = {
            "multiplier": 0.8, "base": float(random.choice([1.2, 1.75, 3.0])),
            "allowed_length": int(random.integers(0, 4)), "last": int(random.choice([-1, 1, 17, n])),
        }  # fmt: skip
        logits = random.normal(0, 2, n_tokens).astype(np.float32)
        breakers = {head: [tuple(tail) for tail in tails] for head, tails in heads.items()}
        arguments = {name: value for name, value in params.items() if name != "multiplier"}
        made = dry(params["multiplier"], **arguments, breakers=breakers)(tokens, logits)  # type: ignore[arg-type]
        wanted = logits - np.minimum(dry_penalties(tokens, heads, n_tokens, **params), 3e38)
        np.testing.assert_allclose(made, wanted, rtol=2e-6, atol=1e-6)


def test_a_repetition_of_one_token_costs_no_more_than_the_longest_that_counts() -> None:
    logits = np.zeros(3, np.float32)
    made = dry(1.0, base=2.0)([1] * 5000, logits)
    assert made[1] == -np.float32(2.0 ** int(math.log(np.finfo(np.float32).max) / math.log(2)))
    assert made[0] == made[2] == 0


def test_breakers_are_found_in_the_vocabulary(llm: LLM) -> None:
    tokenizer = llm.tokenizer
    found = SequenceBreakers(tokenizer).tails(BREAKERS)
    for token in range(tokenizer.n_tokens):
        word = tokenizer.token_bytes(token, special=True).decode("utf-8", "replace")
        assert (token in found) == any(text in word for text in BREAKERS), word
    word = next(
        word for token in range(tokenizer.n_tokens) if len(word := tokenizer.token_bytes(token).decode("latin-1")) > 2
    )
    split = SequenceBreakers(tokenizer).tails([f"{word}q"])
    begun = [token for token, tails in split.items() if all(tails)]
    assert any(tokenizer.token_bytes(token).decode("latin-1") == word for token in begun)


def test_dry_works_through_a_model_and_changes_nothing_at_zero(llm: LLM) -> None:
    prompt = [1, *[5, 6, 7, 8] * 12]
    plain = llm.generate(prompt, 24, temperature=0)
    assert llm.generate(prompt, 24, temperature=0, dry_multiplier=0.0).tokens == plain.tokens
    made = llm.generate(prompt, 24, temperature=0, dry_multiplier=100.0, dry_sequence_breakers=[]).tokens
    tokens = list(prompt)
    for token in made:
        logits = llm(tokens) - dry_penalties(
            tokens, {}, llm.tokenizer.n_tokens, multiplier=100.0, base=1.75, allowed_length=2, last=-1
        )
        assert token == int(np.argmax(logits))
        tokens.append(token)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"typical_p": 1.1}, "typical_p is 1.1: expected 0 to 1"),
        ({"typical_p": float("nan")}, "typical_p is nan: expected 0 to 1"),
        ({"top_n_sigma": float("inf")}, "top_n_sigma is inf: expected a number"),
        ({"top_n_sigma": "1"}, "top_n_sigma is '1': expected a number"),
        ({"xtc_probability": -0.1}, "xtc_probability is -0.1: expected 0 to 1"),
        ({"xtc_threshold": 2}, "xtc_threshold is 2: expected 0 to 1"),
        ({"dry_multiplier": -1}, "dry_multiplier is -1: expected a number, 0 or more"),
        ({"dry_multiplier": 1, "dry_base": 0.9}, "dry_base is 0.9: expected a number, 1 or more"),
        ({"dry_multiplier": 1, "dry_allowed_length": -1}, "dry_allowed_length is -1: expected a whole number"),
        ({"dry_multiplier": 1, "dry_penalty_last_n": -2}, "dry_penalty_last_n is -2: expected a whole number"),
        ({"dry_multiplier": 1, "dry_sequence_breakers": "ab"}, "dry_sequence_breakers is 'ab': expected at most 64"),
    ],
)
def test_bounds_are_named(llm: LLM, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        llm.stream("a", 1, **wrong)


# --- llama.cpp itself ---

PROMPTS = ("Once upon a time there was a", "the cat and the dog and the cat and the", "Lily: the sun. Lily: the")
CHAINS: list[dict[str, Any]] = [
    {"typical_p": 0.5}, {"typical_p": 0.2}, {"typical_p": 0.95}, {"top_n_sigma": 1.0}, {"top_n_sigma": 2.5},
    {"xtc_probability": 1.0, "xtc_threshold": 0.05}, {"xtc_probability": 1.0, "xtc_threshold": 0.3},
    {"top_n_sigma": 3.0, "top_k": 12, "typical_p": 0.9, "top_p": 0.9, "min_p": 0.02, "xtc_probability": 1.0},
]  # fmt: skip
OFF: dict[str, Any] = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}


@pytest.mark.long
def test_llama_cpp_keeps_the_same_tokens_and_has_the_same_penalties() -> None:
    needs.require("xllamacpp")
    server = llama_cpp.serve(needs.STORIES)
    with GGUFFile(needs.STORIES) as file:
        tokenizer = Tokenizer(file)

    def ask(prompt: str, **params: Any) -> Any:
        body = {"prompt": prompt, "n_predict": 1, "seed": 1, "n_probs": 1 << 16, **OFF, **params}
        return llama_cpp.ask(server, "/completion", **body)["completion_probabilities"][0]

    for prompt in PROMPTS:
        raw = ask(prompt)["top_logprobs"]
        logits = np.full(tokenizer.n_tokens, -np.inf, np.float32)
        logits[[one["id"] for one in raw]] = [one["logprob"] for one in raw]
        for params in CHAINS:
            top = ask(prompt, **params, post_sampling_probs=True)["top_probs"]
            wanted = {one["id"] for one in top if one["prob"] > 0}
            draw = sampler(seed=2, **{**OFF, "temperature": 30.0, **params})
            seen = {draw(logits) for _ in range(60 * len(wanted))}
            assert seen <= wanted, params
            assert seen == wanted or len(wanted) > 40, params
        tokens = llama_cpp.token_ids(server, prompt, special=True)
        for params in ({"allowed_length": 1}, {"allowed_length": 2, "base": 3.0}, {"allowed_length": 1, "last": 6}):
            names = {"last": "penalty_last_n"}
            given = {f"dry_{names.get(name, name)}": value for name, value in params.items()}
            answer = ask(prompt, dry_multiplier=0.8, **given, post_sampling_probs=True)["top_probs"]
            breakers = SequenceBreakers(tokenizer).tails(BREAKERS)
            made = dry(0.8, **params, breakers=breakers)(tokens, logits).astype(np.float64)
            weights = np.exp(made - made.max())
            ours = weights / weights.sum()
            for one in answer:  # its logits vary with what its cache has; the least penalty is a factor of 2
                assert ours[one["id"]] == pytest.approx(one["prob"], rel=0.05, abs=1e-6), (params, one)
