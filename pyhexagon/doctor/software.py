# SPDX-License-Identifier: MIT
"""Checks of the installed software: libcdsprpc, the DSP's shell, search paths, our skel."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from pyhexagon._ffi import remote
from pyhexagon._ffi.library import SYSTEM_NAMES
from pyhexagon.doctor import known
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import PIP, Problem, of_error
from pyhexagon.doctor.known import DEVICE_TREE
from pyhexagon.doctor.system import firmware_file
from pyhexagon.errors import HexagonError
from pyhexagon.process import locate

_SHELL_FOLDERS: Final = ("/usr/lib/dsp", "/vendor/dsp")
CONFIG_FOLDERS: Final = ("/usr/share/qcom", "/usr/share/hexagon-dsp")
_LIBRARY_FOLDERS: Final = ("usr/local/lib", "usr/local/lib/*-linux-gnu", "usr/lib", "usr/lib/*-linux-gnu", "lib")
_ANDROID: Final = b"liblog.so\0"  # a library that only Android has
# The firmware stores its build under this key; the shell only has it in paths of its sources.
_BUILD_TAG: Final = re.compile(rb"QC_IMAGE_VERSION_STRING=([!-~]+)")
_BUILD_PATH: Final = re.compile(rb"CDSP\.[A-Za-z0-9.]+-\d+-[A-Z0-9]+-\d+")


def library(board: Board) -> str:
    """Report the installed libcdsprpc and its package."""
    own = [folder.strip("/") for folder in board.environ.get("LD_LIBRARY_PATH", "").split(":") if folder[:1] == "/"]
    files = {
        path.resolve(): path
        for folder in (*own, *_LIBRARY_FOLDERS)
        for name in SYSTEM_NAMES
        for path in board.glob(f"{folder}/{name}")
    }
    if not files:
        where = " in this container" if board.in_container else ""
        raise Problem(f"no {' or '.join(SYSTEM_NAMES)} is installed{where}", known.install(board, "library"))
    for path in files.values():
        if problem := _unusable(path):
            raise Problem(f"{board.shown(path)} {problem}", known.install(board, "library", again=True))
    shown = {path: board.shown(path) for path in files.values()}
    found = ", ".join(f"{name} ({_package(board, path)})" for path, name in shown.items())
    if len(files) > 1:
        raise Problem(
            f"{len(files)} different libcdsprpc are installed: {found}",
            f"keep one: dpkg -S {' '.join(shown.values())} names the package of each, and a copy without one can go",
            warning=True,
        )
    only = next(iter(files.values()))
    if only.name == SYSTEM_NAMES[0] and not only.with_name(SYSTEM_NAMES[1]).exists():
        link = f"sudo ln -s {only.name} {board.shown(only.with_name(SYSTEM_NAMES[1]))}"
        return f"{found}; llama.cpp looks for {SYSTEM_NAMES[1]}, pyhexagon does not need it ({link})"
    return found


def _unusable(path: Path) -> str:
    """Return what is wrong with a library's file, or an empty string."""
    data = path.read_bytes()
    if not data:
        return "is empty: its installation did not finish"
    return "is Android's library, which needs Android's linker" if _ANDROID in data else ""


def _package(board: Board, path: Path) -> str:
    names = {board.shown(path), "/" + str(path.resolve()).removeprefix(str(board.root.resolve())).lstrip("/")}
    for listing in board.glob("var/lib/dpkg/info/*.list"):
        if "cdsprpc" in listing.name or "fastrpc" in listing.name:
            content = listing.read_text("utf-8", errors="replace").splitlines()
            if names & set(content):
                package = listing.stem.split(":")[0]
                return f"{package} {_version(board, package)}".strip()
    return "from no package"


def _version(board: Board, package: str) -> str:
    status = board.path("/var/lib/dpkg/status")
    if not status.exists():
        return ""
    found = re.search(
        rf"^Package: {re.escape(package)}\n(?:.+\n)*?Version: (\S+)", status.read_text("utf-8", errors="replace"), re.M
    )
    return found[1] if found else ""


def shell(board: Board) -> str:
    """Check that the DSP's shell file exists and has the firmware's build."""
    folders = list(_shell_folders(board))
    file = board.find(f"{folder}/{_shell_name(board)}" for folder in folders)
    if file is None:
        raise _no_shell(board, folders)
    shown = board.shown(file)
    if not board.rights(file).readable:
        raise Problem(f"{shown} may not be read ({board.rights(file).text})", f"sudo chmod a+r {shown}")
    build = _build(file)
    name, firmware = firmware_file(board)
    other = _build(firmware) if firmware else ""
    if not build:
        raise Problem(f"{shown} contains no build string: it may be truncated", known.install_dsp_files(board))
    if not other:
        return f"{shown}, build {build}; the build of the firmware {name or '(unknown)'} cannot be read, not compared"
    if build != other:
        raise Problem(
            f"{shown} has build {build}, the firmware {name} has build {other}: they come from different sources",
            known.upgrade(board),
        )
    return f"{shown}, build {build}, the same as the firmware's"


