# SPDX-License-Identifier: MIT
"""The lock of what deploy installs: it is complete, and deploy installs nothing else."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import needs
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pyhexagon.deploy.wheel import Wheel

from . import boards, stub

tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
PROJECT: dict[str, Any] = tomllib.loads((needs.ROOT / "pyproject.toml").read_text())["project"]
LOCK: dict[str, list[dict[str, Any]]] = json.loads((needs.ROOT / "pyhexagon/deploy/lock.json").read_text())
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MDURL = next(package for package in LOCK["llm"] if package["name"] == "mdurl")
NEEDS_MDURL = "Provides-Extra: llm\nRequires-Dist: mdurl; extra == 'llm'\n"


def locked(**changes: object) -> str:
    """A lock with this one package."""
    return json.dumps({"llm": [{**MDURL, **changes}]})


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_has_one_version_that_the_project_allows(python: str) -> None:
    for extra in ("llm", "speech", "serve", "cluster"):
        chosen = {one["name"]: one for one in [*LOCK["llm"], *LOCK[extra]] if python in one["pythons"]}
        n_lines = sum(python in one["pythons"] for one in LOCK[extra])
        assert n_lines == len({one["name"] for one in LOCK[extra] if python in one["pythons"]})
        for text in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]]:
            requirement = Requirement(text)
            if requirement.marker is not None and not requirement.marker.evaluate({"python_version": python}):
                continue
            assert requirement.specifier.contains(chosen[canonicalize_name(requirement.name)]["version"])


def test_every_package_of_the_lock_has_hashes() -> None:
    for package in [one for group in LOCK.values() for one in group]:
        assert package["sha256"], package["name"]
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in package["sha256"])
        assert set(package["pythons"]) <= set(PYTHONS)


def test_a_board_gets_the_versions_for_its_python(tmp_path: Path) -> None:
    wheel = Wheel.read(stub.small(tmp_path, "0.2", lock=json.dumps(LOCK)))
    lines = {python: wheel.requirements(f"{python}.1") for python in (*PYTHONS, "3.15")}
    assert lines["3.15"] == lines["3.14"]
    assert any(line.startswith("numpy==2.2.") for line in lines["3.10"])
    assert not any(line.startswith("numpy==2.2.") for line in lines["3.11"])
    everything = wheel.with_extras(serve=True, cluster=True).requirements("3.12.3")
    assert len({line.partition("==")[0] for line in everything}) == len(everything) > len(lines["3.12"])
    assert Wheel.read(stub.small(tmp_path, "0.3")).requirements("3.12.3") == []


def test_deploy_installs_the_locked_versions_only(tmp_path: Path) -> None:
    with boards.running(tmp_path / "board", {}) as board:
        done = board.deploy("--wheel", stub.small(tmp_path, "0.2", metadata=NEEDS_MDURL, lock=locked()))
        assert done.code == 0, done.err
        kept = board.version("current")
        assert list(board.prefix.glob(f"current/lib/*/site-packages/mdurl-{MDURL['version']}.dist-info"))
        for version, changes, words in (
            ("0.3", {"sha256": ["0" * 64]}, "other files than the lock"),
            ("0.4", {"version": "99"}, "that has this version?"),
        ):
            wheel = stub.small(tmp_path, version, metadata=NEEDS_MDURL, lock=locked(**changes))
            failed = board.deploy("--wheel", wheel)
            assert failed.code == 1
            assert words in failed.err
            assert board.version("current") == kept


def test_offline_copies_the_locked_versions(tmp_path: Path) -> None:
    alone = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}
    with boards.running(tmp_path / "board", alone) as board:
        wheel = stub.small(tmp_path, "0.2", metadata=NEEDS_MDURL, lock=locked())
        done = board.deploy("--wheel", wheel, "--offline")
        assert done.code == 0, done.err
        assert "fetch what it needs: 1 packages" in done.err
        assert list(board.prefix.glob(f"current/lib/*/site-packages/mdurl-{MDURL['version']}.dist-info"))
        bad = stub.small(tmp_path, "0.3", metadata=NEEDS_MDURL, lock=locked(sha256=["0" * 64]))
        failed = board.deploy("--wheel", bad, "--offline")
        assert failed.code == 1
        assert "the wheel's dependencies cannot be downloaded" in failed.err
