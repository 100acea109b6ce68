# SPDX-License-Identifier: MIT
"""Makes ``_generated.py`` from the C declarations: ``python -m pyhexagon._ffi.build``, in a checkout.

cffi's out-of-line ABI mode: nothing is compiled, and an installed package needs the output only. The output is
committed; tests/abi makes it again and compares.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUTPUT = HERE / "_generated.py"
HEADERS = (
    HERE / "cdef" / "rpcmem.h",
    HERE / "cdef" / "remote.h",
    HERE / "cdef" / "dspqueue.h",
    ROOT / "idl" / "contract.h",
    ROOT / "dsp" / "loopback" / "loopback.h",
)
BANNER = "# SPDX-License-Identifier: MIT\n# Made by pyhexagon/_ffi/build.py from the headers it lists; do not edit.\n"


def generate() -> str:
    """The text of ``_generated.py`` for the headers as they are now."""
    builder = cffi.FFI()
    for header in HEADERS:
        builder.cdef(header.read_text(encoding="utf-8"))
    builder.set_source("pyhexagon._ffi._generated", None)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / OUTPUT.name
        with contextlib.redirect_stdout(io.StringIO()):  # it announces the temporary file
            builder.emit_python_code(str(output))
        return BANNER + output.read_text(encoding="utf-8")


def main() -> int:
    """Writes ``_generated.py`` beside this file."""
    OUTPUT.write_text(generate(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
