# SPDX-License-Identifier: MIT
"""A Python that lacks modules of its own, as stripped images have it: a sentence, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys
from importlib.abc import MetaPathFinder
names = sys.argv.pop(1).split(",")
absent = {*names, *("_" + name for name in names)}
class Finder(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in absent:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
for name in [one for one in sys.modules if one in absent]:
    del sys.modules[name]
sys.meta_path.insert(0, Finder())
from pyhexagon.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(absent: str, *arguments: str, config: Path = Path("/nowhere")) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "XDG_CONFIG_HOME": str(config)}
    command = [sys.executable, "-c", _PROGRAM, absent, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ, timeout=120)


@pytest.mark.parametrize(
    ("absent", "arguments"),
    [("tomllib", ["info", "--help"]), ("fcntl", ["show", "--help"]), ("ctypes", ["doctor", "--device", "cpu"])],
)
def test_a_missing_module_is_named_in_a_sentence(absent: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "pyhexagon").mkdir()
    (tmp_path / "pyhexagon/config.toml").write_text("[run]\n")
    done = run(absent, *arguments, config=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"lacks its own module {absent}. Hint: install python3-modules" in done.stderr


def test_what_a_command_does_not_use_may_be_missing() -> None:
    # GenieX: images of Qualcomm Linux
    done = run("lzma,bz2,sqlite3,readline,curses,tomllib", "doctor", "--help")
    assert (done.returncode, done.stderr) == (0, "")


def test_another_missing_module_is_a_bug_with_a_traceback() -> None:
    done = run("pyhexagon.cli.show", "show", "--help")
    assert "Traceback" in done.stderr
