# SPDX-License-Identifier: MIT
"""Seeds of the tests that draw random numbers, among them those of hypothesis.

PYHEXAGON_TEST_SEED decides what they draw:

- unset: what each test's file and name say; the same in every run
- a number: something else, the same in every run with this number
- fresh: a number that is drawn, printed before the tests and, as a command that runs the test again, with each failure
"""

from __future__ import annotations

import hashlib
import os
import secrets
from typing import Any

import hypothesis
import pytest

VARIABLE = "PYHEXAGON_TEST_SEED"


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Draw the run's number before pytest-xdist starts its workers, which inherit it."""
    number = os.environ.get(VARIABLE, "")
    if number == "fresh":
        os.environ[VARIABLE] = str(secrets.randbits(32))
    elif number and not number.isdecimal():
        raise pytest.UsageError(f'{VARIABLE} is a number or "fresh", not {number!r}')


def pytest_report_header() -> str:
    return f"{VARIABLE}={os.environ.get(VARIABLE, '')}"


def of(item: pytest.Item) -> int:
    """Return the seed of a test: 32 bits that the folder and the order of the tests have no influence on."""
    name = f"{os.environ.get(VARIABLE, '')}:{item.path.name}::{item.name}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return of(request.node)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed hypothesis if a number is given, and add the command that draws the same to a failed test's report."""
    if not os.environ.get(VARIABLE):
        return
    function: Any = getattr(item, "function", None)
    if hypothesis.is_hypothesis_test(function):
        hypothesis.seed(of(item))(getattr(function, "__func__", function))
    elif "seed" not in getattr(item, "fixturenames", ()):
        return
    item.add_report_section("setup", "seed", f"{VARIABLE}={os.environ[VARIABLE]} python -m pytest '{item.nodeid}'")
