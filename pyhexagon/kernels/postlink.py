# SPDX-License-Identifier: MIT
"""Convert an lld-linked skel to the ELF layout of the SDK's linker, in place. Refuse files that the board would refuse.

lld encodes -Bsymbolic as a bit of DT_FLAGS, a tag that the board's loader ignores: it becomes DT_SYMBOLIC. DT_FLAGS_1
(from -z nodelete, only to reserve the entry) becomes DT_HEXAGON_VER = 3. PT_PHDR and PT_GNU_STACK, which SDK skels do
not have, become PT_NULL.
"""

import struct
import sys
from pathlib import Path

EM_HEXAGON = 164
PT_LOAD, PT_DYNAMIC, PT_PHDR, PT_TLS, PT_GNU_STACK = 1, 2, 6, 7, 0x6474E551
DT_HASH, DT_SYMBOLIC, DT_TEXTREL, DT_FLAGS, DT_FLAGS_1, DT_HEXAGON_VER = 4, 0x10, 0x16, 0x1E, 0x6FFFFFFB, 0x70000001
DT_IGNORED_BY_BOARD = {0x19: "DT_INIT_ARRAY", 0x1A: "DT_FINI_ARRAY", 0x24: "DT_RELR", 0x6FFFFEF5: "DT_GNU_HASH"}


def edit(image: bytearray) -> None:
    """Edit the file's bytes. Raise ValueError if the board would refuse the file."""
    if image[:5] != b"\x7fELF\x01" or struct.unpack_from("<H", image, 18)[0] != EM_HEXAGON:
        raise ValueError("not a 32-bit Hexagon ELF file")
    (table,) = struct.unpack_from("<I", image, 28)
    (entries,) = struct.unpack_from("<H", image, 44)
    tags: set[int] = set()
    for header in range(table, table + 32 * entries, 32):
        kind, offset, _, _, size = struct.unpack_from("<5I", image, header)
        if kind == PT_TLS:
            raise ValueError("thread-local data: the board's loader refuses its relocations")
        if kind in (PT_PHDR, PT_GNU_STACK):
            image[header : header + 32] = bytes(32)
        if kind == PT_DYNAMIC:
            for entry in range(offset, offset + size, 8):
                tag, _ = struct.unpack_from("<2I", image, entry)
                if tag == DT_FLAGS:
                    struct.pack_into("<2I", image, entry, DT_SYMBOLIC, 0)
                elif tag == DT_FLAGS_1:
                    struct.pack_into("<2I", image, entry, DT_HEXAGON_VER, 3)
                tags.add(tag)
    for tag, name in DT_IGNORED_BY_BOARD.items():
        if tag in tags:
            raise ValueError(f"{name}: the board's loader ignores it (constructors and GNU hash do not work there)")
    if DT_TEXTREL in tags:
        raise ValueError("text relocations: compile every file with -fPIC")
    if not {DT_HASH, DT_FLAGS, DT_FLAGS_1} <= tags:
        raise ValueError("link with --hash-style=sysv -Bsymbolic -z nodelete")


def main() -> int:
    """Edit the file named on the command line."""
    path = Path(sys.argv[1])
    image = bytearray(path.read_bytes())
    try:
        edit(image)
    except ValueError as error:
        print(f"postlink: {path}: {error}", file=sys.stderr)
        return 1
    path.write_bytes(image)
    return 0


if __name__ == "__main__":
    sys.exit(main())
