# SPDX-License-Identifier: MIT
"""Lanes: which tests run when. Every test is in exactly one of them.

``push`` is what ``scripts/test`` runs before each change: it finds nearly all mistakes and takes a quarter of an hour
on two cores. ``long`` has the rest: other DSP versions, toolchains, wheels, aarch64, clusters, real clients, a browser,
kills at every point, sweeps of which ``push`` has a sample. ``scripts/test all`` runs both.

A test is long if `LONG` lists its folder or file, if it is marked ``@pytest.mark.long``, or if it repeats a test over
the second transport in QEMU (`repeats`). ``.ci/run`` runs the push lane, then one of `PARTS` parts of the long lane,
and the long tests that the change touches most directly, for `TOUCHED_SECONDS`; it prints the others.

`python tests/lanes.py BASE` prints the tests, of both lanes, that the changes since BASE touch (tests/touched.py).
"""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import needs
import pytest
from touched import tests_of

ROOT: Final = Path(__file__).resolve().parents[1]
PARTS: Final = 8
TOUCHED_SECONDS: Final = 200  # CPU seconds of touched long tests that --since adds to a part
_LEFT_OUT: Final = pytest.StashKey[list[str]]()
_TRANSPORTS: Final = ("dspqueue", "invoke")
_SECONDS: Final = 0.2  # CPU seconds of a long test whose file has no row

