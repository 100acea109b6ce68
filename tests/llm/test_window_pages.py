# SPDX-License-Identifier: MIT
"""Window pages: freed behind the window and reused, with the bits of a cache that never frees any."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM, ArgumentError, Device
from pyhexagon.bench import random_model
from pyhexagon.cli import main
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.llm.engine.stage import room
from pyhexagon.llm.memory import longest_context, planned

MIB = 1 << 20
N_CTX = 512
TEXT = [1, *np.random.default_rng(7).integers(3, tiny.N_TOKENS, N_CTX - 1).tolist()]
OTHER = TEXT[:150] + [3 + token % 500 for token in TEXT[150:]]
KINDS = {1: "q8_0", 24: "q4_0", 63: "f16", 64: "q8_0", 65: "q8_0", 100: "f16", 128: "q8_0", 200: "q4_0"}

LONG = pytest.mark.long



@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    folder, made = tmp_path_factory.mktemp("windows"), dict[int, Path]()

    def model(window: int) -> Path:
        if window not in made:
            given = {**tiny.TINY["gpt-oss"], "window": window}
            if window != 128:
                given = {**tiny.TINY["gemma3"], "window": window, "width": 64, "ffn": 64}
            made[window] = tiny.write(folder / f"{window}.gguf", "gpt-oss" if window == 128 else "gemma3", **given)
        return made[window]

    return model


@pytest.fixture(scope="module")
def expected(models: Callable[[int], Path], device: Device) -> Callable[[int, list[int]], Any]:
    """Return the logits at every position of a text, from a cache in which no page was freed."""
    known: dict[tuple[int, bool], Any] = {}

    def rows(window: int, text: list[int]) -> Any:
        key = window, text is TEXT
        if key not in known:
            with LLM(models(window), N_CTX, kv=KINDS[window], n_sequences=8, device=device) as llm:
                known[key] = llm._core.all_logits(text)
                (sequence,) = llm._core.kv_cache.idle
                assert sequence.window is not None
                assert sequence.window.reach(1) == 1  # as much is held as without window pages
                assert len(set(sequence.window.pages)) == N_CTX // 64
        return known[key]

    return rows


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill all free window pages with NaNs before each message."""
    send = ModelRunner.send

    def poison(runner: ModelRunner[Any], *given: Any) -> None:
        for stage in getattr(runner.stages, "_stages", [runner.stages]):
            free = runner.stages.window_cache._free
            for layer in stage.window_cache.layers:
                layer.buffer.bytes[: layer.nbytes].reshape(layer.shape[0], -1)[free] = 255
                layer.buffer.version += 1
        send(runner, *given)

    monkeypatch.setattr(ModelRunner, "send", poison)


def finished(llm: LLM, *forwards: ForwardPass) -> None:
    while waiting := [one for one in forwards if not one.is_done]:
        llm._core.step(waiting)


