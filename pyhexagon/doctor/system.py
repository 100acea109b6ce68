# SPDX-License-Identifier: MIT
"""Checks of the kernel's state: SoC, device tree, remote processors, device nodes."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pyhexagon.doctor import known
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.known import DEVICE_TREE
from pyhexagon.process.locate import device_nodes

FIRMWARE_FOLDERS: Final = ("/lib/firmware/updates", "/lib/firmware", "/usr/lib/firmware")
_COMPRESSED: Final = ("", ".zst", ".xz")
_LOG: Final = "sudo dmesg | grep -iE 'remoteproc|cdsp|reserved mem' | tail -30"
_ON_A_PC: Final = "pyhexagon doctor --device cpu"
_COMPATIBLE: Final = MappingProxyType({
    "cdsp": re.compile(r"-(cdsp0?|nsp0)(-|$)"),
    "cdsp1": re.compile(r"-(cdsp1|nsp1)(-|$)"),
})
"""The compatible strings of each compute DSP in the device tree; SC8280XP calls its two NSP 0 and NSP 1."""
_SAFE_KERNEL: Final = (7, 1)  # since then, FastRPC's driver survives the sudden death of a program
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
    return f"{model or 'unnamed board'} ({', '.join(compatible)}), kernel {kernel}{kill_warning(board)}"


def kill_warning(board: Board) -> str:
    """Return that a kernel may crash when a program that uses the DSP is killed; empty for newer and unknown ones."""
    version = re.match(r"(\d+)\.(\d+)", board.text("/proc/sys/kernel/osrelease"))
    if version is None or (int(version[1]), int(version[2])) >= _SAFE_KERNEL:
        return ""
    return " (older than 7.1: killing a program that uses the DSP with SIGKILL may crash this kernel; use SIGTERM)"


def _cdsp_nodes(board: Board, processor: str) -> list[Path]:
    """Return the nodes of a compute DSP among the device tree's remote processors."""
    return [
        path
        for path in board.glob("proc/device-tree/soc*/remoteproc@*")
        if any(map(_COMPATIBLE[processor].search, board.strings(f"{board.shown(path)}/compatible")))
    ]


def device_tree(board: Board) -> str:
    """Check that the device tree has the CDSP, with its memory and its FastRPC node.

    Trees differ: if the device nodes exist anyway, a missing part is only a warning.
    """
    there = bool(_present(board, board.processor))
    newer = known.upgrade(board)
    if not known.compatibles(board) and board.in_container:
        return "not examined: a container hides the device tree"
    if not board.glob("proc/device-tree/soc*/remoteproc@*"):
        raise Problem("the device tree has no remote processor", newer, warning=True)
    for processor in _cdsp_nodes(board, board.processor):
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
        labels = [board.text(board.shown(label)) for label in processor.glob("glink-edge/fastrpc*/label")]
        if board.processor not in labels:
            named = f" that is called {board.processor}, but {', '.join(labels)}" if labels else ""
            raise Problem(f"{name} has no fastrpc node in the device tree{named}", newer, warning=there)
        return f"{name} has memory and a fastrpc node"
    raise Problem(f"the device tree has remote processors, but no {board.processor.upper()}", newer, warning=there)


def remoteproc_folder(board: Board) -> Path | None:
    """Return the DSP's folder in sysfs. Older kernels name it after its device: a300000.remoteproc."""
    return _remoteproc_folder(board, board.processor)


def _remoteproc_folder(board: Board, processor: str) -> Path | None:
    devices = {f"{node.name.partition('@')[2]}.remoteproc" for node in _cdsp_nodes(board, processor)}
    for folder in board.glob("sys/class/remoteproc/remoteproc*"):
        name = board.text(f"{board.shown(folder)}/name")
        firmware = Path(board.text(f"{board.shown(folder)}/firmware")).name
        if name == processor or name in devices:
            return folder
        is_cdsp = not devices and name.endswith(".remoteproc") and "cdsp" in firmware  # a container hides the tree
        if is_cdsp and ("cdsp1" in firmware) == (processor == "cdsp1"):
            return folder
    return None


def firmware_file(board: Board) -> tuple[str, Path | None]:
    """Return the firmware name that the kernel requests for the DSP, and its file."""
    folder = remoteproc_folder(board)
    name = board.text(f"{board.shown(folder)}/firmware") if folder else ""
    places = (f"{place}/{name}{end}" for place in FIRMWARE_FOLDERS for end in _COMPRESSED)
    return name, board.find(places) if name else None


def remoteproc(board: Board) -> str:
    """Check that the DSP is running, and name the other one of a board with two."""
    folder = remoteproc_folder(board)
    if folder is None:
        raise _no_remoteproc(board)
    shown = board.shown(folder)
    dsp, state = board.processor, board.text(f"{shown}/state") or "unknown"
    name, file = firmware_file(board)
    if state in ("running", "attached"):
        return f"{shown} ({dsp}) is {state}, firmware {name}{_other(board)}"
    if file is None:
        raise Problem(
            f"{shown} ({dsp}) is {state}, and its firmware {name or '(no name)'} is in none of "
            f"{', '.join(FIRMWARE_FOLDERS)}",
            known.install(board, "firmware"),
        )
    if state == "crashed":
        raise Problem(f"{shown} ({dsp}) has crashed: a program or the firmware failed ({_LOG})", "sudo reboot")
    raise Problem(
        f"{shown} ({dsp}) is {state}, though its firmware {board.shown(file)} exists: the kernel requested it too "
        "early and does not retry (the firmware is not in the initramfs, the driver is), or could not start it "
        f"({_LOG} says why)",
        known.start(board, shown),
    )


