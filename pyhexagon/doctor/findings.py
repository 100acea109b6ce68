# SPDX-License-Identifier: MIT
"""The results of checks, and the report made of them."""

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
from pyhexagon.errors import HexagonError, causes
from pyhexagon.version import VERSION

PIP: Final = f"{extras.PIP} install --force-reinstall pyhexagon-*.whl"
KERNEL_LOG: Final = causes.KERNEL_LOG
NO_BOARD: Final = "soc"  # the check that warns if this machine is not a board
_COMMON_NAMES: Final = frozenset({"root", "localhost", "radxa", "render", "fastrpc", "ubuntu", "debian", "armbian"})


class Status(str, Enum):
    OK = "ok"
    WARNING = "warning"  # works, but not as well as it should
    FAILED = "failed"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not applicable"


class Problem(Exception):
    """Raised by a check: the problem, and the command that fixes it."""

    def __init__(self, finding: str, remedy: str, *, warning: bool = False) -> None:
        super().__init__(finding)
        self.finding = finding
        self.remedy = remedy
        self.status = Status.WARNING if warning else Status.FAILED


@dataclass(frozen=True)
class Result:
    """The result of a check."""

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
    """All results, in the order of the checks."""

    device: str
    results: Sequence[Result]

    @property
    def ok(self) -> bool:
        """Whether no check failed; warnings do not count."""
        return not any(result.status is Status.FAILED for result in self.results)

    @property
    def first_problem(self) -> Result | None:
        """The first failure, else the first warning; if checks failed on a machine that is no board, that warning."""
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
        """Write a report for a bug, atomically; it contains no host name, user name or home directory."""
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
    """Remove this machine's name, this user's name and the home directory from a text."""
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
    """Return an exception as a problem: its hint is the cause, or the remedy unless one is given."""
    finding, hint = without_hint(error), error.hint
    if remedy and hint:
        finding = f"{finding}: {hint}"
    return Problem(finding, remedy or hint)


def without_hint(error: HexagonError) -> str:
    """Return an exception's message without its hint."""
    return str(error).removesuffix(f" Hint: {error.hint}.").rstrip(".") if error.hint else str(error)
