# SPDX-License-Identifier: MIT
"""Interrupted deploys: killed, out of space, or concurrent with another one."""

from __future__ import annotations

import fcntl
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from . import boards, stub
from .boards import FakeBoard, wait_until

SLOW = Path(__file__).with_name("slow_pipe.py")
MIB = 1 << 20


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    with boards.running(tmp_path / "board", {}) as board:
        yield board


def arrived(board: FakeBoard) -> int:
    return sum(path.stat().st_size for path in board.prefix.glob("uploads/*/*.part"))


def has_grown(board: FakeBoard, size: int) -> bool:
    return arrived(board) > size


def slow(board: FakeBoard) -> tuple[str, ...]:
    return ("-o", f"ProxyCommand={sys.executable} {SLOW} %h %p {board.folder}/pipe")


def test_killed_while_copying_and_while_installing_it_goes_on_where_it_stopped(
    board: FakeBoard, tmp_path: Path
) -> None:
    board.prefix_in_home = "odd 'folder'"
    board.put_old_version()
    wheel = stub.small(tmp_path, "0.2", padding=6 * MIB)
    with board.start(*board.usual(), "--wheel", wheel, *slow(board)) as copying:
        wait_until(lambda: arrived(board) > MIB // 4)
        copying.kill()
    wait_until(lambda: not board.processes())  # no process outlives the deploy for long
    there = arrived(board)
    assert MIB // 4 < there < wheel.stat().st_size
    assert board.versions == {board.OLD}

    with board.start(*board.usual(), "--wheel", wheel) as installing:
        wait_until(lambda: bool(list(board.prefix.glob("versions/0.2-*/bin/python"))))
        installing.kill()
        _, told = installing.communicate()
    assert f"{there / MIB:.1f} MiB were there" in told
    assert board.version("current") == board.OLD
    assert board.command() == "old\n"

    done = board.deploy("--wheel", wheel, "--json")  # while the previous deploy's pip may still be running
    assert done.code == 0, done.err
    assert (done.json()["copied_bytes"], done.json()["installed"]) == (0, True)
    assert board.command("--version") == "pyhexagon 0.2\n"
    assert board.versions == {board.OLD, board.version("current")}


def test_connection_that_breaks(board: FakeBoard, tmp_path: Path) -> None:
    wheel = stub.small(tmp_path, "0.1", padding=6 * MIB)
    with board.start(*board.usual(), "--wheel", wheel, *slow(board)) as copying:
        wait_until(lambda: arrived(board) > 0)
        os.kill(int((board.folder / "pipe").read_text()), signal.SIGKILL)
        _, told = copying.communicate(timeout=boards.TIMEOUT)
    assert copying.returncode == 1
    assert "connection to board was lost during receive" in told
    assert "deploy again: it resumes where this one stopped" in told
    assert 0 < arrived(board) < wheel.stat().st_size


def test_signals_leave_nothing_behind(board: FakeBoard, tmp_path: Path) -> None:
    wheel = stub.small(tmp_path, "0.1", padding=12 * MIB)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        before = arrived(board)
        with board.start(*board.usual(), "--wheel", wheel, *slow(board), TMPDIR=str(temporary)) as copying:
            wait_until(functools.partial(has_grown, board, before))
            copying.send_signal(number)
            copying.communicate(timeout=boards.TIMEOUT)
        assert copying.returncode == 128 + number
        assert list(temporary.iterdir()) == []
    wait_until(lambda: not board.processes())


def test_what_arrived_is_thrown_away_when_it_is_something_else(board: FakeBoard, tmp_path: Path) -> None:
    wheel = stub.small(tmp_path, "0.1", padding=1000)
    digest = subprocess.run(["sha256sum", wheel], capture_output=True, text=True, check=True).stdout.split()[0]
    part = board.prefix / "uploads" / digest / f"{wheel.name}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"another")
    # Even if only this may be written: it ends before the install.
    (board.prefix / "versions").write_text("no folder")
    assert board.deploy("--wheel", wheel).code == 1
    assert part.with_suffix("").read_bytes() == wheel.read_bytes()


def test_one_deploy_at_a_time(board: FakeBoard, tmp_path: Path) -> None:
    board.prefix.mkdir(parents=True)
    with (board.prefix / ".deploy.lock").open("w") as lock:
        lock.write("12345\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = board.deploy("--wheel", stub.small(tmp_path, "0.1"))
    assert done.code == 1
    assert "another deploy is running on board (process 12345 there)" in done.err
    assert "board kill 12345" in done.err


def test_too_little_space_is_seen_before_anything_is_sent(board: FakeBoard, tmp_path: Path) -> None:
    df = board.tools / "df"
    df.write_text("#!/bin/sh\necho /dev/mmcblk0p3 30000000 29998976 1024 100% /\n")
    df.chmod(0o755)
    done = board.deploy("--wheel", stub.small(tmp_path, "0.1", padding=MIB))
    assert done.code == 1
    assert "disk of board is full: 2.0 MiB are needed, 1.0 MiB of 29296.9 MiB are free" in done.err
    assert list(board.prefix.glob("uploads/*/*")) == []


@contextmanager
def small_disk(folder: Path) -> Iterator[int]:
    """Mount a disk of 24 MiB on the folder if this user may; else yield the file size at which writes must fail."""
    mounted = os.getuid() == 0 and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(folder)], capture_output=True, check=False
    ).returncode
    try:
        yield 0 if mounted else MIB
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_fills_up_leaves_the_old_version_and_nothing_half(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk) as limit, boards.running(tmp_path / "board", {}, limit) as board:
        board.prefix_in_home = str(disk)
        board.put_old_version()
        (disk / "ballast").write_bytes(bytes(limit or 14 * MIB))
        before = set(disk.rglob("*"))
        done = board.deploy("--wheel", stub.small(tmp_path, "0.2"))
        assert done.code == 1
        assert "the disk of board is full" in done.err
        assert "were free when it stopped" in done.err
        assert board.command() == "old\n"
        left = {path for path in disk.rglob("*") if path.name not in {".deploy.lock", ".step.lock", "uploads"}}
        assert left == before
