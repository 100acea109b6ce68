# SPDX-License-Identifier: MIT
"""The files to bring to the board: the wheel, and with ``--offline`` what it depends on."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pyhexagon.errors import ArgumentError, DeployError

MACHINES: Final = ("aarch64", "x86_64")
_NAME: Final = re.compile(r"pyhexagon-([\w.!+]+)-(?:\d\w*-)?py3-none-\w+_(x86_64|aarch64)\.whl")
_OLDEST_GLIBC: Final = 17  # 2.17, the oldest that wheels are tagged for
_HASH_DIGITS: Final = 12


@dataclass(frozen=True)
class Package:
    """A file to copy: a wheel, or a model.

    Attributes:
        sha256: of the file, in hexadecimal digits.
        size: of the file, in bytes.
        unpacked: what a wheel's contents take beside it, in bytes.
    """

    path: Path
    sha256: str
    size: int
    unpacked: int

    @classmethod
    def of(cls, path: Path) -> Package:
        """Any file, which stays as it is."""
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
                size += len(piece)
        return cls(path, digest.hexdigest(), size, 0)

    @classmethod
    def read(cls, path: Path) -> Package:
        """Raises ArgumentError when the file is not a wheel."""
        try:
            content = path.read_bytes()
            with zipfile.ZipFile(path) as archive:
                unpacked = sum(entry.file_size for entry in archive.infolist())
        except (OSError, zipfile.BadZipFile) as error:
            raise ArgumentError(f"{path} cannot be read as a wheel: {error}") from None
        return cls(path, hashlib.sha256(content).hexdigest(), len(content), unpacked)


@dataclass(frozen=True)
class Wheel:
    """A wheel of pyhexagon: its file, and what the file's name tells.

    Attributes:
        extras: that are installed with it: always "llm", for a board is there to run models; "serve", "cluster".
    """

    package: Package
    version: str
    machine: str
    extras: tuple[str, ...] = ("llm",)

    @classmethod
    def read(cls, path: Path) -> Wheel:
        """Raises ArgumentError when the file is not a wheel of pyhexagon."""
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise ArgumentError(f"{path} is not the name of a pyhexagon wheel")
        return cls(Package.read(path), match[1], match[2])

    @property
    def folder(self) -> str:
        """Name of the version's folder on the board: two builds of one version are two versions, and so is one that
        can do more."""
        more = "".join(f"-{extra}" for extra in self.extras if extra != "llm")
        return f"{self.version}-{self.package.sha256[:_HASH_DIGITS]}{more}"

    @property
    def brackets(self) -> str:
        """The extras as they stand behind a requirement."""
        return f"[{','.join(self.extras)}]"

    def able(self, *, serve: bool, cluster: bool) -> Wheel:
        """The same, with what it takes to serve a model, or to be a board of a cluster."""
        more = [name for name, wanted in (("serve", serve), ("cluster", cluster)) if wanted]
        return replace(self, extras=("llm", *more))


def build_script() -> Path:
    """scripts/build-wheels of the checkout that this package belongs to."""
    script = Path(__file__).parents[2] / "scripts/build-wheels"
    if not script.is_file():
        raise ArgumentError("this pyhexagon is not a checkout, so there is nothing to build: name a wheel with --wheel")
    return script


def build(machine: str, note: Callable[[str], None]) -> Wheel:
    """Builds the wheel for a machine; ``note`` gets what the build says meanwhile."""
    command = [sys.executable, str(build_script()), "--machine", machine]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            lines.append(line.strip())
            note(lines[-1])
    if process.returncode:
        raise DeployError(f"the wheel for {machine} cannot be built: {'; '.join(lines[-4:])}")
    return Wheel.read(Path(lines[-1]))


def dependencies(wheel: Wheel, python: str, glibc: str, folder: Path) -> list[Package]:
    """Fetches from this machine's package index what the wheel needs on the board.

    Args:
        python: the board's Python, "3.12.3".
        glibc: the board's C library, "glibc 2.39".
        folder: where the files go.
    """
    minor = re.fullmatch(r"glibc 2\.(\d+)", glibc)
    if minor is None:
        raise DeployError(f"the board's C library is {glibc or 'unknown'}; the wheels are for glibc 2.17 or newer")
    platforms = (f"--platform=manylinux_2_{n}_{wheel.machine}" for n in range(int(minor[1]), _OLDEST_GLIBC - 1, -1))
    version = ".".join(python.split(".")[:2])
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet"]
    command += ["--only-binary=:all:", f"--python-version={version}", *platforms, "--dest", str(folder)]
    command.append(f"{wheel.package.path}{wheel.brackets}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise DeployError(f"what the wheel needs cannot be fetched here: {'; '.join(lines) or done.stderr.strip()}")
    return [Package.read(path) for path in sorted(folder.glob("*.whl")) if path.name != wheel.package.path.name]


def total(packages: Iterable[Package]) -> int:
    """Bytes to copy."""
    return sum(package.size for package in packages)
