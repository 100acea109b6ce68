# SPDX-License-Identifier: MIT
"""Generate Python's view of the C headers: ``python -m pyhexagon._ffi.build``, in a checkout.

``_generated.py`` is in cffi's out-of-line ABI mode: nothing is compiled, an installed package needs only the output.
``_types.py`` holds the rows of idl/types.h, ``_ops.py`` the rows of idl/ops.h. All of them are committed; tests/abi
generates them again and compares.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
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
    HERE / "native" / "repack.h",
    HERE / "native" / "caller.h",
    HERE / "native" / "status.h",
    HERE / "native" / "faults.h",
    ROOT / "dsp" / "sharing" / "sharing.h",
)
BANNER = "# SPDX-License-Identifier: MIT\n# Made by pyhexagon/_ffi/build.py from the headers it lists; do not edit.\n"

OPS = ROOT / "idl" / "ops.h"
OPS_OUTPUT = HERE / "_ops.py"
ROW = re.compile(
    r"""^OP\((?P<code>\d+),\s*\w+,\s*(?P<name>\w+),\s*(?P<kind>\w+),\s*(?P<least>\d+),\s*(?P<most>\d+),\s*"""
    r"""(?P<results>\d+),\s*(?P<in_place>\d+),\s*(?:0|PHX_PARAMS\((?P<params>\w+)\)),\s*"(?P<formula>[^"]*)"\)""",
    re.MULTILINE,
)
OPS_BANNER = """# SPDX-License-Identifier: MIT
# Made by pyhexagon/_ffi/build.py from idl/ops.h; do not edit.

# code, name, kind, fewest sources, most sources, results, sources that may be the result, parameter struct, formula
ROWS = (
"""


def generate() -> str:
    """Return the text of ``_generated.py`` for the current headers."""
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
    """Return the text of ``_types.py`` for the current idl/types.h."""
    lines = ["# SPDX-License-Identifier: MIT"]
    lines += ["# Made by pyhexagon/_ffi/build.py from idl/types.h, which says what the fields are; do not edit."]
    lines += ["from typing import Final, NamedTuple", "", "", "class WeightType(NamedTuple):"]
    lines += [f"    {name}: {kind.__name__}" for name, kind in get_type_hints(read_types.WeightType).items()]
    lines += ["", "", "WEIGHT_TYPES: Final = {"]
    for name, row in read_types.weight_types().items():
        lines += [f'    "{name}": WeightType({json.dumps(row)[1:-1]}),']
    return "\n".join([*lines, "}", ""])


def generate_ops() -> str:
    """Return the text of ``_ops.py`` for the current idl/ops.h."""
    text = OPS.read_text(encoding="utf-8")
    rows = list(ROW.finditer(text))
    if len(rows) != len(re.findall(r"^OP\(", text, re.MULTILINE)):
        raise ValueError(f"{OPS} has a row that the generator cannot parse")
    lines = [
        f"    ({row['code']}, {row['name']!r}, {row['kind']!r}, {row['least']}, {row['most']}, {row['results']}, "
        f"{row['in_place']}, {row['params'] or ''!r},\n     {row['formula']!r}),\n"
        for row in rows
    ]
    return OPS_BANNER + "".join(lines) + ")\n"


def generate_table() -> str:
    """Return the page of all ops, as Markdown."""
    lines = [
        "# Ops",
        "",
        "A row of [`idl/ops.h`](../idl/ops.h), which explains the columns, defines each op. The exact arithmetic is in",
        "[arithmetic.md](arithmetic.md) and [math.md](math.md), shapes and types are in the [API](api.md).",
        "",
        "| code | name | kind | sources | results | may overwrite | parameters | formula |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in ROW.finditer(OPS.read_text(encoding="utf-8")):
        mask = int(row["in_place"])
        places = ", ".join(f"src[{i}]" for i in range(mask.bit_length()) if mask >> i & 1)
        sources = row["least"] if row["least"] == row["most"] else f"{row['least']} to {row['most']}"
        cells = (row["code"], row["name"].upper(), row["kind"], sources, row["results"], places or "nothing")
        lines.append(f"| {' | '.join(cells)} | {row['params'] or 'none'} | `{row['formula']}` |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Write the generated files."""
    OUTPUT.write_text(generate(), encoding="utf-8")
    TYPES_OUTPUT.write_text(generate_types(), encoding="utf-8")
    OPS_OUTPUT.write_text(generate_ops(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
