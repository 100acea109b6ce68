# SPDX-License-Identifier: MIT
"""The check of the DSP's shell: the file that each DSP process runs in, and that must fit the firmware."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pyhexagon._ffi import remote
from pyhexagon.doctor import firmware, known
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.known import DEVICE_TREE
from pyhexagon.doctor.system import firmware_file

_FOLDERS: Final = ("/usr/lib/dsp", "/vendor/dsp")
CONFIG_FOLDERS: Final = ("/usr/share/qcom", "/usr/share/hexagon-dsp")


class _Machine(NamedTuple):
    """An entry of a file in conf.d: a machine's name, and the folder of its DSP files."""

    name: str
    folder: str


def shell(board: Board) -> str:
    """Check that the DSP's shell file exists and is the one that the firmware accepts."""
    folders = list(_folders(board))
    file = board.find(f"{folder}/{_file_name(board)}" for folder in folders)
    if file is None:
        raise _absent(board, folders)
    shown = board.shown(file)
    if not board.rights(file).readable:
        raise Problem(f"{shown} may not be read ({board.rights(file).text})", f"sudo chmod a+r {shown}")
    data = file.read_bytes()
    build = firmware.build(data)
    if not build:
        raise Problem(f"{shown} contains no build string: it may be truncated", known.install_dsp_files(board))
    name, path = firmware_file(board)
    try:
        image = firmware.read(path) if path else b""
        why = "cannot be read"
    except firmware.UnreadableError as error:
        image, why = b"", f"cannot be read ({error})"
    other = firmware.build(image)
    names = firmware.hashed_names(image)
    if file.name in names:
        return _compare_hashes(board, file, data, image)
    if not other:
        return f"{shown}, build {build}; the build of the firmware {name or '(unknown)'} {why}, not compared"
    if build != other:
        raise _mismatch(board, file, build, other)
    return f"{shown}, build {build}, the same as the firmware's, which has no hash of the shell"


def _mismatch(board: Board, file: Path, build: str, other: str) -> Problem:
    name, _ = firmware_file(board)
    return Problem(
        f"{board.shown(file)} has build {build}, the firmware {name} has build {other}: they come from different "
        "sources",
        known.upgrade(board),
    )


def _compare_hashes(board: Board, file: Path, data: bytes, image: bytes) -> str:
    """Compare the shell, and the files beside it, with the hashes in the firmware."""
    shown, build, other = board.shown(file), firmware.build(data), firmware.build(image)
    name, _ = firmware_file(board)
    if not firmware.accepts(image, data):
        if other and build != other:
            raise _mismatch(board, file, build, other)
        raise Problem(
            f"{shown} has the build of the firmware {name}, {build}, but not the SHA-256 that the firmware contains: "
            "the DSP refuses it",
            known.install_dsp_files(board),
        )
    if bad := list(firmware.differing(image, file.parent)):
        raise Problem(
            f"{shown} is the one that the firmware {name} accepts, but {', '.join(bad)} beside it "
            f"{'is' if len(bad) == 1 else 'are'} not: the DSP refuses to load {'it' if len(bad) == 1 else 'them'}",
            known.install_dsp_files(board),
            warning=True,
        )
    return f"{shown}, build {build}, has the SHA-256 that the firmware contains"


def _absent(board: Board, folders: list[str]) -> Problem:
    """Return why the library finds no shell: another machine's, a container without it, or not installed."""
    absent = f"{_file_name(board)} is in none of {', '.join(folders)}"
    finding = f"{absent}: without it, the DSP answers an open with 0x80000600 or 0x8000044f"
    model = _model(board)
    machines = [machine for _, machine in _machines(board)]
    named = any(machine.name == model for machine in machines)
    if machines and not named and board.environ.get("MACHINE_NAME"):
        return Problem(f"{finding}; MACHINE_NAME of the environment is {model!r}, which no file in conf.d names",
                       "unset MACHINE_NAME")
    if machines and not named and board.in_container:
        return Problem(f"{finding}; a container hides the board's name, by which conf.d finds the folder",
                       'docker run -e MACHINE_NAME="$(tr -d \'\\0\' </proc/device-tree/model)"')
    if board.in_container:
        return Problem(f"{finding}; this is a container", "docker run -v /usr/lib/dsp:/usr/lib/dsp:ro")
    if machines and not named:
        finding = f"{finding}; no file in conf.d names this board, {model!r}"
        if other := _fitting(board):
            finding = f"{finding}, but the files of {other!r} fit its firmware"
            return Problem(finding, f"export MACHINE_NAME={shlex.quote(other)}")
    return Problem(finding, known.install_dsp_files(board))


def _fitting(board: Board) -> str:
    """Return the name of another machine in conf.d whose shell this board's firmware accepts, or an empty string.

    Without hashes in the firmware, the same build must do, unless the board's own files are known to come from its
    maker.
    """
    _, path = firmware_file(board)
    try:
        image = firmware.read(path) if path else b""
    except firmware.UnreadableError:
        return ""
    for base, machine in _machines(board):
        for folder in (f"{base}/{machine.folder}", f"{base}/{machine.folder}/{board.processor}"):
            file = board.path(f"{folder}/{_file_name(board)}")
            data = file.read_bytes() if file.is_file() and board.rights(file).readable else b""
            is_same = bool(data) and firmware.build(data) == firmware.build(image)
            if file.name in firmware.hashed_names(image):
                is_same = firmware.accepts(image, data)
            elif known.has_own_dsp_files(board):
                is_same = False
            if is_same:
                return machine.name
    return ""


def _file_name(board: Board) -> str:
    return f"fastrpc_shell_unsigned_{remote.DOMAIN_IDS[board.processor]}"


def _model(board: Board) -> str:
    return board.environ.get("MACHINE_NAME") or board.text(f"{DEVICE_TREE}/model")


def _folders(board: Board) -> Iterator[str]:
    """Yield the folders in which the library looks for the shell."""
    for folder in _FOLDERS:
        yield from (folder, f"{folder}/{board.processor}")
    model = _model(board)
    for base, machine in _machines(board):
        if machine.name == model:
            yield from (f"{base}/{machine.folder}", f"{base}/{machine.folder}/{board.processor}")


def _machines(board: Board) -> Iterator[tuple[str, _Machine]]:
    """Yield each entry of conf.d with its base folder: ``machines:``, below it a name, below that DSP_LIBRARY_PATH."""
    for base in CONFIG_FOLDERS:
        for config in board.glob(f"{base.lstrip('/')}/conf.d/*.yaml"):
            name = ""
            for line in config.read_text("utf-8", errors="replace").splitlines():
                key, _, value = line.strip().partition(":")
                if not value.strip():
                    name = key.strip("\"' ")
                elif key == "DSP_LIBRARY_PATH":
                    yield base, _Machine(name, value.strip().strip("\"'"))
