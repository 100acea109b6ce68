# SPDX-License-Identifier: MIT
"""A process, a node and the head, each killed once under a server. tests/cluster/kills.py kills each many times."""

from __future__ import annotations

from pathlib import Path

import pytest
from serve.serving import model as with_template

from cluster import kills
from cluster.conftest import Nodes

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


def test_what_is_killed_comes_back_and_texts_are_right(nodes: Nodes, tmp_path: Path) -> None:
    told = kills.kills(nodes, with_template(tmp_path, layers=6), 1)
    assert not told.problems
    assert {kind: sum(ends.values()) for kind, ends in told.ends.items()} == dict.fromkeys(kills.KINDS, 1)
