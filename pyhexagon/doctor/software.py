# SPDX-License-Identifier: MIT
"""Checks of the installed software: libcdsprpc, search paths, our skel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from pyhexagon._ffi.library import SYSTEM_NAMES
from pyhexagon.doctor import known
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import PIP, Problem, of_error
from pyhexagon.errors import HexagonError
from pyhexagon.process import locate

_LIBRARY_FOLDERS: Final = ("usr/local/lib", "usr/local/lib/*-linux-gnu", "usr/lib", "usr/lib/*-linux-gnu", "lib")
_ANDROID: Final = b"liblog.so\0"  # a library that only Android has


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
