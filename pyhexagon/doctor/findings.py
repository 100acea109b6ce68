# SPDX-License-Identifier: MIT
"""What checks find: results, and the report made of them."""

from __future__ import annotations

import getpass
import json
import platform
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from pyhexagon import extras, files
from pyhexagon.errors import HexagonError
from pyhexagon.version import VERSION

PIP: Final = f"{extras.PIP} install --force-reinstall pyhexagon-*.whl"
NO_BOARD: Final = "soc"  # the check that warns where this is no board
_COMMON_NAMES: Final = frozenset({"root", "localhost", "radxa", "render", "fastrpc", "ubuntu", "debian", "armbian"})


class Status(str, Enum):
    OK = "ok"
    WARNING = "warning"  # works, but not as well as it should
    FAILED = "failed"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not applicable"


class Problem(Exception):
    """Raised by a check: what is wrong, and the command that mends it."""

    def __init__(self, finding: str, remedy: str, *, warning: bool = False) -> None:
        super().__init__(finding)
        self.finding = finding
        self.remedy = remedy
        self.status = Status.WARNING if warning else Status.FAILED


@dataclass(frozen=True)
class Result:
    """What a check gave."""

    name: str
    status: Status
    finding: str
    remedy: str = ""
    seconds: float = 0.0

    def facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status.value,
            "finding": self.finding,
            "remedy": self.remedy,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Findings:
    """All results, in the order of the walk."""

    device: str
    results: Sequence[Result]

    @property
    def ok(self) -> bool:
        """Whether nothing failed; warnings do not count."""
        return not any(result.status is Status.FAILED for result in self.results)

    @property
    def first_problem(self) -> Result | None:
        """The first failure; without one, the first warning. If something failed and this is no board, it is that."""
        if not self.ok:
            for result in self.results:
                if result.name == NO_BOARD and result.status is Status.WARNING:
                    return result
        for status in (Status.FAILED, Status.WARNING):
            for result in self.results:
                if result.status is status:
                    return result
        return None

    def facts(self) -> dict[str, Any]:
        first = self.first_problem
        return {
            "ok": self.ok,
            "first_problem": first and {"check": first.name, "finding": first.finding, "remedy": first.remedy},
            "checks": [result.facts() for result in self.results],
        }

    def write(self, path: Path) -> None:
        """Writes a file to attach to a bug, whole or not at all: no host name, user name or home directory in it."""
        facts = {
            "pyhexagon": VERSION,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "kernel": platform.release(),
            "device": self.device,
            **self.facts(),
        }
        text = anonymous(json.dumps(facts, indent=2)) + "\n"
        files.save(path, lambda file: file.writelines([text.encode()]))


def anonymous(text: str) -> str:
    """The text without this machine's name, this user's name and home directory."""
    home = str(Path.home())
    if len(home) > 1:
        text = text.replace(home, "~")
    for name, word in ((socket.gethostname(), "HOST"), (_user(), "USER")):
        if name and name not in _COMMON_NAMES:
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", word, text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a uid without a name
        return ""


def of_error(error: HexagonError, remedy: str = "") -> Problem:
    """The problem that an exception stands for: its code decoded, its hint as the remedy unless there is a better."""
    finding = str(error)
    hint = f" Hint: {error.hint}."
    if error.hint and finding.endswith(hint):
        finding = finding[: -len(hint)].rstrip(".")
    return Problem(finding, "; ".join(part for part in (remedy, error.hint) if part))
