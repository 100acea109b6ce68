# SPDX-License-Identifier: MIT
"""Multi-token prediction: the block after the last layer drafts tokens, which change no completion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from llm import published, published_oracle, tiny, tiny_qwen35
from llm.reference_qwen35 import Qwen35Reference
from pyhexagon import LLM, Device, UnsupportedError, cli
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.stage import Stage
from pyhexagon.llm.memory import planned
from pyhexagon.ops.builder import Builder

CHANCE = np.random.default_rng(5)
PROMPTS = [[1, *CHANCE.integers(3, tiny.N_TOKENS, n).tolist()] for n in (70, 5, 30, 12)]
NO_END: dict[str, Any] = {"temperature": 0, "logit_bias": {2: -np.inf}}
SAMPLERS: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0},
    "the most likely": {"temperature": 1.2, "seed": 7},
    "all logits": {"temperature": 1.2, "seed": 7, "top_k": 0},
    "penalties": {"temperature": 0.7, "seed": 7, "repeat_penalty": 1.3},
}
OPTIONAL = ("embed_tokens", "shared_head_norm", "shared_head_head")


class Right:
    """Changes a model so that token t + 7 follows token t, and its MTP block knows that for tokens below ``known``."""

    def __init__(self, known: int = tiny.N_TOKENS) -> None:
        self._known = known
        self._embedding = np.zeros(0, np.float32)

    def __call__(self, name: str, rows: tiny_qwen35.Rows) -> tiny_qwen35.Rows:
        """Return the numbers of a tensor: the layers add nothing, and the block takes the next token's embedding."""
        if name == "token_embd.weight":
            self._embedding = rows
        if name.endswith(("output.weight", "shared_head_head.weight")) and len(rows) == tiny.N_TOKENS:
            rows = np.roll(self._embedding, 7, axis=0)
            return rows if name == "output.weight" else np.where(np.arange(len(rows))[:, None] < self._known, rows, 0)
        if name.endswith(("attn_output.weight", "ssm_out.weight", "ffn_down.weight")):
            return np.zeros_like(rows)
        if name.endswith("norm.weight"):
            return np.ones_like(rows)
        return np.eye(*rows.shape, dtype=np.float32) if name.endswith("eh_proj.weight") else rows


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_qwen35.write(tmp_path_factory.mktemp("models") / "model.gguf", mtp=())