def n_held(llm: LLM) -> int:
    table: Any = llm._core.stages.window_cache
    return sum(n > 0 for n in table._holders)


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("window", [24, 100, 128, *(pytest.param(one, marks=LONG) for one in (1, 63, 64, 65, 200))])
def test_a_sequence_needs_the_pages_of_its_window(
    window: int, models: Any, expected: Any, device: Device, rows: list[list[int]]
) -> None:
    wanted = expected(window, TEXT)
    rows.clear()
    with LLM(models(window), N_CTX, kv=KINDS[window], device=device) as llm:
        n_pages = -(-(window + 64) // 64)
        assert llm._core.stages.window_cache.free_pages == n_pages
        assert np.array_equal(llm(TEXT[:37]), wanted[36])  # then chunks of 64 tokens cross the pages
        for end in (165, 166, 167, 168, 300, 511, 512):
            assert np.array_equal(llm(TEXT[:end]), wanted[end - 1])
    assert rows == [[n] for n in (32, 4, 1, 64, 64, 1, 1, 1, 64, 64, 4, 64, 64, 64, 16, 2, 1, 1)]
    assert n_pages <= max(2, window // 64 + 2)


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize(("window", "n_sequences"), [
    (64, 2), (128, 1), *(pytest.param(*one, marks=LONG) for one in ((24, 1), (24, 3), (64, 1), (64, 3), (128, 2))),
])  # fmt: skip
def test_whatever_happens_the_bits_are_the_same(
    *, window: int, n_sequences: int, models: Any, expected: Any, device: Device, seed: int
) -> None:
    wanted = {number: expected(window, text) for number, text in enumerate((TEXT, OTHER))}
    chance = random.Random(seed)
    with LLM(models(window), N_CTX, kv=KINDS[window], n_sequences=n_sequences, device=device) as llm:
        lengths = [1, 1]
        for _ in range(14):
            forwards = []
            for number in chance.choice([(0,), (1,), (0, 1)]):
                text = (TEXT, OTHER)[number]
                step = chance.choice([1, 1, 2, chance.randrange(150), -chance.randrange(70)])
                lengths[number] = min(max(lengths[number] + step, 1), N_CTX - 20)
                n_draft = chance.choice([0, 0, 1, 7, 16])
                length = lengths[number] + n_draft
                forward = ForwardPass(text[:length], n_logits=n_draft + 1, n_draft=n_draft)
                forwards.append((forward, wanted[number][length - n_draft - 1 : length]))
            finished(llm, *(forward for forward, _ in forwards))
            for forward, logits in forwards:
                assert np.array_equal(forward.all_logits, logits)
        llm._core.clear_cache()
        assert n_held(llm) == 0
        assert llm._core.stages.cache.free_pages == N_CTX // 64 * n_sequences


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("n_rejected", [0, 1, 3, 9, 16])
def test_draft_tokens_are_rolled_back_across_a_page(
    n_rejected: int, models: Any, expected: Any, device: Device, rows: list[list[int]]
) -> None:
    wanted = expected(128, TEXT)
    with LLM(models(128), N_CTX, device=device) as llm:  # three pages
        llm(TEXT[:308])
        wrong = [*TEXT[:309], *TEXT[309 : 325 - n_rejected], *[3] * n_rejected]
        forward = ForwardPass(wrong, n_logits=17, n_draft=16)
        finished(llm, forward)
        n_right = 17 - n_rejected
        assert np.array_equal(forward.all_logits[:n_right], wanted[308 : 308 + n_right])
        rows.clear()
        assert np.array_equal(llm(TEXT[:326]), wanted[325])
        assert sum(map(sum, rows)) == 326 - 325 + n_rejected  # only rejected tokens are computed again


@pytest.mark.usefixtures("poisoned")
def test_draft_tokens_of_a_draft_model_are_rolled_back(
    models: Any, expected: Any, device: Device, rows: list[list[int]]
) -> None:
    wanted = expected(128, TEXT)
    with LLM(models(128), N_CTX, device=device) as llm:
        llm(TEXT[:308])
        llm(TEXT[:309])
        for n_draft in range(1, 41):  # each pass has one more
            forward = ForwardPass([*TEXT[:309], *[3] * n_draft], n_draft=n_draft)
            finished(llm, forward)
        rows.clear()
        assert np.array_equal(llm(TEXT[:310]), wanted[309])
        assert rows == [[1]]


@pytest.mark.usefixtures("poisoned")
def test_two_conversations_are_both_cached(
    models: Any, expected: Any, device: Device, rows: list[list[int]]
) -> None:
    wanted, others = expected(64, TEXT), expected(64, OTHER)
    rows.clear()
    with LLM(models(64), N_CTX, n_sequences=2, device=device) as llm:  # four window pages
        for end in range(160, 400, 21):
            assert np.array_equal(llm(TEXT[:end]), wanted[end - 1])
            assert np.array_equal(llm(OTHER[:end]), others[end - 1])
    first = [[64], [64], [32]]
    # The second conversation shares 150 tokens with the first one, and both go on where they were.
    assert rows == [*first, [8], [2], *[[16], [4], [1]] * 22]


@pytest.mark.usefixtures("poisoned")
def test_a_prefix_is_reused_while_the_window_before_its_end_is_held(
    models: Any, expected: Any, device: Device, rows: list[list[int]]
) -> None:
    wanted, others = expected(64, TEXT), expected(64, OTHER)
    rows.clear()
    with LLM(models(64), N_CTX, device=device) as llm:
        llm(TEXT[:200])
        assert np.array_equal(llm(OTHER[:200]), others[199])
        assert np.array_equal(llm(OTHER[:199]), others[198])
        assert np.array_equal(llm(OTHER[:180]), others[179])
    chunks = [[64], [64], [64], [8]]
    assert rows == [*chunks, *chunks, [1], [64], [64], [32], [16], [4]]
    rows.clear()
    with LLM(models(64), N_CTX, n_sequences=4, device=device) as llm:  # pages for all 200 tokens, and more
        for text, end, logits in ((TEXT, 200, wanted), (OTHER, 200, others), (TEXT, 100, wanted)):
            assert np.array_equal(llm(text[:end]), logits[end - 1])
    assert rows == [*chunks, [32], [16], [2], [1]]


@pytest.mark.usefixtures("poisoned")
def test_where_window_pages_lack_a_sequence_waits_or_is_preempted(models: Any, expected: Any, device: Device) -> None:
    texts = [TEXT[:end] for end in (300, 130, 70, 200)]
    wanted = [expected(128, TEXT)[len(text) - 1] for text in texts]
    with LLM(models(128), N_CTX, n_sequences=1, device=device) as llm:
        for salts in ("", "", "", ""), "abcd", "dcba":  # other salts: other sequences, which share no page
            forwards = [ForwardPass(text, salt=(salt, ())) for text, salt in zip(texts, salts, strict=True)]
            finished(llm, *forwards)
            assert all(np.array_equal(one.logits, row) for one, row in zip(forwards, wanted, strict=True))


@pytest.mark.usefixtures("poisoned")
def test_passes_of_several_threads_share_too_few_pages(models: Any, expected: Any, device: Device) -> None:
    wanted = expected(128, TEXT)
    with LLM(models(128), N_CTX, device=device) as llm:  # three pages
        core = llm._core
        long, short = ForwardPass(TEXT[:450]), ForwardPass(TEXT[:330], salt=("other", ()))
        for _ in range(4):
            core.step([long])  # its thread prepares the next step while another one leads
        assert core.stages.window_cache.free_pages == 0
        while not (long.is_done and short.is_done):
            core.step([short])
            core.step([long])
        n_messages = core.runner.n_messages
        core.step([short, long])  # a thread may learn late that another one has computed its pass
        assert core.runner.n_messages == n_messages
        assert np.array_equal(short.logits, wanted[329])
        assert np.array_equal(long.logits, wanted[449])
        begun = ForwardPass(TEXT[:450], salt=("third", ()))
        core.step([begun])
        assert np.array_equal(core.all_logits(TEXT[:400]), wanted[:400])
        finished(llm, begun)
        assert np.array_equal(begun.logits, wanted[449])
        with ThreadPoolExecutor(3) as pool:
            logits = pool.map(llm, [TEXT[:n] for n in (290, 100, 200, 140)])
            assert all(np.array_equal(row, wanted[n - 1]) for row, n in zip(logits, (290, 100, 200, 140), strict=True))


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize(("window", "length"), [
    (24, 20), (24, 310), (128, 257), pytest.param(128, 128, marks=LONG), pytest.param(63, 320, marks=LONG),
])  # fmt: skip
def test_saved_and_loaded_a_sequence_goes_on(
    *, window: int, length: int, models: Any, expected: Any, device: Device, tmp_path: Path, rows: list[list[int]]
) -> None:
    wanted, model, kv = expected(window, TEXT), models(window), KINDS[window]
    files = [tmp_path / "one.npz", tmp_path / "two.npz"]
    with LLM(model, N_CTX, kv=kv, device=device) as llm, LLM(model, N_CTX, kv=kv, device=device, n_sequences=8) as many:
        llm(OTHER[:77])
        llm.save(files[0], TEXT[:length])
        many.save(files[1], TEXT[:length])
    saved = [dict(np.load(file)) for file in files]
    assert all(np.array_equal(saved[0][name], saved[1][name]) for name in saved[0])  # whatever else pages hold
    assert len(saved[0]["window"]) <= -(-(window + 64) // 64)
    rows.clear()
    with LLM(model, N_CTX, kv=kv, device=device) as llm:
        llm(OTHER[:150])
        rows.clear()
        llm.load(files[0])
        assert np.array_equal(llm(TEXT[:length]), wanted[length - 1])
        assert np.array_equal(llm(TEXT[: length + 70]), wanted[length + 69])
        assert sum(map(sum, rows)) == 71
        for name in "window", "window_start":
            for damaged in ({}, {name: saved[0][name] + 250}, {name: saved[0][name][..., None]}):
                kept = {key: value for key, value in saved[0].items() if key != name}
                np.savez(tmp_path / "damaged.npz", **kept, **damaged)
                if name == "window" and damaged.get(name) is not None and damaged[name].ndim == 3:
                    continue  # other numbers, which nothing can tell from the right ones
                with pytest.raises(ArgumentError):
                    llm.load(tmp_path / "damaged.npz")
        assert np.array_equal(llm(TEXT[: length + 70]), wanted[length + 69])


@pytest.mark.usefixtures("poisoned")
def test_an_error_frees_what_was_taken(models: Any, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with Device("loopback") as own, LLM(models(128), N_CTX, device=own) as llm:
        llm(TEXT[:200])
        with monkeypatch.context() as patch:
            patch.setattr(type(llm._core.stages), "send", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                llm(TEXT[:290])
        llm._core.clear_cache()
        assert n_held(llm) == 0
        assert np.array_equal(llm(TEXT[:290]), expected(128, TEXT)[289])


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("window", [100, 128])  # the first stages have window layers only
def test_stages_have_the_same_window_pages(window: int, models: Any, expected: Any) -> None:
    wanted, others = expected(window, TEXT), expected(window, OTHER)
    with LLM(models(window), N_CTX, kv=KINDS[window], n_sequences=2, device=["loopback", "loopback1"]) as llm:
        assert len(llm._core.stages._stages) == 2
        for end in (90, 160, 163, 400, 401):
            assert np.array_equal(llm(TEXT[:end]), wanted[end - 1])
            assert np.array_equal(llm(OTHER[:end]), others[end - 1])


def test_the_skel_gives_the_same_bits(models: Any, expected: Any) -> None:
    with LLM(models(128), N_CTX, device="loopback:qemu") as llm:
        for end in (37, 230, 231):
            assert np.array_equal(llm(TEXT[:end]), expected(128, TEXT)[end - 1])


@pytest.mark.parametrize(("name", "n_ctx", "most", "before"), [
    ("gemma3:270M", 32768, 70, 308), ("gpt-oss:20B", 8192, 108, 210),
])  # fmt: skip
def test_the_plan_has_the_windows_only(name: str, n_ctx: int, most: int, before: int) -> None:
    with random_model.opened(name, "Q4_0") as file:
        can_run = checked(file)
        context = planned(file, can_run, n_ctx).context / MIB
        assert context < most < before / 1.9
        assert planned(file, can_run, n_ctx, n_sequences=3).context / MIB < 3 * most
        n_short = can_run[0].window + 64  # tokens whose pages are all held
        assert sum(room(can_run[0], n_short)) * n_ctx // n_short // MIB == before


def test_memory_is_as_planned(models: Any, device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    for n_ctx, n_sequences in ((64, 1), (N_CTX, 1), (N_CTX, 3)):
        with GGUFFile(models(128)) as file, LLM(models(128), n_ctx, n_sequences=n_sequences, device=device) as llm:
            plan = planned(file, checked(file), n_ctx, n_sequences=n_sequences)
            assert llm.memory()["context"] == plan.context
    with GGUFFile(models(24)) as file:
        can_run, n_bytes = checked(file), 1 << 22
        plan = planned(file, can_run, 64)
        longest = longest_context(plan, can_run[0], n_bytes)
        assert sum(planned(file, can_run, longest)) <= n_bytes + MIB
    assert main(["show", str(models(128))]) == 0
    # three pages for one layer: two KV heads, keys and values, 18 vectors of 128 bytes
    assert f"in 1 layers, {3 * 2 * 2 * 18 * 128 / MIB:,.1f} MiB of the context" in capsys.readouterr().out


@pytest.mark.usefixtures("poisoned")
def test_a_page_with_tokens_of_both_ends_is_known(models: Any, expected: Any, device: Device, rows: Any) -> None:
    wanted = expected(128, TEXT)
    with LLM(models(128), N_CTX, device=device) as llm:  # three pages
        llm(TEXT[:229])
        llm(TEXT[:293])  # positions 256 to 292 take the places of 64 to 100
        assert np.array_equal(llm(TEXT[:230]), wanted[229])
        rows.clear()
        assert np.array_equal(llm(TEXT[:221]), wanted[220])
        assert sum(map(sum, rows)) == 221  # its window begins at 93


@pytest.mark.usefixtures("poisoned")
def test_the_least_recently_used_loses_pages_before_draft_tokens_do(
    models: Any, expected: Any, device: Device, rows: list[list[int]]
) -> None:
    wanted = expected(128, TEXT)
    with LLM(models(128), N_CTX, n_sequences=3, device=device) as llm:  # nine pages
        for salt in "ab":
            finished(llm, ForwardPass(TEXT[:128], salt=(salt, ())))
        llm(TEXT[:308])
        finished(llm, ForwardPass([*TEXT[:309], *[3] * 16], n_logits=17, n_draft=16))
        finished(llm, ForwardPass(TEXT[:70], salt=("c", ())))
        rows.clear()
        assert np.array_equal(llm(TEXT[:310]), wanted[309])
        assert rows == [[1]]
        finished(llm, ForwardPass(TEXT[:128], salt=("a", ())))
        assert sum(map(sum, rows)) == 1 + 128


@pytest.mark.usefixtures("poisoned")
def test_a_fork_lacks_the_pages_that_were_freed_before(models: Any, expected: Any, device: Device) -> None:
    wanted = expected(64, TEXT)
    with LLM(models(64), N_CTX, n_sequences=3, device=device) as llm:  # six pages
        finished(llm, ForwardPass(TEXT[:100], salt=("a", ())))
        llm(TEXT[:300])
        llm._core.kv_cache.evict()
        assert llm._core.stages.window_cache.free_pages == 2
        llm([*TEXT[:250], 5])
        assert len(llm._core.kv_cache.idle) == 2
        assert np.array_equal(llm(TEXT[:101]), wanted[100])
