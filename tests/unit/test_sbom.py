# SPDX-License-Identifier: MIT
"""The software bill of materials: what CycloneDX requires, and every dependency of pyproject.toml."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ZIG = "0.16.0"


def made(path: Path) -> dict[str, Any]:
    command = [sys.executable, str(ROOT / "scripts/sbom.py"), str(path), ZIG, "compiler_rt", "musl"]
    subprocess.run(command, check=True)
    content = json.loads(path.read_text())
    assert isinstance(content, dict)
    return content


def test_it_has_what_cyclonedx_requires(tmp_path: Path) -> None:
    sbom = made(tmp_path / "one.json")
    assert (sbom["bomFormat"], sbom["specVersion"], sbom["version"]) == ("CycloneDX", "1.6", 1)
    own = sbom["metadata"]["component"]
    assert (own["name"], own["version"]) == ("pyhexagon", PROJECT["version"])
    assert own["licenses"] == [{"license": {"id": PROJECT["license"]}}]
    references = [one["bom-ref"] for one in sbom["components"]]
    assert len(set(references)) == len(references)
    for one in sbom["components"]:
        assert one["type"] == "library"
        assert one["name"]
        assert one["scope"] in ("required", "optional")
        assert all(set(one_property) == {"name", "value"} for one_property in one["properties"])
    depends = {one["ref"]: one.get("dependsOn", []) for one in sbom["dependencies"]}
    assert depends[own["bom-ref"]] == references
    assert set(depends) == {own["bom-ref"], *references}


def test_every_dependency_and_all_bundled_code_are_in_it(tmp_path: Path) -> None:
    components = {one["name"]: one for one in made(tmp_path / "one.json")["components"]}
    needed = list(map(Requirement, PROJECT["dependencies"]))
    optional = [Requirement(one) for group in PROJECT["optional-dependencies"].values() for one in group]
    names = {canonicalize_name(one.name) for one in [*needed, *optional]}
    assert set(components) == names | {"compiler_rt", "musl"}
    for one in needed:
        component = components[canonicalize_name(one.name)]
        assert component["scope"] == "required"
        assert component["purl"] == f"pkg:pypi/{canonicalize_name(one.name)}"
    assert {"name": "pyhexagon:extra", "value": "llm"} in components["llguidance"]["properties"]


def test_it_is_the_same_at_any_time(tmp_path: Path) -> None:
    made(tmp_path / "one.json")
    made(tmp_path / "two.json")
    content = (tmp_path / "one.json").read_text()
    assert content == (tmp_path / "two.json").read_text()
    assert str(ROOT) not in content
    assert "timestamp" not in content
    assert "serialNumber" not in content
