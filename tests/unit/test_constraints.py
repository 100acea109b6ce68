# SPDX-License-Identifier: MIT
"""scripts/constraints.txt pins every package that the package, its tests and tools depend on."""

from __future__ import annotations

from importlib import metadata

import needs
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OLDEST, NEWEST = 10, 13
LOCKED = [
    Requirement(line)
    for line in (needs.ROOT / "scripts/constraints.txt").read_text().splitlines()
    if not line.startswith("#")
]


def pulled_in(name: str, extras: frozenset[str], seen: set[str]) -> set[str]:
    """Return the canonical names of a package's dependencies here, transitively."""
    for requirement in map(Requirement, metadata.requires(name) or ()):
        if not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            inner = canonicalize_name(requirement.name)
            if inner not in seen:
                seen.add(inner)
                pulled_in(inner, frozenset(requirement.extras), seen)
    return seen


@pytest.mark.parametrize(
    "extras", ["test", pytest.param("test-clients,cluster,docs", marks=pytest.mark.long)]
)  # those that a lane installs
def test_every_package_that_is_pulled_in_is_locked(extras: str) -> None:
    needed = pulled_in("pyhexagon", frozenset(extras.split(",")), set())
    assert {"numpy", "rich"} <= needed
    assert sorted(needed - {canonicalize_name(requirement.name) for requirement in LOCKED}) == []


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_a_package_has_one_version_for_a_python(minor: int) -> None:
    python = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.0"}
    chosen = [each for each in LOCKED if not each.marker or each.marker.evaluate(python)]
    names = [each.name for each in chosen]
    assert len(names) == len(set(names))
    assert {specifier.operator for each in chosen for specifier in each.specifier} == {"=="}