def _other(board: Board) -> str:
    """Return the state of the board's other compute DSP, and how to check it; empty if there is none."""
    other = "cdsp1" if board.processor == "cdsp" else "cdsp"
    folder = _remoteproc_folder(board, other)
    if folder is None:
        return ""
    state, node = board.text(f"{board.shown(folder)}/state"), "a" if _present(board, other) else "no"
    return f"; {other} is {state} and has {node} device node: pyhexagon doctor --device {other} checks it"


def _no_remoteproc(board: Board) -> Problem:
    """Return why sysfs shows no such DSP."""
    others = [board.text(f"{board.shown(path)}/name") for path in board.glob("sys/class/remoteproc/remoteproc*")]
    in_tree = bool(_cdsp_nodes(board, board.processor))
    if others and in_tree:
        return Problem(
            f"the remote processors are {', '.join(others)}: there is no {board.processor}, though the device tree has "
            "one; the kernel could not claim it, for example because its reserved memory is in use",
            _LOG,
        )
    if others:
        finding = f"the remote processors are {', '.join(others)}: there is no {board.processor}"
        return Problem(finding, known.upgrade(board))
    return Problem(
        "the kernel shows no remote processor (/sys/class/remoteproc is empty or absent)",
        "sudo modprobe qcom_q6v5_pas",
        warning=not board.text(f"{DEVICE_TREE}/model"),
    )


def nodes(board: Board) -> str:
    """Check that a FastRPC node of the DSP exists and may be opened."""
    present = _present(board, board.processor)
    if not present:
        raise _no_nodes(board)
    usable = [name for name in present if board.rights(board.path(name)).readable]
    if usable:
        return "; ".join(f"{name} ({board.rights(board.path(name)).text})" for name in present)
    raise _denied(board, present[-1])


def _present(board: Board, processor: str) -> list[str]:
    return [str(node) for node in device_nodes(processor) if board.path(str(node)).exists()]


def _no_nodes(board: Board) -> Problem:
    """Return why the FastRPC nodes do not exist."""
    folder = remoteproc_folder(board)
    state = board.text(f"{board.shown(folder)}/state") if folder else ""
    names = " nor ".join(map(str, device_nodes(board.processor)))
    finding = f"neither {names} exists{f' (the {board.processor} is {state})' if state else ''}"
    vendor = next((name for name in _VENDOR_NODES if board.path(name).exists()), "")
    if vendor:
        return Problem(
            f"{finding}, but {vendor} does: this is the vendor's kernel with another FastRPC driver",
            "install a system with a mainline kernel (6.8 or later)",
        )
    if board.in_container:
        return Problem(f"{finding}: this is a container without the DSP's devices", _container(board))
    if folder and state not in ("running", "attached"):
        command = "sudo reboot" if state == "crashed" else known.start(board, board.shown(folder))
        return Problem(f"{finding}: the nodes appear when it runs", command)
    return Problem(f"{finding}: the driver is not loaded", "sudo modprobe fastrpc")


def _container(board: Board) -> str:
    return f"docker run --device /dev/fastrpc-{board.processor} --device /dev/dma_heap/system"


def dma_heap(board: Board) -> str:
    """Check that shared memory can be allocated."""
    name = "/dev/dma_heap/system"
    path = board.path(name)
    if not path.exists():
        raise Problem(
            f"{name} does not exist: buffers come from the FastRPC node instead",
            _container(board) if board.in_container else "use a kernel with CONFIG_DMABUF_HEAPS_SYSTEM=y",
            warning=True,
        )
    if board.rights(path).readable:
        return f"{name} ({board.rights(path).text})"
    raise _denied(board, name, "; buffers come from the FastRPC node instead", warning=True)


def _denied(board: Board, name: str, effect: str = "", *, warning: bool = False) -> Problem:
    rights = board.rights(board.path(name))
    finding = f"no permission to open {name} ({rights.text})"

    def problem(why: str, command: str) -> Problem:
        return Problem(f"{finding}: {why}{effect}", command, warning=warning)

    if board.in_container:
        gid = board.path(name).stat().st_gid
        return problem("the container's user is not in its group", f"docker run --group-add {gid}")
    if not rights.groups:
        return problem("no group may; the udev rules are missing", f"{known.install(board, 'udev')} && sudo reboot")
    group = rights.groups[-1]  # of several, the ACL's group
    if board.is_listed_in(group):
        return problem(f"you are in group {group}, but this login is older", "log out and in again")
    return problem(
        f"you are not in group {' or '.join(rights.groups)}",
        f"sudo usermod -aG {group} $USER, then log out and in again",
    )
