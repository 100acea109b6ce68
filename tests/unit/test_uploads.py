# SPDX-License-Identifier: MIT
"""Uploads to a board, without one: tests/deploy, of the long lane, has those over ssh."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pyhexagon.deploy import uploads
from pyhexagon.errors import DeployError


def test_an_upload_that_is_larger_than_its_file_begins_anew() -> None:
    package: Any = SimpleNamespace(size=100, path=Path("pyhexagon.whl"))
    assert [uploads._offset(have, package) for have in ("whole", "0", "99", "100", "101")] == [100, 0, 99, 100, 0]
    with pytest.raises(DeployError, match=r"the size of pyhexagon\.whl"):
        uploads._offset("100 bytes", package)
