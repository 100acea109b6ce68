# SPDX-License-Identifier: MIT
"""Sampling parameters that a model's file recommends: used where a request has none, in Python and in commands."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import pytest

from llm import tiny
from pyhexagon import LLM
from pyhexagon.cli import main
from pyhexagon.llm.chat.host_model import ModelWords

ALL: dict[str, Any] = {
    "temp": 1.5, "top_k": 17, "top_p": 0.95, "min_p": 0.01, "xtc_probability": 0.3, "xtc_threshold": 0.2,
    "penalty_repeat": 1.1, "penalty_last_n": 33,
}  # fmt: skip
OURS: dict[str, Any] = {
    "temperature": 1.5, "top_k": 17, "top_p": 0.95, "min_p": 0.01, "xtc_probability": 0.3, "xtc_threshold": 0.2,
    "repeat_penalty": 1.1, "repeat_last_n": 33,
}  # fmt: skip


def recommending(values: dict[str, Any]) -> Callable[[gguf.GGUFWriter], None]:
    def edit(writer: gguf.GGUFWriter) -> None:
        for name, value in values.items():
            kinds = {int: gguf.GGUFValueType.INT32, float: gguf.GGUFValueType.FLOAT32, str: gguf.GGUFValueType.STRING}
            writer.add_key_value(f"general.sampling.{name}", value, kinds[type(value)])

    return edit


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("models") / "model.gguf", "llama", edit=recommending(ALL))


def test_a_request_that_gives_none_gets_those_of_the_file(tmp_path: Path, path: Path) -> None:
    plain = tiny.write(tmp_path / "plain.gguf", "llama")
    with LLM(path, 128, device="loopback") as llm, LLM(plain, 128, device=llm.device) as other:
        assert llm.sampling_defaults == OURS
        assert ModelWords(path).sampling_defaults == OURS
        made = llm.generate([1, 5, 9], 24, seed=3)
        assert made.tokens == other.generate([1, 5, 9], 24, seed=3, **OURS).tokens
        assert made.tokens != other.generate([1, 5, 9], 24, seed=3).tokens
        own: Any = {"temperature": 0.8, **{name: other.sampling_defaults[name] for name in OURS}}
        assert llm.generate([1, 5, 9], 24, seed=3, **own).tokens == other.generate([1, 5, 9], 24, seed=3).tokens
        assert llm.generate([1, 5, 9], 8, 0, repeat_penalty=1, xtc_probability=0).tokens == (
            other.generate([1, 5, 9], 8, 0).tokens
        )


def test_values_that_cannot_be_used_are_named_and_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bad = {"temp": -1.0, "top_k": "many", "top_p": float("nan"), "min_p": 2.0, "penalty_last_n": -2, "mirostat": 2}
    path = tiny.write(tmp_path / "bad.gguf", "llama", edit=recommending(bad))
    with caplog.at_level(logging.WARNING, "pyhexagon.llm"):
        words = ModelWords(path)
    assert words.sampling_defaults["temperature"] == 0.8
    for name in bad:
        assert f"general.sampling.{name} is " in caplog.text


def test_the_commands_use_and_show_them(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sampling"] == OURS
    assert main(["show", str(path)]) == 0
    assert "temperature 1.5, top_k 17" in capsys.readouterr().out.replace("\n", " ").replace("  ", " ")
    command = ["run", str(path), "--device", "loopback", "--tokens", "1,5,9", "-n", "12", "--seed", "3", "--json"]
    assert main(command) == 0
    of_file = json.loads(capsys.readouterr().out)["tokens"]
    flags = [
        "--temp", "1.5", "--top-k", "17", "--top-p", "0.95", "--min-p", "0.01", "--xtc-probability", "0.3",
        "--xtc-threshold", "0.2", "--repeat-penalty", "1.1", "--repeat-last-n", "33",
    ]  # fmt: skip
    assert main([*command, *flags]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == of_file
    with LLM(path, 64, device="loopback") as llm:
        more = {"typical_p": 0.7, "top_n_sigma": 1.0, "dry_multiplier": 0.5, "dry_base": 2.0, "dry_allowed_length": 1,
                "dry_penalty_last_n": 9, "dry_sequence_breakers": ["a", "b"]}  # fmt: skip
        wanted = llm.generate([1, 5, 9], 12, seed=3, **more)  # type: ignore[arg-type]
    flags = ["--typical", "0.7", "--top-n-sigma", "1", "--dry-multiplier", "0.5", "--dry-base", "2"]
    flags += ["--dry-allowed-length", "1", "--dry-penalty-last-n", "9", "--dry-sequence-breaker", "a"]
    assert main([*command, *flags, "--dry-sequence-breaker", "b"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == list(wanted.tokens)
    assert main([*command, "--dry-base", "0.5"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["message"] == "--dry-base is 0.5: expected a number, 1 or more"
