# SPDX-License-Identifier: MIT
"""Modelled cycles from a hand-written log in QEMU's format."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyhexagon.kernels.cycles import Cost, Log
from pyhexagon.kernels.macs import macs

# Before the loop; the loop, whose last packet writes v1, which its first packet shifts; after it.
BLOCKS = """IN:
0x00001000:  0x00000001	{	r0 = add(r0,#0x1) }
0x00001004:  0x00000002	{	loop0(PC+4,r1) }

IN:
0x00001008:  0x00000003	{	v0 = vasl(v1,r2)
0x0000100c:  0x00000004		r3 = add(r3,#0x1) }
0x00001010:  0x00000005	{	nop }
0x00001014:  0x00000006	{	r4 = add(r4,#0x1)
0x00001018:  0x00000007		v1 = vmem(r5++#0x1) }%s

IN:
0x0000101c:  0x00000008	{	nop }

"""


def run(address: int) -> str:
    return f"Trace 0: 0x7f4bf8c01000 [00000000/{address:016x}/00000000/00000200]\n"


@pytest.mark.parametrize("suffix", ["", "  :endloop0", "  :endloop1", "  :endloop01"])
def test_packets_that_end_a_hardware_loop_count(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "log"
    listings = [f"IN:{one}" for one in (BLOCKS % suffix).split("IN:")[1:]]
    ran = [run(0x1000), run(0x1008), run(0x101C)]
    text = "".join(listing + runs for listing, runs in zip(listings, (ran[0], ran[1] * 5, ran[2]), strict=True))
    path.write_text(text)
    assert Log(path).costs() == {0x1000: Cost(2, 0), 0x1008: Cost(15, 4), 0x101C: Cost(1, 0)}


@pytest.mark.parametrize(
    ("instruction", "n"),
    [
        ("{\tV3:2.uh = vmpy(V0.ub,R4.ub) }", 128),
        ("V5:4.w = vmpy(V2.h,V3.h)", 64),
        ("V5.w += vrmpy(V2.ub,R3.b)", 128),
        ("V7:6.w += vrmpy(V3:2.ub,R3.b,#0x1)", 256),
        ("V7:6.h = vdmpy(V3:2.ub,R3.b)", 256),
        ("V7.w = vdmpy(V3.h,R3.b)", 64),
        ("V7.w = vdmpy(V3:2.h,R3.h):sat", 64),
        ("V7:6.h += vmpa(V3:2.ub,R3.b)", 256),
        ("V29.w = vmpyieo(V27.h,V21.h)", 64),
        ("V22.w += vmpyie(V10.w,V18.uh)", 32),
        ("V2.h = vmpyi(V0.h,R1.b)", 64),
        ("R3 = mpyi(R4,R5)", 1),
        ("R3 += mpy(R4.l,R5.h)", 1),
        ("R1:0 += vmpyh(R2,R3):sat", 2),
        ("R1:0 += vrmpyh(R3:2,R5:4)", 4),
        ("R1:0 = vmpybsu(R2,R3)", 4),
        ("R3 += sfmpy(R4,R5)", 1),
        ("if (P0) jump:nt PC+-56", 0),
        ("V1.w = vadd(V2.w,V3.w)", 0),
        ("P0 = cmp.gt(R3,R5)", 0),
        ("vmemu(R8++#0x1) = V0", 0),
    ],
)
def test_multiplications_of_an_instruction(instruction: str, n: int) -> None:
    assert macs(instruction) == n
