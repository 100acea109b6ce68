# SPDX-License-Identifier: MIT
"""Checkpoints of recurrent state: what prompts of one beginning compute again, and who has how many slots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from llm import tiny_qwen35
from pyhexagon import LLM, Device
from pyhexagon.llm.chat.turns import UserTurns
from pyhexagon.llm.engine.checkpoints import marks_of
from pyhexagon.llm.engine.recurrent_state import SLOTS_PER_SEQUENCE

pytestmark = pytest.mark.filterwarnings("ignore:n_ctx is:RuntimeWarning")
CHATML = (
    "{% for m in messages %}<s>{{ m.role }}\n{{ m.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)
ONE_TOKEN: Any = {"temperature": 0}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(CHATML)

    return tiny_qwen35.write(tmp_path_factory.mktemp("models") / "model.gguf", edit=edit)


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("cpu") as device:
        yield device


def ids(seed: int, n: int) -> list[int]:
    return np.random.default_rng(seed).integers(3, 250, n).tolist()  # type: ignore[no-any-return]


def computed(llm: LLM, prompt: list[int], n: int = 4) -> int:
    """Return the number of prompt tokens that are computed, and check that the cache changes no token."""
    made = llm.generate(prompt, n, **ONE_TOKEN)
    assert made.prompt_tokens == tuple(prompt)
    return len(prompt) - made.cached_tokens


@pytest.mark.parametrize("options", [{}, {"n_sequences": 4}, {"draft_model": "lookup"}], ids=str)
def test_questions_in_one_conversation_compute_the_last_turn_only(
    path: Path, device: Device, options: dict[str, Any]
) -> None:
    document = [{"role": "system", "content": "the thin man " * 30}]
    with LLM(path, 1024, device=device, **options) as llm:
        turns = UserTurns(llm.chat_template, llm.tokenizer)
        for number, question in enumerate(("who is it", "what is it of", "a an the of " * 8)):
            text = llm.apply_template([*document, {"role": "user", "content": question}])
            prompt = llm.tokenizer.encode(text, add_special=False)
            begin = turns.last(prompt)
            assert 0 < begin < len(prompt) - 4
            n = computed(llm, prompt)
            assert n == (len(prompt) - begin if number else len(prompt))
        wanted = llm.generate(prompt, 6, **ONE_TOKEN).tokens
        llm.clear_cache()
        assert llm.generate(prompt, 6, **ONE_TOKEN).tokens == wanted


def test_two_questions_about_one_long_text_compute_its_end_only(path: Path, device: Device) -> None:
    base = ids(1, 700)
    with LLM(path, 1024, device=device) as llm:
        assert computed(llm, [*base, *ids(2, 100)]) == 800
        assert computed(llm, [*base, *ids(3, 90)]) == 790 - 512  # a mark lies 256 tokens or a few more before the end
        assert computed(llm, [*base, *ids(4, 95)]) == 95  # the second prompt had shown where they branch
        wanted = llm.generate([*base, *ids(4, 95)], 6, **ONE_TOKEN).tokens
        llm.clear_cache()
        assert llm.generate([*base, *ids(4, 95)], 6, **ONE_TOKEN).tokens == wanted


def test_the_end_of_the_prompt_before_is_kept(path: Path, device: Device) -> None:
    base = ids(1, 300)
    with LLM(path, 1024, n_sequences=4, device=device) as llm:
        answer = llm.generate(base, 20, **ONE_TOKEN).tokens
        assert computed(llm, [*base, *answer, *ids(2, 40)]) <= 41
        assert computed(llm, [*base, *ids(3, 70)]) == 70  # the question is edited


@pytest.mark.parametrize("n_sequences", [1, 2, 5])
def test_slots_beyond_a_share_are_given_back(path: Path, device: Device, n_sequences: int) -> None:
    with LLM(path, 1024, n_sequences=n_sequences, device=device) as llm:
        states = llm._core.kv_cache.states
        assert states
        for seed in range(3):  # holds more than its share, if there are several
            llm.generate([*ids(9, 600), *ids(seed, 80)], 3, **ONE_TOKEN)
        prompts = [ids(20 + seed, 100 + 9 * seed) for seed in range(n_sequences)]
        made = [one.tokens for one in llm.generate_all(prompts, 12, **ONE_TOKEN)]
        assert all(owner.n_spare < 1 or states.n_free for owner in states.owners)
        llm.clear_cache()
        assert states.n_free == SLOTS_PER_SEQUENCE * n_sequences
        assert not states.owners
        assert [llm.generate(prompt, 12, **ONE_TOKEN).tokens for prompt in prompts] == made


@pytest.mark.parametrize(
    ("given", "marks"),
    [
        ((1500, 0, 0, 0), (1216,)), ((1500, 0, 0, 1400), (1216, 1400)), ((1500, 0, 1399, 1400), (1216, 1399, 1400)),
        ((1500, 1400, 1410, 0), ()), ((1500, 1216, 1400, 1216), (1400,)), ((100, 0, 40, 90), (90,)),
        ((511, 0, 0, 0), ()), ((512, 0, 0, 0), (256,)), ((1, 0, 0, 0), ()), ((70, 0, 70, 70), ()),
    ],
)  # fmt: skip
def test_marks_lie_within_what_is_computed(given: tuple[int, int, int, int], marks: tuple[int, ...]) -> None:
    assert marks_of(*given) == marks


def test_turns_are_found_by_the_template(path: Path, device: Device) -> None:
    with LLM(path, 64, device=device) as llm:
        tokenizer = llm.tokenizer
        turns = UserTurns(CHATML, tokenizer)
        for messages in (["a"], ["the", "a", "an"], ["the thin", "x", "a" * 20]):
            roles = ["user", "assistant"] * 2
            talk = [{"role": role, "content": text} for role, text in zip(roles, messages, strict=False)]
            prompt = tokenizer.encode(llm.apply_template(talk), add_special=False)
            at = turns.last(prompt)
            assert tokenizer.decode(prompt[at:], special=True).startswith(f"{messages[-1]}</s>")
        assert turns.last(tokenizer.encode("the thin man")) == 0
        assert UserTurns(None, tokenizer).last([1, 2, 3]) == 0
        assert UserTurns("{{ raise_exception('no') }}", tokenizer).last(prompt) == 0
        assert UserTurns("{% for m in messages %}{{ m.content }} {% endfor %}", tokenizer).last(prompt) == 0
