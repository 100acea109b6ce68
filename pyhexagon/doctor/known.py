# SPDX-License-Identifier: MIT
"""Boards and systems that the doctor knows by name, and the install command for each of them.

Package names differ by system, and the DSP's files by board: a message gives the one command for the board at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import PIP
from pyhexagon.errors import causes

DEVICE_TREE: Final = "/proc/device-tree"
SOURCE: Final = "https://github.com/qualcomm/fastrpc"

REFUSED: Final[Mapping[str, str]] = MappingProxyType({
    "qcom,qrb2210": "QRB2210 has no compute DSP with HVX",
    "qcom,qcm2290": "QCM2290 has no compute DSP with HVX",
    "qcom,apq8016": "APQ8016 has no compute DSP with HVX",
    "qcom,msm8916": "MSM8916 has no compute DSP with HVX",
    "qcom,sdm845": "the compute DSP of SDM845 is a Hexagon v65",
    "qcom,sm8250": "the compute DSP of SM8250 is a Hexagon v66",
})
"""The SoCs without a DSP that runs the skel, by their compatible string in the device tree, and why."""

_DSP_PACKAGES: Final[Mapping[str, str]] = MappingProxyType({
    "radxa,dragon-q6a": "hexagon-dsp-binaries-radxa-dragon-q6a",
    "qcom,qcs6490-rb3gen2": "hexagon-dsp-binaries-thundercomm-rb3gen2",
    "thundercomm,rubikpi3": "hexagon-dsp-binaries-thundercomm-rubikpi3",
})
"""Debian's package of a board's DSP files, by the board's compatible string."""
_DSP_SOURCES: Final[Mapping[str, str]] = MappingProxyType({
    "particle,tachyon": "copy usr/lib/dsp of QCM6490_dspso.zip, of the same release as the firmware, to /usr/lib/dsp",
    "fairphone,fp5": "copy the folder cdsp of the phone's partition dsp_a to /usr/lib/dsp",
    "lenovo,thinkpad-x13s": "copy the folder of fastrpc_shell_unsigned_3 in Lenovo's Windows driver to /usr/lib/dsp",
    "qcom,sm8350": "copy the folder cdsp of the phone's partition dsp_a to /usr/lib/dsp",
})
"""The source of the DSP files of boards without such a package."""

_APT: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({
    "radxa": {"library": "libcdsprpc1", "udev": "fastrpc"},
    "debian": {"library": "libfastrpc1", "udev": "fastrpc-support", "firmware": "firmware-qcom-dsp"},
    "ubuntu": {"library": "libfastrpc1", "udev": "fastrpc-support", "firmware": "linux-firmware"},
})

_RADXA_FIRMWARE: Final[Mapping[str, str]] = MappingProxyType({
    "qcom,qcm6490": "radxa-firmware-qcs6490",
    "qcom,sc8280xp": "radxa-firmware-sc8280xp",
})
"""Radxa's package of firmware and DSP files, by the SoC's compatible string."""


def compatibles(board: Board) -> list[str]:
    """Return the compatible strings of the board's device tree, the board's own first."""
    return board.strings(f"{DEVICE_TREE}/compatible")


def refusal(board: Board) -> str:
    """Return why this SoC cannot run the skel, or an empty string."""
    return next((REFUSED[name] for name in compatibles(board) if name in REFUSED), "")


def system(board: Board) -> str:
    """Return "radxa", "debian" or "ubuntu" by the sources of packages, and an empty string for another system."""
    if board.glob("etc/apt/sources.list.d/*radxa*"):
        return "radxa"
    facts = dict(line.partition("=")[::2] for line in board.lines("/etc/os-release"))
    names = f"{facts.get('ID', '')} {facts.get('ID_LIKE', '')}".replace('"', "").split()
    return next((name for name in ("ubuntu", "debian") if name in names), "")


def install(board: Board, what: str, *, again: bool = False) -> str:
    """Return the command that installs a part of the system's side of the DSP.

    Args:
        what: "library", "udev" or "firmware".
        again: the package may be installed, but its files are bad.
    """
    found = system(board)
    if not found and what == "firmware":
        return f"copy the firmware from the system that came with the board, see {SOURCE}"
    if not found:
        return f"git clone {SOURCE} && cd fastrpc && ./gitcompile && sudo make install"
    if what == "firmware" and found == "radxa":
        return _radxa_firmware(board)
    if what == "firmware" and found == "debian" and (package := dsp_package(board)):
        return f"sudo apt install {package}"  # depends on the firmware, in whichever package Debian has it
    return f"sudo apt install {'--reinstall ' if again else ''}{_APT[found][what]}"


def install_dsp_files(board: Board) -> str:
    """Return the command, or the source of the files, that brings the DSP's shell onto this board."""
    if system(board) == "radxa":
        return _radxa_firmware(board)
    if (package := dsp_package(board)) and system(board):
        return f"sudo apt install --reinstall {package}"
    names = compatibles(board)
    source = next((_DSP_SOURCES[name] for name in names if name in _DSP_SOURCES), "")
    return source or "copy the folder cdsp with fastrpc_shell_unsigned_3 from the board's own system to /usr/lib/dsp"


def dsp_package(board: Board) -> str:
    """Return Debian's package of the board's DSP files, or an empty string."""
    return next((_DSP_PACKAGES[name] for name in compatibles(board) if name in _DSP_PACKAGES), "")


def has_own_dsp_files(board: Board) -> bool:
    """Return whether the board's DSP files come from its maker, so that another board's may differ."""
    return any(name in _DSP_SOURCES for name in compatibles(board))


def _radxa_firmware(board: Board) -> str:
    package = next((_RADXA_FIRMWARE[name] for name in compatibles(board) if name in _RADXA_FIRMWARE), "")
    return f"sudo apt install --reinstall {package}" if package else causes.UPGRADE


def upgrade(board: Board) -> str:
    """Return how to get a newer kernel, device tree and firmware."""
    return causes.UPGRADE if system(board) else "install a newer image of the board's system"


def command(board: Board, general: str) -> str:
    """Return a command of ``causes`` as this board, its system and this Python need it."""
    if general == causes.UPGRADE:
        return upgrade(board)
    return {causes.DSP_FILES: install_dsp_files(board), causes.PIP: PIP}.get(general, general)


def start(board: Board, folder: str) -> str:
    """Return the command that starts a DSP now, and at later boots if a package's udev rule can.

    An updated initramfs would not help: the driver in it asks for the firmware before the file system that has it is
    mounted, and nothing adds the firmware, whose name only the device tree knows.
    """
    now = f"echo start | sudo tee {folder}/state"
    if system(board) != "debian" or board.glob("usr/lib/udev/rules.d/*fastrpc-remoteproc.rules"):
        return now
    return f"{now} && {install(board, 'udev')}"
