# SPDX-License-Identifier: MIT
"""Several sequences at once: each has the same bits alone, in a batch, restored from a file, and computed anew."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM, ArgumentError, Device, DspMemoryError
from pyhexagon.llm.engine import kv_cache
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.llm.engine.sequence import n_common

CHANCE = np.random.default_rng(5)
PROMPTS = [[1, *CHANCE.integers(3, tiny.N_TOKENS, n).tolist()] for n in (70, 5, 30, 12)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("models") / "model.gguf", "qwen3", **tiny.TINY["qwen3"])


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.fixture
def llm(model: Path, device: Device) -> Iterator[LLM]:
    with LLM(model, 128, n_sequences=4, device=device) as llm:
        yield llm


@pytest.fixture(scope="module")
def alone(model: Path, device: Device) -> list[Any]:
    with LLM(model, 128, device=device) as llm:
        return [llm.logits(prompt)[-1] for prompt in PROMPTS]


def test_beside_others_a_text_gets_the_bits_it_gets_alone(llm: LLM, alone: list[Any], rows: list[list[int]]) -> None:
    assert np.array_equal(llm._core.logits_of(PROMPTS), alone)
    assert rows == [[6, 13, 31, 14], [32], [16], [8], [1]]
    rows.clear()
    longer = [[*prompt, 7] for prompt in PROMPTS]
    together = llm._core.logits_of(longer)
    assert rows == [[1, 1, 1, 1]]
    llm._core.clear_cache()
    assert all(np.array_equal(llm._core.logits(text), row) for text, row in zip(longer, together, strict=True))


def test_both_engines_have_the_same_bits(model: Path, alone: list[Any]) -> None:
    with LLM(model, 128, n_sequences=4, device="loopback:qemu") as llm:
        assert np.array_equal(llm._core.logits_of(PROMPTS), alone)


def test_texts_share_what_they_begin_with(llm: LLM, rows: list[list[int]]) -> None:
    first, second = [*PROMPTS[0], 5, 6], [*PROMPTS[0], 8]
    logits = [llm._core.logits(text) for text in (PROMPTS[0], first, second, first)]
    assert rows == [[64], [4], [2], [1], [2], [1], [1]]
    assert llm._core.stages.cache.free_pages == 8 - 3
    llm._core.clear_cache()
    assert np.array_equal(llm._core.logits(second), logits[2])
    assert np.array_equal(llm._core.logits(first), logits[1])
    assert np.array_equal(logits[3], logits[1])


def test_texts_with_different_salts_share_nothing(llm: LLM, rows: list[list[int]]) -> None:
    tokens = PROMPTS[1]
    for text, salt in ((tokens, "a"), ([*tokens, 7], "b"), ([*tokens, 7], "a")):
        forward = ForwardPass(text, salt=(salt, ()))
        while not forward.is_done:
            llm._core.step([forward])
    assert rows == [[4], [2], [4], [2], [1], [1]]


def test_where_pages_lack_the_oldest_texts_are_computed_anew(model: Path, device: Device, alone: list[Any]) -> None:
    with LLM(model, 128, device=device) as llm:  # two pages, of which the first text needs both
        for _ in range(2):
            assert np.array_equal(llm._core.logits_of(PROMPTS), alone)
        for prompt, row in zip(PROMPTS, alone, strict=True):
            assert np.array_equal(llm._core.logits(prompt), row)
        with pytest.raises(DspMemoryError):
            llm._core.stages.cache.take(3)


def test_where_pages_lack_the_text_that_came_last_waits(model: Path, device: Device) -> None:
    first, second, short = (ForwardPass([n, *range(3, n + 2)]) for n in (250, 180, 5))
    with LLM(model, 256, device=device) as llm:
        llm._core.step([first])
        llm._core.step([first, second])
        llm._core.stages.cache.take(2)  # both have one page, and there are four
        llm._core.step([first, second, short])
        assert short.is_done
        assert first.sequence is not None
        assert second.sequence is None


def test_generate_all_gives_each_what_it_gets_alone(llm: LLM, rows: list[list[int]]) -> None:
    one_by_one = [llm.generate(prompt, 5, temperature=0).tokens for prompt in PROMPTS]
    llm._core.clear_cache()
    rows.clear()
    together = llm.generate_all(PROMPTS, 5, temperature=0)
    assert [made.tokens for made in together] == one_by_one
    assert rows == [[6, 13, 31, 14], [1, 1, 1, 57], *3 * [[1, 1, 1, 1]], [1]]  # as if no thread were ever late
    with pytest.raises(ArgumentError, match="0 tokens"):
        llm.generate_all([PROMPTS[1], []], 3)
    assert llm.generate_all([], 3) == []


def test_only_top_logits_come_from_the_dsp(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, list[int]] = {"few": [], "all": []}
    receive = ModelRunner.receive

    def seen(runner: ModelRunner[Any]) -> Any:
        forwards = runner.in_flight[0].forwards
        rows = receive(runner)
        given["all"] += [len(row) for row in rows]
        given["few"] += [len(one.ids) for forward, _ in forwards for one in forward.all_top]
        return rows

    monkeypatch.setattr(ModelRunner, "receive", seen)
    cases: list[tuple[float, dict[str, Any], int]] = [
        (0.0, {}, 1), (1.5, {"seed": 3, "top_k": 30, "top_p": 1.0, "min_p": 0.0}, 30)
    ]  # fmt: skip
    for temperature, more, n in cases:
        few = llm.generate(PROMPTS[0], 6, temperature, **more)
        assert given == {"few": [n] * 6, "all": []}
        given["few"].clear()
        every = llm.generate(PROMPTS[0], 6, temperature, **more, processors=[lambda _, logits: logits])
        assert given == {"few": [], "all": [tiny.N_TOKENS] * 6}
        given["all"].clear()
        assert few.tokens == every.tokens
        assert np.allclose(few.logprobs, every.logprobs, atol=1e-3)


def test_beside_a_text_that_wants_all_logits(llm: LLM, alone: list[Any]) -> None:
    few, every = ForwardPass(PROMPTS[1], 3), ForwardPass(PROMPTS[3])
    while not (few.is_done and every.is_done):
        llm._core.step([few, every])
    assert np.array_equal(every.logits, alone[3])
    assert few.top.ids.tolist() == np.argsort(-alone[1], kind="stable")[:3].tolist()
    assert np.array_equal(few.top.logits, alone[1][few.top.ids])
    assert abs(few.top.log_sum - np.log(np.exp(alone[1].astype(np.float64)).sum())) < 1e-3


@pytest.mark.parametrize("n_batch", [1, 5, 16, 63])
def test_a_message_has_at_most_n_batch_tokens_of_prompts(
    model: Path, device: Device, alone: list[Any], rows: list[list[int]], n_batch: int
) -> None:
    with LLM(model, 128, n_sequences=4, n_batch=n_batch, device=device) as llm:
        assert np.array_equal(llm._core.logits_of(PROMPTS), alone)
        assert sum(map(sum, rows)) == sum(map(len, PROMPTS))
        assert all(max(message) <= n_batch for message in rows)
        # The last token of a prompt is a decode step, which does not wait for prompts.
        assert all(sum(n for n in message if n > 1) <= n_batch for message in rows)
        rows.clear()
        assert np.array_equal(llm.logits(PROMPTS[0])[-1], alone[0])
        assert len(rows) >= 70 // n_batch


def test_drafts_are_verified_in_one_message_whatever_n_batch(model: Path, device: Device) -> None:
    """Six requests with draft tokens; prompts are let in between their verifications."""
    prompts = [[1, *([5, 6, 7] * 6), number] for number in range(3, 9)]
    options: dict[str, Any] = {"max_tokens": 16, "temperature": 0}
    with LLM(model, 128, device=device) as llm:
        want = [llm.generate(prompt, **options).tokens for prompt in prompts]
    with LLM(model, 128, n_sequences=6, n_batch=1, draft_model="lookup", device=device) as llm:
        assert [one.tokens for one in llm.generate_all(prompts, **options)] == want
        assert llm.generate(prompts[0], num_draft_tokens=9, **options).tokens == want[0]


@pytest.mark.parametrize("n_batch", [0, 65, 1.5])
def test_a_wrong_n_batch_is_refused(model: Path, device: Device, n_batch: Any) -> None:
    with pytest.raises(ArgumentError, match=r"n_batch is .*: expected"):
        LLM(model, 128, n_batch=n_batch, device=device)


def test_threads_share_messages(llm: LLM, alone: list[Any]) -> None:
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        results[number] = llm(PROMPTS[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(results[number], alone[number]) for number in range(4))


def test_an_error_reaches_every_thread_and_the_next_text_is_right(
    llm: LLM, alone: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise DspMemoryError("none left")

    with monkeypatch.context() as patch:
        patch.setattr(ModelRunner, "send", fails)
        with pytest.raises(DspMemoryError, match="none left"):
            llm.generate_all(PROMPTS, 3, temperature=0)
    assert llm._core.stages.cache.free_pages == 8
    assert np.array_equal(llm(PROMPTS[2]), alone[2])


def test_saved_and_loaded_a_text_goes_on_with_the_same_bits(
    llm: LLM, model: Path, device: Device, tmp_path: Path, rows: list[list[int]]
) -> None:
    longer = [*PROMPTS[0], 9]
    wanted = llm(longer)
    llm.save(tmp_path / "text.npz", PROMPTS[0])
    with LLM(model, 128, device=device) as other:
        rows.clear()
        assert other.load(tmp_path / "text.npz") == PROMPTS[0]
        assert np.array_equal(other(longer), wanted)
        assert rows == [[1]]
        other.load(tmp_path / "text.npz")
        other.load(tmp_path / "text.npz")  # there is room for one: the others give way
    with LLM(model, 64, device=device) as small, pytest.raises(ArgumentError, match="71 tokens: expected 1 to n_ctx"):
        small.load(tmp_path / "text.npz")
    others = tiny.write(tmp_path / "other.gguf", "qwen3", seed=2, **tiny.TINY["qwen3"])
    with LLM(others, 128, device=device) as other, pytest.raises(ArgumentError, match="belongs to another model"):
        other.load(tmp_path / "text.npz")
    (tmp_path / "text.npz").write_bytes((tmp_path / "text.npz").read_bytes()[:900])
    with pytest.raises(ArgumentError, match=r"text\.npz is not what LLM\.save writes$"):
        llm.load(tmp_path / "text.npz")


def test_after_reopening_nothing_is_believed(model: Path, alone: list[Any]) -> None:
    with Device("loopback") as device, LLM(model, 128, device=device) as llm:
        llm(PROMPTS[1])
        for layer in llm._core.stages.cache.layers:
            layer.buffer.bytes[:] = 255
        device.epoch += 1  # as ``reopen`` does
        assert np.array_equal(llm(PROMPTS[1]), alone[1])


def test_a_token_is_compared_with_the_text_that_it_continues_alone(
    llm: LLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = []

    def counted(before: list[int], after: Any) -> int:
        compared.append(len(before))
        return n_common(before, after)

    texts = [list(prompt) for prompt in PROMPTS]
    first = llm._core.logits_of(texts)
    monkeypatch.setattr(kv_cache, "n_common", counted)
    for _ in range(4):
        for text, row in zip(texts, first, strict=True):
            text.append(int(np.argmax(row)))
        first = llm._core.logits_of(texts)
    assert not compared