@pytest.fixture(scope="module")
def right_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_qwen35.write(tmp_path_factory.mktemp("models") / "right.gguf", tied=False, mtp=(), change=Right())


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.fixture
def drafts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return a list that receives the number of draft tokens and of sequences of each message that drafts."""
    seen: list[tuple[int, int]] = []
    draft = Stage.draft

    def counted(stage: Stage, last: Any, positions: Any, pages: Any, rows: Any) -> Any:
        seen.append((len(positions), int((positions[0] >= 0).sum())))
        return draft(stage, last, positions, pages, rows)

    monkeypatch.setattr(Stage, "draft", counted)
    return seen


def drafted(llm: LLM, tokens: list[int], n: int) -> list[Any]:
    """Return what the program of the MTP block returns for n tokens after some tokens."""
    stage, forward = llm._core.stages, ForwardPass(tokens[:-1])
    while not forward.is_done:
        llm._core.step([forward])
    assert forward.computed is not None
    forward.computed.pages.append(n)
    pages = stage.cache.tables([forward.computed.pages], stage.n_pages)
    positions = np.arange(len(tokens) - 2, len(tokens) - 2 + n, dtype=np.int32)[:, None]
    results: list[Any] = stage.draft(np.array(tokens[-1:], np.int32), positions, pages, np.array(forward.all_hidden))
    forward.computed.pages.truncate(len(tokens) - 1)
    return results


def compared(path: Path, device: Device, tokens: list[int], patch: pytest.MonkeyPatch) -> float:
    """Return the normalised mean squared error of the logits of three draft tokens against the float64 pass."""
    argmax = Builder.argmax

    def and_logits(p: Builder, logits: Any) -> Any:
        p.output(logits)
        return argmax(p, logits)

    with LLM(path, 128, kv="f16", device=device, draft_model="mtp") as llm, patch.context() as patched:
        patched.setattr(Builder, "argmax", and_logits)
        results = drafted(llm, tokens, 3)
    wanted = Qwen35Reference(path).draft(tokens, 3)
    logits = np.concatenate(results[::2])
    assert [int(one[0]) for one in results[1::2]] == wanted.argmax(axis=1).tolist()
    return float(((logits - wanted) ** 2).sum() / (wanted**2).sum())


@pytest.mark.parametrize("optional", [(), OPTIONAL])
@pytest.mark.parametrize("n", [2, 65, 71])
def test_logits_are_those_of_the_float64_pass(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, optional: tuple[str, ...], n: int
) -> None:
    path = tiny_qwen35.write(tmp_path / "model.gguf", mtp=optional, seed=4)
    assert compared(path, device, PROMPTS[0][:n], monkeypatch) < 5e-3


def test_logits_of_mixtures_of_experts_are_those_of_the_float64_pass(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = published.with_key(published.named("Qwen3.6 35B A3B"), "nextn_predict_layers", 1)
    path = published.write(tmp_path / "model.gguf", header, 1)
    assert compared(path, device, published_oracle.TOKENS[:40], monkeypatch) < 5e-3


@pytest.mark.parametrize("engine", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long)])
def test_drafts_change_no_token(model: Path, right_model: Path, engine: str) -> None:
    with Device(engine) as device:
        for path in (model, right_model):
            names = [*SAMPLERS] if engine == "loopback" else ["greedy"]
            with LLM(path, 128, device=device) as llm:
                wanted = {name: llm.generate(PROMPTS[2], 24, **SAMPLERS[name]) for name in names}
            with LLM(path, 128, device=device, draft_model="mtp") as llm:
                for name in names:
                    made = llm.generate(PROMPTS[2], 24, **SAMPLERS[name])
                    assert made.tokens == wanted[name].tokens
                    assert np.allclose(made.logprobs, wanted[name].logprobs, rtol=0, atol=1e-12)
                    assert made.draft_n > 0


def test_a_block_that_is_always_right(right_model: Path, device: Device, rows: list[list[int]], drafts: Any) -> None:
    with LLM(right_model, 128, device=device, draft_model="mtp") as llm:
        before = llm.work[0]
        made = llm.generate([1, 5, 250], 24, temperature=0)
        assert list(made.tokens) == list(range(257, 257 + 24 * 7, 7))
        assert made.draft_n == made.draft_n_accepted == 4 * 4 + 2
        assert rows == [[2], [1], *4 * [[5]], [3]]  # 1 + 4 * 5 + 3 tokens
        assert drafts == [*4 * [(4, 1)], (2, 1)]
        assert llm.work[0] - before == len(rows) + len(drafts)
        drafts.clear()
        llm.generate([1, 5, 250], 3, temperature=0, num_draft_tokens=0)
        assert drafts == []


def test_the_draft_length_adapts_to_acceptance(tmp_path: Path, device: Device, drafts: list[tuple[int, int]]) -> None:
    path = tiny_qwen35.write(tmp_path / "m.gguf", tied=False, mtp=OPTIONAL[2:], change=Right(400))
    with LLM(path, 128, device=device, draft_model="mtp") as llm:
        made = llm.generate([1, 5, 320], 60, temperature=0)
    assert list(made.tokens) == [(327 + 7 * at) % 512 for at in range(60)]
    lengths = [n for n, _ in drafts]
    first = lengths.index(1)
    second = lengths.index(3)
    assert set(lengths[:first]) == {4}
    assert set(lengths[first:second]) == {1}  # from token 400 on no draft is right
    assert second - first > 10
    assert lengths[second : second + 2] == [3, 4]  # from token 0 on they are


def test_several_sequences_draft_and_verify_in_one_message(
    model: Path, right_model: Path, device: Device, rows: list[list[int]], drafts: list[tuple[int, int]]
) -> None:
    for path, n, options in ((model, 1, {"temperature": 0.9, "seed": 3}), (right_model, 4, NO_END)):
        with LLM(path, 128, device=device) as llm:
            alone = [llm.generate(prompt, 40, **options).tokens for prompt in PROMPTS]
        rows.clear()
        drafts.clear()
        with LLM(path, 128, n_sequences=4, device=device, draft_model="mtp") as llm:
            assert [one.tokens for one in llm.generate_all(PROMPTS, 40, **options)] == alone
            assert [one.tokens for one in llm.generate_all(PROMPTS[::-1], 40, **options)] == alone[::-1]
        assert (n, 4) in drafts
        assert 4 * [n + 1] in rows


def test_after_rollbacks_shifts_and_evictions_the_tokens_are_the_same(model: Path, device: Device) -> None:
    shift: dict[str, Any] = {"context_shift": True, "n_keep": 4, **NO_END}
    with LLM(model, 64, device=device) as llm:
        wanted = [
            llm.generate(PROMPTS[2], **NO_END).tokens,
            llm.generate(PROMPTS[2], 70, **shift).tokens,
            llm.generate(PROMPTS[3], 30, **NO_END).tokens,
        ]
    with LLM(model, 64, device=device, draft_model="mtp") as llm:  # one page: others are evicted and preempted
        for _ in range(2):
            assert llm.generate(PROMPTS[2], **NO_END).tokens == wanted[0]
            assert llm.generate(PROMPTS[2], 70, **shift).tokens == wanted[1]
        together = llm.generate_all([PROMPTS[3], PROMPTS[2]], 30, **NO_END)
        assert [one.tokens for one in together] == [wanted[2], wanted[0][:30]]
        llm._core.clear_cache()
        assert llm._core.stages.cache.free_pages == 1
        stream = llm.stream(PROMPTS[3], 30, **NO_END)
        tokens = [next(stream).token for _ in range(9)]
        device.epoch += 1  # as ``reopen`` does
        assert (*tokens, *(part.token for part in stream)) == wanted[2]


def test_a_draft_of_a_long_sequence_crosses_pages(right_model: Path, device: Device) -> None:
    prompt = [1, *(3 + at for at in range(57)), 250]
    with LLM(right_model, 128, device=device, draft_model="mtp") as llm:
        made = llm.generate(prompt, 20, temperature=0)
        assert made.draft_n == made.draft_n_accepted > 12
        assert list(made.tokens) == list(range(257, 257 + 20 * 7, 7))


def test_what_it_takes_is_what_was_planned(model: Path) -> None:
    with GGUFFile(model) as file:
        plans = [planned(file, checked(file, has_mtp=has_mtp), 128, n_sequences=2) for has_mtp in (False, True)]
    assert plans[0].model < plans[1].model
    assert plans[0].context < plans[1].context
    for plan, draft in zip(plans, (None, "mtp"), strict=True):
        with LLM(model, 128, n_sequences=2, device="loopback", draft_model=draft) as llm:
            llm.generate(PROMPTS[0], 6)
            used = llm.memory()
            assert (plan.model, plan.context) == (used["model"], used["context"])


def test_the_command_line_drafts(right_model: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--device", "loopback", "-n", "12", "--temp", "0", "-c", "64", "--tokens", "1,5,250", "--draft", "mtp"]
    assert cli.main(["run", str(right_model), *more]) == 0
    assert "| Draft: 8 of 8 tokens accepted ]" in capsys.readouterr().err  # 1 + 5 + 5 + 1
    plain = tiny_qwen35.write(model.parent / "plain.gguf")
    assert cli.main(["run", str(plain), *more]) == 1
    assert "0 MTP blocks" in capsys.readouterr().err


def test_what_cannot_draft_is_refused(model: Path, device: Device, tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_uint32("qwen35.nextn_predict_layers", 1)
        writer.add_tensor("blk.4.nextn.enorm.weight", np.ones(128, np.float32))

    for path, words in (
        (tiny_qwen35.write(tmp_path / "a.gguf"), '0 MTP blocks: "mtp" as draft model needs one'),
        (tiny_qwen35.write(tmp_path / "b.gguf", layers=5, edit=edit), "is missing"),
        (tiny.write(tmp_path / "c.gguf", "llama"), '0 MTP blocks: "mtp" as draft model needs one'),
    ):
        with pytest.raises(UnsupportedError, match=words):
            LLM(path, 64, device=device, draft_model="mtp")
    path = published.write(tmp_path / "d.gguf", published.named("GLM-4.5 Air"), 1)
    with pytest.raises(UnsupportedError, match="MTP blocks of glm4moe are not supported as drafts"):
        LLM(path, 64, device=device, draft_model="mtp")
    with pytest.raises(UnsupportedError, match="need one device, not 2"):
        LLM(model, 64, device=["loopback", "loopback1"], draft_model="mtp")
