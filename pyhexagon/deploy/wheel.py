# SPDX-License-Identifier: MIT
"""The files to copy to the board: the wheel, and with ``--offline`` its dependencies."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pyhexagon.errors import ArgumentError, DeployError

MACHINES: Final = ("aarch64", "x86_64")
_NAME: Final = re.compile(r"pyhexagon-([\w.!+]+)-(?:\d\w*-)?py3-none-\w+_(x86_64|aarch64)\.whl")
_OLDEST_GLIBC: Final = 17  # glibc 2.17, the oldest that wheels are tagged for
_HASH_DIGITS: Final = 12
_ALWAYS: Final = ("llm", "speech")
_LOCK: Final = "pyhexagon/deploy/lock.json"  # in a wheel; scripts/lock writes it


@dataclass(frozen=True)
class Package:
    """A file to copy: a wheel, or a model.

    Attributes:
        sha256: of the file, in hexadecimal digits.
        size: of the file, in bytes.
        unpacked: the bytes of a wheel's unpacked contents.
    """

    path: Path
    sha256: str
    size: int
    unpacked: int

    @classmethod
    def of(cls, path: Path) -> Package:
        """Describe a file that is not unpacked."""
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
                size += len(piece)
        return cls(path, digest.hexdigest(), size, 0)

    @classmethod
    def read(cls, path: Path) -> Package:
        """Read a wheel; raise ArgumentError if the file is not one."""
        try:
            content = path.read_bytes()
            with zipfile.ZipFile(path) as archive:
                unpacked = sum(entry.file_size for entry in archive.infolist())
        except (OSError, zipfile.BadZipFile) as error:
            raise ArgumentError(f"{path} cannot be read as a wheel: {error}") from None
        return cls(path, hashlib.sha256(content).hexdigest(), len(content), unpacked)


@dataclass(frozen=True)
class Wheel:
    """A wheel of pyhexagon: its file, and the facts in the file's name.

    Attributes:
        extras: the extras to install: always "llm" and "speech", because boards run models; "serve", "cluster".
        locked: for each extra, the versions and hashes of its packages; None in a wheel without a lock.
    """

    package: Package
    version: str
    machine: str
    extras: tuple[str, ...] = _ALWAYS
    locked: Mapping[str, list[dict[str, Any]]] | None = None

    @classmethod
    def read(cls, path: Path) -> Wheel:
        """Read a wheel; raise ArgumentError if the file is not a wheel of pyhexagon."""
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise ArgumentError(f"{path} is not the name of a pyhexagon wheel")
        package = Package.read(path)
        with zipfile.ZipFile(path) as archive:
            locked = json.loads(archive.read(_LOCK)) if _LOCK in archive.namelist() else None
        return cls(package, match[1], match[2], locked=locked)

    @property
    def folder(self) -> str:
        """The name of the version's folder on the board. Different builds of a version are different versions, and so
        are different extras."""
        more = "".join(f"-{extra}" for extra in self.extras if extra not in _ALWAYS)
        return f"{self.version}-{self.package.sha256[:_HASH_DIGITS]}{more}"

    @property
    def brackets(self) -> str:
        """The extras in a requirement's form, "[llm,serve]"."""
        return f"[{','.join(self.extras)}]"

    def requirements(self, python: str) -> list[str]:
        """Return the wheel's dependencies for a board's Python ("3.12.3"), as lines for pip with version and hashes.
        The list is empty if the wheel has no lock: pip then takes the newest versions."""
        version = tuple(map(int, python.split(".")[:2]))
        lines = dict[str, None]()
        for extra in self.extras:
            packages = (self.locked or {}).get(extra, [])
            newest = max((_numbers(target) for package in packages for target in package["pythons"]), default=version)
            for package in packages:
                if min(version, newest) in map(_numbers, package["pythons"]):
                    hashes = "".join(f" --hash=sha256:{digest}" for digest in package["sha256"])
                    lines[f"{package['name']}=={package['version']}{hashes}"] = None
        return list(lines)

    def with_extras(self, *, serve: bool, cluster: bool) -> Wheel:
        """Return the wheel with the extras for serving a model, or for being part of a cluster."""
        more = [name for name, wanted in (("serve", serve), ("cluster", cluster)) if wanted]
        return replace(self, extras=(*_ALWAYS, *more))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def build_script() -> Path:
    """Return the path of scripts/build-wheels in this package's checkout."""
    script = Path(__file__).parents[2] / "scripts/build-wheels"
    if not script.is_file():
        raise ArgumentError("this pyhexagon is not a checkout, so there is nothing to build: name a wheel with --wheel")
    return script


def build(machine: str, note: Callable[[str], None]) -> Wheel:
    """Build the wheel for a machine; ``note`` receives the build's output."""
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
    """Download the wheel's dependencies for the board from this machine's package index: the locked versions.

    Args:
        python: the board's Python, "3.12.3".
        glibc: the board's C library, "glibc 2.39".
        folder: the destination.
    """
    minor = re.fullmatch(r"glibc 2\.(\d+)", glibc)
    if minor is None:
        raise DeployError(f"the board's C library is {glibc or 'unknown'}; the wheels are for glibc 2.17 or newer")
    platforms = (f"--platform=manylinux_2_{n}_{wheel.machine}" for n in range(int(minor[1]), _OLDEST_GLIBC - 1, -1))
    version = ".".join(python.split(".")[:2])
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet"]
    command += ["--only-binary=:all:", f"--python-version={version}", *platforms, "--dest", str(folder)]
    locked = wheel.requirements(python)
    if locked:  # the lock is complete, and pip would evaluate markers for this machine's Python
        listed = folder / "requirements.txt"
        listed.write_text("\n".join(locked))
        command += ["--no-deps", "--require-hashes", f"--requirement={listed}"]
    else:
        command.append(f"{wheel.package.path}{wheel.brackets}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise DeployError(f"the wheel's dependencies cannot be downloaded: {'; '.join(lines) or done.stderr.strip()}")
    return [Package.read(path) for path in sorted(folder.glob("*.whl")) if path.name != wheel.package.path.name]


def total(packages: Iterable[Package]) -> int:
    """Return the bytes to copy."""
    return sum(package.size for package in packages)
