# SPDX-License-Identifier: MIT
"""Class names are unique, so that a name identifies a class."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import needs

PACKAGE = needs.ROOT / "pyhexagon"


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[Path]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(PACKAGE))
    assert len(places) > 50
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
