# SPDX-License-Identifier: MIT
"""The layers of dsp/: the directories whose headers a directory may include. docs/architecture.md names them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DSP = Path(__file__).resolve().parents[2] / "dsp"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# Headers that lower layers share with dsp/ops: what an op is to the runtime, and what a kernel is to its op.
RUNTIME_SEAM = ("ops/elements.h", "ops/executor.h", "ops/op.h")
KERNEL_SEAM = (
    "ops/attention/attention.h",
    "ops/elements.h",
    "ops/matmul/kernel.h",
    "ops/op.h",
    "ops/picks.h",
    "ops/rolled.h",
)
CONTRACT = ("runtime/contract.h", "runtime/libc.h")  # the data that crosses, and the C library

# Directories, or single headers, that the files of a directory may include, besides its own.
ALLOWED: dict[str, tuple[str, ...]] = {
    "formats": CONTRACT,
    "math": (),
    "runtime": ("formats", "probes/probe.h", *RUNTIME_SEAM),  # knows no op
    "probes": ("runtime", "hvx/matmul/groups.h"),  # measure the hardware, and a product's inner loop
    "ops": ("formats", "math", "ref", "runtime"),
    "ref": ("formats", "math", *CONTRACT, *KERNEL_SEAM),  # the specification: no HVX
    # prefetches what it reads next, and meets at the threads' barrier
    "hvx": ("formats", "math", "ref", "runtime/fetch.h", "runtime/pool.h", *CONTRACT, *KERNEL_SEAM),
    "cpu": ("formats", "math", "ref", "hvx", *CONTRACT, *KERNEL_SEAM),
    "kernels": (),  # as users write them: idl/pyhexagon_kernel.h alone
    "sharing": ("formats", "ops/matmul/plan.h", "runtime/pause.h", *CONTRACT),  # plans a weight as the skel does
    "loopback": (),  # stands in for the board: knows nothing of the skel
}


def includes(root: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a file and a header of the tree that it includes, both relative to `root`."""
    for file in sorted(root.rglob("*.[chS]")):
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            beside = (file.parent / name).resolve()
            header = beside if beside.exists() else root / name
            if header.exists() and header.is_relative_to(root):
                yield file.relative_to(root).as_posix(), header.relative_to(root).as_posix()


def violations(root: Path) -> list[str]:
    """Includes that no layer allows."""
    found = []
    for file, header in includes(root):
        layer, other = file.split("/")[0], header.split("/")[0]
        if layer != other and not {other, header} & set(ALLOWED[layer]):
            found.append(f"dsp/{file} includes {header}")
    return found


def test_every_directory_has_a_rule() -> None:
    assert {path.name for path in DSP.iterdir() if any(path.rglob("*.[chS]"))} == set(ALLOWED)


def test_no_layer_includes_what_it_must_not_know() -> None:
    assert not violations(DSP)


def test_a_violation_is_found(tmp_path: Path) -> None:
    for name, text in {
        "hvx/add.h": "",
        "ops/op.h": "",
        "ref/add.c": '#include "ops/op.h"\n  #include  "hvx/add.h"\n#include <stdint.h>\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert violations(tmp_path) == ["dsp/ref/add.c includes hvx/add.h"]
