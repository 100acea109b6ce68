# SPDX-License-Identifier: MIT
"""Chat templates that users give in place of the one in the model's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llm import tiny
from pyhexagon import LLM
from pyhexagon.cli import main
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat.given_template import given_template

MINE = "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}"
TALK = [{"role": "user", "content": "the"}]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(
        tmp_path_factory.mktemp("models") / "m.gguf", "llama", edit=lambda w: w.add_chat_template("{{ 'file' }}")
    )


def test_a_text_or_a_file_replaces_the_model_s(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.jinja"
    file.write_text(MINE)
    for given in (MINE, file, str(file)):
        with LLM(path, 64, device="loopback", chat_template=given) as llm:
            assert llm.chat_template == MINE
            assert llm.apply_template(TALK) == "<s>[user] the"
    with LLM(path, 64, device="loopback") as llm:
        assert llm.apply_template(TALK) == "file"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{% for m in messages %}", "Unexpected end of template"), (b"{{ raise_exception('never') }}", "never"),
        (b"plain", "is no chat template"), (b"{\xff}", "is not UTF-8"), (b"{" * (1 << 20) + b"}", "more than 1 MiB"),
        (b"", "is no chat template"),
    ],
)  # fmt: skip
def test_what_is_no_template_is_refused_before_weights_are_read(
    path: Path, tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "bad.jinja"
    file.write_bytes(content)
    progress: list[Any] = []
    with pytest.raises(ArgumentError, match=message) as error:
        LLM(path, 64, device="loopback", chat_template=file, progress=lambda *now: progress.append(now))
    assert str(file) in str(error.value)
    assert progress == []
    with pytest.raises(ArgumentError, match=r"none\.jinja cannot be read: No such file"):
        LLM(path, 64, device="loopback", chat_template=tmp_path / "none.jinja")


def test_a_template_that_needs_a_system_prompt_is_one() -> None:
    strict = "{% if messages[0].role != 'system' %}{{ raise_exception('system first') }}{% endif %}{{ messages }}"
    assert given_template(strict) == strict


def test_the_commands_take_a_file(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = tiny.write(tmp_path / "bare.gguf", "llama")
    file = tmp_path / "mine.jinja"
    file.write_text(MINE)
    command = ["run", str(bare), "-p", "the", "--chat", "-n", "1", "--device", "loopback", "--json"]
    assert main([*command, "--chat-template-file", str(file)]) == 0
    made = json.loads(capsys.readouterr().out)
    with LLM(bare, 64, device="loopback", chat_template=file) as llm:
        assert made["prompt_tokens"] == llm.tokenizer.encode("<s>[user] the", add_special=False)
    assert main(command) == 1
    assert "has no chat template" in json.loads(capsys.readouterr().out)["error"]["message"]
    several = ["serve", str(path), str(bare), "--port", "0", "--device", "cpu", "--json", "--chat-template-file"]
    file.write_text("{{ oops")
    for given, words in ((str(file), "expected NAME=FILE"), (f"bare={file}", "the chat template in")):
        assert main([*several, given]) == 1
        assert words in json.loads(capsys.readouterr().out)["error"]["message"]
