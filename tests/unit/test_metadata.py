# SPDX-License-Identifier: MIT
"""The package's page on a package index: metadata, and a README whose links work there."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_metadata_says_who_where_and_for_what() -> None:
    assert {"Source", "Issues", "Documentation"} <= PROJECT["urls"].keys()
    assert all(url.startswith(PROJECT["urls"]["Source"]) for url in PROJECT["urls"].values())
    assert PROJECT["authors"][0]["name"] in (ROOT / "LICENSE").read_text()
    classifiers = PROJECT["classifiers"]
    assert "Typing :: Typed" in classifiers
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {oldest}" in classifiers
    assert not [one for one in classifiers if one.startswith("License ::")]  # the license field says it
    assert (ROOT / "pyhexagon/py.typed").exists()


def test_links_of_the_readme_are_absolute_and_lead_to_files_of_the_project() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / PROJECT["readme"]).read_text())
    assert len(links) > 3
    home = f"{PROJECT['urls']['Source']}/blob/main/"
    for link in links:
        assert link.startswith("https://"), f"{link} leads nowhere on a package index"
        if link.startswith(PROJECT["urls"]["Source"]):
            assert link.startswith(home)
            assert (ROOT / link.removeprefix(home).partition("#")[0]).is_file(), link


def test_commands_of_the_readme_exist() -> None:
    from pyhexagon import cli

    text = (ROOT / "README.md").read_text()
    named = set(re.findall(r"(?:^|`)pyhexagon ([a-z-]+)", text, re.MULTILINE))
    known = next(iter(cli._parser()._subparsers._group_actions)).choices  # type: ignore[union-attr]
    assert known is not None
    assert named <= set(known)
    assert {"example", "get-qemu", "cache"} <= named
