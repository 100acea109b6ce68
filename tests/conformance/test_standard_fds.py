# SPDX-License-Identifier: MIT
"""A process that starts with stdin, stdout and stderr closed, as a daemon may: no buffer gets one of their fds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, os, sys
import numpy as np
import pyhexagon

w = np.arange(70 * 64, dtype=np.float32).reshape(70, 64) / 4480
x = np.ones((3, 64), np.float32)
with pyhexagon.Device("loopback") as device, device.weight(w) as weight:
    product = np.array(device.matmul(x, weight))
    links = {fd: os.readlink(f"/proc/self/fd/{fd}") for fd in range(3)}
    distance = float(np.abs(product - x @ w.T).max())
    with open(sys.argv[1], "w") as file:
        json.dump({"links": links, "distance": distance}, file)
"""


@pytest.mark.parametrize("closed", ["0<&-", "0<&- 1>&-", "0<&- 1>&- 2>&-", "1>&-"])
def test_no_buffer_gets_a_standard_fd(closed: str, tmp_path: Path) -> None:
    out = tmp_path / "facts.json"
    command = f'exec "$0" -c "$1" "$2" {closed}'
    subprocess.run(["/bin/sh", "-c", command, sys.executable, PROGRAM, str(out)], check=True, timeout=60)
    facts = json.loads(out.read_text())
    assert facts["distance"] < 1e-2
    assert not any("memfd" in link for link in facts["links"].values()), facts["links"]
