# SPDX-License-Identifier: MIT
"""Qwen 3.5: layers with a recurrent state, which rolls back only to checkpoints, beside layers with a KV cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from conftest import Faults

from llm import published, published_oracle, tiny, tiny_qwen35
from llm.divergence import divergence
from llm.reference_qwen35 import Qwen35Reference
from pyhexagon import LLM, ArgumentError, Builder, Device, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.memory import longest_context, planned

CHANCE = np.random.default_rng(5)
PROMPTS = [[1, *CHANCE.integers(3, tiny.N_TOKENS, n).tolist()] for n in (70, 5, 30, 12)]
TOKENS = [1, *np.random.default_rng(0).integers(3, tiny.N_TOKENS, 75).tolist()]
ENGINES = ("loopback", "loopback:qemu")
NO_END: dict[str, Any] = {"temperature": 0, "logit_bias": {2: -np.inf}}
# Mean KL divergence from the float64 pass of the shapes below that llama.cpp (xllamacpp 2026.10) has, with an F16
# cache, over the positions at which its server gives probabilities.
SHAPES: dict[str, tuple[dict[str, Any], float]] = {
    "two value heads a key head": ({}, 1.99e-3),
    "eight layers": ({"layers": 8, "seed": 3, "size": 64, "keys": 2, "values": 2}, 1.49e-2),
    "attention in every second layer": ({"seed": 5, "keys": 1, "values": 3, "interval": 2}, 1.20e-3),
}

OF_EXPERTS = [1.371e-2, 8.247e-3, 9.938e-3, 1.580e-2]  # llama.cpp's for mixtures of experts, seeds 1, 2 ...


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_qwen35.write(tmp_path_factory.mktemp("models") / "model.gguf")


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


def n_free(llm: LLM) -> int:
    """Return the number of free state slots."""
    assert llm._core.stages.states is not None
    return int(llm._core.stages.states.n_free)


@pytest.mark.parametrize("name", SHAPES)
def test_logits_are_as_near_the_float64_pass_as_llama_cpp_s(device: Device, tmp_path: Path, name: str) -> None:
    shape, of_llama_cpp = SHAPES[name]
    path = tiny_qwen35.write(tmp_path / "model.gguf", **shape)
    with LLM(path, 128, kv="f16", device=device) as llm:
        logits = llm.logits(TOKENS).astype(np.float64)
    wanted = Qwen35Reference(path).logits(TOKENS)
    here, there = (one - np.log(np.exp(one).sum(axis=1, keepdims=True)) for one in (logits, wanted))
    divergence = float((np.exp(there) * (there - here)).sum(axis=1).mean())
    print(f"{name}: KL divergence {divergence:.2e}, llama.cpp {of_llama_cpp:.2e}")
    assert divergence < 1.2 * of_llama_cpp


def test_mixtures_of_experts_are_as_near_the_float64_pass_as_llama_cpp_s(
    device: Device, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    header = published.named("Qwen3.6 35B A3B")
    ours = 0.0
    for seed in range(1, len(OF_EXPERTS) + 1):
        path = published.write(tmp_path / "model.gguf", header, seed)
        with LLM(path, 128, kv="f16", device=device) as llm:
            logits = np.asarray(llm.logits(published_oracle.TOKENS), np.float64)
        ours += divergence(Qwen35Reference(path).logits(published_oracle.TOKENS), logits)
    figure(f"Qwen3.6 35B A3B in small: f16 {ours / len(OF_EXPERTS):.1e}, {ours / sum(OF_EXPERTS):.2f} of llama.cpp's")
    assert ours < 1.2 * sum(OF_EXPERTS)


def test_states_are_never_copied(model: Path, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    copied, get_rows, set_rows = list[int](), Builder.get_rows, Builder.set_rows

    def get(p: Builder, table: Any, ids: Any) -> Any:
        copied.append(table.shape[-1])
        return get_rows(p, table, ids)

    def put(p: Builder, table: Any, x: Any, ids: Any) -> Any:
        copied.append(table.shape[-1])
        return set_rows(p, table, x, ids)

    monkeypatch.setattr(Builder, "get_rows", get)
    monkeypatch.setattr(Builder, "set_rows", put)
    with LLM(model, 128, n_sequences=2, device=device) as llm:
        llm._core.logits_of(PROMPTS[:2])
        assert llm._core.stages.states is not None
        of_states = {n_columns for _, n_columns in llm._core.stages.states.shapes}
    assert copied  # embeddings
    assert not of_states & set(copied)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_cut_has_the_same_bits(model: Path, alone: list[Any], engine: str) -> None:
    with LLM(model, 128, n_sequences=4, device=engine) as llm:
        together = llm.logits(PROMPTS[0])
        assert np.array_equal(together[-1], alone[0])
        for n in (1, 7, 65):
            llm._core.clear_cache()
            assert np.array_equal(llm._core.logits(PROMPTS[0][:n]), together[n - 1])
            assert np.array_equal(llm._core.logits(PROMPTS[0][: n + 1]), together[n])
        llm._core.clear_cache()
        one_by_one = [llm._core.logits(PROMPTS[0][:n]) for n in range(60, len(PROMPTS[0]) + 1)]
        assert np.array_equal(one_by_one, together[59:])
        assert np.array_equal(llm._core.logits_of(PROMPTS), alone)
        longer = [[*prompt, 7] for prompt in PROMPTS]
        several = llm._core.logits_of(longer)
        llm._core.clear_cache()
        assert np.array_equal([llm._core.logits(text) for text in longer], several)


def test_texts_share_a_message_where_each_has_one_token(llm: LLM, alone: list[Any], rows: list[list[int]]) -> None:
    assert np.array_equal(llm._core.logits_of(PROMPTS), alone)
    rows.clear()
    several = llm._core.logits_of([[*prompt, 7] for prompt in PROMPTS])
    assert rows == [[1, 1, 1, 1]]
    rows.clear()
    three = llm._core.logits_of([[*prompt, 7, 9] for prompt in PROMPTS[1:]])
    assert rows == [[1, 1, 1]]  # and one row that is missing
    llm._core.clear_cache()
    assert np.array_equal(llm._core.logits([*PROMPTS[0], 7]), several[0])
    assert np.array_equal(llm._core.logits([*PROMPTS[3], 7, 9]), three[2])


def test_a_long_prompt_has_its_turn_beside_texts_that_go_on(llm: LLM, rows: list[list[int]]) -> None:
    llm._core.logits(PROMPTS[1])
    long, short = ForwardPass(PROMPTS[0]), ForwardPass([*PROMPTS[1], 9])
    rows.clear()
    while not long.is_done:
        llm._core.step([long, short])
        short = ForwardPass([*short.tokens, 9]) if short.is_done else short
    assert rows == [[1], [64], [1], [4], [1], [2], [1, 1]]


def drafted(prompt: Sequence[int], n: int) -> ForwardPass:
    """Return a pass that verifies n draft tokens after a prompt and a further token."""
    return ForwardPass([*prompt, 9, *range(20, 20 + n)], n_logits=n + 1, n_draft=n)


def test_a_long_prompt_has_its_turn_beside_draft_tokens(llm: LLM, rows: list[list[int]]) -> None:
    llm._core.logits(PROMPTS[1])
    long, tokens = ForwardPass(PROMPTS[0]), [*PROMPTS[1]]
    short = drafted(tokens, 1)
    rows.clear()
    while not long.is_done and len(rows) < 20:
        llm._core.step([long, short])
        if short.is_done:
            tokens.append(9)
            short = drafted(tokens, 1)
    assert rows == [[2], [64], [2], [4], [2], [2], [1]]


def test_as_many_draft_tokens_of_several_sequences_share_a_message(llm: LLM, rows: list[list[int]]) -> None:
    llm._core.logits_of(PROMPTS)
    single, others = ForwardPass([*PROMPTS[0], 9]), [drafted(*one) for one in zip(PROMPTS[1:], (2, 4, 2), strict=True)]
    rows.clear()
    while not all(one.is_done for one in others):
        llm._core.step([single, *(one for one in others if not one.is_done)])
        if single.is_done:  # no pass waits for ever, though the shortest ones come first
            single = ForwardPass([*single.tokens, 9])
    assert rows == [[1], [3, 3], [5]]
    for one in others:
        llm._core.clear_cache()
        assert np.array_equal(one.all_logits, llm._core.all_logits(one.tokens)[-one.n_logits :])


def test_generate_all_gives_each_what_it_gets_alone(llm: LLM, rows: list[list[int]]) -> None:
    one_by_one = [llm.generate(prompt, 5, temperature=0).tokens for prompt in PROMPTS]
    llm._core.clear_cache()
    rows.clear()
    assert [made.tokens for made in llm.generate_all(PROMPTS, 5, temperature=0)] == one_by_one
    assert max(map(len, rows)) > 1


def test_a_text_goes_on_from_the_nearest_place_that_is_remembered(llm: LLM, rows: list[list[int]]) -> None:
    prompt = PROMPTS[0][:69]
    first = llm._core.logits([*prompt, 5])
    assert rows == [[64], [4], [2]]
    rows.clear()
    other = llm._core.logits([*prompt, 6])  # which is remembered after 64 and 68 tokens
    assert rows == [[2]]
    rows.clear()
    assert np.array_equal(llm._core.logits([*prompt, 5]), first)
    assert rows == [[2]]
    rows.clear()
    llm.generate([*prompt, 5], 12, **NO_END)
    rows.clear()
    assert np.array_equal(llm._core.logits([*prompt, 6]), other)  # the ends of pieces are kept while a text grows
    assert rows in ([[1]], [[2]])
    llm._core.clear_cache()
    assert np.array_equal(llm._core.logits([*prompt, 6]), other)
    llm._core.clear_cache()
    assert n_free(llm) == 4 * 4


@pytest.mark.parametrize("engine", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long)])
def test_guesses_change_no_token(model: Path, rows: list[list[int]], engine: str) -> None:
    with LLM(model, 128, device=engine) as llm:
        wanted = llm.generate(PROMPTS[2], 16, **NO_END).tokens
    text = [*PROMPTS[2], *wanted]

    def draft(tokens: Sequence[int], n: int) -> Sequence[int]:
        return [3 if at % 5 == 4 else text[at] for at in range(len(tokens), min(len(tokens) + n, len(text)))]

    with LLM(model, 128, device=engine, draft_model=draft) as llm:
        rows.clear()
        made = llm.generate(PROMPTS[2], 16, **NO_END)
        assert made.tokens == wanted
        assert 0 < made.draft_n_accepted < made.draft_n
        steps = rows[5:]
        assert len(steps) == 15 - made.draft_n_accepted  # one message for each token that was not guessed
        assert max(n for (n,) in steps) > 5  # right guesses before a wrong one are computed again
        rows.clear()
        assert llm.generate(PROMPTS[2], 16, **NO_END, num_draft_tokens=2).tokens == wanted


def test_as_a_draft_it_guesses_for_itself(model: Path, device: Device) -> None:
    with LLM(model, 128, device=device) as llm:
        wanted = llm.generate(PROMPTS[2], 16, temperature=0).tokens
    with LLM(model, 128, device=device, draft_model=model) as llm:
        made = llm.generate(PROMPTS[2], 16, temperature=0)
        assert made.tokens == wanted
        assert made.draft_n_accepted == made.draft_n > 0


def test_saved_and_loaded_a_text_goes_on_with_the_same_bits(
    llm: LLM, model: Path, device: Device, tmp_path: Path, rows: list[list[int]]
) -> None:
    longer = [*PROMPTS[0], 9]
    wanted = llm(longer)
    llm.save(tmp_path / "text.npz", PROMPTS[0])
    with LLM(model, 128, device=device) as other:
        rows.clear()
        for _ in range(3):
            assert other.load(tmp_path / "text.npz") == PROMPTS[0]
        assert np.array_equal(other(longer), wanted)
        assert rows == [[1]]
    with np.load(tmp_path / "text.npz") as file:
        saved = dict(file)
    del saved["state1"]
    np.savez(tmp_path / "less.npz", **saved)
    with pytest.raises(ArgumentError, match="lacks the state of recurrent layers"):
        llm.load(tmp_path / "less.npz")


def test_where_slots_lack_the_oldest_texts_are_computed_anew(model: Path, device: Device, alone: list[Any]) -> None:
    with LLM(model, 128, device=device) as llm:
        for _ in range(2):
            assert np.array_equal(llm._core.logits_of(PROMPTS), alone)
        for _ in range(2):
            for n in range(8):  # short texts, of which more would have room in the cache
                llm._core.logits([1, 300 + n, 5])
        assert np.array_equal(llm._core.logits(PROMPTS[2]), alone[2])


def test_layers_in_a_row_over_several_sessions(tmp_path: Path, faults: Faults) -> None:
    path = tiny_qwen35.write(tmp_path / "model.gguf", layers=8)
    with LLM(path, 64, device="loopback") as llm:
        wanted, logits = llm.generate(PROMPTS[2], 4, temperature=0).tokens, llm(PROMPTS[2])
    faults.set("map_limit", 2300 << 10)
    with LLM(path, 64, device="loopback") as llm:
        assert np.array_equal(llm(PROMPTS[2]), logits)
        assert len(llm.device._sessions) > 1
        assert llm.generate(PROMPTS[2], 4, temperature=0).tokens == wanted
        llm.save(tmp_path / "text.npz", PROMPTS[2])
        llm._core.clear_cache()
        llm.load(tmp_path / "text.npz")
        assert np.array_equal(llm([*PROMPTS[2], wanted[0]]), llm.logits([*PROMPTS[2], wanted[0]])[-1])


def test_a_place_that_is_reserved_is_come_back_to(llm: LLM, rows: list[list[int]]) -> None:
    context = llm._core
    context.reserve(TOKENS[:20])
    first = context.logits(TOKENS)
    context.truncate(20)
    rows.clear()
    assert np.array_equal(context.logits(TOKENS), first)
    assert rows == [[32], [16], [8]]


def test_beyond_the_context_a_text_goes_on(model: Path, device: Device) -> None:
    with LLM(model, 64, device=device) as llm:
        made = llm.generate(PROMPTS[2], 60, context_shift=True, **NO_END).tokens
        text = [*PROMPTS[2], *made]
        assert list(made[33:]) == list(llm.generate([1, *text[33:64]], 27, **NO_END).tokens)


def test_what_it_takes_is_what_was_planned(model: Path) -> None:
    with GGUFFile(model) as file:
        can_run = checked(file)
        plan = planned(file, can_run, 128, n_sequences=2)
        one = planned(file, can_run, 64)
        longest = longest_context(one, can_run[0], sum(one) + 100_000)
        assert longest > 64
        assert sum(planned(file, can_run, longest)) <= sum(one) + 100_000
    with LLM(model, 128, n_sequences=2, device="loopback") as llm:
        llm.generate(PROMPTS[0], 1)
        used = llm.memory()
        assert (plan.model, plan.context) == (used["model"], used["context"])


def test_what_cannot_run_is_refused(tmp_path: Path, device: Device) -> None:
    def add(name: str, number: int) -> Callable[[gguf.GGUFWriter], None]:
        return lambda writer: writer.add_uint32(f"qwen35.{name}", number)

    def none(writer: gguf.GGUFWriter) -> None:
        writer.add_array("qwen35.attention.recurrent_layers", [True] * 4)

    for shape, words in (
        ({"sections": (2, 3, 3, 0)}, r"rope.dimension_sections is .*expected \[3, 3, 2, 0\]"),
        ({"keys": 2, "values": 3}, "delta nets of 3 heads over 2"),
        ({"layers": 2}, "attention in every 4th layer of 2: none has it"),
        ({"edit": none}, "attention in those that attention.recurrent_layers leaves: none has it"),
        ({"layers": 5, "edit": add("nextn_predict_layers", 1)}, "blk.4 should be an MTP block, but has no"),
        ({"edit": add("nextn_predict_layers", 4)}, "4 of 4 blocks are MTP blocks: no layer is left"),
    ):
        path = tiny_qwen35.write(tmp_path / "model.gguf", **shape)
        with pytest.raises(UnsupportedError, match=words):
            LLM(path, 64, device=device)


def test_blocks_that_predict_further_tokens_are_left_out(tmp_path: Path, device: Device) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_uint32("qwen35.nextn_predict_layers", 1)
        writer.add_array("qwen35.attention.recurrent_layers", [True, True, True, False, False])
        writer.add_tensor("blk.4.nextn.eh_proj.weight", np.zeros((128, 256), np.float32))

    plain, whole = tiny_qwen35.write(tmp_path / "m.gguf"), tiny_qwen35.write(tmp_path / "n.gguf", layers=5, edit=edit)
    with LLM(plain, 128, device=device) as one, LLM(whole, 128, device=device) as other:
        assert np.array_equal(one.logits(PROMPTS[0]), other.logits(PROMPTS[0]))
        assert other.report()["layers"] == 5  # the output matrix is one


def test_the_file_may_say_which_layers_have_delta_nets(tmp_path: Path, device: Device) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_array("qwen35.attention.recurrent_layers", [True, False, True, False])

    plain = tiny_qwen35.write(tmp_path / "m.gguf", interval=2)
    named = tiny_qwen35.write(tmp_path / "n.gguf", interval=2, said_interval=4, edit=edit)
    with LLM(plain, 128, device=device) as one, LLM(named, 128, device=device) as other:
        assert np.array_equal(one.logits(PROMPTS[0]), other.logits(PROMPTS[0]))


@pytest.mark.parametrize("together", [True, False])
def test_a_prompt_that_is_given_up_half_way_gives_its_slots_back(
    llm: LLM, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    context = llm._core
    assert context.stages.states is not None
    free, compute, drawn = context.stages.states.n_free, Engine.compute, list[int]()

    def broken(logits: Any) -> int:
        drawn.append(5)
        if len(drawn) == 3:  # when half of the other one's prompt is there
            raise RuntimeError("no more")
        return 5

    def interrupted(engine: Engine, forwards: Sequence[ForwardPass]) -> None:
        if forwards[0].sequence is not None:
            raise KeyboardInterrupt
        compute(engine, forwards)

    if together:
        with pytest.raises(RuntimeError, match="no more"):
            llm.generate_all([PROMPTS[1], PROMPTS[0]], 8, sampler=broken)
    else:
        monkeypatch.setattr(Engine, "compute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            llm.generate(PROMPTS[0], 1)
    context.clear_cache()
    assert context.stages.states.n_free == free
