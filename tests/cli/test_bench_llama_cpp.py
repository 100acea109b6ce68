# SPDX-License-Identifier: MIT
"""Comparisons with llama.cpp: what its library is asked, which figures follow, and the message where there is none."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import needs
import pytest
from llm import tiny

from pyhexagon.bench import llama_builds
from pyhexagon.cli import main
from pyhexagon.errors import UnsupportedError

SOURCE = Path(__file__).with_name("fake_llama.c")
ENOUGH = ("--device", "loopback", "-p", "4", "-n", "3", "-r", "2", "--threads", "1")
BENCH = """#!/bin/sh
echo "$@" >> "$FAKE_LLAMA_LOG"
[ -z "$FAKE_LLAMA_FAILS" ] || { echo cannot do it, says llama-bench >&2; exit 1; }
echo '[{"avg_ns": 500000000}]'
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a fake libllama, which is its own CPU backend too."""
    folder = tmp_path_factory.mktemp("llama")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17", "-shared"]
    subprocess.run([*command, "-fPIC", "-std=gnu11", str(SOURCE), "-o", str(folder / "libllama.so")], check=True)
    variant = "armv8.0_1" if platform.machine() == "aarch64" else "x64"
    shutil.copy(folder / "libllama.so", folder / f"libggml-cpu-{variant}.so")
    return folder


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAKE_LLAMA_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", "model", *arguments, "--against", "llama.cpp", "--json"]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return records


def test_what_the_library_is_asked(library: Path, model: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prefill, decode = bench(capsys, str(model), *ENOUGH, "--llama-cpp", str(library))
    first, *rounds = log.read_text().split("clear\n")
    assert first.splitlines()[1:] == ["model tiny.gguf 1", "context 7 of types 1 1, 0", "threads 1 1"]
    assert first.startswith("load libggml-cpu-")
    assert rounds == ["decode 4\ndecode 1\ndecode 1\ndecode 1\n"] * 3  # the first is the warm-up
    assert [record["test"] for record in (prefill, decode)] == ["pp4", "tg3 @ d4"]
    for record in (prefill, decode):
        assert record["llama_cpp"].startswith(f"{library}, libggml-cpu-")
        assert record["llama_cpp"].endswith(" (avx2, avx512)")
        assert (record["kv"], record["llama_cpp_kv"], record["threads"]) == ("q8_0", "f16", 1)
        ours, theirs = sorted(record["samples"]), sorted(record["llama_cpp_samples"])
        assert record["ratio"] == sum(ours) / sum(theirs)
        assert record["cpu_ratio"] == record["llama_cpp_cpu_seconds_token"] / record["cpu_seconds_token"]


def test_what_is_printed(library: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "model", str(model), *ENOUGH, "--against", "llama.cpp", "--llama-cpp", str(library)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.count("|") for line in lines[:4]} == {9}
    assert lines[5].startswith(f"llama.cpp: {library}, libggml-cpu-")
    assert lines[5].endswith("(avx2, avx512), KV cache of f16; ours of q8_0")
    assert lines[6].startswith("load average ")


@pytest.mark.parametrize("at", ["ggml_backend_load", "llama_model_load_from_file", "llama_init_from_model",
                                "llama_decode"])  # fmt: skip
def test_the_reason_why_llama_cpp_cannot_run_a_model(
    at: str, library: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAKE_LLAMA_FAILS", at)
    command = ["bench", "model", str(model), *ENOUGH, "--against", "llama.cpp", "--llama-cpp", str(library)]
    assert main(command) == 1
    assert f"cannot run {model}: cannot do it, says llama.cpp\n" in capsys.readouterr().err


def test_a_library_that_is_none(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "libllama.so").write_text("no library")
    command = ["bench", "model", str(model), *ENOUGH, "--against", "llama.cpp", "--llama-cpp", str(tmp_path)]
    assert main(command) == 1
    assert "file too short" in capsys.readouterr().err


def test_a_llama_bench_is_called_for_each_part(
    tmp_path: Path, model: Path, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "llama-bench"
    program.write_text(BENCH)
    program.chmod(0o755)
    prefill, decode = bench(capsys, str(model), *ENOUGH, "--llama-cpp", str(program))
    common = "-t 1 -r 1 -ctk f16 -ctv f16 -ngl 0 -o json"
    parts = [f"-m {model} -p 4 -n 0 -d 0 {common}", f"-m {model} -p 0 -n 3 -d 4 {common}"]
    assert log.read_text().splitlines() == parts * 3
    assert (prefill["llama_cpp_samples"], decode["llama_cpp_samples"]) == ([8, 8], [6, 6])
    assert (prefill["llama_cpp"], prefill["cpu_ratio"]) == (str(program), None)
    monkeypatch.setenv("FAKE_LLAMA_FAILS", "all")
    command = ["bench", "model", str(model), *ENOUGH, "--against", "llama.cpp", "--llama-cpp", str(program)]
    assert main(command) == 1
    assert f"{program} cannot run {model}: cannot do it, says llama-bench" in capsys.readouterr().err


def test_a_context_is_filled_once(
    library: Path, model: Path, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    best = llama_builds.best
    monkeypatch.setattr(llama_builds, "best", lambda: best(str(library)))
    command = ["bench", "context", "128", str(model), "--device", "loopback", "-p", "8", "-n", "2", "--kv", "q4_0"]
    assert main([*command, "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["cpu"]["problem"] == ""
    assert record["cpu"]["build"].endswith("(avx2, avx512)")
    assert min(record["cpu"]["prompt"], record["cpu"]["generation"]) > 0
    lines = log.read_text().splitlines()
    assert lines[2:3] + lines[4:] == [
        "context 128 of types 2 2, 0", "clear", "decode 120", "decode 8", "remove 0 from 126 to -1", "decode 1",
        "decode 1",
    ]  # fmt: skip
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "CPU prompt t/s" in lines[0]
    assert lines[2].startswith(f"  CPU: llama.cpp, {library}")
    monkeypatch.setenv("FAKE_LLAMA_FAILS", "llama_memory_seq_rm")  # as for layers with a window
    log.write_text("")
    assert main([*command, "--json"]) == 0
    assert log.read_text().splitlines()[-4:] == ["clear", "decode 126", "decode 1", "decode 1"]
    capsys.readouterr()
    monkeypatch.setenv("FAKE_LLAMA_FAILS", "llama_decode")
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[-2:] == ["-", "-"]
    assert "says llama.cpp" in lines[2]
    assert main([*command, "--no-cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["cpu"] is None


def test_no_llama_cpp_is_said(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(given: str | None = None) -> None:
        raise UnsupportedError("llama.cpp was not found", hint="install it")

    monkeypatch.setattr(llama_builds, "best", none)
    assert main(["bench", "context", "128", str(model), "--device", "loopback", "-p", "8", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "CPU" not in lines[0]
    assert "llama.cpp was not found. Hint: install it." in lines[2]
    for options, words in (
        ([], "llama.cpp was not found. Hint: install it"), (["-r", "0"], "at least 1"), (["-d", "4"], "no -d"),
        (["--estimate"], "without --estimate"),
    ):  # fmt: skip
        assert main(["bench", "model", str(model), "--device", "loopback", "--against", "llama.cpp", *options]) == 1
        assert words in capsys.readouterr().err
    assert main(["bench", "model", str(model), "--device", "loopback", "--llama-cpp", "x"]) == 1
    assert "--llama-cpp is for --against" in capsys.readouterr().err


@pytest.mark.long
def test_rates_of_the_real_llama_cpp(capsys: pytest.CaptureFixture[str]) -> None:
    needs.require("xllamacpp")
    for record in bench(capsys, str(needs.STORIES), "--device", "loopback", "-p", "16", "-n", "4", "-r", "3"):
        ours, theirs = record["tokens_per_second"], record["llama_cpp_tokens_per_second"]
        assert min(ours, theirs) > 0
        assert record["ratio"] == ours / theirs
        assert ours == sorted(record["samples"])[1]
        assert theirs == sorted(record["llama_cpp_samples"])[1]
