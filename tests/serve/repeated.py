# SPDX-License-Identifier: MIT
"""Repeats a test that lost what it measures with.

A fixture stores in the test's stash that its instrument, not the code under test, died. If the test failed, its result
says nothing: the test runs once more, with new fixtures, and only the second result counts. A fault in the code under
test still fails the test, even one that kills the instrument, because the second run must pass as a whole. A warning
names the test, so that nobody overlooks a machine on which this is common.
"""

from __future__ import annotations

import warnings

import pytest
from _pytest.runner import runtestprotocol

LOST: pytest.StashKey[str] = pytest.StashKey()  #: what died during the test


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test with a browser, twice if the first run lost it."""
    if "open_page" not in getattr(item, "fixturenames", ()):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if LOST in item.stash and any(report.failed for report in reports):
        with warnings.catch_warnings():
            warnings.simplefilter("always")  # shown after the tests, and no error
            warnings.warn(pytest.PytestWarning(f"{item.nodeid} is repeated: {item.stash[LOST]}"), stacklevel=1)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
