# SPDX-License-Identifier: MIT
"""Find the library, the skel and the device that a device name stands for, and check that they exist.

The checks run before the first call of libcdsprpc, for two reasons. The DSP answers a missing or unsuitable skel with
one number (0x80000406) and reports the cause to syslog only. And the packaged library has a bug: when it fails to
create a session (no device node, no permission), the failing thread keeps a lock, and every later open hangs.
"""

from __future__ import annotations

import ctypes
import grp
import os
import platform
import pwd
import re
import stat
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import Library, lib_folders, load
from pyhexagon.errors import ArgumentError, ContractError, DeviceNotFoundError, SkelLoadError

SKEL_FILE: Final = "libpyhexagon_skel.so"
PAGE: Final = 4096
DEVICE_FOLDER: Final = Path("/dev")
REMOTEPROC: Final = Path("/sys/class/remoteproc")

CPU_NAMES: Final = ("cpu", "loopback")  # two names of one engine: the loopback's CPU kernels, in this process
PROCESSORS: Final[Mapping[str, str]] = {
    "cdsp": "cdsp", "cdsp1": "cdsp1", "cpu": "cdsp", "loopback": "cdsp", "loopback1": "cdsp1",
    "loopback:qemu": "cdsp", "loopback1:qemu": "cdsp1",
}  # fmt: skip
"""FastRPC's name of the compute DSP that each device name stands for."""

