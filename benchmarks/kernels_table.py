# SPDX-License-Identifier: MIT
"""Count the packets of the kernels of docs/kernels and write them into the table of docs/own-kernels.md.

    .venv/bin/python -m benchmarks.kernels_table    # half a minute

The arguments are those of the tests (tests/user_kernels/examples.py). Each kernel runs twice on one thread, and the
table has the packets of the second run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from pyhexagon import Device

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from user_kernels.examples import EXAMPLES, Example, arrays, load  # noqa: E402 - of the tests

PAGE: Final = ROOT / "docs/own-kernels.md"
EXPRESSION: Final = "the same as an expression"
SIZES: Final = {  # rows and columns of the result; gemv: of the matrix
    "blend": (64, 1920), EXPRESSION: (64, 1920), "saxpy": (64, 1920), "resize": (64, 960), "nv12": (64, 1920),
    "fir": (8, 4096), "gemv": (256, 2048), "quantize": (64, 1920), "threshold": (64, 1920),
}  # fmt: skip
ROW: Final = re.compile(
    r"^(\| (?:\[(\w+)\.c\]\S*|([\w ]+)) \| [^|]* \| )(\d+x\d+)( \w+) \| [\d,]+ \| ([^|]*) \|$", re.M
)


class Cost(NamedTuple):
    """Packets of a call, and of 128 bytes of its results; of the matrix, for gemv."""

    packets: int
    per_vector: float


def measure() -> dict[str, Cost]:
    """Return the cost of each kernel, by its name in the table."""
    with Device("loopback:qemu", threads=1, profile=False) as device:
        return {name: _cost(device, name) for name in SIZES}


def _cost(device: Device, name: str) -> Cost:
    example: Example = EXAMPLES["blend" if name == EXPRESSION else name]
    if name == EXPRESSION:
        body = "out = (a * w + b * (256 - w) + 128) >> 8"
        kernel = device.elementwise("uint8 a, uint8 b, int32 w", "uint8 out", body)
    else:
        kernel = load(device, name)
    sources = example.make(np.random.default_rng(0), *SIZES[name])
    kernel(*sources, **example.params)
    made, report = kernel.run_with_report(*sources, **example.params)
    assert report is not None
    packets = report.ops[0].packets or 0
    n_bytes = sources[0].nbytes if name == "gemv" else sum(one.nbytes for one in arrays(made))
    return Cost(packets, packets * 128 / n_bytes)


def render(page: str, costs: Mapping[str, Cost]) -> str:
    """Return the page with these costs."""

    def line(row: re.Match[str]) -> str:
        name = row[2] or row[3]
        packets, per_vector = costs[name]
        size = "x".join(map(str, SIZES[name]))
        per = row[6] if row[6].startswith("scalar") else re.sub(r"^[\d.]+", f"{per_vector:.1f}", row[6])
        return f"{row[1]}{size}{row[5]} | {packets:,} | {per} |"

    return ROW.sub(line, page)


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text(encoding="utf-8"), measure()), encoding="utf-8")
