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


def run(items: list[Any], **options: object) -> list[str]:
    """Return the node ids of the tests that are left, without tests/; the others must have been deselected."""
    left, other = items[:], []

    def deselected(items: list[Any]) -> None:
        other.extend(items)

    hook = SimpleNamespace(pytest_deselected=deselected)
    config: Any = SimpleNamespace(
        getoption=lambda name: options.get(name.removeprefix("--")), hook=hook, workerinput={}
    )
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


def test_a_part_gets_the_cheapest_touched_files(items: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["tests/deploy/test_b.py", "tests/ops/test_long.py::test", "tests/llm/test_x.py"]
    monkeypatch.setattr(lanes, "touched", lambda base: names)
    monkeypatch.setattr(lanes, "TOUCHED_SECONDS", 10)
    assert run(items, lane="long", part=1, since="HEAD") == ["deploy/test_a.py::test", "ops/test_long.py::test"]


def test_rows_name_what_is_there_and_no_row_is_within_another() -> None:
    for row in lanes.LONG:
        path = FOLDER / row
        assert path.is_file() or any(path.glob("test_*.py")), row
        assert not [str(parent) for parent in Path(row).parents if str(parent) in lanes.LONG], row
