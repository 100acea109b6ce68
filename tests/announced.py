# SPDX-License-Identifier: MIT
"""No test is skipped for a reason that scripts/test has not announced."""

from __future__ import annotations

from collections.abc import Generator

import needs
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Makes a failure of a skip that is not one of needs.require's."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and needs.PROVIDED_BY not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} would be skipped for a reason that is not in tests/needs.py"
    return report
