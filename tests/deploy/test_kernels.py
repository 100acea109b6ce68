# SPDX-License-Identifier: MIT
"""``deploy --kernel``: saved user kernels on a board, which programs there open by their names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from user_kernels import examples

from pyhexagon import Device
from pyhexagon.kernels import archive

from . import boards, stub
from .boards import FakeBoard


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    with boards.running(tmp_path / "board", {}) as board:
        yield board


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two saved kernels."""
    folder = tmp_path_factory.mktemp("saved")
    with Device("cpu") as device:
        for name in ("threshold", "blend"):
            examples.load(device, name).save(folder / f"{name}.phxk")
    return folder


def test_kernels_are_copied_once_replaced_by_name_and_stay(board: FakeBoard, saved: Path, tmp_path: Path) -> None:
    threshold, blend = saved / "threshold.phxk", saved / "blend.phxk"
    wheel = stub.small(tmp_path, "0.2")
    planned = board.deploy("--wheel", wheel, "--kernel", threshold, "--dry-run", "--json").json()["steps"]
    assert planned[-1]["step"] == "copy the kernel threshold.phxk"
    assert list(board.home.iterdir()) == []

    done = board.deploy("--wheel", wheel, "--kernel", threshold, "--json")
    assert done.code == 0, done.err
    there = board.prefix / "kernels/threshold.phxk"
    assert done.json()["kernels"] == [str(there)]
    assert there.read_bytes() == threshold.read_bytes()
    assert [line.partition(":")[0] for line in done.err.splitlines()] == []

    again = board.deploy("--wheel", wheel, "--kernel", threshold, "--kernel", blend)
    assert again.code == 0, again.err
    assert "copy the kernel threshold.phxk: nothing to do: it is there" in again.err
    assert f"copy the kernel blend.phxk: {blend.stat().st_size:,} bytes" in again.err
    assert f"kernel   {there} there" in again.out

    declared, _, images = archive.read(threshold)
    (tmp_path / "new").mkdir()
    other = tmp_path / "new/threshold.phxk"
    archive.save(archive.Saved(declared, "", images), other)
    there.write_bytes(there.read_bytes()[:-1])  # damaged there: its content counts, not its name
    for file in (threshold, other):
        assert board.deploy("--wheel", stub.small(tmp_path, "0.3"), "--kernel", file).code == 0
        assert there.read_bytes() == file.read_bytes()
    assert {path.name for path in (board.prefix / "kernels").iterdir()} == {"threshold.phxk", "blend.phxk"}
    assert not list((board.prefix / "uploads").iterdir())


def test_files_that_are_no_saved_kernels_are_refused_before_anything_is_copied(
    board: FakeBoard, saved: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.phxk"
    damaged.write_bytes((saved / "blend.phxk").read_bytes()[:-20])
    twin = tmp_path / "threshold.phxk"
    twin.write_bytes((saved / "threshold.phxk").read_bytes())
    wheel = stub.small(tmp_path, "0.2")
    for files, message in (
        ([examples.FOLDER / "blend.c"], "pyhexagon kernel blend.c --out blend.phxk"),
        ([damaged], "is no saved kernel"),
        ([tmp_path / "none.phxk"], "cannot read"),
        ([twin, saved / "threshold.phxk"], "two files to copy are called threshold.phxk"),
    ):
        arguments = [word for file in files for word in ("--kernel", file)]
        refused = board.deploy("--wheel", wheel, *arguments)
        assert refused.code == 1
        assert message in refused.err
        assert "Traceback" not in refused.err
    assert list(board.home.iterdir()) == []


def test_a_copy_that_stops_is_finished_by_the_next_deploy(board: FakeBoard, saved: Path, tmp_path: Path) -> None:
    blend, wheel = saved / "blend.phxk", stub.small(tmp_path, "0.2")
    assert board.deploy("--wheel", wheel).code == 0
    (kernel,) = (board.deploy("--wheel", wheel, "--kernel", blend, "--dry-run", "--json").json()["steps"])[-1:]
    digest = kernel["command"].split(" receive ")[1].split()[1]
    partial = board.prefix / "uploads" / digest / "blend.phxk.part"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(blend.read_bytes()[:1000])
    done = board.deploy("--wheel", wheel, "--kernel", blend)
    assert done.code == 0, done.err
    assert (board.prefix / "kernels/blend.phxk").read_bytes() == blend.read_bytes()
    assert json.loads(board.deploy("--wheel", wheel, "--json").out)["kernels"] == []
    assert (board.prefix / "kernels/blend.phxk").exists()
