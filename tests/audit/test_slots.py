# SPDX-License-Identifier: MIT
"""Every packet of the skel fits the slots of a v68 DSP, also where a jump stands beside two of slots 2 and 3."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import hvx_float
import pytest
import slots
from elf32 import Elf32

_PRODUCT = re.compile("mpy|mpa|rsad|dsad")
JUMP, COMPARED = "if (p0) jump:nt #0", "p1 = cmp.eq(r9,#1); if (p1.new) jump:nt #0"
SHIFTED, MULTIPLIED = "r0 = asl(r1,#2)", "r3 = mpyi(r4,r5)"


@pytest.fixture(scope="session")
def products(tmp_path_factory: pytest.TempPathFactory) -> slots.Products:
    """The instructions of HVX that multiply, which take slots 2 and 3."""
    syntaxes = filter(_PRODUCT.search, hvx_float.hvx_syntaxes())
    return slots.by_mask(hvx_float.derive(syntaxes, tmp_path_factory.mktemp("products")))


def test_every_packet_of_the_skel_fits_the_slots(
    skel_v68_path: Path, products: slots.Products, figure: Callable[[str], None]
) -> None:
    skel = Elf32.read(skel_v68_path)
    assert list(map(hex, slots.problems(skel, products))) == []
    confined = slots.problems(skel, products, slots.HIGH)
    figure(f"{len(confined)} packets of the skel have a jump in slots 0 or 1")
    assert confined, "the compiler no longer uses V62's instructions: this audit does not cover them any more"


@pytest.mark.parametrize(
    ("lines", "is_legal"),
    [
        ([SHIFTED, MULTIPLIED, JUMP], True),
        ([SHIFTED, MULTIPLIED, "jump #0"], True),
        (["v0.w = vrmpy(v1.ub,v2.b)", SHIFTED, JUMP], True),
        (["loop0(#0,r5)", SHIFTED, JUMP], True),
        ([SHIFTED, MULTIPLIED, "r6 = lsr(r7,#1)"], False),
        ([SHIFTED, MULTIPLIED, "call #0"], False),
        ([SHIFTED, "jumpr r31", MULTIPLIED], False),
        ([SHIFTED, MULTIPLIED, "if (r5==#0) jump:nt #0"], False),
        (["v0.w = vrmpy(v1.ub,v2.b)", SHIFTED, "v3.w = vrmpy(v4.ub,v5.b)"], False),
        (["r1 = memw(r2+#0)", "r3 = memw(r4+#0)", "memw(r5+#0) = r6"], False),
    ],
)
def test_planted_packets(tmp_path: Path, products: slots.Products, lines: list[str], is_legal: bool) -> None:
    words = [word for word in hvx_float.assemble(lines, tmp_path) if word is not None]
    assert len(words) == len(lines)
    inside, last = words[:-1], words[-1]
    packet = [*(word & ~slots.PARSE_BITS | 0x4000 for word in inside), last | slots.PACKET_END]
    assert slots.packet_fits(packet, products) is is_legal


@pytest.mark.parametrize("version", [60, 62, 68])
@pytest.mark.parametrize(
    ("lines", "since"),
    [
        ([JUMP, SHIFTED, MULTIPLIED], 62),
        ([COMPARED, SHIFTED, MULTIPLIED], 62),
        (["jump #0", SHIFTED, MULTIPLIED], 62),
        (["call #0", SHIFTED, MULTIPLIED], 99),
        ([SHIFTED, MULTIPLIED, "r6 = lsr(r7,#1)"], 99),
    ],
)
def test_the_assembler_knows_the_slots_of_each_version(
    tmp_path: Path, version: int, lines: list[str], since: int
) -> None:
    source = tmp_path / "packet.s"
    source.write_text(f"{{ {'; '.join(lines)} }}\n")
    cpu = f"-mcpu=hexagonv{version}"
    command = [*hvx_float.ASSEMBLER, cpu, "-c", str(source), "-o", str(tmp_path / "packet.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (version >= since), done.stderr
    assert done.returncode == 0 or "slot error" in done.stderr
