# SPDX-License-Identifier: MIT
"""``pyhexagon eval`` and ``pyhexagon embed``."""

from __future__ import annotations

import json
from math import exp
from pathlib import Path

import gguf
import numpy as np
import pytest
from llm import tiny
from llm.reference import Reference

from pyhexagon import LLM
from pyhexagon.cli import main
from pyhexagon.llm.engine.generation import Generation


def test_perplexity_is_that_of_a_float64_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tiny.write(tmp_path / "tiny.gguf", "llama")
    text = tmp_path / "text.txt"
    text.write_text("the and in he then " * 8, encoding="utf-8")
    command = ["eval", "perplexity", str(model), str(text), "-c", "24", "--device", "loopback"]
    assert main([*command, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    with LLM(model, 64, device="loopback") as llm:
        tokens = llm.tokenizer.encode(text.read_text())
    assert result["chunks"] == len(tokens) // 24 >= 2
    losses = []
    for number in range(result["chunks"]):
        chunk = [1, *tokens[24 * number + 1 : 24 * number + 24]]
        logits = Reference(model).logits(chunk)
        rows = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        losses += [-rows[at, chunk[at + 1]] for at in range(12, 23)]
    assert result["tokens"] == len(losses)
    assert result["perplexity"] == pytest.approx(exp(np.mean(losses)), rel=0.02)
    assert main([*command, "--chunks", "1"]) == 0
    assert capsys.readouterr().out.startswith("perplexity ")
    command[command.index("24")] = "200"
    assert main(command) == 1
    assert "expected two contexts of 200 at least. Hint: -c " in capsys.readouterr().err


def test_perplexity_s_own_context_is_not_longer_than_the_model_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shorter(writer: gguf.GGUFWriter) -> None:
        writer.kv_data[0]["llama.context_length"].value = 64

    model = tiny.write(tmp_path / "tiny.gguf", "llama", edit=shorter)
    text = tmp_path / "text.txt"
    text.write_text("the and in he then " * 40, encoding="utf-8")
    assert main(["eval", "perplexity", str(model), str(text), "--device", "loopback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_ctx"] == 64


@pytest.mark.parametrize("device", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long), "cpu"])
def test_no_byte_of_a_completion_depends_on_anything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    model = tiny.write(tmp_path / "tiny.gguf", "llama")
    command = ["eval", "determinism", str(model), "--device", device, "-c", "160", "-n", "10"]
    assert main([*command, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["differing_bytes"] == 0
    assert len(result["conditions"]) == 8
    assert len({one["tokens"] for one in result["conditions"]}) == 1
    assert result["conditions"][0]["tokens"] > 20


def test_a_byte_that_differs_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def other(self: LLM, prompts: list[str], *given: object, **more: object) -> list[Generation]:
        return [self.generate(f"{prompt}x", *given, **more) for prompt in prompts]  # type: ignore[arg-type]

    monkeypatch.setattr(LLM, "generate_all", other)
    model = tiny.write(tmp_path / "tiny.gguf", "llama")
    assert main(["eval", "determinism", str(model), "--device", "loopback", "-c", "160", "-n", "4"]) == 1
    shown = capsys.readouterr()
    rows = [line for line in shown.out.splitlines() if not line.rstrip().endswith(" 0")]
    assert any(line.startswith("in one batch ") for line in rows)
    assert "bytes of completions differ" in shown.err
    assert main(["eval", "determinism", str(model), "text.txt"]) == 1
    assert main(["eval", "perplexity", str(model)]) == 1
    assert main(["eval", "determinism", str(model), "-n", "1"]) == 1


def test_a_model_that_makes_no_embeddings_is_refused_before_a_device_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYHEXAGON_DEVICE", "neither")
    assert main(["embed", str(tiny.write(tmp_path / "tiny.gguf", "llama")), "-p", "the"]) == 1
    assert "does not say how tokens become an embedding" in capsys.readouterr().err


def test_embeddings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tiny.write_encoder(tmp_path / "tiny.gguf", "bert")
    texts = tmp_path / "texts.txt"
    texts.write_text("the the\n\nin\n", encoding="utf-8")
    command = ["embed", str(model), "the", "-p", "the the", "-f", str(texts), "--device", "loopback", "-c", "32"]
    assert main([*command, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["texts"] == ["the", "the the", "the the", "in"]
    vectors = np.array(result["embeddings"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("1 the")
    assert "1.000" in lines[1]
    assert main(["embed", str(model), "--device", "loopback"]) == 1
    assert "no texts" in capsys.readouterr().err


def test_the_help_names_the_default_context(capsys: pytest.CaptureFixture[str]) -> None:
    for command, n_ctx in (("eval", 512), ("run", 4096)):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert f"at most {n_ctx})" in " ".join(capsys.readouterr().out.split())
