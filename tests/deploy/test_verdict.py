# SPDX-License-Identifier: MIT
"""Whether a failure is the version's fault or the board's."""

from __future__ import annotations

import json

import pytest

from pyhexagon import DeployError
from pyhexagon.deploy import verdict
from pyhexagon.deploy.answers import Answer
from pyhexagon.doctor.doctor import HARDWARE, NEEDS
from pyhexagon.doctor.stages import STAGES

ORDER = [*HARDWARE, "search-paths", "skel", *STAGES]


def fails(check: str | None) -> verdict.Failure | None:
    return None if check is None else verdict.Failure(check, "", "", ORDER)


@pytest.mark.parametrize(
    ("check", "current", "expected"),
    [
        ("nodes", None, False),
        ("capabilities", None, False),
        ("open", None, True),
        ("open", "open", False),
        ("open", "nodes", False),
        ("open", "matmul", True),
        ("skel", None, True),
        ("matmul", "selftest", True),
        ("selftest", "matmul", False),
    ],
)
def test_upgrade_must_not_be_worse_than_what_is_there(check: str, current: str | None, expected: bool) -> None:
    failure = fails(check)
    assert failure is not None
    assert failure.blames_version(fails(current), is_first=False) is expected


@pytest.mark.parametrize("check", ORDER)
def test_first_version_is_refused_for_its_own_files_and_results_only(check: str) -> None:
    failure = fails(check)
    assert failure is not None
    expected = check in {"skel", "contract", "matmul", "selftest"}
    assert failure.blames_version(None, is_first=True) is expected


def test_every_name_is_a_check_of_the_doctor() -> None:
    assert set(ORDER) >= verdict.OF_THE_BOARD | verdict.OF_EITHER | set(NEEDS)


def test_self_test_that_follows_a_passed_doctor_fails_later_than_any_check() -> None:
    failure = verdict.of_selftest(Answer({}, json.dumps({"error": {"message": "lost", "hint": "reopen"}})))
    assert failure is not None
    assert (failure.check, failure.finding, failure.remedy) == ("selftest", "lost", "reopen")
    assert failure.blames_version(None, is_first=False) is True
    assert failure.blames_version(fails("open"), is_first=False) is False


def test_a_machine_that_is_no_board_is_the_first_problem_as_for_doctor() -> None:
    soc = {"name": "soc", "status": "warning", "finding": "a PC", "remedy": "a board"}
    nodes = {"name": "nodes", "status": "failed", "finding": "none", "remedy": "docker"}
    first = {"check": "soc", "finding": "a PC", "remedy": "a board"}
    report = {"checks": [soc, nodes], "first_problem": first}
    failure = verdict.of_doctor(Answer({}, json.dumps(report)))
    assert failure is not None
    assert (failure.check, failure.finding, failure.remedy) == ("soc", "a PC", "a board")
    ours = {"name": "matmul", "status": "failed", "finding": "wrong bits", "remedy": ""}
    failure = verdict.of_doctor(Answer({}, json.dumps({"checks": [soc, ours], "first_problem": first})))
    assert failure is not None
    assert failure.check == "matmul"  # the fault of our files, whatever the machine is


@pytest.mark.parametrize("output", ["", "Traceback", "[]", "{}", '{"checks": 3}', '{"checks": [{}]}'])
def test_doctor_that_says_nothing_sensible_is_an_error(output: str) -> None:
    with pytest.raises(DeployError):
        verdict.of_doctor(Answer({}, output))
