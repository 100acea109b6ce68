# SPDX-License-Identifier: MIT
"""Fails a test that leaves a thread, an open file, a child process or shared memory, and names what is left.

A test is compared with the time before its own fixtures and after those of a wider scope, which hold what they like. If
one of these may hold resources (a server, a device), it may also get more of them in any test, such as a thread for the
first request: then the whole file is compared, once the fixtures of the file have ended.

The host engine's DSP process, its threads and its image, ends when it likes: tests/loopback and tests/conformance look
at what they leave.

A test in which another program's fault leaks is marked ``@pytest.mark.leaks("whose fault")``.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from holdings import children
from waiting import LONG

_IMAGE = "memfd:libpyhexagon_skel"
_PLAIN = (str, bytes, int, float, Path, type(None))


class Held(NamedTuple):
    """What this process holds: targets by open file descriptor, names by thread, commands by child process, names of
    mapped shared memory by inode."""

    files: dict[int, str]
    threads: dict[int, str]
    processes: dict[int, str]
    maps: dict[int, str]

    def more_than(self, before: Held) -> str:
        """Return what is new where there is more of a kind than before."""
        found = []
        for kind, now, then in zip(self._fields, self, before, strict=True):
            if len(now) > len(then):
                new = sorted(set(now.items()) - set(then.items()))
                names = ", ".join(f"{number} ({name})" for number, name in new)
                found.append(f"{len(now) - len(then)} {kind}, of {names}")
        return "; ".join(found)


def held() -> Held:
    workers = _idle_workers()
    files = {}
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the listing's own, or closed meanwhile
            files[int(name)] = os.readlink(f"/proc/self/fd/{name}")
    files = {number: target for number, target in files.items() if _IMAGE not in target}
    threads = {thread.native_id: thread.name for thread in threading.enumerate() if thread.native_id is not None}
    processes = _names("/proc/{}/comm", children())
    for worker in workers:
        files.pop(worker._socket.fileno(), None)
        processes.pop(worker._process.pid, None)
    n_pages, _, n_shared, *_ = Path("/proc/self/statm").read_bytes().split()
    return Held(files, threads, processes, _maps(n_pages, n_shared))


@lru_cache(1)
def _maps(_n_pages: bytes, _n_shared: bytes) -> dict[int, str]:
    """Return the names of mapped shared memory by inode.

    The kernel takes half a millisecond to write the list, so it is read only if the pages of the address space, or the
    resident ones that are shared, are not as many as at the last time: another mapping changes the first number, and
    its first use the second one.
    """
    lines = Path("/proc/self/maps").read_bytes().splitlines()
    shared = [line.decode() for line in lines if b"memfd" in line or b"dmabuf" in line]
    mapped = [line.split(maxsplit=5) for line in shared if _IMAGE not in line]
    return {int(fields[4]): fields[5] for fields in mapped}


def _names(path: str, numbers: list[int]) -> dict[int, str]:
    names = {}
    for number in numbers:
        with suppress(OSError):  # it has ended
            names[number] = Path(path.format(number)).read_text().strip()
    return names


def _idle_workers() -> list[Any]:
    """Return the processes that render chat templates, which stay for the next text."""
    module = sys.modules.get("pyhexagon.workers")
    return list(module._all) if module is not None else []


def left_since(before: Held) -> str:
    """Wait until no more is held than before, and return what is left after LONG seconds: threads may take a while."""
    end, delay = time.monotonic() + LONG, 0.005
    left = held().more_than(before)
    while left and time.monotonic() < end:
        gc.collect()
        time.sleep(delay)
        delay = min(2 * delay, 0.5)  # looking costs more than waiting
        left = held().more_than(before)
    return left


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN) or type(value).__module__ == "numpy"


# --- Fixtures of a wider scope than a test ---

_wide: dict[str, str] = {}  # the scopes of those that may hold resources, by name


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    value = yield
    if fixturedef.scope != "function" and not _is_plain(value):
        _wide[fixturedef.argname] = fixturedef.scope
    return value


def pytest_fixture_post_finalizer(fixturedef: pytest.FixtureDef[Any]) -> None:
    if fixturedef.scope != "function":
        _wide.pop(fixturedef.argname, None)


def _scopes(item: pytest.Item) -> set[str]:
    """Return the scopes of the wider fixtures that the test uses."""
    return {_wide[name] for name in getattr(item, "fixturenames", ()) if name in _wide}


# --- Comparisons ---

_HAS_FAILED = pytest.StashKey[bool]()


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.excinfo is not None:
        item.stash[_HAS_FAILED] = True  # the traceback refers to what the test held


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "leaks(why): what the test leaves is not its fault (tests/leaks.py)")


@pytest.fixture(autouse=True)
def all_released(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare a test alone. A plugin's fixture begins before those of conftest.py and ends after them."""
    before = held()
    yield
    if request.node.get_closest_marker("leaks") is not None:
        return
    if request.node.stash.get(_HAS_FAILED, False) or _scopes(request.node) or not held().more_than(before):
        return
    request.node.funcargs.clear()  # the values of fixtures that have ended
    if left := left_since(before):
        pytest.fail(f"left behind: {left}", pytrace=False)


class _File(NamedTuple):
    """A file whose tests run: what this process held before, and the scopes of the wider fixtures used since."""

    path: Path
    before: Held
    scopes: set[str]


_file: list[_File] = []  # the last one


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    if not _file or _file[-1].path != item.path:
        _file[:] = [_File(item.path, held(), set())]
    try:
        return (yield)
    finally:
        _file[-1].scopes.update(_scopes(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    yield
    file = _file[-1]
    is_last = nextitem is None or nextitem.path != item.path
    if not is_last or not file.scopes or not file.scopes <= {"class", "module"}:
        return
    getattr(item, "funcargs", {}).clear()  # the values of fixtures that have ended
    if left := left_since(file.before):
        pytest.fail(f"left behind by the tests of {item.path.name}: {left}", pytrace=False)