def _no_shell(board: Board, folders: list[str]) -> Problem:
    """Return why the library finds no shell: another machine's, a container without it, or not installed."""
    absent = f"{_shell_name(board)} is in none of {', '.join(folders)}"
    finding = f"{absent}: without it, the DSP answers an open with 0x80000600"
    model = _model(board)
    configs = [config for base in CONFIG_FOLDERS for config in board.glob(f"{base.lstrip('/')}/conf.d/*.yaml")]
    named = any(_configured(config, model) for config in configs)
    if configs and not named and board.environ.get("MACHINE_NAME"):
        return Problem(f"{finding}; MACHINE_NAME of the environment is {model!r}, which no file in conf.d names",
                       "unset MACHINE_NAME")
    if configs and not named and board.in_container:
        return Problem(f"{finding}; a container hides the board's name, by which conf.d finds the folder",
                       'docker run -e MACHINE_NAME="$(tr -d \'\\0\' </proc/device-tree/model)"')
    if board.in_container:
        return Problem(f"{finding}; this is a container", "docker run -v /usr/lib/dsp:/usr/lib/dsp:ro")
    if configs and not named:
        finding = f"{finding}; no file in conf.d names this board, {model!r}"
    return Problem(finding, known.install_dsp_files(board))


def _shell_name(board: Board) -> str:
    return f"fastrpc_shell_unsigned_{remote.DOMAIN_IDS[board.processor]}"


def _model(board: Board) -> str:
    return board.environ.get("MACHINE_NAME") or board.text(f"{DEVICE_TREE}/model")


def _shell_folders(board: Board) -> Iterator[str]:
    for folder in _SHELL_FOLDERS:
        yield from (folder, f"{folder}/{board.processor}")
    model = _model(board)
    for base in CONFIG_FOLDERS:
        for config in board.glob(f"{base.lstrip('/')}/conf.d/*.yaml"):
            folder = _configured(config, model)
            if folder:
                yield from (f"{base}/{folder}", f"{base}/{folder}/{board.processor}")


def _configured(config: Path, model: str) -> str:
    """Return DSP_LIBRARY_PATH of a machine: ``machines:``, below it the model, below that the variable."""
    machine = ""
    for line in config.read_text("utf-8", errors="replace").splitlines():
        key, _, value = line.strip().partition(":")
        if not value.strip():
            machine = key.strip("\"' ")
        elif key == "DSP_LIBRARY_PATH" and machine == model:
            return value.strip().strip("\"'")
    return ""


def _build(file: Path) -> str:
    """Return the build string of a shell or firmware, in one file or split into .mdt and .b00, ...; or ""."""
    parts = [file, *sorted(file.parent.glob(f"{file.stem}.b[0-9][0-9]"))] if file.suffix == ".mdt" else [file]
    try:
        datas = [lzma.decompress(part.read_bytes()) if part.suffix == ".xz" else part.read_bytes() for part in parts]
    except (OSError, lzma.LZMAError):
        return ""
    for data in datas:
        found = _BUILD_TAG.search(data)
        if found:
            return found[1].decode()
    paths = chain.from_iterable(_BUILD_PATH.findall(data) for data in datas)
    return next(paths, b"").decode()


def paths(board: Board) -> str:
    """Check the environment variables of the library's skel search."""
    values = {name: board.environ.get(name, "") for name in ("DSP_LIBRARY_PATH", "ADSP_LIBRARY_PATH")}
    for name, value in values.items():
        if ":" in value:
            right = value.replace(":", ";")
            raise Problem(
                f"{name} is {value!r}: the separator is ';', so the library sees one folder that does not exist",
                f"export {name}='{right}'",
                warning=True,
            )
    dsp, adsp = values.values()
    if dsp and adsp and dsp != adsp:
        raise Problem(
            "DSP_LIBRARY_PATH and ADSP_LIBRARY_PATH are both set: the library reads the first and ignores the second",
            "unset ADSP_LIBRARY_PATH",
            warning=True,
        )
    used = dsp or adsp
    return f"the library looks in {used} besides its own folders" if used else "no variable is set; none is needed"


def skel(target: locate.Target) -> str:
    """Check that our skel fits this device."""
    try:
        locate.check_skel(target)
    except HexagonError as error:
        raise of_error(error, PIP) from None
    return str(target.skel)
