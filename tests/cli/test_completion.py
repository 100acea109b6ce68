# SPDX-License-Identifier: MIT
"""``pyhexagon completion``, and the help that it is made of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pyhexagon import cli, extras
from pyhexagon.cli.completion import SHELLS, script_of
from pyhexagon.models import store

_COMPLETE = """
source "$1"
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
    _pyhexagon
    echo "${COMPREPLY[@]}"
}
"""
_OF_COMMANDS = """
complete_words pyhexagon ch
complete_words pyhexagon run --json-
complete_words pyhexagon run --kv ""
"""
_OF_MODELS = """
complete_words pyhexagon run q
complete_words pyhexagon serve other qwen3:
complete_words pyhexagon serve other qwen3 : 0
complete_words pyhexagon chat qwen3 : 1
COMP_WORDBREAKS=
complete_words pyhexagon rm qwen3:1
complete_words pyhexagon bench model f
complete_words pyhexagon show with
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_commands_and_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("chat", "serve", "json-schema", "q8_0"):
        assert word in script, word


def completed(folder: Path, lines: str) -> list[str]:
    """Return what bash completes, for each line."""
    script = folder / "script"
    script.write_text(script_of("bash"))
    command = ["bash", "-c", _COMPLETE + lines, "bash", str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout.splitlines()


def test_bash_completes(tmp_path: Path) -> None:
    commands, options, kinds = completed(tmp_path, _OF_COMMANDS)
    assert commands.split() == ["chat"]
    assert {"--json-schema", "--json-schema-file"} <= set(options.split())
    assert {"q8_0", "f16"} <= set(kinds.split())


def test_bash_completes_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data of me"))
    for name in ("qwen3:0.6b", "qwen3:1.7b", "other"):
        place = store.place(name)
        place.mkdir(parents=True)
        (place / "model.json").touch()
    store.place("qwen3:incomplete").mkdir()
    for file in ("file.gguf", "file.txt", "with a space.gguf"):
        (tmp_path / file).touch()
    assert [line.split() for line in completed(tmp_path, _OF_MODELS)] == [
        ["qwen3:0.6b", "qwen3:1.7b"], ["0.6b", "1.7b"], ["0.6b"], ["1.7b"], ["qwen3:1.7b"], ["file.gguf"],
        ["with\\", "a\\", "space.gguf"],
    ]  # fmt: skip


def test_without_shtab_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 1
    assert extras.install_command("completion") in capsys.readouterr().err


def test_help_begins_with_chat_and_ends_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--help"])
    text = capsys.readouterr().out
    places = [text.index(word) for word in ("language models:", "  chat ", "  serve ", "the device:", "examples:")]
    assert places == sorted(places)
