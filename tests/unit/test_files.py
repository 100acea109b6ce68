# SPDX-License-Identifier: MIT
"""Output files: written atomically, whatever ends the writing."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from pyhexagon import HexagonError, files


def hello(file: BinaryIO) -> None:
    file.write(b"hello")


@pytest.mark.parametrize(
    ("problem", "told"), [(OSError(28, "No space left"), HexagonError), (KeyboardInterrupt(), KeyboardInterrupt)]
)
def test_what_ends_the_writing_leaves_the_old_file_and_no_other(
    tmp_path: Path, problem: BaseException, told: type[BaseException]
) -> None:
    path = tmp_path / "result"
    files.save(path, hello)

    def interrupted(file: BinaryIO) -> None:
        file.write(b"half of it")
        raise problem

    with pytest.raises(told):
        files.save(path, interrupted)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("result", b"hello")]


def test_the_rest_of_a_process_that_was_killed_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f".result.{os.getpid()}.part").write_bytes(b"half of it")
    files.save(tmp_path / "result", hello)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("result", b"hello")]


@pytest.mark.parametrize("path", ["no/y", "folder", "x" * 300, "/proc/y", "/dev/null", "dangling"])
def test_what_cannot_be_saved_is_found_out_before(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("dangling").symlink_to("no/y")
    with pytest.raises(HexagonError, match="cannot write"):
        files.check(Path(path))
    assert {one.name for one in tmp_path.iterdir()} == {"folder", "dangling"}


def test_a_folder_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for use in (files.check, lambda path: files.save(path, hello)):
        with pytest.raises(HexagonError, match="cannot write y"):
            use(Path("y"))


@pytest.mark.parametrize(("is_private", "mode"), [(True, 0o600), (False, 0o644)])
def test_what_has_prompts_in_it_is_its_owners_alone(tmp_path: Path, is_private: bool, mode: int) -> None:
    path = tmp_path / "result"
    path.write_bytes(b"before")
    path.chmod(0o666)
    before = os.umask(0o022)
    try:
        files.save(path, hello, is_private=is_private)
    finally:
        os.umask(before)
    assert path.read_bytes() == b"hello"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_dangling_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    for use in (files.check, lambda path: files.save(path, hello)):
        with pytest.raises(HexagonError, match=r"symbolic link to .*target, which does not exist"):
            use(link)
    assert [one.name for one in tmp_path.iterdir()] == ["link"]
    target.write_bytes(b"old")
    files.save(link, hello)
    assert link.is_symlink()
    assert target.read_bytes() == b"hello"
