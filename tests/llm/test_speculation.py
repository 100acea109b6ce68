# SPDX-License-Identifier: MIT
"""Speculative decoding: completions equal those without draft tokens, for any draft model, and take fewer messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import needs
import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM, ArgumentError, Device
from pyhexagon.llm import prompt_lookup
from pyhexagon.llm.engine.generation import Generation
from pyhexagon.llm.engine.speculation import Draft

CHANCE = np.random.default_rng(5)
PROMPTS = [[1, *CHANCE.integers(3, tiny.N_TOKENS, n).tolist()] for n in (60, 5, 30, 12)]
N = 24
SAMPLERS: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0},
    "the most likely": {"temperature": 1.2, "seed": 7},
    "all logits": {"temperature": 1.2, "seed": 7, "top_k": 0},
    "penalties": {"temperature": 0.7, "seed": 7, "repeat_penalty": 1.3},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a model and a smaller one."""
    folder = tmp_path_factory.mktemp("models")
    return (
        tiny.write(folder / "model.gguf", "qwen3", **tiny.TINY["qwen3"]),
        tiny.write(folder / "draft.gguf", "llama", layers=1, width=64, ffn=64, seed=2),
    )


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.fixture(scope="module")
def wanted(models: tuple[Path, Path], device: Device) -> dict[str, Generation]:
    with LLM(models[0], 128, device=device) as llm:
        return {name: llm.generate(PROMPTS[0], N, **options) for name, options in SAMPLERS.items()}


def knowing(text: Sequence[int], wrong: Sequence[int] = ()) -> Draft:
    """Return a draft model that knows the completion, and proposes wrong tokens at some places."""

    def draft(tokens: Sequence[int], n: int) -> Sequence[int]:
        places = range(len(tokens), min(len(tokens) + n, len(text)))
        return [3 if at in wrong else text[at] for at in places]

    return draft


@pytest.mark.parametrize("engine", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long)])
def test_what_is_guessed_changes_no_token(
    models: tuple[Path, Path], wanted: dict[str, Generation], engine: str
) -> None:
    with Device(engine) as device:
        for name, options in SAMPLERS.items():
            text = [*PROMPTS[0], *wanted[name].tokens]
            for draft in (knowing(text), knowing(text, range(61, 99, 3)), prompt_lookup(), models[1]):
                with LLM(models[0], 128, device=device, draft_model=draft) as llm:
                    made = llm.generate(PROMPTS[0], N, **options)
                assert made.tokens == wanted[name].tokens
                assert np.allclose(made.logprobs, wanted[name].logprobs, rtol=0, atol=1e-12)
                assert made.draft_n >= made.draft_n_accepted
            if engine != "loopback" and name == "the most likely":
                break  # the rest is the host's work


def test_a_message_for_each_guess_that_was_wrong(
    models: tuple[Path, Path], device: Device, wanted: dict[str, Generation], rows: list[list[int]]
) -> None:
    text = [*PROMPTS[0], *wanted["greedy"].tokens]
    with LLM(models[0], 128, device=device, draft_model=knowing(text)) as llm:
        made = llm.generate(PROMPTS[0], N, temperature=0)
        assert rows == [[32], [16], [8], [4], [1], *4 * [[5]], [3]]  # 1 + 4 * 5 + 3
        assert (made.draft_n, made.draft_n_accepted) == (4 * 4 + 2, 4 * 4 + 2)
        rows.clear()
        assert llm.generate(PROMPTS[0], N, temperature=0, num_draft_tokens=11).tokens == made.tokens
        assert rows == [[1], [12], [11]]
        rows.clear()
        assert llm.generate(PROMPTS[0], 4, temperature=0, num_draft_tokens=0).draft_n == 0
        assert rows == [[1]] * 4
    assert len(text) == 61 + N
    with LLM(models[0], 128, device=device, draft_model=knowing(text, [64])) as llm:
        rows.clear()
        parts = list(llm.stream(PROMPTS[0], 9, temperature=0))
        assert [part.token for part in parts] == text[61 : 61 + 9]
        assert [part.from_draft for part in parts] == [False, True, True, False, True, True, True, True, False]
        assert [part.draft_n for part in parts] == [0, 4, 0, 0, 4, 0, 0, 0, 0]
        assert rows[5:] == [[5], [5]]
        assert llm._core.stages.cache.free_pages == 0  # and no page was copied
        assert len(llm._core.kv_cache.idle) == 1


def test_a_draft_model_computes_only_what_it_has_not_seen(
    models: tuple[Path, Path], device: Device, rows: list[list[int]], wanted: dict[str, Generation]
) -> None:
    with LLM(models[0], 128, device=device, draft_model=models[0]) as llm:  # which is always right
        made = llm.generate(PROMPTS[0], N, temperature=0)
        assert made.tokens == wanted["greedy"].tokens
        assert (made.draft_n, made.draft_n_accepted) == (4 * 4 + 2, 4 * 4 + 2)
        assert rows[10:] == [*[[1]] * 3, [5], *3 * [[2], *[[1]] * 3, [5]], [2], [1], [3]]
        memory = llm.memory()
    with LLM(models[0], 128, device=device) as llm:
        assert memory["model"] == 2 * llm.memory()["model"]
        assert memory["context"] == 2 * llm.memory()["context"]


