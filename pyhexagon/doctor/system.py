# SPDX-License-Identifier: MIT
"""Checks of the kernel's state: SoC, device tree, remote processors, device nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.process.locate import DEVICE_NODES

NODES: Final = tuple(map(str, DEVICE_NODES))
DEVICE_TREE: Final = "/proc/device-tree"
FIRMWARE_FOLDERS: Final = ("/lib/firmware/updates", "/lib/firmware", "/usr/lib/firmware")
_COMPRESSED: Final = ("", ".zst", ".xz")
_INSTALL_UDEV: Final = "sudo apt install fastrpc (Radxa) or sudo apt install fastrpc-support (Debian, Ubuntu)"
_OTHER_KERNEL: Final = (
    "sudo apt update && sudo apt full-upgrade && sudo reboot, for a kernel and device tree with the CDSP"
)
_CONTAINER: Final = "in a container, start it with --device /dev/fastrpc-cdsp --device /dev/dma_heap/system"


def soc(board: Board) -> str:
    """Report the SoC and the kernel."""
    model = board.text(f"{DEVICE_TREE}/model")
    kernel = board.text("/proc/sys/kernel/osrelease") or "of unknown version"
    compatible = board.strings(f"{DEVICE_TREE}/compatible")
    if not any(name.startswith("qcom,") for name in compatible):
        what = model or "a machine without a device tree"
        raise Problem(
            f"{what}, kernel {kernel}: this is not a board, no Qualcomm SoC was found",
            "on a PC use --device loopback; on a board, boot with its device tree",
            warning=True,
        )
    return f"{model or 'unnamed board'} ({', '.join(compatible)}), kernel {kernel}"


def device_tree(board: Board) -> str:
    """Check that the device tree has the CDSP, with its memory and its FastRPC node.

    Trees differ: if the device nodes exist anyway, a missing part is only a warning.
    """
    there = any(board.path(node).exists() for node in NODES)
    processors = board.glob("proc/device-tree/soc*/remoteproc@*")
    if not processors:
        raise Problem("the device tree has no remote processor", _OTHER_KERNEL, warning=True)
    for processor in processors:
        name = board.shown(processor)
        if not any("cdsp" in part for part in board.strings(f"{name}/compatible")):
            continue
        if board.text(f"{name}/status") == "disabled":
            raise Problem(
                f"{name} is disabled in the device tree",
                "switch the CDSP on: on a Q6A run sudo rsetup, Overlays; if the board boots in EL2, set it to EL1",
                warning=there,
            )
        if not (processor / "memory-region").exists():
            raise Problem(f"{name} has no memory-region in the device tree", _OTHER_KERNEL, warning=there)
        if not any(board.text(board.shown(label)) == "cdsp" for label in processor.glob("glink-edge/fastrpc*/label")):
            raise Problem(f"{name} has no fastrpc node in the device tree", _OTHER_KERNEL, warning=there)
        return f"{name} has memory and a fastrpc node"
    raise Problem("the device tree has remote processors, but no CDSP", _OTHER_KERNEL, warning=there)


def remoteproc_folder(board: Board) -> Path | None:
    """Return the CDSP's folder in sysfs."""
    for folder in board.glob("sys/class/remoteproc/remoteproc*"):
        if board.text(f"{board.shown(folder)}/name") == "cdsp":
            return folder
    return None


def firmware_file(board: Board) -> tuple[str, Path | None]:
    """Return the firmware name that the kernel requests for the CDSP, and its file."""
    folder = remoteproc_folder(board)
    name = board.text(f"{board.shown(folder)}/firmware") if folder else ""
    places = (f"{place}/{name}{end}" for place in FIRMWARE_FOLDERS for end in _COMPRESSED)
    return name, board.find(places) if name else None


def remoteproc(board: Board) -> str:
    """Check that the CDSP is running."""
    folder = remoteproc_folder(board)
    if folder is None:
        others = [board.text(f"{board.shown(path)}/name") for path in board.glob("sys/class/remoteproc/remoteproc*")]
        if others:
            raise Problem(f"the remote processors are {', '.join(others)}: there is no cdsp", _OTHER_KERNEL)
        raise Problem(
            "the kernel shows no remote processor (/sys/class/remoteproc is empty or absent)",
            "sudo modprobe qcom_q6v5_pas",
            warning=not board.text(f"{DEVICE_TREE}/model"),
        )
    shown = board.shown(folder)
    state = board.text(f"{shown}/state") or "unknown"
    name, file = firmware_file(board)
    if state in ("running", "attached"):
        return f"{shown} (cdsp) is {state}, firmware {name}"
    if file is None:
        raise Problem(
            f"{shown} (cdsp) is {state}, and its firmware {name or '(no name)'} is in none of "
            f"{', '.join(FIRMWARE_FOLDERS)}",
            f"sudo apt install firmware-qcom-soc (Debian) or linux-firmware (Ubuntu), or on Radxa's system the package "
            f"that apt-file search {Path(name).name or 'cdsp.mbn'} names; then sudo reboot",
        )
    if state == "crashed":
        raise Problem(
            f"{shown} (cdsp) has crashed", "sudo reboot; what happened: sudo dmesg | grep -iE 'remoteproc|cdsp'"
        )
    raise Problem(
        f"{shown} (cdsp) is {state}, though its firmware {board.shown(file)} exists: the kernel requested it too "
        "early (it is not in the initramfs), or could not start it",
        f"echo start | sudo tee {shown}/state; for good: sudo update-initramfs -u && sudo reboot; "
        "if it does not start: sudo dmesg | grep -iE 'remoteproc|cdsp'",
    )


def nodes(board: Board) -> str:
    """Check that a FastRPC node of the CDSP exists and may be opened."""
    present = [name for name in NODES if board.path(name).exists()]
    if not present:
        folder = remoteproc_folder(board)
        state = board.text(f"{board.shown(folder)}/state") if folder else ""
        raise Problem(
            f"neither {' nor '.join(NODES)} exists{f' (the cdsp is {state})' if state else ''}",
            f"sudo modprobe fastrpc; {_CONTAINER}",
        )
    usable = [name for name in present if board.rights(board.path(name)).readable]
    if usable:
        return "; ".join(f"{name} ({board.rights(board.path(name)).text})" for name in present)
    raise _denied(board, present[-1])


def dma_heap(board: Board) -> str:
    """Check that shared memory can be allocated."""
    name = "/dev/dma_heap/system"
    path = board.path(name)
    if not path.exists():
        raise Problem(
            f"{name} does not exist: buffers come from the FastRPC node instead",
            f"use a kernel with CONFIG_DMABUF_HEAPS_SYSTEM=y; {_CONTAINER}",
            warning=True,
        )
    if board.rights(path).readable:
        return f"{name} ({board.rights(path).text})"
    raise _denied(board, name)


def _denied(board: Board, name: str) -> Problem:
    rights = board.rights(board.path(name))
    finding = f"no permission to open {name} ({rights.text})"
    if not rights.groups:
        return Problem(f"{finding}: no group may; the udev rules are missing", f"{_INSTALL_UDEV}; then sudo reboot")
    group = rights.groups[-1]  # of several, the ACL's group
    if board.is_listed_in(group):
        return Problem(f"{finding}: you are in group {group}, but this login is older", "log out and in again")
    return Problem(
        f"{finding}: you are not in group {' or '.join(rights.groups)}",
        f"sudo usermod -aG {group} $USER, then log out and in again",
    )
