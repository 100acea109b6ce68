# SPDX-License-Identifier: MIT
"""Split GGUF models: the first part represents all."""

from pathlib import Path

import numpy as np
import pytest
from split_gguf import write_parts

from pyhexagon.errors import ClosedError, GGUFError
from pyhexagon.gguf.file import GGUFFile


def test_the_first_part_of_a_split_model_stands_for_all(tmp_path: Path) -> None:
    with GGUFFile(write_parts(tmp_path)) as file:
        assert file.names() == list(file) == ["1.a", "1.b", "2.a", "2.b"]
        assert (len(file), "2.b" in file, "3.a" in file) == (4, True, False)
        for name in file:
            assert np.all(file.raw(name).view(np.float32) == int(name[0]))
        content = file.raw("2.a")
    assert content.view(np.float32)[0, 0] == 2
    with pytest.raises(ClosedError):
        file.raw("2.a")
    with GGUFFile(tmp_path / "m-00002-of-00003.gguf") as part:
        assert part.names() == ["1.a", "1.b"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"no2": 1}, "m-00003-of-00003.gguf is part 1 of 3, counted from 0: expected 2 of 3"),
        ({"no1": 0}, "m-00002-of-00003.gguf is the first of 3 parts: its name must end with -00001-of-00003.gguf"),
        ({"tensors": 5}, "its 3 parts have 4 tensors: expected 5"),
        ({"twin": 1}, "tensors of its 3 parts have the same names"),
    ],
)
def test_parts_that_do_not_belong_together(tmp_path: Path, changes: dict[str, int], words: str) -> None:
    first = write_parts(tmp_path, **changes)
    with pytest.raises(GGUFError) as error:
        GGUFFile(first)
    assert words in str(error.value)


def test_parts_that_are_missing_or_twins_or_misnamed(tmp_path: Path) -> None:
    first = write_parts(tmp_path)
    (tmp_path / "m-00003-of-00003.gguf").rename(tmp_path / "other.gguf")
    with pytest.raises(GGUFError, match=r"m-00003-of-00003\.gguf: No such file"):
        GGUFFile(first)
    first.rename(tmp_path / "first.gguf")
    with pytest.raises(GGUFError, match=r"its name must end with -00001-of-00003\.gguf"):
        GGUFFile(tmp_path / "first.gguf")
