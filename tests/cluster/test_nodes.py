# SPDX-License-Identifier: MIT
"""How Ray is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyhexagon import ClusterError
from pyhexagon.cluster import nodes


def test_only_a_head_is_told_of_the_dashboard() -> None:
    """Ray refuses the option of a node that joins."""
    head, board = (nodes.start_command(address, 7000, is_board=True) for address in (None, "one:7000"))
    assert {"--head", "--port=7000", "--include-dashboard=false"} <= set(head)
    assert "--address=one:7000" in board
    assert not any(one.startswith(("--head", "--include-dashboard", "--port")) for one in board)
    assert '--resources={"hexagon": 1}' in board
    assert "--resources={}" in nodes.start_command(None, 7000, is_board=False)


def test_a_token_is_kept_for_its_user_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    made = nodes.token()
    path = tmp_path / ".ray/auth_token"
    assert made == nodes.token() == path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ClusterError, match="no token"):
        nodes.keep_token("short")
    nodes.keep_token("a" * 64)
    assert nodes.token() == "a" * 64
