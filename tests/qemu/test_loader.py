# SPDX-License-Identifier: MIT
"""The PD's loader refuses what the board's loader refuses, and says why in the log."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import pd
import pytest

from pyhexagon._ffi.library import Library
from pyhexagon.errors import HexagonError

pytest_plugins = ("qemu_plugin",)

DT_NEEDED, DT_HASH, DT_RELA, DT_RELAENT, DT_SYMENT, DT_JMPREL, DT_PLTREL = 1, 4, 7, 9, 11, 23, 20
DT_GNU_HASH = 0x6FFFFEF5
PT_LOAD, PT_DYNAMIC = 1, 2
PAGE = 4096
UNABLE_TO_LOAD, NO_SUCH_SYMBOL = 0x80000406, 0x80000442

Edit = Callable[[bytearray], bytes | bytearray | None]


def dynamic(image: bytes | bytearray) -> dict[int, int]:
    """Dynamic tag -> file offset of its entry."""
    (table,) = struct.unpack_from("<I", image, 28)
    (entries,) = struct.unpack_from("<H", image, 44)
    for header in range(table, table + 32 * entries, 32):
        kind, offset, _, _, size = struct.unpack_from("<5I", image, header)
        if kind == PT_DYNAMIC:
            return {struct.unpack_from("<I", image, at)[0]: at for at in range(offset, offset + size, 8)}
    raise AssertionError("no PT_DYNAMIC")


def set_flags(image: bytearray) -> None:
    image[36] = 0x69


def set_tag(old: int, new: int) -> Edit:
    return lambda image: struct.pack_into("<I", image, dynamic(image)[old], new)


def set_value(tag: int, value: int) -> Edit:
    return lambda image: struct.pack_into("<I", image, dynamic(image)[tag] + 4, value)


def relocation(field: int, value: int) -> Edit:
    """Sets a field (0 offset, 4 type and symbol) of the first relocation of DT_RELA."""

    def edit(image: bytearray) -> None:
        (table,) = struct.unpack_from("<I", image, dynamic(image)[DT_RELA] + 4)
        (info,) = struct.unpack_from("<I", image, table + 4)
        struct.pack_into("<I", image, table + field, info & ~0xFF | value if field == 4 else value)

    return edit


def relocation_at_the_end(image: bytearray) -> None:
    """Sets the first relocation's target to the first byte behind the module's memory, which ends with a page."""
    (table,) = struct.unpack_from("<I", image, 28)
    (entries,) = struct.unpack_from("<H", image, 44)
    segments = [struct.unpack_from("<6I", image, at) for at in range(table, table + 32 * entries, 32)]
    end = max(address + size for kind, _, address, _, _, size in segments if kind == PT_LOAD)
    relocation(0, -(-end // PAGE) * PAGE)(image)


def rename(old: bytes, new: bytes) -> Edit:
    assert len(old) == len(new)
    return lambda image: image.replace(b"\0" + old + b"\0", b"\0" + new + b"\0")


def move_headers(image: bytearray) -> bytearray:
    """The program headers at the end of the file."""
    (table,) = struct.unpack_from("<I", image, 28)
    (entries,) = struct.unpack_from("<H", image, 44)
    headers = image[table : table + 32 * entries]
    struct.pack_into("<I", image, 28, len(image))
    return image + headers


REFUSALS: dict[str, tuple[Edit, str]] = {
    "a newer architecture": (set_flags, "built for v69, this DSP is v68"),
    "program headers far back": (move_headers, "first 4096 bytes"),
    "half a file": (lambda image: image[: len(image) // 2], "cut short"),
    "only a GNU hash table": (set_tag(DT_HASH, DT_GNU_HASH), "no DT_HASH"),
    "a hash table outside": (set_value(DT_HASH, 0x7FFFFFF0), "no DT_HASH"),
    "symbols of another size": (set_value(DT_SYMENT, 24), "symbol table"),
    "relocations of another size": (set_value(DT_RELAENT, 8), "other than RELA"),
    "calls without addends": (set_value(DT_PLTREL, 17), "other than RELA"),
    "relocations outside": (set_value(DT_RELA, 0x7FFFFFF0), "relocation table lies outside"),
    "calls outside": (set_value(DT_JMPREL, 0xFFFFFFF0), "relocation table lies outside"),
    "a copy relocation": (relocation(4, 32), "relocation type 32"),
    "static thread-local data": (relocation(4, 63), "relocation type 63"),
    "an unaligned target": (relocation(0, 0x2002), "not 4-byte aligned"),
    "a target outside": (relocation(0, 0x70000000), "a relocation lies outside"),
    "a target behind the last page": (relocation_at_the_end, "a relocation lies outside"),
    "a name no shell has": (rename(b"qurt_mutex_init", b"qurt_mutex_knit"), "undefined symbol qurt_mutex_knit"),
    "a name skels may not use": (rename(b"memcpy", b"munmap"), "blacklisted symbol munmap"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_the_board_would_refuse(library: Library, probe_path: Path, tmp_path: Path, what: str) -> None:
    edit, reason = REFUSALS[what]
    image = bytearray(probe_path.read_bytes())
    edited = edit(image)
    path = tmp_path / probe_path.name
    path.write_bytes(image if edited is None else edited)
    with pytest.raises(HexagonError) as caught, pd.opened(library, path):
        pass
    assert caught.value.code == UNABLE_TO_LOAD
    assert re.search(f"dynamic loading failed.*{re.escape(reason)}", pd.log(library))
    with pd.opened(library, probe_path) as probe:  # the failure leaves the session usable
        assert probe.probe(pd.COUNT, 1)[1] == 1


def test_all_missing_names_are_listed(library: Library, probe_path: Path, tmp_path: Path) -> None:
    image = probe_path.read_bytes().replace(b"qurt_mutex_", b"qurt_gutex_")
    (tmp_path / probe_path.name).write_bytes(image)
    with pytest.raises(HexagonError), pd.opened(library, tmp_path / probe_path.name):
        pass
    for name in ("init", "lock", "unlock"):
        assert f"undefined symbol qurt_gutex_{name}" in pd.log(library)


def test_a_missing_entry_is_named(library: Library, probe_path: Path) -> None:
    with pytest.raises(HexagonError) as caught, pd.opened(library, probe_path, "probe_skel_other"):
        pass
    assert caught.value.code == NO_SUCH_SYMBOL
    assert "probe_skel_other" in pd.log(library)


def test_a_needed_library_is_found_beside_the_skel(library: Library, tmp_path: Path) -> None:
    needed = pd.build_probe(tmp_path, name="libneeded.so")
    path = pd.build_probe(tmp_path, "--no-as-needed", str(needed))
    assert dynamic(path.read_bytes())[DT_NEEDED]
    with pd.opened(library, path) as probe:
        assert probe.probe(pd.COUNT, 1)[4] == 1
    needed.unlink()
    with pytest.raises(HexagonError) as caught, pd.opened(library, path):
        pass
    assert caught.value.code == UNABLE_TO_LOAD
    assert "needs libneeded.so" in pd.log(library)
