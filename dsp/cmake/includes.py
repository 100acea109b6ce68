# SPDX-License-Identifier: MIT
"""Print, as CMake code, the headers that each C and assembly source includes, directly or not.

The compiler's dependency files would say the same, but zig caches no object of a command that writes one. Every file
that an #include could name counts, whatever #if surrounds it and whichever include path is searched first: a source
depends on too many headers rather than on too few.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCES = ("dsp/**/*.[cS]", "pyhexagon/_ffi/native/*.c", "tests/kernels/**/*.c")
INCLUDE_PATHS = ("dsp", "dsp/cpu/hvx", "tests")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def _named(file: Path, root: Path) -> Iterator[Path]:
    """Yield the files of the tree that the #include lines of a file could name."""
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        for folder in (file.parent, *(root / path for path in INCLUDE_PATHS)):
            if (folder / name).is_file():
                yield (folder / name).resolve()


def headers(root: Path) -> dict[Path, list[Path]]:
    """Return the headers of each source below ``root``, sorted."""
    named: dict[Path, set[Path]] = {}

    def reached(source: Path) -> set[Path]:
        found, new = set[Path](), {source}
        while new:
            file = new.pop()
            if file not in named:
                named[file] = set(_named(file, root))
            new |= named[file] - found
            found |= named[file]
        return found

    sources = sorted(path for pattern in SOURCES for path in root.glob(pattern))
    return {source: sorted(reached(source)) for source in sources}


def main() -> None:
    """Print the properties of the sources in a directory for a compiler, as named on the command line."""
    found = headers(Path(sys.argv[1]).resolve())
    for source, needed in found.items():
        depends = ";".join(map(str, (*needed, sys.argv[2])))
        print(f'set_source_files_properties("{source}" PROPERTIES OBJECT_DEPENDS "{depends}")')
    scanned = sorted({*found, *(header for needed in found.values() for header in needed)})
    print(f'set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "{";".join(map(str, scanned))}")')


if __name__ == "__main__":
    main()
