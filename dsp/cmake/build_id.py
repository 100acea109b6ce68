# SPDX-License-Identifier: MIT
"""Write build_id.c, with a hash of the skel's sources: `info` reports it, so that two skels can be told apart.

    build_id.py OUTPUT SOURCE...
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def main() -> None:
    """Hash the files that are named on the command line, in their order."""
    output, *sources = map(Path, sys.argv[1:])
    hashes = "".join(hashlib.sha256(source.read_bytes()).hexdigest() for source in sources)
    build_id = hashlib.sha256(hashes.encode()).hexdigest()[:16]
    text = f'#include "runtime/build_id.h"\n\nconst uint64_t phx_build_id = 0x{build_id}u;\n'
    output.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
