# SPDX-License-Identifier: MIT
"""A board's files below a root directory, and the user whose access is checked."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_ACL: Final = "system.posix_acl_access"
_ACL_ENTRY: Final = struct.Struct("<HHI")
_USER_OBJ, _USER, _GROUP_OBJ, _GROUP, _MASK, _OTHER = 1, 2, 4, 8, 16, 32
_READ: Final = 4


@dataclass(frozen=True)
class Rights:
    """The users and groups that may read a file.
    Attributes:
        readable: whether the user may read it.
        groups: names of the groups that may read it, apart from root's.
        text: owner, group, mode and ACL, for display.
    """

    readable: bool
    groups: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Board:
    """Files below ``root``, and the user who accesses them.

    Attributes:
        uid, gids: of the user; by default this process's.
        environ: the environment variables that the library would see.
        processor: the compute DSP that is checked, "cdsp" or "cdsp1".
    """

    root: Path = Path("/")
    uid: int = field(default_factory=os.geteuid)
    gids: frozenset[int] = field(default_factory=lambda: frozenset({*os.getgroups(), os.getegid()}))
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    processor: str = "cdsp"

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def shown(self, path: Path) -> str:
        """Return a path as the board's user knows it."""
        return "/" + str(path.relative_to(self.root))

    def text(self, name: str) -> str:
        """Return the first string of a small file of sysfs, the device tree or /etc; empty if it cannot be read."""
        return next(iter(self.strings(name)), "")

    def strings(self, name: str) -> list[str]:
        """Return the strings of a device-tree property."""
        try:
            raw = self.path(name).read_bytes()
        except OSError:
            return []
        return [part.decode(errors="replace").strip() for part in raw.split(b"\0") if part.strip()]

    def glob(self, pattern: str) -> list[Path]:
        return sorted(self.root.glob(pattern))

    def find(self, names: Iterable[str]) -> Path | None:
        """Return the first of the files that exists."""
        return next((path for path in map(self.path, names) if path.exists()), None)

    def group(self, gid: int) -> str:
        return self._names("/etc/group").get(gid, str(gid))

    def is_listed_in(self, group: str) -> bool:
        """Return whether /etc/group lists the user in the group, even if this login does not have it yet."""
        user = self._names("/etc/passwd").get(self.uid)
        for line in self.lines("/etc/group"):
            fields = line.split(":")
            if len(fields) == 4 and fields[0] == group:
                return user is not None and user in fields[3].split(",")
        return False

    def rights(self, path: Path) -> Rights:
        """Return the read permissions of a file as the kernel computes them, including POSIX ACLs."""
        status = path.stat()
        mode = stat.S_IMODE(status.st_mode)
        entries = self.acl(path) or [
            (_USER_OBJ, mode >> 6 & 7, 0),
            (_GROUP_OBJ, mode >> 3 & 7, 0),
            (_OTHER, mode & 7, 0),
        ]
        mask = next((rights for tag, rights, _ in entries if tag == _MASK), 7)
        ids = {_GROUP_OBJ: status.st_gid, _USER_OBJ: status.st_uid}
        users: dict[int, bool] = {}
        groups: dict[int, bool] = {}
        others = False
        for tag, rights, number in entries:
            if tag in (_USER_OBJ, _USER):
                limit = 7 if tag == _USER_OBJ else mask
                users.setdefault(ids.get(tag, number), bool(rights & limit & _READ))
            elif tag in (_GROUP_OBJ, _GROUP):
                gid = ids.get(tag, number)
                groups[gid] = groups.get(gid, False) or bool(rights & mask & _READ)
            elif tag == _OTHER:
                others = bool(rights & _READ)
        mine = [may for gid, may in groups.items() if gid in self.gids]
        if self.uid == 0:
            readable = True
        elif self.uid in users:
            readable = users[self.uid]
        else:
            readable = any(mine) if mine else others
        owner = self._names("/etc/passwd").get(status.st_uid, str(status.st_uid))
        text = f"owner {owner}, group {self.group(status.st_gid)}, mode {mode:04o}"
        named = [self.group(number) for tag, _, number in entries if tag == _GROUP]
        if named:
            text += f", ACL for group {', '.join(named)}"
        may = [self.group(gid) for gid, allowed in groups.items() if allowed]
        return Rights(readable, tuple(name for name in may if name != "root"), text)

    def acl(self, path: Path) -> list[tuple[int, int, int]]:
        """Return tag, rights and id of each ACL entry of a file; empty if it only has a mode."""
        try:
            raw = os.getxattr(path, _ACL)
        except OSError:
            return []
        body = raw[4 : 4 + (len(raw) - 4) // _ACL_ENTRY.size * _ACL_ENTRY.size]
        return list(_ACL_ENTRY.iter_unpack(body))

    @property
    def in_container(self) -> bool:
        """Whether a container runtime started this process: it hides the device tree and all devices not named."""
        return any(self.path(name).exists() for name in ("/.dockerenv", "/run/.containerenv"))

    def lines(self, name: str) -> list[str]:
        """Return the lines of a text file; none if it cannot be read."""
        try:
            return self.path(name).read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return []

    def _names(self, name: str) -> dict[int, str]:
        """Return the names by id of /etc/passwd or /etc/group."""
        rows = (line.split(":") for line in self.lines(name))
        return {int(row[2]): row[0] for row in rows if len(row) > 3 and row[2].isdigit()}
