# SPDX-License-Identifier: MIT
"""Language models on a device: against a float64 pass, and the same bits for any chunks.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import needs
import numpy as np
import pytest

import pyhexagon
from llm import tiny
from llm.reference import Reference
from pyhexagon import LLM, Device
from pyhexagon.errors import ArgumentError, ClosedError, UnsupportedError
from pyhexagon.llm import penalised, sampler
from pyhexagon.llm.engine.forward import prefill_chunks
from pyhexagon.llm.engine.runner import ModelRunner

STORY = "Once upon a time, there was a happy boy named Tom. One day, he saw a big red ball. It was in a tall tree."
ENGINES = ("loopback", "loopback:qemu")
TOKENS = [1, *np.random.default_rng(0).integers(3, tiny.N_TOKENS, 75).tolist()]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a tiny model of each architecture."""
    folder = tmp_path_factory.mktemp("models")
    return {name: tiny.write(folder / f"{name}.gguf", name, **options) for name, options in tiny.TINY.items()}


@pytest.fixture(scope="module", params=ENGINES)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with Device(request.param) as device:
        yield device


@pytest.fixture(scope="module")
def host() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


def children() -> set[int]:
    """Return the ids of this process's children."""
    found = set[int]()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended meanwhile
            found |= {int(child) for child in (task / "children").read_text().split()}
    return found


def error_of(logits: np.ndarray[Any, Any], path: Path, tokens: list[int]) -> tuple[float, Any]:
    """Return the NMSE against the float64 pass, and the KL divergence from it at each position."""
    wanted = Reference(path).logits(tokens)
    here, there = (one - np.log(np.exp(one).sum(axis=1, keepdims=True)) for one in (logits.astype(np.float64), wanted))
    divergences = (np.exp(there) * (there - here)).sum(axis=1)
    return float(((logits - wanted) ** 2).sum() / (wanted**2).sum()), divergences


@pytest.mark.parametrize("name", tiny.TINY)
def test_logits_are_near_the_float64_pass(host: Device, models: dict[str, Path], name: str) -> None:
    with LLM(models[name], 128, device=host) as llm:
        nmse, divergences = error_of(llm.logits(TOKENS), models[name], TOKENS)
    if "experts" in tiny.TINY[name]:  # where two are liked alike, another one may be chosen
        assert np.median(divergences) < 1e-3
        assert divergences.mean() < 1e-2
    else:
        assert nmse < 3e-3
        assert divergences.mean() < 2e-3


def test_logits_of_a_real_model_are_near_the_float64_pass(host: Device) -> None:
    with LLM(needs.STORIES, 128, kv="f16", device=host) as llm:
        tokens = llm.tokenizer.encode(STORY)
        nmse, divergences = error_of(llm.logits(tokens), needs.STORIES, tokens)
    assert nmse < 2e-4
    assert divergences.mean() < 1e-3


def test_every_cut_has_the_same_bits_on_both_engines(models: dict[str, Path]) -> None:
    seen = set()
    for engine in ENGINES:
        with LLM(models["qwen3"], 128, device=engine) as llm:
            together = llm.logits(TOKENS)
            seen.add(together.tobytes())
            for n in (1, 7, 65, len(TOKENS)):
                llm._core.clear_cache()
                assert np.array_equal(llm._core.logits(TOKENS[:n]), together[n - 1])
            llm._core.clear_cache()
            one_by_one = [llm._core.logits(TOKENS[:n]) for n in range(60, len(TOKENS) + 1)]
            assert np.array_equal(one_by_one, together[59:])
    assert len(seen) == 1


@pytest.mark.parametrize(("threads", "transport"), [(1, "invoke"), (2, "dspqueue"), (3, "invoke"), (4, "dspqueue")])
def test_threads_and_transports_change_no_bit(
    host: Device, models: dict[str, Path], threads: int, transport: str
) -> None:
    with LLM(models["llama"], 128, device=host) as llm:
        wanted = llm.logits(TOKENS)
    other = Device("loopback", threads=threads, transport=transport)
    with other, LLM(models["llama"], 128, device=other) as llm:
        assert np.array_equal(llm.logits(TOKENS), wanted)


