# SPDX-License-Identifier: MIT
"""CPU seconds of the tests, those of the processes that they started and waited for included, by file."""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest

_SHOWN = 12  # files
_COSTS = pytest.StashKey[defaultdict[str, float]]()


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_COSTS] = defaultdict(float)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    before = _seconds()
    result = yield
    item.config.stash[_COSTS][item.location[0]] += _seconds() - before
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        costs = session.config.stash[_COSTS]
        output["costs"] = dict(costs)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the costs of a pytest-xdist worker that has ended."""
    costs = node.config.stash[_COSTS]
    for name, seconds in getattr(node, "workeroutput", {}).get("costs", {}).items():
        costs[name] += seconds


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    costs = config.stash[_COSTS]
    if not config.getoption("--lane"):
        return
    terminalreporter.section(f"CPU seconds of the tests: {sum(costs.values()):.0f}")
    for name, seconds in sorted(costs.items(), key=lambda file: -file[1])[:_SHOWN]:
        terminalreporter.write_line(f"{seconds:6.1f} {name}")
