# SPDX-License-Identifier: MIT
"""``pyhexagon completion``, and the help that it is made of."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pyhexagon import cli, extras
from pyhexagon.cli.completion import SHELLS

_COMPLETE = """
source "$1"
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
    _shtab_pyhexagon
    echo "${COMPREPLY[@]}"
}
complete_words pyhexagon ch
complete_words pyhexagon run --json-
complete_words pyhexagon run --kv ""
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_commands_and_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("chat", "serve", "json-schema", "q8_0"):
        assert word in script, word


def test_bash_completes(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "bash"]) == 0
    script = f"{tmp_path}/script"
    with open(script, "w") as file:
        file.write(capsys.readouterr().out)
    done = subprocess.run(["bash", "-c", _COMPLETE, "bash", script], capture_output=True, text=True, check=True)
    commands, options, kinds = done.stdout.splitlines()
    assert commands.split() == ["chat"]
    assert {"--json-schema", "--json-schema-file"} <= set(options.split())
    assert {"q8_0", "f16"} <= set(kinds.split())


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
