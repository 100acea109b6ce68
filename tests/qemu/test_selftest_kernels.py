# SPDX-License-Identifier: MIT
"""The self test runs every kernel: QEMU writes down what code of the skel it translates, which is what runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyhexagon import Device, selftest
from pyhexagon.kernels.cycles import Functions, Log
from pyhexagon.process import locate

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"/dsp/(hvx|ref|math)/\S+\.o:\(\.text\.([A-Za-z_]\w*)\)$", re.MULTILINE)
LOOP = re.compile(r"^ .* {2}(hvx_sum_\w+)$", re.MULTILINE)  # of dsp/hvx/matmul/generated


def test_every_kernel_of_the_skel_runs_in_the_self_test(
    qemu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skel = locate.installed(f"v68/{locate.SKEL_FILE}")
    listing = next(ROOT.glob("build/*/v68/libpyhexagon_skel.so.map")).read_text()
    kernels = {name for _, name in SECTION.findall(listing)} | set(LOOP.findall(listing))
    assert {"phx_rope_hvx", "phx_rope_ref", "hvx_sum_q4_0_tiles"} <= kernels
    monkeypatch.setenv("QEMU_LOG", "in_asm")
    monkeypatch.setenv("QEMU_LOG_FILENAME", str(tmp_path / "%d.log"))
    cases = list(selftest.recorded())
    products = [case for case in cases if case.op == "mul_mat"]
    for has_dcfetch, some in ((False, cases), (True, products)):  # on a board, a profile decides
        with Device("loopback:qemu", transport="invoke", threads=4, dcfetch=has_dcfetch) as device:
            for case in some:
                selftest.run_case(device, case)
    ran = set[str | None]()
    for path in tmp_path.glob("*.log"):
        log = Log(path)
        log.costs()
        functions = Functions(skel, log.words)
        ran |= {functions.name(address) for address in log.words}
    assert not kernels - ran, f"kernels that no recorded case of pyhexagon/op_cases runs: {sorted(kernels - ran)}"
