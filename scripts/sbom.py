# SPDX-License-Identifier: MIT
"""Write the wheel's software bill of materials: CycloneDX 1.6, without a date and a serial, so that it is reproducible.

    scripts/sbom.py OUTPUT ZIG_VERSION [BUNDLED...]

CMakeLists.txt runs it and installs the file to *.dist-info/sboms (PEP 770). BUNDLED is the code of others in the
wheel's files: compiler_rt, musl.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILES = {
    "compiler_rt": "the host libraries and pyhexagon-pd; only the routines that their code calls",
    "musl": "pyhexagon-pd, a static executable",
}


def bundled(name: str, zig: str) -> dict[str, Any]:
    """Return the component for code of the zig distribution that is linked statically."""
    return {
        "type": "library", "bom-ref": f"bundled:{name}", "name": name, "scope": "required",
        "description": f"from zig {zig}, linked statically into {FILES[name]}",
        "licenses": [{"license": {"id": "MIT"}}],
        "properties": [{"name": "pyhexagon:zig", "value": zig}],
    }  # fmt: skip


def dependencies(project: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a component for each package that the wheel requires, with its version range and its extras."""
    found: dict[str, dict[str, list[str]]] = {}
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    for extra, requirements in groups.items():
        for requirement in requirements:
            match = re.match(r"[\w.-]+", requirement)
            assert match, requirement
            name = re.sub(r"[-_.]+", "-", match[0]).lower()
            found.setdefault(name, {}).setdefault(requirement[match.end() :].strip(), []).append(extra)
    for name, ranges in sorted(found.items()):
        extras = {extra for names in ranges.values() for extra in names}
        properties = [{"name": "pyhexagon:versions", "value": one} for one in ranges if one]
        properties += [{"name": "pyhexagon:extra", "value": extra} for extra in sorted(extras - {""})]
        yield {
            "type": "library", "bom-ref": f"pkg:pypi/{name}", "name": name, "purl": f"pkg:pypi/{name}",
            "scope": "required" if "" in extras else "optional", "properties": properties,
        }  # fmt: skip


def sbom(project: dict[str, Any], zig: str, names: list[str]) -> dict[str, Any]:
    """Return the bill of materials of the wheel."""
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    components = [*(bundled(name, zig) for name in names), *dependencies(project)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "bom-ref": own, "name": project["name"], "version": project["version"],
                "purl": own, "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
            },
        },
        "components": components,
        "dependencies": [
            {"ref": own, "dependsOn": [one["bom-ref"] for one in components]},
            *({"ref": one["bom-ref"]} for one in components),
        ],
    }  # fmt: skip


def main(output: str, zig: str, *names: str) -> None:
    """Write the file."""
    tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    Path(output).write_text(json.dumps(sbom(project, zig, list(names)), indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
