# SPDX-License-Identifier: MIT
"""Checks of the kernel's state: SoC, device tree, remote processors, device nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pyhexagon.doctor import known
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.known import DEVICE_TREE
from pyhexagon.process.locate import device_nodes

NODES: Final = tuple(map(str, device_nodes("cdsp")))
FIRMWARE_FOLDERS: Final = ("/lib/firmware/updates", "/lib/firmware", "/usr/lib/firmware")
_COMPRESSED: Final = ("", ".zst", ".xz")
_LOG: Final = "sudo dmesg | grep -iE 'remoteproc|cdsp|reserved mem' | tail -30"
_ON_A_PC: Final = "pyhexagon doctor --device cpu"
_CONTAINER: Final = "docker run --device /dev/fastrpc-cdsp --device /dev/dma_heap/system"
_VENDOR_NODES: Final = ("/dev/adsprpc-smd", "/dev/cdsprpc-smd", "/dev/adsprpc-smd-secure")


def soc(board: Board) -> str:
    """Report the SoC and the kernel; refuse systems and chips on which nothing below can work."""
    model = board.text(f"{DEVICE_TREE}/model")
    kernel = board.text("/proc/sys/kernel/osrelease") or "of unknown version"
    compatible = known.compatibles(board)
    if "microsoft" in kernel.lower():
        raise Problem(f"kernel {kernel}: this is Linux on Windows, which has no FastRPC devices", _ON_A_PC)
    if board.path("/system/build.prop").exists():
        raise Problem("this is Android, which pyhexagon does not support: it needs a Linux system", _ON_A_PC)
    if why := known.refusal(board):
        raise Problem(f"{model or 'this board'}: {why}, and pyhexagon needs Hexagon v68 or later", _ON_A_PC)
    if not any(name.startswith("qcom,") for name in compatible):
        if not compatible and board.in_container and remoteproc_folder(board):
            return f"a container hides the device tree, so the SoC is not known; it has a CDSP; kernel {kernel}"
        what = model or "a machine without a device tree"
        raise Problem(
            f"{what}, kernel {kernel}: this is not a board, no Qualcomm SoC was found",
            f"on a PC use --device cpu: {_ON_A_PC}",
            warning=True,
        )
    return f"{model or 'unnamed board'} ({', '.join(compatible)}), kernel {kernel}"


def _cdsp_nodes(board: Board) -> list[Path]:
    """Return the device tree's remote processors that are the first CDSP; SC8280XP calls it NSP 0."""
    return [
        path
        for path in board.glob("proc/device-tree/soc*/remoteproc@*")
        if any("-cdsp" in name or "-nsp0" in name for name in board.strings(f"{board.shown(path)}/compatible"))
    ]


def device_tree(board: Board) -> str:
    """Check that the device tree has the CDSP, with its memory and its FastRPC node.

    Trees differ: if the device nodes exist anyway, a missing part is only a warning.
    """
    there = any(board.path(node).exists() for node in NODES)
    newer = known.upgrade(board)
    if not known.compatibles(board) and board.in_container:
        return "not examined: a container hides the device tree"
    if not board.glob("proc/device-tree/soc*/remoteproc@*"):
        raise Problem("the device tree has no remote processor", newer, warning=True)
    for processor in _cdsp_nodes(board):
        name = board.shown(processor)
        if board.text(f"{name}/status") == "disabled":
            raise Problem(
                f"{name} is disabled in the device tree: an overlay did it, or the board boots in EL2 with a device "
                "tree that leaves the CDSP out",
                "sudo rsetup" if known.system(board) == "radxa" else newer,
                warning=there,
            )
        if not (processor / "memory-region").exists():
            raise Problem(f"{name} has no memory-region in the device tree", newer, warning=there)
        if not any(board.text(board.shown(label)) == "cdsp" for label in processor.glob("glink-edge/fastrpc*/label")):
            raise Problem(f"{name} has no fastrpc node in the device tree", newer, warning=there)
        return f"{name} has memory and a fastrpc node"
    raise Problem("the device tree has remote processors, but no CDSP", newer, warning=there)