def test_one_message_a_token(host: Device, models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with LLM(models["llama"], 128, device=host) as llm:
        parts = llm.stream(TOKENS[:10], 12, temperature=0)
        next(parts)
        next(parts)  # now the program is known
        sent = []
        run = host._session.run

        def counted(*given: Any) -> Any:
            sent.append(1)
            return run(*given)

        monkeypatch.setattr(host._session, "run", counted)
        assert len(list(parts)) == len(sent) == 10


def test_pieces_of_a_prompt() -> None:
    assert [len(piece) for piece in prefill_chunks(range(200))] == [64, 64, 64, 8]
    assert [len(piece) for piece in prefill_chunks(range(63))] == [32, 16, 8, 4, 2, 1]
    assert [one for piece in prefill_chunks(range(77)) for one in piece] == list(range(77))


def test_a_loop_of_ones_own_gives_what_generate_gives(host: Device, models: dict[str, Path]) -> None:
    with LLM(models["llama"], 128, device=host) as llm:
        for sampling in ({"temperature": 0}, {"temperature": 0.9, "top_k": 5, "seed": 3}):
            made = llm.generate(TOKENS[:9], 12, repeat_penalty=1.3, **sampling)
            process, draw = penalised(repeat=1.3), sampler(**sampling)
            tokens = TOKENS[:9]
            for _ in made.tokens:
                tokens.append(draw(process(tokens, llm(tokens))))
            assert tuple(tokens[9:]) == made.tokens
        with pytest.raises(ArgumentError, match="0 tokens"):
            llm([])


def test_streams_take_turns(host: Device, models: dict[str, Path]) -> None:
    with LLM(models["llama"], 128, device=host) as llm:
        prompts = TOKENS[:9], TOKENS[20:30]
        alone = [llm.generate(prompt, 8, temperature=0).tokens for prompt in prompts]
        parts = zip(*(llm.stream(prompt, 8, temperature=0) for prompt in prompts), strict=True)
        assert [tuple(part.token for part in column) for column in zip(*parts, strict=True)] == alone
        results: dict[int, tuple[int, ...]] = {}

        def work(number: int) -> None:
            results[number] = llm.generate(prompts[number], 8, temperature=0).tokens

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [results[0], results[1]] == alone


def test_only_what_is_new_is_computed(host: Device, models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with LLM(models["llama"], 128, device=host) as llm:
        rows: list[int] = []
        send = ModelRunner.send

        def counted(runner: ModelRunner[Any], batch: Any) -> None:
            rows.append(sum(len(one.chunk) for one in batch))
            send(runner, batch)

        monkeypatch.setattr(ModelRunner, "send", counted)
        llm.generate(TOKENS[:20], 2, temperature=0)
        llm.generate([*TOKENS[:20], 3, 4, 5], 1, temperature=0)
        assert rows == [16, 4, 1, 2, 1]
        rows.clear()
        llm.generate(TOKENS[:5], 1, temperature=0)
        assert rows == [1]


def test_how_a_text_ends(host: Device, models: dict[str, Path]) -> None:
    with LLM(models["llama"], 64, device=host) as llm:
        parts = list(llm.stream(TOKENS[:10], 5, temperature=0))
        assert [part.finish_reason for part in parts] == [None] * 4 + ["length"]
        token = parts[2].token
        ended = list(llm.stream(TOKENS[:10], 5, temperature=0, logit_bias={2: np.inf}))
        assert [(part.text, part.token, part.finish_reason) for part in ended] == [("", 2, "stop")]
        full = list(llm.stream(TOKENS[:60], temperature=0, logit_bias={2: -np.inf}))
        assert len(full) == 4
        assert full[-1].finish_reason == "length"
        made = llm.generate(TOKENS[:10], 12, temperature=0)
        stopped = llm.generate(TOKENS[:10], 12, temperature=0, stop=made.text[3:6])
        assert stopped.text == made.text[: made.text.index(made.text[3:6])]
        assert stopped.finish_reason == "stop"
        assert token in llm.generate(TOKENS[:10], 5, temperature=0).tokens


def test_a_context_longer_than_the_model_was_made_for_is_a_warning(host: Device, models: dict[str, Path]) -> None:
    with pytest.warns(RuntimeWarning, match=r"n_ctx is 513: .* was made for 512 tokens") as told:
        LLM(models["llama"], 513, device=host).close()
    assert [one.filename for one in told] == [__file__]
    LLM(models["llama"], 512, device=host).close()


def test_a_text_does_not_end_within_a_character(host: Device, models: dict[str, Path]) -> None:
    tick = [tiny.SPM.index(f"<0x{byte:02X}>") for byte in "\N{CHECK MARK}".encode()]
    with LLM(models["llama"], 64, device=host) as llm:
        for n_made, text in ((1, "\N{CHECK MARK}"), (2, "\N{CHECK MARK}"), (3, "\N{CHECK MARK}" * 2)):
            wanted = (tick * 3)[: n_made * 2 + 1]
            coming = iter(wanted)
            made = llm.generate(TOKENS[:10], len(wanted), sampler=partial(lambda coming, _: next(coming), coming))
            assert (made.text, made.tokens, made.finish_reason) == (text, tuple(wanted), "length")
        coming = iter([tick[0], *tick])  # the first is none, whatever comes
        made = llm.generate(TOKENS[:10], 4, sampler=lambda _: next(coming))
        assert made.text == "\N{REPLACEMENT CHARACTER}\N{CHECK MARK}"


def test_sampling_with_a_seed_and_processors(host: Device, models: dict[str, Path]) -> None:
    with LLM(models["llama"], 64, device=host) as llm:
        first, second = (llm.generate(TOKENS[:10], 8, 1.5, seed=3, top_k=0).tokens for _ in range(2))
        assert first == second != llm.generate(TOKENS[:10], 8, 1.5, seed=4, top_k=0).tokens
        assert set(llm.generate(TOKENS[:10], 4, sampler=lambda logits: 300).tokens) == {300}
        seen: list[int] = []

        def process(tokens: Any, logits: Any) -> Any:
            seen.append(len(tokens))
            return -logits

        least = llm.generate(TOKENS[:10], 3, temperature=0, processors=[process]).tokens
        assert seen == [10, 11, 12]
        assert least[0] == int(np.argmin(llm.logits(TOKENS[:10])[-1]))


def test_what_cannot_be_asked(host: Device, models: dict[str, Path]) -> None:
    with LLM(models["llama"], 64, device=host) as llm:
        for prompt, words in (
            ([], "0 tokens: expected 1 to n_ctx, 64"),
            ([1] * 64, "the prompt is too long: 64 tokens"),
            ([1, 512], "there is no token 512"),
        ):
            with pytest.raises(ArgumentError, match=words):
                next(llm.stream(prompt, temperature=0))
        with pytest.raises(ArgumentError, match="max_tokens is 0"):
            llm.generate([1], 0)
        with pytest.raises(ArgumentError, match="too long: 65 tokens, and the context length is 64"):
            llm.generate([1] * 65, 4)
        no_prompt: Any
        for no_prompt in (None, 3, b"the", [1.5], {1: 2}, [[1]], np.ones(2)):
            with pytest.raises(ArgumentError, match="expected a text, or ids of tokens"):
                llm.generate(no_prompt, 4)
            with pytest.raises(ArgumentError, match="expected a text, or ids of tokens"):
                llm.logits(no_prompt)
        more: dict[str, Any]
        for more, words in (
            ({"max_tokens": 2.5}, "max_tokens is 2.5"), ({"top_k": 2.5}, "top_k is 2.5"), ({"seed": -1}, "seed is -1"),
            ({"seed": "x"}, "seed is 'x'"), ({"temperature": "1"}, "temperature is '1'"), ({"stop": 3}, "stop is 3"),
            ({"repeat_penalty": np.nan}, "repeat is nan"), ({"logit_bias": {5: np.nan}}, "a bias of"),
            ({"logit_bias": {5.5: 1}}, "a bias of"), ({"logit_bias": [5]}, "a bias of"),
            ({"n_keep": -2}, "n_keep is -2"), ({"num_draft_tokens": -1}, "num_draft_tokens is -1"),
            ({"logit_bias": dict.fromkeys(range(tiny.N_TOKENS), -np.inf)}, "leave no token"),
            ({"processors": [lambda _, logits: None]}, "a processor gave None"),
            ({"processors": [lambda _, logits: logits[:3]]}, r"a processor gave an array \(3,\)"),
            ({"sampler": lambda _: tiny.N_TOKENS}, "a sampler gave 512"), ({"sampler": lambda _: "x"}, "sampler gave"),
        ):  # fmt: skip
            with pytest.raises(ArgumentError, match=words):
                llm.generate([1], **more)
        prompt_array: Any = np.array([1])
        as_json: Any = {"9": 100.0}
        assert llm.generate(prompt_array, 4, 0, logit_bias=as_json).tokens == (9,) * 4
        with pytest.raises(UnsupportedError, match="has no chat template"):
            llm.chat([{"role": "user", "content": "Hi"}])
    for n_ctx in (0, -1, 2.5, "64"):
        with pytest.raises(ArgumentError, match="n_ctx is"):
            LLM(models["llama"], n_ctx, device=host)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="max_sessions is 0"):
        LLM(models["llama"], device="loopback", max_sessions=0)
    with pytest.raises(pyhexagon.DspMemoryError, match=r"needs 7.*the system has"):
        LLM(models["llama"], 1 << 28, device=host)


def test_nothing_is_left(models: dict[str, Path]) -> None:
    with Device("loopback") as device:

        def used() -> int:
            gc.collect()
            return device.info().memory_bytes

        sizes = []
        for _ in range(4):
            with LLM(models["llama"], 64, device=device) as llm:
                parts = llm.stream(TOKENS[:10], temperature=0)
                next(parts)
                parts.close()
                memory = llm.memory()
                assert [sum(memory.values())] == device.info().sessions
            with pytest.raises(ClosedError):
                llm.logits([1])
            llm.close()
            del llm, parts
            sizes.append(used())
        assert sizes[1] == sizes[-1]


def test_a_lost_dsp_is_told_and_the_text_goes_on_after_reopening(models: dict[str, Path]) -> None:
    others = children()
    with Device("loopback:qemu") as device, LLM(models["llama"], 64, device=device) as llm:
        whole = llm.generate(TOKENS[:10], 6, temperature=0).tokens
        parts = llm.stream(TOKENS[:10], 6, temperature=0)
        first = [next(parts).token for _ in range(3)]
        (pid,) = children() - others
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(pyhexagon.DeviceLostError):
            next(parts)
        device.reopen()
        rest = llm.generate([*TOKENS[:10], *first], 3, temperature=0).tokens
        assert (*first, *rest) == whole


def test_smollm2_answers() -> None:
    needs.require("smollm2")
    with LLM(needs.SMOLLM2.path, 64, device="loopback") as llm:
        # Its first word is a near tie even in float64: "The" before "L" by 0.08.
        begun = llm.apply_template([{"role": "user", "content": "What is the capital of France?"}]) + "The"
        made = llm.generate(llm.tokenizer.encode(begun, add_special=False), temperature=0)
    assert made.text == " capital of France is Paris."
    assert made.finish_reason == "stop"


def test_a_model_that_nobody_holds_is_freed_at_once(models: dict[str, Path]) -> None:
    """A cell of a notebook that is run again and again; nothing waits for the garbage collector."""
    path = models["llama"]

    def tokens(llm: LLM) -> list[int]:
        return [part.token for part in llm.stream(TOKENS[:5], 3, 0)]

    def new(**more: Any) -> LLM:
        return LLM(path, 64, device="loopback", **more)

    with new() as llm:
        wanted = tokens(llm)
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):  # a process has four sessions
            with pytest.warns(ResourceWarning, match="was not closed"):
                assert tokens(new()) == wanted
        with pytest.warns(ResourceWarning, match="was not closed"):
            assert tokens(new(draft_model=new())) == wanted  # a draft model lives as long as the one that uses it
    finally:
        gc.enable()
