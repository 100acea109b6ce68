# SPDX-License-Identifier: MIT
"""A pytest plugin for ``scripts/mutants``: tests run in the order of the arguments, and a file tells what happens.

Each test adds a line to the file that MUTANTS_LOG names when it starts, and another one when it fails.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _tell(word: str, node: str) -> None:
    with Path(os.environ["MUTANTS_LOG"]).open("a", encoding="utf-8") as log:
        log.write(f"{word} {node}\n")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the tests by the first argument that names them."""
    arguments = list(config.args)

    def place(item: pytest.Item) -> int:
        return next(at for at, argument in enumerate(arguments) if item.nodeid.startswith(argument))

    items.sort(key=place)


def pytest_runtest_logstart(nodeid: str) -> None:
    _tell("started", nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _tell("failed", report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _tell("failed", report.nodeid)
