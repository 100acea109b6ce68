# SPDX-License-Identifier: MIT
"""Every variable of the environment that the documents name: a wrong value is one line that names it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import needs
import pytest

from pyhexagon.cli import main
from pyhexagon.doctor import Doctor, Status
from pyhexagon.doctor.board import Board
from pyhexagon.serve.http.keys import given_keys

NUMBERS = ["8", "-1", "1.0", "0x7", "all", " 7", "\u0667"]
WRONG = {
    "PYHEXAGON_DEVICE": ["dsp", "CPU", "cpu ", "loopback:", "cdsp2"],
    "PYHEXAGON_CPU": ["avx", "REF", "hvx", "1"],
    "PYHEXAGON_LOG": ["verbose", "DEBUG", "1"],
    "PYHEXAGON_LIB": ["/dev/null/none", "/dev/null"],
    "PYHEXAGON_REF_OPS": ["(", "*", "[a", "a{2,1}"],
    "PYHEXAGON_VERBOSE": ["2", "-1", "y", "perhaps"],
    "PYHEXAGON_SYNC": ["2", "-1", "y", "perhaps"],
    "PYHEXAGON_STAGES": NUMBERS,
}
OF_QEMU = {
    "PYHEXAGON_QEMU": ["/dev/null/none", "/dev/null", "/"],
    "PYHEXAGON_DSP_FILES": ["/dev/null/none", "/dev/null"],
}
OF_THE_LIBRARY = {
    "PYHEXAGON_LOOPBACK": ["nonsense", "map_limit=", "log=1;arch=v68", "fail=rpcmem_alloc:x:0", "rates=/dev/null/none"],
}
ELSEWHERE = {"PYHEXAGON_API_KEY"}
# Of tests, of the build, and what --on sets.
NOT_OF_USERS = {"PYHEXAGON_PERPLEXITY", "PYHEXAGON_ANSWERS", "PYHEXAGON_ARCHS", "PYHEXAGON_ON"}


def table(switches: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, values in switches.items() for value in values]


def check_line(code: int, errors: str, name: str) -> None:
    assert code == 1
    lines = [line for line in errors.splitlines() if not line.startswith("loopback: ")]  # of the library itself
    assert len(lines) == 1, errors
    assert lines[0].startswith("pyhexagon: error: ")
    assert name in lines[0]


def test_the_table_has_every_variable_of_the_documents() -> None:
    documents = [*needs.ROOT.glob("docs/*.md"), needs.ROOT / "README.md"]
    named = {one for path in documents for one in re.findall(r"\bPYHEXAGON_[A-Z_]+", path.read_text())}
    assert named <= {*WRONG, *OF_QEMU, *OF_THE_LIBRARY, *ELSEWHERE, *NOT_OF_USERS}


@pytest.mark.parametrize(("name", "value"), table(WRONG) + table(OF_QEMU))
def test_a_wrong_value_is_one_line_that_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    monkeypatch.setenv("PYHEXAGON_DEVICE", "loopback:qemu" if name in OF_QEMU else "cpu")
    monkeypatch.setenv(name, value)
    check_line(main(["info"]), capsys.readouterr().err, name)


@pytest.mark.parametrize(("name", "value"), table(OF_THE_LIBRARY))
def test_the_loopback_names_a_wrong_setting(name: str, value: str) -> None:
    """In a process of its own, because the library reads the variable when it is loaded."""
    command = [sys.executable, "-m", "pyhexagon", "info", "--device", "cpu"]
    done = subprocess.run(
        command, env={**os.environ, name: value}, capture_output=True, text=True, check=False, timeout=60
    )
    check_line(done.returncode, done.stderr, name)


@pytest.mark.parametrize("value", ["x", "short"])
def test_a_short_key_of_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("PYHEXAGON_API_KEY", value)
    with pytest.raises(ValueError, match="PYHEXAGON_API_KEY of the environment is shorter"):
        given_keys(None)


@pytest.mark.parametrize("stages", range(7))
@pytest.mark.parametrize(
    "arguments",
    [
        ("selftest", "--device", "cpu"),
        ("ops", "--test", "--filter", "SQR", "--device", "cpu"),
        ("bench", "matmul", "--shape", "64x64", "--batch", "1", "--types", "Q4_0", "--device", "cpu"),
        ("bench", "model", str(needs.STORIES), "-p", "2", "-n", "1", "-r", "1", "--device", "cpu"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_skipped_stages_crash_no_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], stages: int
) -> None:
    """Commands that need results refuse; a benchmark of a model measures the host."""
    monkeypatch.setenv("PYHEXAGON_STAGES", str(stages))
    with pytest.warns(RuntimeWarning, match="the environment sets"):
        code = main([*arguments])
    errors = capsys.readouterr().err
    if arguments[0] == "bench" and (arguments[1] == "model" or stages & 1):
        assert code == 0
    else:
        assert code == 1
        assert "skips stages" in errors
        assert "unset PYHEXAGON_STAGES" in errors


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("PYHEXAGON_STAGES", "0", Status.FAILED),
        ("PYHEXAGON_STAGES", "3", Status.FAILED),
        ("PYHEXAGON_STAGES", "nonsense", Status.FAILED),
        ("PYHEXAGON_REF_OPS", "(", Status.FAILED),
        ("PYHEXAGON_REF_OPS", "rope", Status.WARNING),
        ("PYHEXAGON_SYNC", "1", Status.WARNING),
        ("PYHEXAGON_VERBOSE", "yes", Status.WARNING),
        ("PYHEXAGON_STAGES", "7", Status.OK),
        ("PYHEXAGON_SYNC", "0", Status.OK),
    ],
)
def test_doctor_blames_a_switch_and_not_the_hardware(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, status: Status
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = Doctor("cpu", Board(Path(folder), environ={**os.environ, name: value})).results()
        found = next(one for one in results if one.name == "switches")
        assert found.status is status
        assert name in found.finding
        if status is not Status.OK:
            assert found.remedy == f"unset {name}"
        if status is Status.FAILED:
            rest = {one.name: one for one in results}
            for check in ("ping-pong", "matmul", "selftest", "dma"):
                assert rest[check].status is Status.SKIPPED
