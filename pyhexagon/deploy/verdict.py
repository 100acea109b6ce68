# SPDX-License-Identifier: MIT
"""Decides whether a version works on the board, and whether a failure is the version's fault or the board's.

A board whose DSP does not run must still get a new version, because its doctor helps to fix the board. A version that
breaks a working board must not become current. What the failed check tests decides; if that leaves it open, the version
is at fault unless the current version fails at the same check or earlier.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyhexagon.deploy.answers import Answer, nonsense
from pyhexagon.errors import DeployError

OF_THE_BOARD: Final = frozenset({
    *("soc", "device-tree", "remoteproc", "nodes", "dma-heap", "coherence", "library", "shell", "search-paths"),
    *("symbols", "capabilities", "healthcheck"),
})
"""Checks of the board alone: kernel, firmware, permissions, the system's library."""
OF_EITHER: Final = frozenset({
    *("open", "memory", "workspace", "echo-invoke", "echo-dspqueue", "notifications", "ping-pong", "dma"),
    "kernel",
})
"""Checks in which firmware and our files are involved. All other checks test our files and their results."""


@dataclass(frozen=True)
class Failure:
    """The first check that failed.

    Attributes:
        check: the name of a doctor's check; "selftest" is also the name of the self test.
        order: the names of all checks in their order.
    """

    check: str
    finding: str
    remedy: str
    order: Sequence[str]

    def blames_version(self, of_current: Failure | None, *, is_first: bool) -> bool:
        """Return whether this failure must keep the version from becoming current.

        Args:
            of_current: the failure of the current version on the same device; None if it works.
            is_first: there is no current version.
        """
        if self.check in OF_THE_BOARD:
            return False
        if is_first:
            return self.check not in OF_EITHER
        return of_current is None or self._place(of_current.check) > self._place(self.check)

    def _place(self, check: str) -> int:
        return self.order.index(check) if check in self.order else -1


def of_doctor(answer: Answer) -> Failure | None:
    """Return the failure in a report of ``doctor --json``, or None; warnings do not count.

    If a check of the board failed, the failure is the first problem that doctor shows.
    """
    report = _json(answer, "doctor")
    try:
        order = [str(check["name"]) for check in report["checks"]]
        for check in report["checks"]:
            if check["status"] == "failed":
                first = report.get("first_problem") or {}
                if check["name"] in OF_THE_BOARD and first.get("check") in OF_THE_BOARD:  # such as: this is no board
                    return Failure(first["check"], str(first["finding"]), str(first["remedy"]), order)
                return Failure(str(check["name"]), str(check["finding"]), str(check["remedy"]), order)
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise DeployError(f"the doctor's report is malformed: {answer.output[:200]!r}") from None
    return None


def of_selftest(answer: Answer) -> Failure | None:
    """Return the failure in a report of ``selftest --json``, or None."""
    report = _json(answer, "selftest")
    if report.get("passed") is True:
        return None
    problem = report.get("error") or report.get("first_problem") or {}
    if not isinstance(problem, dict):
        raise nonsense(f"the self test's report is malformed: {answer.output[:200]!r}")
    finding = problem.get("message") or problem.get("problem") or "not passed"
    return Failure("selftest", str(finding), str(problem.get("hint", "")), ["selftest"])


def _json(answer: Answer, command: str) -> dict[str, Any]:
    try:
        report = json.loads(answer.output)
    except (ValueError, RecursionError):
        report = None
    if not isinstance(report, dict):
        raise DeployError(f"pyhexagon {command} on the board printed no JSON but {answer.output[-200:]!r}")
    return report
