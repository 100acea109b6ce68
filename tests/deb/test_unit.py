# SPDX-License-Identifier: MIT
"""The system service of the Debian package, as systemd judges it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import needs

from pyhexagon.process import locate

UNIT = needs.ROOT / "scripts/deb/pyhexagon.service"
EXPOSURE = 15  # tenths of what systemd-analyze security prints, 10 is worst
NEWER_KEY = re.compile(r"Unknown key.*'(RestartSteps|RestartMaxDelaySec)'.*ignoring")  # keys of systemd 254


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    needs.require("systemd-analyze")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/bin/pyhexagon", sys.executable))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = [line for line in (done.stdout + done.stderr).splitlines() if str(unit) in line]
    assert [line for line in told if not NEWER_KEY.search(line)] == []
    assert done.returncode == 0


def test_systemd_calls_the_exposure_low() -> None:
    needs.require("systemd-analyze")
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", str(UNIT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_service_may_open_the_nodes_of_every_dsp_and_no_others() -> None:
    allowed = re.findall(r"^DeviceAllow=(\S+) rw$", UNIT.read_text(), re.MULTILINE)
    nodes = [str(node) for processor in ("cdsp", "cdsp1") for node in locate.device_nodes(processor)]
    assert sorted(allowed) == sorted([*nodes, "/dev/dma_heap/system"])