# Folders and files of the long lane, relative to tests/, with the CPU seconds that they were measured to take.
LONG: Final[Mapping[str, int]] = {
    "audit/test_archs.py": 180,
    "audit/test_contributing.py": 60,
    "audit/test_docs_site.py": 20,
    "audit/test_hexagon_sdk.py": 10,  # only CMake files can break it: tests/touched.py names it for them
    "audit/test_rebuild.py": 150,
    "benchmarks": 60,
    "cluster": 164,
    "conformance/test_cpu_levels.py": 60,
    "conformance/test_incoherent_lane.py": 45,
    "conformance/test_interrupted_rounds.py": 30,
    "conformance/test_interrupts.py": 103,
    "conformance/test_long_life.py": 20,
    "deb": 30,
    "deploy": 365,
    "doctor/test_sessions.py": 44,
    "llm/test_answers.py": 20,
    "llm/test_divergence.py": 31,
    "llm/test_perplexity.py": 20,
    "qemu/test_benchmark_skel.py": 5,
    "qemu/test_foreign.py": 5,
    "qemu/test_kills.py": 12,
    "qemu/test_shared_stops.py": 20,
    "qemu/test_stopped.py": 20,
    "serve/test_agents.py": 100,
    "serve/test_browser.py": 20,
    "serve/test_clients.py": 10,
    "serve/test_endure.py": 20,
    "serve/test_lm_eval.py": 10,
    "serve/test_microphone.py": 15,
    "serve/test_page.py": 30,
    "serve/test_page_images.py": 40,
    "serve/test_page_layout.py": 40,
    "serve/test_page_messages.py": 30,
    "serve/test_page_storage.py": 35,
    "speech/test_published.py": 60,
    "wheels": 467,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lane", choices=("push", "long"), help="only the tests of a lane (tests/lanes.py)")
    parser.addoption("--part", type=int, choices=range(1, PARTS + 1), help=f"only part K of {PARTS} of the lane")
    parser.addoption("--since", metavar="COMMIT", help="with --part: also tests that the changes since COMMIT touch")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: a test of the long lane (tests/lanes.py)")
    needs.running_lane = config.getoption("--lane") or ""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no long file in the push lane, which may lack a package that it imports."""
    is_other = config.getoption("--lane") == "push" and collection_path.is_relative_to(ROOT / "tests")
    return True if is_other and row_of(collection_path) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of the other lane and parts. Workers of pytest-xdist start with the dearest files."""
    lane, part, since = (config.getoption(name) for name in ("--lane", "--part", "--since"))
    chosen = items[:]
    if lane:
        second = {id(item) for item in repeats(items)}
        chosen = [item for item in items if (is_long(item) or id(item) in second) == (lane == "long")]
    costs = file_costs(chosen)
    if part:
        files = set(parts(costs)[part - 1])
        if since:
            ranks: dict[Path, int] = {}
            for name, rank in touched(since).items():
                path = ROOT / name.partition("::")[0]
                if path in costs and path not in files:
                    ranks[path] = min(rank, ranks.get(path, rank))
            added = affordable(costs, ranks)
            config.stash[_LEFT_OUT] = [str(path.relative_to(ROOT)) for path in sorted(ranks.keys() - added)]
            files |= added
        chosen = [item for item in chosen if item.path in files]
    if hasattr(config, "workerinput"):
        chosen.sort(key=lambda item: -costs[item.path])
    kept = {id(item) for item in chosen}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = chosen


def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash.get(_LEFT_OUT, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a pytest-xdist worker left out: all of them leave out the same."""
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if files := config.stash.get(_LEFT_OUT, []):
        terminalreporter.section(f"touched long tests beyond {TOUCHED_SECONDS} CPU seconds")
        terminalreporter.write_line(f"scripts/test long {' '.join(files)}")


def row_of(path: Path) -> str:
    """Return the row of `LONG` that contains a test file; an empty string if none does."""
    name = path.relative_to(ROOT / "tests")
    return next((str(part) for part in (name, *name.parents) if str(part) in LONG), "")


def is_long(item: pytest.Item) -> bool:
    """Whether a test is long by its file or its marker."""
    return bool(row_of(item.path)) or item.get_closest_marker("long") is not None


def repeats(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the tests in QEMU over one transport whose twins over the other one are among ``items``, too.

    Both transports carry the same bytes. The name of the test decides which of the two the push lane runs, so that it
    runs half of these tests over each.
    """
    twins = defaultdict[str, list[tuple[str, pytest.Item]]](list)
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {}).values()
        each = [word for value in given for word in (value if isinstance(value, tuple) else (value,))]
        words = {word for word in each if isinstance(word, str)}
        for transport in _TRANSPORTS:
            if transport in words and "loopback:qemu" in words:
                twins[item.nodeid.replace(transport, "*")].append((transport, item))
    return [
        item
        for name, pair in twins.items()
        for transport, item in pair
        if len(pair) == 2 and _TRANSPORTS.index(transport) == zlib.crc32(name.encode()) % 2
    ]


def file_costs(items: Iterable[pytest.Item]) -> dict[Path, float]:
    """Return the CPU seconds of the tests of each file, estimated by `LONG`, whose folders share theirs evenly."""
    counts = Counter(item.path for item in items)
    shared = Counter(row_of(path) for path in counts)
    return {
        path: LONG[row] / shared[row] if (row := row_of(path)) else _SECONDS * count for path, count in counts.items()
    }


def parts(costs: Mapping[Path, float]) -> list[list[Path]]:
    """Return the files in `PARTS` lists of about the same cost: the dearest file first, each to the cheapest list."""
    lists: list[list[Path]] = [[] for _ in range(PARTS)]
    sums = [0.0] * PARTS
    for path, cost in sorted(costs.items(), key=lambda file: (-file[1], file[0])):
        cheapest = sums.index(min(sums))
        lists[cheapest].append(path)
        sums[cheapest] += cost
    return lists


def affordable(costs: Mapping[Path, float], ranks: Mapping[Path, int]) -> set[Path]:
    """Return files that take at most `TOUCHED_SECONDS` together: those of the lowest rank first, then the cheapest."""
    found, total = set[Path](), 0.0
    for path in sorted(ranks, key=lambda path: (ranks[path], costs[path], path)):
        if total + costs[path] <= TOUCHED_SECONDS:
            total += costs[path]
            found.add(path)
    return found


def _git(*arguments: str) -> Iterator[str]:
    yield from subprocess.run(
        ["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


def touched(base: str) -> dict[str, int]:
    """Return the tests that the changes since a commit touch, those of the working tree and new files included.

    Each has its rank: how many tests `tests_of` names before it for the changed file that names it earliest. Tests that
    changed themselves, and those of a module's own file, have rank 0.
    """
    changed = [*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")]
    ranks: dict[str, int] = {}
    for path in changed:
        for rank, test in enumerate(tests_of(path)):
            ranks[test] = min(rank, ranks.get(test, rank))
    return ranks


if __name__ == "__main__":
    print(*touched(*sys.argv[1:]), sep="\n")
