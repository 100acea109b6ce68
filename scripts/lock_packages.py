# SPDX-License-Identifier: MIT
"""Resolve the dependencies of pyproject.toml with uv, and write them as pyhexagon/deploy/lock.json.

Each package is resolved once for all Pythons and machines. A board needs the packages for its own Python only, and
`deploy` selects them without evaluating markers: the lock names the Pythons of each version.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MACHINES = ("aarch64", "x86_64")
EXTRAS = ("llm", "speech", "serve", "cluster")  # the groups of the others hold the packages that the first lacks
OPTIONS = ("--universal", "--generate-hashes", "--python-version=3.10", "--only-binary=:all:", "--no-header",
           "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--quiet", "pyproject.toml")  # fmt: skip


def compiled(uv: str, *options: str) -> list[tuple[Requirement, list[str]]]:
    """Return requirements with their hashes, of uv's lines "NAME==VERSION ; MARKER --hash=sha256:... ..."."""
    done = subprocess.run([uv, "pip", "compile", *OPTIONS, *options], capture_output=True, text=True, check=True)
    lines = done.stdout.replace("\\\n", " ").splitlines()
    return [
        (Requirement(line.partition(" --hash")[0]), sorted(re.findall(r"--hash=sha256:([0-9a-f]{64})", line)))
        for line in lines
        if line.strip()
    ]


def pythons(requirement: Requirement) -> list[str]:
    """Return the Pythons for which a board of any machine needs a requirement."""
    return [python for python in PYTHONS if any(_is_needed(requirement, python, machine) for machine in MACHINES)]


def _is_needed(requirement: Requirement, python: str, machine: str) -> bool:
    environment = {
        "python_version": python, "python_full_version": f"{python}.0", "platform_machine": machine,
        "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix",
        "implementation_name": "cpython", "platform_python_implementation": "CPython",
    }  # fmt: skip
    return requirement.marker is None or requirement.marker.evaluate(environment)


def main(uv: str, path: Path) -> None:
    """Write the lock file."""
    everything = compiled(uv, *(f"--extra={extra}" for extra in EXTRAS))
    constraints = path.with_suffix(".constraints")
    constraints.write_text("".join(f"{requirement}\n" for requirement, _ in everything))
    groups: dict[str, list[dict[str, Any]]] = {}
    try:
        for extra in EXTRAS:
            wanted = dict.fromkeys(("llm", extra))
            needed = compiled(uv, f"--constraint={constraints}", *(f"--extra={one}" for one in wanted))
            groups[extra] = [
                {"name": one.name, "version": str(one.specifier).removeprefix("=="), "pythons": on, "sha256": hashes}
                for one, hashes in needed
                if (on := pythons(one))
            ]
    finally:
        constraints.unlink()
    base = groups["llm"]
    for extra in EXTRAS[1:]:
        groups[extra] = [package for package in groups[extra] if package not in base]
    lines = [
        f' "{extra}": [\n' + ",\n".join(f"  {json.dumps(package)}" for package in packages) + "\n ]"
        for extra, packages in groups.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
