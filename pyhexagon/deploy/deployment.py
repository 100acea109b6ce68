# SPDX-License-Identifier: MIT
"""The facts of a deploy: the state of the board, the result; and what displays it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

from pyhexagon.deploy.answers import nonsense
from pyhexagon.deploy.verdict import Failure
from pyhexagon.deploy.wheel import MACHINES
from pyhexagon.errors import DeployError

OLDEST_PYTHON: Final = (3, 10)


class DeployStep(Protocol):
    """A step on the screen."""

    def note(self, text: str) -> None:
        """Show the current activity."""

    def progress(self, done: int, total: int) -> None:
        """Show the progress in bytes."""

    def result(self, text: str) -> None:
        """Show the result."""


class Screen(Protocol):
    """Displays a deploy."""

    def step(self, title: str, *, asks: bool = False) -> AbstractContextManager[DeployStep]:
        """Begin a step; a step that ``asks`` may need the terminal for itself."""


@dataclass(frozen=True)
class BoardFacts:
    """The state of the board."""

    values: Mapping[str, str]

    @property
    def current(self) -> str:
        """The folder of the current version, or ""."""
        return self.values["current"].removeprefix("versions/")

    def check(self, host: str) -> None:
        """Raise DeployError if a requirement of a deploy is missing."""
        if "missing" in self.values:
            hint = "on the board: sudo apt install util-linux coreutils"
            raise DeployError(f"{host} has no {self.values['missing']}", hint=hint)
        if self.values["machine"] not in MACHINES:
            raise DeployError(f"{host} is a {self.values['machine']}; there are wheels for {', '.join(MACHINES)}")
        python = self.values.get("python", "")
        install = "on the board: sudo apt update && sudo apt install python3 python3-venv"
        if not python:
            raise DeployError(f"{host} has no python3", hint=install)
        if (version := re.match(r"([0-9]{1,3})\.([0-9]{1,3})(?![0-9])", python)) is None:
            raise nonsense(f"the version of python3 is {python[:80]!r}")
        if tuple(map(int, version.groups())) < OLDEST_PYTHON:
            raise DeployError(f"{host} has Python {python}; 3.10 or newer is needed", hint="upgrade the board's system")
        if "venv" not in self.values:
            raise DeployError(f"Python {python} on {host} cannot make virtual environments", hint=install)
        if not self.values["prefix"].startswith("/") or not self.values["prefix"].isprintable():
            raise nonsense(f"the folder is {self.values['prefix'][:80]!r}")
        for key in ("current", "glibc", "space"):  # what later steps need
            self.values[key]


@dataclass
class Deployment:
    """The result of a deploy.

    Attributes:
        version: the name of the version's folder.
        command: the current version's command on the board.
        copied: the bytes sent.
        installed: whether this deploy installed it.
        switched: whether this deploy made it current.
        not_ready: what keeps the board's DSP from working; None if it works.
        url: the address of the service on the board; None if there is none, or it was not started.
        keys: the file on the board with the API keys of the service, if it needs any.
        started: whether this deploy started or restarted the service.
        kernels: the paths on the board of the user kernels that this deploy was given.
    """

    host: str
    version: str = ""
    command: str = ""
    copied: int = 0
    installed: bool = False
    switched: bool = False
    not_ready: Failure | None = None
    url: str | None = None
    started: bool = False
    keys: str | None = None
    kernels: list[str] = field(default_factory=list)
