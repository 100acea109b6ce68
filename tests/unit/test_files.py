# SPDX-License-Identifier: MIT
"""Output files: as a whole or not at all, whatever ends the writing."""

from __future__ import annotations

import os
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