def remoteproc_folder(board: Board) -> Path | None:
    """Return the CDSP's folder in sysfs. Older kernels name it after its device: a300000.remoteproc."""
    for folder in board.glob("sys/class/remoteproc/remoteproc*"):
        name = board.text(f"{board.shown(folder)}/name")
        firmware = Path(board.text(f"{board.shown(folder)}/firmware")).name
        if name == "cdsp" or (name.endswith(".remoteproc") and "cdsp" in firmware and "cdsp1" not in firmware):
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
        raise _no_remoteproc(board)
    shown = board.shown(folder)
    state = board.text(f"{shown}/state") or "unknown"
    name, file = firmware_file(board)
    if state in ("running", "attached"):
        return f"{shown} (cdsp) is {state}, firmware {name}"
    if file is None:
        raise Problem(
            f"{shown} (cdsp) is {state}, and its firmware {name or '(no name)'} is in none of "
            f"{', '.join(FIRMWARE_FOLDERS)}",
            known.install(board, "firmware"),
        )
    if state == "crashed":
        raise Problem(f"{shown} (cdsp) has crashed: a program or the firmware failed ({_LOG})", "sudo reboot")
    raise Problem(
        f"{shown} (cdsp) is {state}, though its firmware {board.shown(file)} exists: the kernel requested it too "
        f"early (it is not in the initramfs), or could not start it ({_LOG} says why)",
        f"echo start | sudo tee {shown}/state && sudo update-initramfs -u",
    )


def _no_remoteproc(board: Board) -> Problem:
    """Return why sysfs shows no CDSP."""
    others = [board.text(f"{board.shown(path)}/name") for path in board.glob("sys/class/remoteproc/remoteproc*")]
    in_tree = bool(_cdsp_nodes(board))
    if others and in_tree:
        return Problem(
            f"the remote processors are {', '.join(others)}: there is no cdsp, though the device tree has one; the "
            "kernel could not claim it, for example because its reserved memory is in use",
            _LOG,
        )
    if others:
        return Problem(f"the remote processors are {', '.join(others)}: there is no cdsp", known.upgrade(board))
    return Problem(
        "the kernel shows no remote processor (/sys/class/remoteproc is empty or absent)",
        "sudo modprobe qcom_q6v5_pas",
        warning=not board.text(f"{DEVICE_TREE}/model"),
    )


def nodes(board: Board) -> str:
    """Check that a FastRPC node of the CDSP exists and may be opened."""
    present = [name for name in NODES if board.path(name).exists()]
    if not present:
        raise _no_nodes(board)
    usable = [name for name in present if board.rights(board.path(name)).readable]
    if usable:
        return "; ".join(f"{name} ({board.rights(board.path(name)).text})" for name in present)
    raise _denied(board, present[-1])


def _no_nodes(board: Board) -> Problem:
    """Return why the FastRPC nodes do not exist."""
    folder = remoteproc_folder(board)
    state = board.text(f"{board.shown(folder)}/state") if folder else ""
    finding = f"neither {' nor '.join(NODES)} exists{f' (the cdsp is {state})' if state else ''}"
    vendor = next((name for name in _VENDOR_NODES if board.path(name).exists()), "")
    if vendor:
        return Problem(
            f"{finding}, but {vendor} does: this is the vendor's kernel with another FastRPC driver",
            "install a system with a mainline kernel (6.8 or later)",
        )
    if board.in_container:
        return Problem(f"{finding}: this is a container without the DSP's devices", _CONTAINER)
    return Problem(f"{finding}: the driver is not loaded", "sudo modprobe fastrpc")


def dma_heap(board: Board) -> str:
    """Check that shared memory can be allocated."""
    name = "/dev/dma_heap/system"
    path = board.path(name)
    if not path.exists():
        raise Problem(
            f"{name} does not exist: buffers come from the FastRPC node instead",
            _CONTAINER if board.in_container else "use a kernel with CONFIG_DMABUF_HEAPS_SYSTEM=y",
            warning=True,
        )
    if board.rights(path).readable:
        return f"{name} ({board.rights(path).text})"
    raise _denied(board, name)


def _denied(board: Board, name: str) -> Problem:
    rights = board.rights(board.path(name))
    finding = f"no permission to open {name} ({rights.text})"
    if board.in_container:
        gid = board.path(name).stat().st_gid
        return Problem(f"{finding}: the container's user is not in its group", f"docker run --group-add {gid}")
    if not rights.groups:
        command = f"{known.install(board, 'udev')} && sudo reboot"
        return Problem(f"{finding}: no group may; the udev rules are missing", command)
    group = rights.groups[-1]  # of several, the ACL's group
    if board.is_listed_in(group):
        return Problem(f"{finding}: you are in group {group}, but this login is older", "log out and in again")
    return Problem(
        f"{finding}: you are not in group {' or '.join(rights.groups)}",
        f"sudo usermod -aG {group} $USER, then log out and in again",
    )
