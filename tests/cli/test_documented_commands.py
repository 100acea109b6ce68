# SPDX-License-Identifier: MIT
"""Every command of README, docs and --help parses, with the argparse of each Python that this machine has."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import needs
import pytest
from needs import PYTHONS

from cli import documented
from pyhexagon import cli


def refusals(commands: list[documented.Documented], folder: Path, module: Path) -> list[object]:
    """Return the commands that pyhexagon refuses with a module in the place of argparse."""
    shutil.copy(module, folder / "argparse.py")
    paths = os.pathsep.join([str(folder), str(documented.ROOT / "tests")])
    given = json.dumps([(command.arguments, command.is_mention) for command in commands])
    done = subprocess.run(
        [sys.executable, "-m", "cli.documented"], input=given, capture_output=True, text=True, check=True,
        env=dict(os.environ, PYTHONPATH=paths), cwd=documented.ROOT,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["argparse"] == str(folder / "argparse.py")
    return list(result["refused"])


@pytest.mark.parametrize(
    "minor", [0, PYTHONS[0], *(pytest.param(minor, marks=pytest.mark.long) for minor in PYTHONS[1:])]
)
def test_every_documented_command_parses(minor: int, tmp_path: Path) -> None:
    module: Path | None = Path(argparse.__file__)
    if minor:
        needs.require(f"Python 3.{minor}")
        module = needs.argparse_of(minor)
    assert module is not None
    commands = documented.commands()
    assert len(commands) > 120
    assert {"README.md", "llm.md", "pyhexagon --help"} <= {command.page for command in commands}
    wrong = documented.Documented("here", ["run", "model.gguf", "--no-such-option"], False)
    refused = refusals([*commands, wrong], tmp_path, module)
    assert refused == [[wrong.arguments, "pyhexagon run: error: unrecognized arguments: --no-such-option"]]


@pytest.mark.parametrize(
    ("command", "words", "options"),
    [
        ("run", ["m", "hi you"], [["-n", "5"], ["--chat"], ["--temp=0"], ["-c64"]]),
        ("run", ["m", "-5"], [["--seed", "-1"], ["--chat"], ["-n", "5"]]),
        ("eval", ["perplexity", "m", "f"], [["-c", "64"], ["--chunks", "2"], ["--json"]]),
        ("serve", ["a", "b", "c"], [["--port", "1"], ["--cache-per-key"], ["--lora", "x"]]),
        ("embed", ["m", "a", "- b"], [["-p", "c"], ["--json"], ["-c", "9"]]),
        ("logs", [], [["--device", "cpu"], ["--json"]]),
    ],
)
def test_options_may_stand_anywhere(command: str, words: list[str], options: list[list[str]]) -> None:
    """All orders have the same meaning, so an argument's place cannot depend on the version of argparse."""
    first, parser = None, cli._parser()
    for order in itertools.permutations([*([word] for word in words), *options]):
        if [part for part in order if part in [[word] for word in words]] != [[word] for word in words]:
            continue
        parsed = vars(parser.parse_args([command, "--no-config", *itertools.chain(*order)]))
        first = first or parsed
        assert parsed == first, order
    assert first is not None


def test_what_follows_two_dashes_is_no_option() -> None:
    parsed = cli._parser().parse_args(["run", "--no-config", "m", "-n", "5", "--", "--chat"])
    assert (parsed.text, parsed.chat, parsed.n) == ("--chat", False, 5)
    parsed = cli._parser().parse_args(["logs", "--no-config", "--", "python3", "-c", "--", "x"])
    assert parsed.command[-3:] == ["-c", "--", "x"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("run m --sys be x", "unrecognized arguments: --sys: did you mean --system or --system-prompt?"),
        ("serve m --api abc", "unrecognized arguments: --api: did you mean --api-key-file?"),
        ("serve m --apikey=secret", "arguments: --apikey: did you mean --api-key-file or --cache-per-key?"),
        ("run m -n", "argument -n: expected one argument"),
        ("run m hi there", "unrecognized arguments: there: a prompt of several words stands in quotes"),
        ("run", "the following arguments are required: MODEL"),
    ],
)
def test_options_are_not_abbreviated(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(line.split())
    assert caught.value.code == 2
    usage, error = capsys.readouterr().err.splitlines()
    assert usage.startswith(f"usage: pyhexagon {line.split(maxsplit=1)[0]} [OPTION ...] ")
    assert error.endswith(message)
