# SPDX-License-Identifier: MIT
"""Does a version work on the board, and if not: is that the version's fault or the board's?

A board whose DSP does not run must still get its new version: with that one's doctor it is mended. A version that
breaks what works must not become current. So what a check looks at decides, and where that leaves it open, whether the
version that is current now fails no later.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyhexagon.deploy.connection import Answer
from pyhexagon.errors import DeployError

OF_THE_BOARD: Final = frozenset({
    *("soc", "device-tree", "remoteproc", "nodes", "dma-heap", "library", "shell", "search-paths"),
    *("symbols", "capabilities"),
})
"""Checks that look at the board only: kernel, firmware, rights, the system's library."""
OF_EITHER: Final = frozenset({"open", "memory", "echo-invoke", "echo-dspqueue"})
"""Checks in which the board's firmware and our files meet. All others look at our files and their results."""


@dataclass(frozen=True)
class Failure:
    """The first check that failed.

    Attributes:
        check: name of a check of the doctor; "selftest" is also the self test's own name.
        order: names of all checks, in the order of the walk.
    """

    check: str
    finding: str
    remedy: str
    order: Sequence[str]

    def is_the_versions_fault(self, of_current: Failure | None, *, is_first: bool) -> bool:
        """Whether this failure must keep a version from becoming current.

        Args:
            of_current: what the current version fails at on the same device; None when it does not fail.
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
    """What the doctor's report (``doctor --json``) says; warnings do not count."""
    report = _json(answer, "doctor")
    try:
        order = [check["name"] for check in report["checks"]]
        for check in report["checks"]:
            if check["status"] == "failed":
                return Failure(check["name"], check["finding"], check["remedy"], order)
    except (KeyError, TypeError):
        raise DeployError(f"the doctor's report is odd: {answer.output[:200]!r}") from None
    return None


def of_selftest(answer: Answer) -> Failure | None:
    """What ``selftest --json`` says."""
    report = _json(answer, "selftest")
    if report.get("passed") is True:
        return None
    problem = report.get("error") or report.get("first_problem") or {}
    finding = problem.get("message") or problem.get("problem") or "not passed"
    return Failure("selftest", str(finding), str(problem.get("hint", "")), ["selftest"])


def _json(answer: Answer, command: str) -> dict[str, Any]:
    try:
        report = json.loads(answer.output)
    except ValueError:
        report = None
    if not isinstance(report, dict):
        raise DeployError(f"pyhexagon {command} on the board gave no JSON but {answer.output[-200:]!r}")
    return report
