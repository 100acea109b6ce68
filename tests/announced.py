# SPDX-License-Identifier: MIT
"""Fails tests that are skipped for a reason that scripts/test has not announced."""

from __future__ import annotations

from collections.abc import Generator

import needs
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip that does not come from needs.require into a failure."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and needs.PROVIDED_BY not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} would be skipped for a reason that is not in tests/needs.py"
    return report
