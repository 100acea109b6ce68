# SPDX-License-Identifier: MIT
"""tests/lanes.py: every test is in exactly one lane, and every long one in exactly one part."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lanes
import pytest

FOLDER = lanes.ROOT / "tests"


def item(name: str, *params: object, marked: bool = False) -> Any:
    """Return what the lanes read of a test of this node id."""
    path, _, rest = name.partition("::")
    marker = pytest.mark.long if marked else None
    given = SimpleNamespace(params={str(at): value for at, value in enumerate(params)})
    return SimpleNamespace(
        path=FOLDER / path, nodeid=f"tests/{path}::{rest}", callspec=given, get_closest_marker=lambda _: marker
    )


def configured(**options: object) -> Any:
    """Return what the lanes read of a worker's configuration."""
    return SimpleNamespace(
        getoption=lambda name: options.get(name.removeprefix("--")), workerinput={}, stash=pytest.Stash(),
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )  # fmt: skip


def run(items: list[Any], **options: object) -> list[str]:
    """Return the node ids of the tests that are left, without tests/; the others must have been deselected."""
    left, other = items[:], []

    def deselected(items: list[Any]) -> None:
        other.extend(items)

    config = configured(**options)
    config.hook.pytest_deselected = deselected
    lanes.pytest_collection_modifyitems(config, left)
    assert len(left) + len(other) == len(items)
    return [one.nodeid.removeprefix("tests/") for one in left]


@pytest.fixture
def items(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setattr(lanes, "LONG", {"deploy": 30, "ops/test_long.py": 5})
    devices = list(product(("loopback", "loopback:qemu"), ("invoke", "dspqueue")))
    return [
        item("deploy/test_a.py::test"),
        item("deploy/test_b.py::test"),
        item("ops/test_long.py::test"),
        item("ops/test_short.py::test_marked", marked=True),
        *(item(f"ops/test_short.py::test[{engine}-{transport}]", (engine, transport)) for engine, transport in devices),
        item("ops/test_short.py::test_alone[loopback:qemu-invoke]", "loopback:qemu", "invoke"),
        item("llm/test_x.py::test"),
    ]


def test_every_test_is_in_one_lane(items: list[Any]) -> None:
    push, long = run(items, lane="push"), run(items, lane="long")
    assert sorted(push + long) == sorted(run(items))
    second = {name for name in long if "qemu" in name}
    assert long[:3] == ["deploy/test_a.py::test", "deploy/test_b.py::test", "ops/test_long.py::test"]
    assert set(long[3:]) - second == {"ops/test_short.py::test_marked"}
    assert len(second) == 1
    assert second < {"ops/test_short.py::test[loopback:qemu-invoke]", "ops/test_short.py::test[loopback:qemu-dspqueue]"}


def test_the_parts_contain_every_long_test_once(items: list[Any]) -> None:
    found = [run(items, lane="long", part=part) for part in range(1, lanes.PARTS + 1)]
    assert sorted(name for names in found for name in names) == sorted(run(items, lane="long"))
    assert found[:2] == [["deploy/test_a.py::test"], ["deploy/test_b.py::test"]]


def test_a_part_gets_what_is_touched_directly_then_what_is_cheap(
    items: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = {"tests/deploy/test_b.py": 1, "tests/ops/test_long.py::test": 1, "tests/llm/test_x.py": 0}
    monkeypatch.setattr(lanes, "touched", lambda base: ranks)
    monkeypatch.setattr(lanes, "TOUCHED_SECONDS", 15)
    assert run(items, lane="long", part=1, since="HEAD") == ["deploy/test_a.py::test", "ops/test_long.py::test"]
    ranks["tests/deploy/test_b.py"] = 0
    files = ["deploy/test_a.py::test", "deploy/test_b.py::test"]
    assert run(items, lane="long", part=1, since="HEAD") == files


def test_a_run_says_how_to_run_what_it_left_out(items: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = {"tests/deploy/test_b.py": 0, "tests/ops/test_long.py::test": 1, "tests/llm/test_x.py": 0}
    monkeypatch.setattr(lanes, "touched", lambda base: ranks)
    monkeypatch.setattr(lanes, "TOUCHED_SECONDS", 5)
    config, lines = configured(lane="long", part=1, since="HEAD"), list[str]()
    lanes.pytest_collection_modifyitems(config, items)
    assert [item.nodeid for item in items] == ["tests/deploy/test_a.py::test", "tests/ops/test_long.py::test"]
    output: dict[str, object] = {}
    session: Any = SimpleNamespace(config=SimpleNamespace(workeroutput=output, stash=config.stash))
    lanes.pytest_sessionfinish(session)
    controller: Any = SimpleNamespace(stash=pytest.Stash())
    lanes.pytest_testnodedown(SimpleNamespace(config=controller, workeroutput=output))
    reporter: Any = SimpleNamespace(section=lines.append, write_line=lines.append)
    lanes.pytest_terminal_summary(reporter, controller)
    assert lines == ["touched long tests beyond 5 CPU seconds", "scripts/test long tests/deploy/test_b.py"]


def test_a_test_of_a_changed_file_has_the_rank_of_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"diff": ["one.py", "two.py"], "ls-files": ["three.py"]}
    tests = {"one.py": ["tests/a.py", "tests/b.py"], "two.py": ["tests/b.py"], "three.py": ["tests/c.py", "tests/a.py"]}
    monkeypatch.setattr(lanes, "_git", lambda command, *_: changed[command])
    monkeypatch.setattr(lanes, "tests_of", lambda path: tests[path])
    assert lanes.touched("HEAD") == {"tests/a.py": 0, "tests/b.py": 0, "tests/c.py": 0}
    tests["two.py"] = []
    assert lanes.touched("HEAD") == {"tests/a.py": 0, "tests/b.py": 1, "tests/c.py": 0}


def test_rows_name_what_is_there_and_no_row_is_within_another() -> None:
    for row in lanes.LONG:
        path = FOLDER / row
        assert path.is_file() or any(path.glob("test_*.py")), row
        assert not [str(parent) for parent in Path(row).parents if str(parent) in lanes.LONG], row
