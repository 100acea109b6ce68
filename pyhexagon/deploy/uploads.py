# SPDX-License-Identifier: MIT
"""Copies files to a board: resumes what was interrupted, and checks space and hashes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pyhexagon.deploy.answers import nonsense, number
from pyhexagon.deploy.connection import Connection
from pyhexagon.deploy.deployment import DeployStep
from pyhexagon.deploy.wheel import Package, total
from pyhexagon.errors import ArgumentError, DeployError
from pyhexagon.kernels import archive

SHORT: Final = 330.0  # seconds for a step that only waits for the lock
_CHUNK: Final = 1 << 16
_COPY: Final = 3600.0


class Uploads:
    """The uploads of a board.

    Args:
        connection: to the board.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def copy(self, packages: Sequence[Package], step: DeployStep) -> int:
        """Send what has not arrived yet; return the number of bytes."""
        names = [(package.sha256, package.path.name) for package in packages]
        have = [self._connection.run("have", *name, timeout=SHORT).values for name in names]
        offsets = [_offset(values["have"], package) for values, package in zip(have, packages, strict=True)]
        everything = total(packages)
        missing = everything - sum(offsets)
        self._check_space(have[-1]["space"], missing + sum(package.unpacked for package in packages))
        done = everything - missing
        for package, name, values, offset in zip(packages, names, have, offsets, strict=True):
            if values["have"] == "whole":
                continue

            def moved(position: int, before: int = done - offset) -> None:
                step.progress(before + position, everything)

            self._send(package, name, offset, moved)
            done += package.size - offset
        resumed = f", {mib(everything - missing)} were there" if missing < everything else ""
        step.result(f"{mib(missing)} in {len(packages)} file{'s' if len(packages) > 1 else ''}{resumed}")
        return missing

    def _send(
        self, package: Package, name: tuple[str, str], offset: int, progress: Callable[[int], None]
    ) -> None:
        """Send a file from ``offset`` on; if the result is wrong, send it again from the start."""
        for start in (offset, 0):
            content = _pieces(package.path, start, progress)
            self._connection.run("receive", *name, timeout=_COPY, content=content)
            if "arrived" in self._connection.run("arrived", *name, str(package.size), timeout=SHORT).values:
                return
        raise DeployError(f"{package.path.name} arrived damaged on {self._connection.host} (size or SHA-256 differs)")

    def _check_space(self, df: str, needed: int) -> None:
        free, size = space(df)
        if free < needed:
            raise self.full(f"{mib(needed)} are needed, {mib(free)} of {mib(size)} are free")

    def full(self, numbers: str) -> DeployError:
        """Return the error of a full disk."""
        return DeployError(
            f"the disk of {self._connection.host} is full: {numbers}",
            hint="make room (on the board: df -h; sudo apt clean), or name a folder on another disk with --prefix",
        )


def _pieces(path: Path, offset: int, progress: Callable[[int], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(offset)
        while piece := file.read(_CHUNK):
            yield piece
            progress(file.tell())


def _offset(have: str, package: Package) -> int:
    """Return the bytes that need not be sent; a partial upload larger than the file is not the file."""
    if have == "whole":
        return package.size
    n_bytes = number(have, f"the size of {package.path.name}")
    return n_bytes if n_bytes <= package.size else 0


def space(df: str) -> tuple[int, int]:
    """Return free and total bytes from a line of df -Pk."""
    numbers = re.search(r"\s([0-9]{1,18})\s+[0-9]+\s+([0-9]{1,18})\s+[0-9]+%", df)
    if numbers is None:
        raise nonsense(f"df says {df[:200]!r}")
    return int(numbers[2]) << 10, int(numbers[1]) << 10


def mib(size: int) -> str:
    """Return a size in MiB as text."""
    return f"{size / (1 << 20):.1f} MiB"


def read_kernels(paths: Sequence[Path]) -> list[Package]:
    """Return the files of saved kernels.

    Raises:
        ArgumentError: a path is not that of a saved kernel, or two have one name. KernelError: a file is damaged.
    """
    for path in paths:
        if path.suffix != archive.SUFFIX:
            raise ArgumentError(
                f"{path} is no saved kernel ({archive.SUFFIX})",
                hint=f"pyhexagon kernel {path.stem}.c --out {path.stem}.phxk, or Kernel.save, compiles and saves it",
            )
        archive.read(path)
    found = [Package.of(path) for path in paths]
    check_names(found)
    return found


def check_names(files: Iterable[Package]) -> None:
    """Raise ArgumentError if two files have the same name."""
    for name, n in Counter(file.path.name for file in files).items():
        if n > 1:
            raise ArgumentError(f"two files to copy are called {name}: give one of them another name")
