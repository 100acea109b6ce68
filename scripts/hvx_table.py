# SPDX-License-Identifier: MIT
"""Write docs/hvx-intrinsics.md: the HVX intrinsics that kernels of users have, from LLVM's header.

    .venv/bin/python scripts/hvx_table.py

A test compares the page with this script's output, and its names with those that are proven against the emulator.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from pyhexagon.kernels import toolchain

ROOT: Final = Path(__file__).resolve().parents[1]
HEADER: Final = "hvx_hexagon_protos.h"
PAGE: Final = ROOT / "docs/hvx-intrinsics.md"
MANUAL: Final = (
    "https://docs.qualcomm.com/bundle/publicresource/"
    "80-N2040-47_REV_E_Qualcomm_Hexagon_V68_HVX_ProgrammerS_Reference_Manual.pdf"
)
# LLVM's instruction types, and the sections of the manual's instruction set that they are.
SECTIONS: Final = {
    "CVI_VA": "ALU-RESOURCE",
    "CVI_VA_DV": "ALU-DOUBLE-RESOURCE",
    "CVI_VX": "MPY-RESOURCE",
    "CVI_VX_LATE": "MPY-RESOURCE",
    "CVI_VX_DV": "MPY-DOUBLE-RESOURCE",
    "CVI_VS": "SHIFT-RESOURCE",
    "CVI_VP": "PERMUTE-RESOURCE",
    "CVI_VP_VS": "PERMUTE-SHIFT-RESOURCE",
    "CVI_GATHER": "GATHER",
    "CVI_GATHER_DV": "GATHER-DOUBLE-RESOURCE",
    "CVI_SCATTER": "SCATTER",
    "CVI_SCATTER_DV": "SCATTER-DOUBLE-RESOURCE",
    "CVI_VM_ST": "STORE",
    "LD": "LOAD",
    "MAPPING": "No instruction of their own",
}
ENTRY: Final = re.compile(
    r"Assembly Syntax: (?P<syntax>.+?) C Intrinsic Prototype: [\w*]+ (?P<name>Q6_\w+)\(.*?"
    r"Instruction Type: (?P<type>\w+)"
)
FLOATING_POINT: Final = re.compile("[VW](?:sf|hf|qf16|qf32)")
HEAD: Final = f"""# HVX intrinsics

Every kernel of yours may use these {{n}} intrinsics: all of v68 but the floating-point ones, which no emulator runs. A
kernel includes `hexagon_types.h`, `hexagon_protos.h` and `hvx_hexagon_protos.h`; the same source runs on the DSP and,
as functions with the same bits, on CPUs ([your own kernels](own-kernels.md)).

Qualcomm's [V68 HVX Programmer's Reference Manual]({MANUAL})
(80-N2040-47) describes each instruction under the name in the left column. Its instruction set has a section for each
heading below, which says what of the vector unit an instruction takes: a packet of v68 has four vector slots, of which
two multiply, one permutes and one shifts; a "double" instruction takes two.

Names are built from the instruction and its operands: `Q6_`, the result, the instruction, the operands. `V` is a vector
of 128 bytes, `W` a pair of vectors, `Q` a predicate with a bit per byte, `R` a number, `I` a constant; `b`, `h`, `w`
are elements of 8, 16 and 32 bits, with `u` unsigned. `acc` adds to the first operand, `sat` saturates, `rnd` rounds.
`scripts/hvx_table.py` writes this page.
"""


def page() -> str:
    """Return the page."""
    folder = _headers()
    of_v68 = _of_v68(folder)
    sections: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in SECTIONS.values()}
    text = re.sub(r"\s+", " ", (folder / HEADER).read_text(encoding="utf-8"))
    for found in ENTRY.finditer(text):
        name = found["name"]
        if name in of_v68 and not FLOATING_POINT.search(name):
            sections[SECTIONS[found["type"]]][_mnemonic(found["syntax"])].append(name)
    n = sum(len(names) for rows in sections.values() for names in rows.values())
    parts = [HEAD.format(n=n)]
    for title, rows in sections.items():
        if rows:
            parts.append(f"\n## {title}\n\n| instruction | intrinsics |\n|---|---|\n")
            parts += [f"| `{one}` | {', '.join(f'`{name}`' for name in sorted(rows[one]))} |\n" for one in sorted(rows)]
    return "".join(parts)


def _headers() -> Path:
    """Return the folder of the compiler's headers."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        sys.exit("scripts/hvx_table.py needs the compiler: scripts/venv kernels")
    return Path(spec.origin).parent / "lib/include"


def _of_v68(folder: Path) -> set[str]:
    """Return the names that the header defines for v68."""
    command = [toolchain.zig(), "cc", *toolchain.options_of(toolchain.HEXAGON), "-E", "-dM", str(folder / HEADER)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(r"#define (Q6_\w+)", done.stdout))


def _mnemonic(syntax: str) -> str:
    """Return the name of an instruction, given its syntax; "=", "+=" or "-=" where it has none."""
    found: list[str] = re.findall(r"\b[a-z][\w.]*(?=\()", syntax.partition("=")[2])
    found += re.findall(r"\bv\w+(?=\()|[-+]?=", syntax)
    return found[0]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
