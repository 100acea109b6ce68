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
from dataclasses import dataclass
from pathlib import Path

from pyhexagon.errors import HexagonError
from pyhexagon.fetch.qemu import find as find_qemu

ROOT = Path(__file__).resolve().parents[2]
SUITE = "trixie"  # a released one, so that Python's version stays what the wheels below are chosen for
PYTHON = "3.13"
PACKAGES = (
    *(f"python{PYTHON}-minimal", f"libpython{PYTHON}-minimal", f"libpython{PYTHON}-stdlib", "libc6", "libgcc-s1"),
    *("libstdc++6", "zlib1g", "libexpat1", "libffi8", "libssl3t64", "libzstd1", "libbz2-1.0", "liblzma5", "libuuid1"),
    *("libyaml-0-2", "libbsd0", "libmd0"),  # what the real libcdsprpc needs
)
REAL_LIBRARY = "libfastrpc1"  # contrib, in sid only


class Unavailable(Exception):
    """No apt, no network, no such package; the text says which."""


@dataclass(frozen=True)
class Userland:
    """Runs its Python; ``site`` has the packages that were installed into it."""

    root: Path
    python: Path
    site: Path

    def install(self, *requirements: str | Path) -> None:
        """What pip would install on an arm64 machine, chosen by this machine's pip."""
        platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in (17, 28)]
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        command += ["--target", str(self.site), f"--python-version={PYTHON}", "--only-binary=:all:", *platforms]
        _output([*command, *map(str, requirements)])

    def run(
        self, *arguments: str | Path, environment: Mapping[str, str] | None = None, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Runs ``python arguments``; raises subprocess.TimeoutExpired."""
        own = {"PYTHONHOME": str(self.root / "usr"), "PYTHONPATH": str(self.site)}
        inherited = {key: value for key, value in os.environ.items() if key != "PYHEXAGON_LIB"}
        # The board's newest cores. QEMU's default CPU has SVE, with which the OpenBLAS of NumPy 2.5 computes wrong products.
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


def unpack(directory: Path) -> Userland:
    """The userland, fetched into the user's cache at first; its Python and packages go to ``directory``."""
    try:
        qemu = find_qemu("aarch64")
    except HexagonError as error:
        raise Unavailable(str(error)) from None
    root = _fetch(f"{SUITE}-arm64", PACKAGES, "main", SUITE)
    python = directory / "python"
    program = root / "usr/bin" / f"python{PYTHON}"
    # Where the program looks for it (/lib) is a link that only an installed system has.
    loader = root / "usr/lib/ld-linux-aarch64.so.1"
    python.write_text(f'#!/bin/sh\nexec "{qemu}" -L "{root}" "{loader}" --argv0 "$0" "{program}" "$@"\n')
    python.chmod(0o755)
    return Userland(root, python, directory / "site")


def unpack_real_library() -> Path:
    """Directory of Debian's arm64 libcdsprpc.so.1."""
    return _fetch(f"{REAL_LIBRARY}-arm64", (REAL_LIBRARY,), "contrib", "sid") / "usr/lib/aarch64-linux-gnu"


def _fetch(name: str, packages: tuple[str, ...], component: str, suite: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyhexagon" / name
    options = ["--architecture", "arm64", "--component", component, "--suite", suite]
    _output([sys.executable, str(ROOT / "scripts/debian_package.py"), *packages, str(cache), *options])
    return cache


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise Unavailable(done.stderr.strip() or done.stdout.strip())
    return done.stdout.strip()
