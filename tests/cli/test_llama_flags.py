# SPDX-License-Identifier: MIT
"""llama.cpp's flags, each translated, ignored with a reason, or refused with one."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from pyhexagon import cli
from pyhexagon.cli.llama_flags import FLAGS, MODEL


def parsed(*arguments: str) -> argparse.Namespace:
    return cli._parser().parse_args([arguments[0], "--no-config", *arguments[1:]])


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        parsed(*arguments)
    assert caught.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_the_command_line_of_a_user_of_llama_cpp(capsys: pytest.CaptureFixture[str]) -> None:
    line = "run -m m.gguf -p hi -n 2 -ctk q8_0 -ctv q8_0 -fa on -ngl 99 --batch-size 128 -no-cnv --no-mmap -t 4"
    options = parsed(*line.split(), "--ctx-size", "512", "--temperature", "0", "-s", "7")
    assert vars(options).items() >= {
        "model": "m.gguf", "prompt": "hi", "text": None, "n": 2, "kv": "q8_0", "threads": 4, "c": 512, "temp": 0.0,
        "seed": 7, "file": None, "b": 64,
    }.items()  # fmt: skip
    notes = capsys.readouterr().err.splitlines()
    assert [note.split(" is ignored: ")[0] for note in notes] == [
        "pyhexagon: -fa on", "pyhexagon: -ngl 99", "pyhexagon: -no-cnv", "pyhexagon: --no-mmap",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "dest", "value"),
    [
        ("chat -m m", "model", "m"), ("chat m --model-draft d", "draft", "d"), ("chat m -sys be", "system", "be"),
        ("run m -p x --predict 3", "n", 3), ("run m -p x --n-predict=3", "n", 3), ("run m -p x -cnv", "chat", True),
        ("run m -p x -r end", "stop", ["end"]), ("run m -p x -jf s.json", "json_schema_file", "s.json"),
        ("run m -p x -dev cpu", "device", "cpu"), ("serve m -np 4", "parallel", 4),
        ("serve -m m -a name", "model", ["m"]), ("serve m --host h --port 1 -to 5", "timeout", 5.0),
        ("chat m -cnv", "model", "m"), ("run m -p x -fa", "prompt", "x"), ("run m -fa -p auto", "prompt", "auto"),
        ("run m -p x --cache-type-k=f16", "kv", "f16"), ("bench model -m m -ngl 99 -p 8", "model", "m"),
        ("eval perplexity -m m t", "model", "m"), ("embed -m m -p a -ub 8", "b", 8),
        ("serve m -b 16", "b", 16), ("run m -p x -b 2048", "b", 64), ("bench model m -b 512", "model", "m"),
        ("show -m m", "model", "m"),
    ],
)  # fmt: skip
def test_a_flag_becomes_ours(line: str, dest: str, value: Any) -> None:
    assert getattr(parsed(*line.split()), dest) == value


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("run m -p x -ngl 0", "--device cpu computes on the CPU"),
        ("run m -p x -fa off", "always computed in blocks"),
        ("run m -p x -ctk q8_0 -ctv f16", "keys and values have one type, which --kv gives"),
        ("run m -p x -ctk q5_1", "argument --kv: invalid choice: 'q5_1'"),
        ("run m -p x --mirostat 2", "--top-k"),
        ("chat -hf ggml-org/gemma-3-1b-it-GGUF", "pyhexagon pull NAME"),
        ("chat m -p x", "pyhexagon run completes a prompt"),
        ("serve m --api-key secret", "--api-key-file FILE"),
        ("embed m -p x -s 3", "this command has no --seed"),
        ("run m -p x -t", "-t takes a value"),
        ("run m -p x -ngl", "-ngl takes a value"),
        # names that are nobody's
        ("run m -p x --tempp 0", "did you mean --temp"),
        ("run m -p x --ctx-sise 3", "did you mean --ctx-size"),
        ("run m -p x -ngk 3", "unrecognized arguments: -ngk"),
        ("run m -p x --n-predicts 3", "did you mean --n-predict"),
        ("bench model m --thread-count 3", "did you mean"),
        ("info --devise cpu", "did you mean --device"),
    ],
)  # fmt: skip
def test_a_flag_is_answered(line: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer in refused(capsys, *line.split())


@pytest.mark.parametrize("command", ["run m -p x", "chat m", "serve m", "bench model m"])
def test_every_flag_of_the_table_is_taken_or_refused_in_a_sentence(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = cli._parser()
    for name, flag in FLAGS.items():
        assert flag.ours or flag.reason
        values = ["q8_0" if flag.ours == "--kv" else "1"][: abs(flag.values)] if flag.ours != MODEL else ["m"]
        try:
            parser.parse_args([*command.split(), name, *values])
        except SystemExit:
            last = capsys.readouterr().err.splitlines()[-1]
            assert any(part in last for part in ("error: llama.cpp's ", "argument ", "unrecognized arguments: ")), last
            assert "invalid int value" not in last
        else:
            err = capsys.readouterr().err
            assert not err or " is ignored: " in err


def test_after_two_dashes_nothing_is_translated() -> None:
    assert parsed("logs", "--", "llama-cli", "-ngl", "99").command == ["llama-cli", "-ngl", "99"]


def test_notes_are_left_to_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    parsed("run", "m", "-p", "x", "-ngl", "99", "--on", "board")
    assert capsys.readouterr().err == ""
