# SPDX-License-Identifier: MIT
"""An arm64 Debian userland, unpacked outside the tree, whose Python runs in qemu-aarch64. No root, no chroot.

QEMU looks for every absolute file name below the userland first (-L). Guests start other programs through the host's
kernel, which knows nothing of qemu-aarch64; so the guest's ``sys.executable`` is a script of the host that starts it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import needs

from pyhexagon.fetch.qemu import find as find_qemu

ROOT = Path(__file__).resolve().parents[2]
NUMPY = "numpy==2.5.5"  # newer than that of scripts/constraints.txt: what pip installs for this Python today


@dataclass(frozen=True)
class Userland:
    """Runs its Python; ``site`` has the packages that were installed into it."""

    root: Path
    python: Path
    site: Path

    def install(self, *requirements: str | Path) -> None:
        """Return the packages that pip would install on an arm64 machine, chosen by this machine's pip."""
        versions = (ROOT / "scripts/constraints.txt").read_text().splitlines(keepends=True)
        constraints = self.site.with_name("constraints.txt")
        constraints.write_text("".join(line for line in versions if not line.startswith("numpy==")))
        platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in (17, 28)]
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        command += ["--constraint", str(constraints), "--target", str(self.site)]
        command += [f"--python-version={needs.ARM64_PYTHON}", "--only-binary=:all:", *platforms]
        command += ["--ignore-requires-python"]  # pip compares with this Python's version; what is locked fits there
        _output([*command, NUMPY, *map(str, requirements)])

    def run(
        self, *arguments: str | Path, environment: Mapping[str, str] | None = None, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Runs ``python arguments``; raises subprocess.TimeoutExpired."""
        own = {"PYTHONHOME": str(self.root / "usr"), "PYTHONPATH": str(self.site)}
        inherited = {key: value for key, value in os.environ.items() if key != "PYHEXAGON_LIB"}
        # Without SVE, as the board's: on QEMU's default CPU, NumPy 2.5's OpenBLAS uses it and computes wrong products.
        own["QEMU_CPU"] = "cortex-a76"
        own["PYTHONPYCACHEPREFIX"] = str(self.site.parent / "pycache")
        return subprocess.run(
            [str(self.python), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.site.parent,
            env={**inherited, **own, **(environment or {})},
            timeout=timeout,
        )

    def with_devices(self, directory: Path, files: Mapping[str, str], library: Path) -> Userland:
        """The same with files of the kernel, by their names below the root, and a library that is loaded first."""
        root = directory / "root"
        root.mkdir()
        for entry in self.root.iterdir():
            (root / entry.name).symlink_to(entry)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
        return replace(self, root=root, python=_python(directory, root, f'--preload "{library}" '))


def unpack(directory: Path) -> Userland:
    """The userland, which is in the user's cache; its Python and packages go to ``directory``."""
    _python(directory, needs.ARM64.path)
    return unpacked(directory)


def unpacked(directory: Path) -> Userland:
    """The userland whose Python and packages are in ``directory``."""
    return Userland(needs.ARM64.path, directory / "python", directory / "site")


def _python(directory: Path, root: Path, options: str = "") -> Path:
    """The script that starts the Python below ``root``; the options are those of the dynamic loader."""
    script = directory / "python"
    program = root / "usr/bin" / f"python{needs.ARM64_PYTHON}"
    # Where the program looks for it (/lib) is a link that only an installed system has.
    loader = root / "usr/lib/ld-linux-aarch64.so.1"
    qemu = find_qemu("aarch64")
    script.write_text(f'#!/bin/sh\nexec "{qemu}" -L "{root}" "{loader}" {options}--argv0 "$0" "{program}" "$@"\n')
    script.chmod(0o755)
    return script


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr.strip() or done.stdout.strip()
    return done.stdout.strip()
