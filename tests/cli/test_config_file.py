# SPDX-License-Identifier: MIT
"""The config file: defaults of options, by command."""

from __future__ import annotations

import argparse
import json
from datetime import date
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from llm import tiny

from pyhexagon import cli
from pyhexagon.cli import config_file
from pyhexagon.errors import HexagonError
from pyhexagon.models import store
from pyhexagon.process import profile


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config/pyhexagon/config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_it_has_defaults_that_the_command_line_overrides(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tiny.write(tmp_path / "tiny.gguf", "llama")
    config.write_text('[run]\ndevice = "cpu"\nn = 3\ntemp = 0\njson = true\nstop = ["zzz"]\n[bench.model]\nr = 5\n')
    for more, n in ([], 3), (["-n", "2"], 2):
        assert cli.main(["run", str(model), "-p", "the", *more]) == 0
        assert len(json.loads(capsys.readouterr().out)["tokens"]) == n
    config.write_text('[run]\ndevice = "cpu"\njson = false\n')
    assert cli.main(["run", str(model), "-p", "the", "-n", "1"]) == 0
    with pytest.raises(json.JSONDecodeError):
        json.loads(capsys.readouterr().out)
    config.write_text("[run]\njson = true\n")
    command = ["run", str(model), "-p", "the", "--device", "cpu", "-n", "1", "--no-config"]
    assert cli.main(command) == 0
    with pytest.raises(json.JSONDecodeError):
        json.loads(capsys.readouterr().out)


def test_options_of_all_commands(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values above all tables concern every command that has the option; those of a command come first."""
    model = tiny.write(tmp_path / "tiny.gguf", "llama")
    config.write_text('device = "cpu"\nthreads = 1\nno-profile = true\n[info]\ndevice = "loopback"\n')
    assert cli.main(["run", str(model), "-p", "the", "-n", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["device"] == "cpu"
    assert cli.main(["info", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["device"] == "loopback"
    parsed = vars(cli._parser().parse_args(["bench", "host"]))
    assert parsed["device"] == "cpu"
    assert cli.main(["list"]) == 0  # which has none of them
    for command in (["deploy", "board"], ["cluster", "start"]):  # their devices are other machines'
        assert vars(cli._parser().parse_args(command)).get("device") in (None, "cdsp")
    parsed = vars(cli._parser().parse_args(["run", "--no-config", str(model)]))
    assert parsed["device"] is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("devise = 'cpu'", "devise is no option for all commands: did you mean device?"),
        ("temp = 1", "temp is no option for all commands: expected one of device, transport, threads, power"),
        ("threads = 'x'", "threads is 'x': "),
        ("power = 'full'", "power is 'full': expected one of "),
        ("[default]", "there is no command default; options for all commands stand above all tables"),
        ("[chatt]", "there is no command chatt: did you mean chat?"),
        ("[run]\ntop_k = 3", "[run] has no option top_k: did you mean top-k?"),
        ("[run]\nmodel = 'm'", "[run] has no option model"),
        ("[run]\ntemp = 'hot'", "[run] temp is 'hot': could not convert string to float"),
        ("[run]\nkv = 'q5'", "[run] kv is 'q5': expected one of "),
        ("[run]\nchat = 1", "[run] chat is 1: expected true or false"),
        ("[run]\ntemp = [1]", "[run] temp takes one value"),
        ("run = 1", "run is not a table: expected [run] and options below it"),
        ("[run", "config.toml: "),
    ],
)
def test_mistakes_name_the_file_and_what_was_meant(
    config: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    config.write_text(text)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["run", "m.gguf", "-p", "the"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"pyhexagon: error: {config}: ")
    assert told in line
    assert cli.main(["run", "m.gguf", "-p", "the", "--no-config"]) == 1  # there is no such model


def test_sub_commands_have_tables_of_their_own(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text("[bench.model]\nrr = 5\n")
    with pytest.raises(SystemExit, match="2"):
        cli.main(["bench", "model", "m.gguf"])
    assert "[bench.model] has no option rr" in capsys.readouterr().err


DEEP = "[" * 100_000


@pytest.mark.parametrize("text", [f"a = {DEEP}", "a = " + "{a = " * 50_000, "[a" + ".a" * 50_000, "a = " + "9" * 9000])
def test_no_depth_of_a_config_file_is_a_traceback(config: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    config.write_text(text)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["list"])
    assert str(config) in capsys.readouterr().err


@pytest.mark.parametrize("text", [DEEP, '{"a":' * 50_000, f'{{"schema": 1, "entries": [{DEEP}'])
def test_no_depth_of_a_profile_or_a_record_of_the_store_is_a_traceback(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(profile, "is_for", lambda *_: True)
    profile.path().write_text(text)
    with pytest.warns(RuntimeWarning, match="is damaged and not used"):
        choice, _ = profile._find(None, None)  # type: ignore[arg-type]
    assert choice == {}
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store.place("m").mkdir(parents=True)
    (store.place("m") / "model.json").write_text(text)
    with pytest.raises(HexagonError, match="is damaged"):
        store.find("m")


HOSTILE: tuple[Any, ...] = (
    "", "\0", "a\0b", "\x1b[2J\n", "x" * 100_000, "9" * 5000, "\u0663", "nan", "%s%n", "cdsp," * 1000, "../../..", -1,
    0, 1 << 31, 1 << 63, 1 << 200, -(1 << 63), 1e308, inf, nan, True, [], [[]], [1, "a"], {}, date(2020, 1, 1),
)  # fmt: skip


def refusal(parser: argparse.ArgumentParser, table: dict[str, Any], name: str) -> str:
    """Return why a table is refused, or an empty string."""
    try:
        config_file.apply(parser, table, name)
    except config_file.ConfigError as error:
        return str(error)
    return ""


def test_no_value_of_any_option_of_any_command_is_a_traceback(config: Path) -> None:
    """An option takes the value as the command line would, or the error names the file, the table and the option."""
    n_refused = n_taken = 0

    def examine(parser: argparse.ArgumentParser, name: str) -> None:
        nonlocal n_refused, n_taken
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for command, below in action.choices.items():
                    examine(below, f"{name}.{command}" if name else command)
            for option in {one.lstrip("-") for one in action.option_strings} - {"h", "help", "version"} if name else ():
                for value in HOSTILE:
                    error = refusal(parser, {option: value}, name)
                    n_refused += f"{config}: [{name}] {option} " in error
                    n_taken += not error
                    assert error or "\0" not in str(value)

    examine(cli.complete_parser(), "")
    assert n_refused > 1000
    assert n_taken > 1000


@pytest.mark.parametrize("option", ["f", "draft", "system", "lora", "device", "seed", "json-schema-file"])
def test_a_nul_in_the_config_file_is_told(config: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    config.write_text(f'[run]\n{option} = "a\\u0000b"\n')
    with pytest.raises(SystemExit, match="2"):
        cli.main(["run", "m.gguf", "-p", "the"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"pyhexagon: error: {config}: [run] {option} is 'a\\x00b'")


@pytest.mark.parametrize(
    ("command", "more", "told"),
    [
        ("serve", ("--host", "a..b"), "cannot listen to 'a..b': it is no name of a host"),
        ("serve", ("--host", "x" * 1000), "it is no name of a host"),
        ("matmul", ("--out", "/"), "cannot write /: it is not a regular file"),
        ("matmul", ("--trace", "/"), "cannot write /: it is not a regular file"),
    ],
)
def test_wrong_places_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, more: tuple[str, ...], told: str
) -> None:
    """Found by running commands with the values of ``HOSTILE``."""
    model = str(tiny.write(tmp_path / "tiny.gguf", "llama"))
    tensor = ("blk.0.ffn_up.weight",) if command == "matmul" else ()
    assert cli.main([command, model, *tensor, "--device", "loopback", *more]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pyhexagon: error: ")
    assert told in line