def test_texts_with_guesses_share_messages(models: tuple[Path, Path], device: Device, rows: list[list[int]]) -> None:
    with LLM(models[0], 128, n_sequences=4, device=device) as llm:
        alone = [llm.generate(prompt, 12, temperature=0).tokens for prompt in PROMPTS]
    texts = [[*prompt, *made] for prompt, made in zip(PROMPTS, alone, strict=True)]

    def draft(tokens: Sequence[int], n: int) -> Sequence[int]:
        (text,) = [one for one in texts if one[: len(tokens)] == [*tokens]]
        return knowing(text, [len(text) - 3])(tokens, n)

    with LLM(models[0], 128, n_sequences=4, device=device, draft_model=draft) as llm:
        rows.clear()
        assert [made.tokens for made in llm.generate_all(PROMPTS, 12, temperature=0)] == alone
        assert [5, 5, 5, 5] in rows
        assert len(rows) < 12


def test_at_the_end_of_the_context_there_is_no_guess_too_many(models: tuple[Path, Path], device: Device) -> None:
    with LLM(models[0], 64, device=device) as llm:
        wanted = llm.generate(PROMPTS[2], temperature=0, logit_bias={2: -np.inf})
    text = [*PROMPTS[2], *wanted.tokens]
    assert len(text) == 64
    with LLM(models[0], 64, device=device, draft_model=knowing(text)) as llm:
        for n in range(1, 12):
            options: dict[str, Any] = {"num_draft_tokens": n, "logit_bias": {2: -np.inf}}
            assert llm.generate(PROMPTS[2], temperature=0, **options).tokens == wanted.tokens


def test_a_text_ends_among_its_guesses(
    models: tuple[Path, Path], device: Device, wanted: dict[str, Generation]
) -> None:
    text = [*PROMPTS[0], *wanted["greedy"].tokens]
    with LLM(models[0], 128, device=device) as plain:
        stop = wanted["greedy"].text[14:18]
        without = plain.generate(PROMPTS[0], N, temperature=0, stop=stop)
    with LLM(models[0], 128, device=device, draft_model=knowing(text)) as llm:
        made = llm.generate(PROMPTS[0], N, temperature=0, stop=stop)
        assert (made.text, made.tokens, made.finish_reason) == (without.text, without.tokens, "stop")
        again = llm.generate([*PROMPTS[0], *made.tokens], 4, temperature=0)
        assert again.tokens == tuple(text[61 + len(made.tokens) :][:4])


def test_prompt_lookup_finds_what_followed() -> None:
    draft = prompt_lookup()
    assert draft([5, 1, 2, 3, 4, 6, 7, 9, 3, 4, 8, 1, 2, 3, 4], 3) == [6, 7, 9]  # of three tokens
    assert draft([1, 2, 5, 2, 6, 2], 4) == [6, 2]  # the latest match of one token
    assert list(draft([1, 2, 3], 4)) == list(draft([1], 4)) == []
    assert prompt_lookup(1)([9, 4, 1, 3, 4, 2, 3, 4], 1) == [2]
    with pytest.raises(ArgumentError, match="max_ngram_size is 0"):
        prompt_lookup(0)


def test_what_cannot_be_asked(models: tuple[Path, Path], device: Device, tmp_path: Path) -> None:
    with LLM(models[0], 64, device=device) as llm:
        with pytest.raises(ArgumentError, match="num_draft_tokens is -1"):
            llm.stream([1], num_draft_tokens=-1)
        with pytest.raises(ArgumentError, match="n_keep is -2: expected a whole number, -1 to"):
            llm.stream([1], n_keep=-2)
    with pytest.raises(ArgumentError, match="has another vocabulary"):
        LLM(models[0], 64, device=device, draft_model=needs.STORIES)


def test_beyond_the_context_a_text_goes_on_as_its_shortened_text(models: tuple[Path, Path], device: Device) -> None:
    options: dict[str, Any] = {"temperature": 0, "logit_bias": {2: -np.inf}}
    prompt = PROMPTS[2]
    with LLM(models[0], 64, device=device) as llm:
        made = llm.generate(prompt, 70, context_shift=True, n_keep=4, **options)
        text = [*prompt, *made.tokens]
        assert len(made.tokens) == 70
        assert made.finish_reason == "length"
        first = text[:64]
        assert [*prompt, *llm.generate(prompt, **options).tokens] == first
        second = [*first[:4], *first[34:]]  # 60 tokens, of which the older half is gone
        second += llm.generate(second, **options).tokens
        assert text[64 : 64 + 30] == second[34:]
        third = [*second[:4], *second[34:]]
        assert text[94:] == list(llm.generate(third, 7, **options).tokens)
        kept = -1, len(prompt), 500
        whole = {llm.generate(prompt, 70, context_shift=True, n_keep=n, **options).tokens for n in kept}
        assert len(whole) == 1
        assert made.tokens not in whole
        assert len(list(zip(llm.stream(prompt, context_shift=True, **options), range(200), strict=False))) == 200
        made_anew = llm.generate(prompt, 40, context_shift=True, **options).tokens
        assert made_anew[:33] == tuple(first[31:])
        assert made_anew[33:] == llm.generate([1, *first[33:]], 7, **options).tokens  # what begins each text stays
    with LLM(models[0], 64, device=device, draft_model=knowing(text)) as llm:
        again = llm.generate(prompt, 70, context_shift=True, n_keep=4, **options)
        assert again.tokens == made.tokens