EM_HEXAGON: Final = 164
CPU_LEVELS: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {  # best level last
    "x86_64": {
        "avx2": frozenset({"avx2"}),
        "avx512_vnni": frozenset({"avx2", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_vnni"}),
    },
    "aarch64": {"neon": frozenset({"asimddp"})},
}
_AT_HWCAP, _HWCAP_ASIMDDP = 16, 1 << 20  # <elf.h> and the kernel's <asm/hwcap.h>
_HOST_MACHINES: Final = {"x86_64": 62, "aarch64": 183}
_MACHINE_NAMES: Final = {EM_HEXAGON: "Hexagon", 62: "x86-64", 183: "AArch64"}
_USE_CPU: Final = (
    'to compute on the CPU: --device cpu, or PYHEXAGON_DEVICE=cpu in the environment; in Python, Device("cpu")'
)
_DEVICE_TREE: Final = Path("/proc/device-tree")  # boards have one; PCs have none


@dataclass(frozen=True)
class Target:
    """The target of a device name.

    Attributes:
        name: as the user spells it, a key of ``PROCESSORS``.
        library: path of the libcdsprpc to load; None means the system's.
        skel: the skel that the DSP loads.
        elf_machine: e_machine of the skels that this device runs.
        skel_reason: why this skel was chosen, if there is a choice.
    """

    name: str
    library: Path | None
    skel: Path
    elf_machine: int
    skel_reason: str = ""

    @property
    def is_loopback(self) -> bool:
        return self.name not in remote.DOMAIN_IDS

    @property
    def processor(self) -> str:
        """FastRPC's name of the compute DSP: "cdsp" or "cdsp1"."""
        return PROCESSORS[self.name]


def find_target(name: str | None, library: str | os.PathLike[str] | None = None) -> Target:
    """Return the target of a device name; None means ``PYHEXAGON_DEVICE``, or else the real CDSP."""
    source = "" if name else " (PYHEXAGON_DEVICE of the environment)"
    name = name or _default_name()
    own_library = Path(library) if library is not None else None
    if name not in PROCESSORS:
        *names, last = map(repr, PROCESSORS)
        raise ArgumentError(f"no device {name!r}{source}: expected {', '.join(names)} or {last}")
    if name in remote.DOMAIN_IDS:
        return Target(name, own_library, installed(f"v68/{SKEL_FILE}"), EM_HEXAGON)
    library_file = own_library or installed("libcdsprpc.so.1")
    if not name.endswith(":qemu"):
        machine = _HOST_MACHINES.get(platform.machine(), 0)
        level = cpu_level()
        return Target(name, library_file, installed(f"host/{level}/{SKEL_FILE}"), machine, f"CPU kernels: {level}")
    _check_files_of_qemu()
    return Target(name, library_file, installed(f"v68/{SKEL_FILE}"), EM_HEXAGON)


def _check_files_of_qemu() -> None:
    program, folder = os.environ.get("PYHEXAGON_QEMU"), os.environ.get("PYHEXAGON_DSP_FILES")
    if program and not (os.path.isfile(program) and os.access(program, os.X_OK)):
        raise ArgumentError(f"PYHEXAGON_QEMU of the environment is {program!r}: expected a program")
    if folder and not os.path.isdir(folder):
        raise ArgumentError(f"PYHEXAGON_DSP_FILES of the environment is {folder!r}: expected a folder")


def _default_name() -> str:
    return os.environ.get("PYHEXAGON_DEVICE") or "cdsp"


def names_of_all(name: str | None) -> list[str]:
    """Return the names of all devices of one kind on this machine; see ``Device.all``."""
    name = name or _default_name()
    if name == "cdsp":
        return [domain for domain in remote.DOMAIN_IDS if _present_nodes(domain)] or [name]
    if name in ("loopback", "loopback:qemu"):
        return [name, name.replace("loopback", "loopback1")]
    return [name]


def device_nodes(processor: str) -> tuple[Path, Path]:
    """Return the device nodes of a compute DSP, in the order that the library tries them."""
    return DEVICE_FOLDER / f"fastrpc-{processor}-secure", DEVICE_FOLDER / f"fastrpc-{processor}"


def _present_nodes(processor: str) -> list[Path]:
    return [node for node in device_nodes(processor) if node.exists()]


def cpu_level() -> str:
    """Return the level of CPU kernels: ``PYHEXAGON_CPU``, else the CPU's widest vectors, else "ref".

    Raises:
        ArgumentError: this CPU lacks the features of the level in ``PYHEXAGON_CPU``.
    """
    features = _cpu_features()
    levels = [level for level, needed in CPU_LEVELS.get(platform.machine(), {}).items() if needed <= features]
    wanted = os.environ.get("PYHEXAGON_CPU")
    if wanted is None:
        return levels[-1] if levels else "ref"
    if wanted not in ("ref", *levels):
        known = ", ".join(("ref", *levels))
        raise ArgumentError(f"PYHEXAGON_CPU of the environment is {wanted!r}: this CPU has {known}")
    return wanted


def _cpu_features() -> frozenset[str]:
    """Return the CPU's features; on arm64 from the auxiliary vector: /proc/cpuinfo may describe another machine."""
    if platform.machine() == "aarch64":
        with suppress(OSError, AttributeError):
            capabilities = ctypes.CDLL(None).getauxval
            capabilities.restype, capabilities.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
            return frozenset({"asimddp"} if capabilities(_AT_HWCAP) & _HWCAP_ASIMDDP else ())
    with suppress(OSError):
        found = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(errors="replace"), re.MULTILINE)
        return frozenset(found[1].split()) if found else frozenset()
    return frozenset()


def installed(name: str) -> Path:
    """Return the path of our file below ``pyhexagon/lib``, whether it exists or not.

    ``PYHEXAGON_LIB`` names another ``lib`` folder, for developers.
    """
    candidates = [folder / name for folder in lib_folders()]
    return next((path for path in candidates if path.exists()), candidates[-1])


def with_skel_for(target: Target, arch: int | None) -> Target:
    """Return the target with the newest installed skel that its DSP runs: a DSP also runs code for older versions.

    Args:
        arch: the DSP's architecture (0x68 for v68) , or None: then the oldest skel is taken.
    """
    if target.elf_machine != EM_HEXAGON:
        return target
    versions = {
        int(path.parent.name[1:], 16)
        for folder in lib_folders()
        for path in folder.glob(f"v*/{SKEL_FILE}")
        if re.fullmatch("v[0-9a-f]{2}", path.parent.name)
    }
    if not versions:
        return target
    here = (
        "only one here"
        if len(versions) == 1
        else f"here are {', '.join(f'v{version:x}' for version in sorted(versions))}"
    )
    fitting = [version for version in versions if arch and version <= arch]
    if fitting:
        version, reason = max(fitting), f"the newest that a v{arch:x} DSP runs; {here}"
    elif arch:
        version, reason = min(versions), f"none is for a DSP as old as v{arch:x}; {here}"
    else:
        version, reason = min(versions), f"the oldest, because the library does not report the DSP's version; {here}"
    return replace(target, skel=installed(f"v{version:x}/{SKEL_FILE}"), skel_reason=f"v{version:x}: {reason}")


def check_device_nodes(processor: str = "cdsp") -> None:
    """Raise DeviceNotFoundError unless a node of the compute DSP exists and this user may open it."""
    present = _present_nodes(processor)
    if not present:
        found = _remoteproc_states()
        state = f"; remote processors here: {found}" if found else ""
        raise DeviceNotFoundError(
            f"neither {' nor '.join(map(str, device_nodes(processor)))} exists{state}",
            hint="on a board, install the DSP's firmware and load the fastrpc driver",
        )
    if any(os.access(node, os.R_OK) for node in present):
        return
    node = present[-1]
    status = node.stat()
    user, group = _user_name(os.geteuid()), _group_name(status.st_gid)
    raise DeviceNotFoundError(
        f"no permission to open {node} (owner {_user_name(status.st_uid)}, group {group}, "
        f"mode {stat.S_IMODE(status.st_mode):04o})",
        hint=f"add yourself to its group (sudo usermod -aG {group} {user}) and log in again",
    )


def no_device(problems: list[DeviceNotFoundError]) -> DeviceNotFoundError:
    """Merge all reasons that keep the real device from being used into one error; a PC needs no reason."""
    if not _DEVICE_TREE.exists() and not any(_present_nodes(processor) for processor in ("cdsp", "cdsp1")):
        return DeviceNotFoundError(
            f"this machine has no Hexagon DSP: {problems[-1].detail}",
            hint=f"{_USE_CPU}; on a board, pyhexagon doctor says what is missing",
        )
    return DeviceNotFoundError(
        f"no Hexagon CDSP can be used here: {'; '.join(problem.detail for problem in problems)}",
        hint="; ".join([*(problem.hint for problem in problems if problem.hint), _USE_CPU]),
    )


def check_skel(target: Target, arch: int | None = None) -> None:
    """Raise unless the skel exists and is an ELF file that this device's loader accepts.

    Args:
        arch: the DSP's architecture (0x68 for v68) , or None if unknown.
    """
    try:
        with target.skel.open("rb") as file:
            head = file.read(PAGE)  # the DSP's loader wants the program headers in the first page, too
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise SkelLoadError(
            f"no skel for device {target.name!r}: {target.skel}: {error.strerror}",
            hint="reinstall pyhexagon (that builds the skels), or set PYHEXAGON_LIB to the folder that holds them",
        ) from None
    if len(head) < 64 or head[:4] != b"\x7fELF":
        raise SkelLoadError(f"{target.skel} is not an ELF file")
    (machine,) = struct.unpack_from("<H", head, 18)
    if machine != target.elf_machine:
        raise ContractError(
            f"{target.skel} is built for {_machine_name(machine)}, device {target.name!r} needs "
            f"{_machine_name(target.elf_machine)}"
        )
    if machine == EM_HEXAGON and arch:
        (flags,) = struct.unpack_from("<I", head, 36)
        if flags & 0xFF > arch:
            raise ContractError(f"{target.skel} is built for Hexagon v{flags & 0xFF:x}, this DSP is v{arch:x}")
    end = _end_of_segments(head)
    if end > size:
        raise SkelLoadError(
            f"{target.skel} is cut short: it has {size} bytes of {end}", hint="copy it again, or reinstall pyhexagon"
        )


def _end_of_segments(head: bytes) -> int:
    """Return the end offset of an ELF file's last segment. A loader that maps a truncated file dies of SIGBUS."""
    is_64 = head[4] == 2
    offset_and_size = struct.Struct("<8xQ16xQ" if is_64 else "<4xI8xI")
    (table,) = struct.unpack_from("<Q", head, 32) if is_64 else struct.unpack_from("<I", head, 28)
    entry_size, count = struct.unpack_from("<HH", head, 54 if is_64 else 42)
    end = 0
    for at in range(table, table + entry_size * count, entry_size or 1):
        entry = head[at : at + entry_size]
        if len(entry) < offset_and_size.size:
            return len(head) + 1
        offset, stored = offset_and_size.unpack_from(entry)
        end = max(end, offset + stored)
    return end


def _machine_name(machine: int) -> str:
    return _MACHINE_NAMES.get(machine, f"ELF machine {machine}")


def _group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _remoteproc_states() -> str:
    with suppress(OSError):
        return ", ".join(
            f"{(entry / 'name').read_text().strip()} is {(entry / 'state').read_text().strip()}"
            for entry in sorted(REMOTEPROC.glob("remoteproc*"))
        )
    return ""


def load_library(target: Target) -> Library:
    """Load the library and, for a real device, check that it can be opened."""
    problems: list[DeviceNotFoundError] = []
    library = None
    try:
        library = load(target.library)
    except DeviceNotFoundError as error:
        if target.library is not None:
            raise
        problems.append(
            DeviceNotFoundError(error.detail, hint="on a board, install libcdsprpc1 (Radxa) or libfastrpc1 (Debian)")
        )
    if library is None or not library.is_loopback:
        try:
            check_device_nodes(target.processor)
        except DeviceNotFoundError as error:
            problems.append(error)
    if library is None or problems:
        raise no_device(problems)
    if library.is_loopback and os.environ.get("PYHEXAGON_LOOPBACK"):
        bad = [line for line in loopback.log(library).splitlines() if line.startswith("PYHEXAGON_LOOPBACK: ")]
        if bad:
            raise ArgumentError(f"PYHEXAGON_LOOPBACK of the environment has a {bad[0].partition(': ')[2]}")
    return library
