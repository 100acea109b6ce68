# SPDX-License-Identifier: MIT
"""Find a QEMU that is new enough: the one on PATH, or one downloaded into the user's cache.

The one on PATH is used if it is version 10 or newer (older ones have no v68 CPU). Otherwise the static qemu-user binary
of a newer series of the same distribution is unpacked into the cache, where the loopback library also looks. No root is
needed, nothing is installed, and a second call needs no network.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from pyhexagon.errors import HexagonError
from pyhexagon.fetch import cache
from pyhexagon.fetch.debian_package import FetchError, fetch

OLDEST: Final = 10
TARGETS: Final = ("hexagon", "aarch64")


def find(target: str = "hexagon") -> Path:
    """Return the program that runs code for a target; download it if necessary.

    Raises:
        HexagonError: there is none and none can be downloaded; the message says why.
    """
    name = f"qemu-{target}"
    for found in (shutil.which(name), shutil.which(f"{name}-static")):
        if found and _major_version(found) >= OLDEST:
            return Path(found)
    # The loopback looks for qemu-hexagon in qemu/<machine>.
    directory = cache.folder() / ("qemu" if target == "hexagon" else name) / platform.machine()
    program = directory / name
    hint = f"install {name} {OLDEST} or newer and put it on PATH"
    try:
        if directory.is_dir() and _major_version(program) < OLDEST:
            shutil.rmtree(directory)  # a copy that stopped working (another libc, a damaged file)
        fetch(["qemu-user"], directory, members=[name])
        if _major_version(program) < OLDEST:
            shutil.rmtree(directory)
            raise HexagonError(f"the fetched {name} does not run here or is older than {OLDEST}", hint=hint)
    except (FetchError, OSError) as error:
        raise HexagonError(str(error), hint=hint) from None
    return program


def _major_version(program: str | Path) -> int:
    """Return QEMU's major version; 0 if the program does not run here."""
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r"version (\d+)\.", text)
    return int(match[1]) if match else 0
