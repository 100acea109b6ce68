# SPDX-License-Identifier: MIT
"""The tutorial of docs/own-kernels.md runs as it stands, and so do README's lines about kernels."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyhexagon import Device

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/own-kernels.md").read_text(encoding="utf-8")
TUTORIAL = PAGE[: PAGE.index("## What a kernel declares")]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_tutorial_runs(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in blocks(TUTORIAL, "python"):
        exec(block, names)
    names["dsp"].close()
    assert names["z"].shape == (5, 777)
    assert "same bits on CPU and DSP and as the function" in capsys.readouterr().out


def test_the_tutorials_intrinsics_give_its_result(device: Device) -> None:
    (source,) = blocks(TUTORIAL, "c")
    x = np.random.default_rng(0).standard_normal((5, 641), dtype=np.float32)
    y = device.kernel(source, params={"limit": np.float32}, isolated=False)(x, limit=0.5)
    np.testing.assert_array_equal(y.numpy(), np.where(x > 0.5, x, 0).astype(np.float32), strict=True)


@pytest.mark.long
def test_readme_s_lines_run(qemu: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = [one for one in blocks(text, "python") if "elementwise" in one]
    exec(block, {"np": np, "Device": Device, "rng": np.random.default_rng(0)})


def test_importing_the_package_imports_nothing_of_kernels() -> None:
    code = "import sys, pyhexagon; print([name for name in sys.modules if name.startswith('pyhexagon.kernels')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
