# SPDX-License-Identifier: MIT
"""A Dragon Q8B with both DSPs: the doctor checks either, and the device tree, firmware, node and shell are its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pyhexagon.doctor import Doctor, Findings
from pyhexagon.process import locate
from pyhexagon.process.coherence import read_coherence

from . import boards
from .boards import FakeBoard
from .field_boards import q8b

PAS1 = "proc/device-tree/soc@0/remoteproc@21300000"
REMOTEPROC1 = "sys/class/remoteproc/remoteproc2"
SHELL1 = "usr/lib/dsp/cdsp1/fastrpc_shell_unsigned_4"
FIRMWARE1 = "qcom/sc8280xp/radxa/dragon-q8b/second.mbn"


def both(root: Path) -> FakeBoard:
    fake = q8b(root)
    fake.write(f"{PAS1}/compatible", "qcom,sc8280xp-nsp1-pas\0")
    fake.write(f"{PAS1}/memory-region", b"\0\0\0\2")
    fake.write(f"{PAS1}/glink-edge/fastrpc/label", "cdsp1\0")
    fake.write(f"{PAS1}/glink-edge/fastrpc/compute-cb@1/reg", b"\0\0\0\1")
    for name, content in {"name": "21300000.remoteproc", "state": "running", "firmware": FIRMWARE1}.items():
        fake.write(f"{REMOTEPROC1}/{name}", f"{content}\n")
    fake.write(f"usr/lib/firmware/{FIRMWARE1}", boards.firmware_bytes(boards.OTHER_BUILD))
    for node in ("dev/fastrpc-cdsp1", "dev/fastrpc-cdsp1-secure"):
        fake.write(node, "").chmod(0o660)
    fake.write(SHELL1, boards.shell_bytes(boards.OTHER_BUILD))
    return fake


def examine(fake: FakeBoard, device: str, monkeypatch: pytest.MonkeyPatch) -> Findings:
    """Return the findings of the checks before the library is loaded."""
    monkeypatch.setattr("pyhexagon.doctor.doctor.STAGES", {})
    return Doctor(device, fake.board(), locate.installed("libcdsprpc.so.1")).run()


def test_each_dsp_is_checked_and_names_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = both(tmp_path)
    first, second = (
        {one.name: one.finding for one in examine(fake, name, monkeypatch).results} for name in ("cdsp", "cdsp1")
    )
    assert "; cdsp1 is running and has a device node: pyhexagon doctor --device cdsp1" in first["remoteproc"]
    assert f"(cdsp1) is running, firmware {FIRMWARE1}; cdsp is running" in second["remoteproc"]
    assert f"/{PAS1} has memory" in second["device-tree"]
    assert second["nodes"].startswith("/dev/fastrpc-cdsp1-secure")
    assert (boards.BUILD in first["shell"], boards.OTHER_BUILD in second["shell"]) == (True, True)
    assert read_coherence(tmp_path).text.startswith("1 of 1")
    assert read_coherence(tmp_path, "cdsp1").text.startswith("0 of 1")


def without_node(fake: FakeBoard) -> None:
    for name in ("dev/fastrpc-cdsp1", "dev/fastrpc-cdsp1-secure"):
        fake.remove(name)


def mislabelled(fake: FakeBoard) -> None:  # Linux's sa8775p.dtsi had this label until it was corrected
    fake.write(f"{PAS1}/glink-edge/fastrpc/label", "cdsp\0")
    without_node(fake)


@pytest.mark.parametrize(
    ("breaks", "check", "finding"),
    [
        (lambda fake: fake.remove(PAS1), "device-tree", "no CDSP1"),
        (mislabelled, "device-tree", "no fastrpc node in the device tree that is called cdsp1, but cdsp"),
        (lambda fake: fake.write(f"{REMOTEPROC1}/state", "offline\n"), "remoteproc", "(cdsp1) is offline"),
        (without_node, "nodes", "neither /dev/fastrpc-cdsp1-secure nor /dev/fastrpc-cdsp1 exists (the cdsp1 is"),
        (lambda fake: fake.remove("usr/lib/dsp/cdsp1"), "shell", "fastrpc_shell_unsigned_4 is in none of"),
    ],
)
def test_a_second_dsp_that_cannot_be_used_leaves_the_first_alone(
    breaks: Callable[[FakeBoard], object], check: str, finding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = both(tmp_path)
    fake.write(f"{PAS1}/glink-edge/fastrpc/compute-cb@1/dma-coherent", "")
    breaks(fake)
    assert examine(fake, "cdsp", monkeypatch).first_problem is None
    problems = [one for one in examine(fake, "cdsp1", monkeypatch).results if finding in one.finding]
    assert [one.name for one in problems] == [check]


def test_the_library_checks_open_the_second_dsp() -> None:
    findings = Doctor("loopback1").run()
    assert findings.ok
    assert {one.name: one.status for one in findings.results}["open"] == "ok"
