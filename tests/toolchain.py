# SPDX-License-Identifier: MIT
"""CMake as the package build calls it, for tests that build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SKEL = "v68/libpyhexagon_skel.so"  # within a build tree
# DSP versions that are built besides v68: all that PYHEXAGON_ARCHS accepts, or those in the wheels.
LATER = ("v69", "v71", "v73", "v75", "v79", "v81") if os.environ.get("PYHEXAGON_ALL_ARCHS") == "1" else ("v73", "v75")


class BuildError(Exception):
    """CMake or the compiler failed; the text is their output."""


def _tool(name: str) -> str:
    """A build tool: the wheel's beside this interpreter, else the system's."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise BuildError(f"{name} is not here: pip install {name}")
    return found


def _run(*command: str, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=1800
    )
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def own_caches(directory: Path) -> dict[str, str]:
    """Variables that switch ccache off and give zig empty caches below ``directory``."""
    zig = {name: str(directory / name) for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    return {"CCACHE_DISABLE": "1", **zig}


def configure(
    source: Path,
    build: Path,
    definitions: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Configures ``source`` into ``build``, with the wheel's host compiler and this interpreter."""
    values = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_MAKE_PROGRAM": _tool("ninja"),
        "CMAKE_TOOLCHAIN_FILE": str(ROOT / "dsp/cmake/zig-host.cmake"),
        "Python_EXECUTABLE": sys.executable,
        **(definitions or {}),
    }
    arguments = [f"-D{name}={value}" for name, value in values.items()]
    _run(
        *(_tool("cmake"), "-G", "Ninja", "-S", str(source), "-B", str(build), *arguments),
        environment=environment or {},
    )


def build(directory: Path, *targets: str, environment: Mapping[str, str] | None = None) -> None:
    """Builds targets of a configured tree."""
    _run(_tool("cmake"), "--build", str(directory), "--target", *targets, environment=environment or {})


def commands(directory: Path, target: str) -> str:
    """The command lines that would build a target from nothing."""
    return _run(_tool("ninja"), "-C", str(directory), "-t", "commands", target, environment={})


def dependencies(directory: Path) -> dict[str, set[Path]]:
    """The sources and headers of each object that was built: ninja compiles it again when one of them changes."""
    found: dict[str, set[Path]] = {}
    for block in _run(_tool("ninja"), "-C", str(directory), "-t", "deps", environment={}).split("\n\n"):
        output, *files = block.split("\n    ")
        found[output.partition(":")[0]] = {(directory / file.strip()).resolve() for file in files}
    return found
