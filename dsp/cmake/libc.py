# SPDX-License-Identifier: MIT
"""Put the C library of Hexagon programs into FOLDER, and `FOLDER/link`, the linker's response file that names it.

zig compiles the library when it first links a program, a minute on one core, once for each folder that zig is
installed in. The user's cache keeps it for each version of zig. A program is then linked by ld.lld, with or without
symbols: zig would compile another library for a program with symbols.

    libc.py ZIG FOLDER
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyhexagon"
LINK = ("-v", "-target", "hexagon-linux-musl", "-mcpu=hexagonv68", "-O2", "-static", "-s", "-lm")


def compile_library(zig: str, folder: Path) -> None:
    """Link a program, and copy the libraries that zig names to ld.lld."""
    source = folder / "main.c"
    source.write_text("int main(void) {\n    return 0;\n}\n", encoding="ascii")
    done = subprocess.run(
        [zig, "cc", *LINK, "-o", folder / "main", source], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    # The last link is that of the program: with an empty cache, zig first links crt1.o.
    *_, command = (line for line in done.stderr.splitlines() if line.startswith("ld.lld "))
    for word in shlex.split(command):
        if word.endswith((".a", "/crt1.o")):
            shutil.copy(word, folder)
    source.unlink()
    (folder / "main").unlink()


def kept_library(zig: str) -> Path:
    """Return the folder of the library for this version of zig."""
    version = subprocess.run([zig, "version"], capture_output=True, text=True, check=True).stdout.strip()
    kept = CACHE / f"hexagon-libc-{version}"
    if not kept.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            new = Path(work, "new")
            new.mkdir()
            compile_library(zig, new)
            if not kept.is_dir():  # another build may have been faster
                new.rename(kept)
    return kept


def main() -> None:
    """Copy the library for the zig into the folder, both named on the command line."""
    zig, folder = sys.argv[1], Path(sys.argv[2])
    shutil.copytree(kept_library(zig), folder, dirs_exist_ok=True)
    names = sorted(path.name for path in folder.iterdir() if path.suffix in (".a", ".o"))
    (folder / "link").write_text("".join(f"{folder / name}\n" for name in names), encoding="ascii")


if __name__ == "__main__":
    main()
