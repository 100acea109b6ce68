# SPDX-License-Identifier: MIT
"""Fake boards: a healthy Dragon Q6A as a tree of files, for tests to break.

The tree is owned by the user who runs the tests; its /etc/group gives that group a board's name, and the examined user
is another one, so that nothing here needs root.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from pyhexagon.doctor.board import Board

BUILD = "CDSP.HT.2.5.c4-00004-KODIAK-1"
OTHER_BUILD = "CDSP.HT.2.5.c3-00134-KODIAK-1"
UID, GID = 54321, 54321
REMOTEPROC = "sys/class/remoteproc/remoteproc1"
PAS = "proc/device-tree/soc@0/remoteproc@a300000"
FIRMWARE = "qcom/qcs6490/radxa/dragon-q6a/cdsp.mbn"
DEBIAN_DSP = "usr/share/hexagon-dsp/qcs6490/radxa/dragon-q6a/dsp"


@dataclass
class FakeBoard:
    root: Path
    gids: set[int] = field(default_factory=lambda: {GID, os.getegid()})
    environ: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(0o644)
        return path

    def remove(self, name: str) -> None:
        path = self.root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    def deny(self, name: str) -> None:
        """Restrict a file to owner and group, with a user who is not in the group."""
        (self.root / name).chmod(0o640)
        self.gids = {GID}

    def board(self) -> Board:
        return Board(self.root, UID, frozenset(self.gids), {**os.environ, **self.environ})


def shell_bytes(build: str) -> bytes:
    """Return a shell's content: like the real one, it only has its build in paths of its sources."""
    return b"\x7fELF\0/builds/%s_20250508_050001/b/mem.c:30\0" % build.encode()


def firmware_bytes(build: str) -> bytes:
    return b"\x7fELF\0QC_IMAGE_VERSION_STRING=%s\0OEM_IMAGE_VERSION_STRING=x\0" % build.encode()


def healthy(root: Path, group: str = "render") -> FakeBoard:
    """Make a board with Radxa's packaging."""
    fake = FakeBoard(root)
    fake.write("etc/passwd", f"root:x:0:0::/root:/bin/sh\nsomebody:x:{UID}:{GID}::/home/somebody:/bin/sh\n")
    fake.write("etc/apt/sources.list.d/70-radxa.list", "deb https://radxa-repo.github.io/noble/ noble main\n")
    fake.write("etc/os-release", 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n')
    fake.write("etc/group", f"{group}:x:{os.getegid()}:\nsomebody:x:{GID}:\n")
    fake.write("proc/sys/kernel/osrelease", "6.18.2-1-qcom\n")
    fake.write("proc/device-tree/model", "Radxa Dragon Q6A\0")
    fake.write("proc/device-tree/compatible", "radxa,dragon-q6a\0qcom,qcm6490\0")
    fake.write("proc/device-tree/serial-number", "SECRET-SERIAL\0")
    fake.write(f"{PAS}/compatible", "qcom,sc7280-cdsp-pas\0")
    fake.write(f"{PAS}/memory-region", b"\0\0\0\1")
    fake.write(f"{PAS}/glink-edge/fastrpc/label", "cdsp\0")
    fake.write(f"{PAS}/glink-edge/fastrpc/compute-cb@1/dma-coherent", "")
    for number, name in enumerate(("adsp", "cdsp")):
        folder = f"sys/class/remoteproc/remoteproc{number}"
        fake.write(f"{folder}/name", f"{name}\n")
        fake.write(f"{folder}/state", "running\n")
        fake.write(f"{folder}/firmware", FIRMWARE.replace("cdsp", name) + "\n")
    fake.write(f"usr/lib/firmware/{FIRMWARE}", firmware_bytes(BUILD))
    for node in ("dev/fastrpc-cdsp", "dev/fastrpc-cdsp-secure", "dev/dma_heap/system"):
        fake.write(node, "").chmod(0o660)
    fake.write("usr/lib/libcdsprpc.so.1", b"\x7fELF")
    fake.write("usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3", shell_bytes(BUILD))
    fake.write("var/lib/dpkg/info/libcdsprpc1.list", "/.\n/usr\n/usr/lib\n/usr/lib/libcdsprpc.so.1\n")
    fake.write(
        "var/lib/dpkg/status",
        "Package: other\nStatus: x\nVersion: 9\n\nPackage: libcdsprpc1\nStatus: installed\nVersion: 1.0.2-1\n",
    )
    return fake


def debian(root: Path) -> FakeBoard:
    """Make a board with Debian's packaging: another group, and a configuration file with the shell's folder."""
    fake = healthy(root, "fastrpc")
    fake.remove("etc/apt")
    fake.write("etc/os-release", 'NAME="Debian GNU/Linux"\nID=debian\n')
    fake.remove("usr/lib/dsp")
    fake.write(f"{DEBIAN_DSP}/cdsp/fastrpc_shell_unsigned_3", shell_bytes(BUILD))
    fake.write(
        "usr/share/hexagon-dsp/conf.d/hexagon-dsp-binaries-radxa-dragon-q6a.yaml",
        "# a comment: with a colon\nmachines:\n  Other Board:\n    DSP_LIBRARY_PATH: other\n"
        "  Radxa Dragon Q6A:\n    DSP_LIBRARY_PATH: qcs6490/radxa/dragon-q6a/dsp\n",
    )
    return fake
