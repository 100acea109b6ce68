# SPDX-License-Identifier: MIT
"""Makes what Python has from C's headers: ``python -m pyhexagon._ffi.build``, in a checkout.

``_generated.py`` is cffi's out-of-line ABI mode: nothing is compiled, and an installed package needs the output only.
``_types.py`` has the rows of idl/types.h. Both are committed; tests/abi makes them again and compares.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import get_type_hints

import cffi

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "idl"))
import read_types  # noqa: E402

OUTPUT = HERE / "_generated.py"
TYPES_OUTPUT = HERE / "_types.py"
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


def generate_types() -> str:
    """The text of ``_types.py`` for the rows as they are now."""
    lines = ["# SPDX-License-Identifier: MIT"]
    lines += ["# Made by pyhexagon/_ffi/build.py from idl/types.h, which says what the fields are; do not edit."]
    lines += ["from typing import Final, NamedTuple", "", "", "class WeightType(NamedTuple):"]
    lines += [f"    {name}: {kind.__name__}" for name, kind in get_type_hints(read_types.WeightType).items()]
    lines += ["", "", "WEIGHT_TYPES: Final = {"]
    for name, row in read_types.weight_types().items():
        lines += [f'    "{name}": WeightType({json.dumps(row)[1:-1]}),']
    return "\n".join([*lines, "}", ""])


def main() -> int:
    """Writes both modules beside this file."""
    OUTPUT.write_text(generate(), encoding="utf-8")
    TYPES_OUTPUT.write_text(generate_types(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
