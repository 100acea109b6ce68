# SPDX-License-Identifier: MIT
"""Containers: the CDI file of a board, and what the Containerfile takes from scripts/build-deb."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import needs

CDI = needs.ROOT / "scripts/cdi"


def run(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([CDI, root], capture_output=True, text=True, check=False)


def test_a_board_gives_containers_its_dsps_its_library_and_the_dsps_files(tmp_path: Path) -> None:
    files = ("dev/fastrpc-cdsp", "dev/fastrpc-cdsp-secure", "dev/fastrpc-cdsp1", "dev/dma_heap/system")
    for name in (*files, "usr/lib/aarch64-linux-gnu/libcdsprpc.so.1", "usr/share/hexagon-dsp/conf.d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_bytes(b"Radxa Dragon Q6A\0")
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    cdi = json.loads(done.stdout)
    assert (cdi["cdiVersion"], cdi["kind"]) == ("0.7.0", "pyhexagon/dsp")
    nodes = {one["name"]: [node["path"] for node in one["containerEdits"]["deviceNodes"]] for one in cdi["devices"]}
    assert nodes == {
        "cdsp": ["/dev/fastrpc-cdsp-secure", "/dev/fastrpc-cdsp", "/dev/dma_heap/system"],
        "cdsp1": ["/dev/fastrpc-cdsp1", "/dev/dma_heap/system"],
    }
    gid = os.stat(tmp_path / files[0]).st_gid
    for device in cdi["devices"]:
        assert device["containerEdits"]["additionalGids"] == [gid]
        assert {node["gid"] for node in device["containerEdits"]["deviceNodes"]} == {gid}
    assert cdi["containerEdits"]["env"] == ["MACHINE_NAME=Radxa Dragon Q6A"]
    assert [mount["containerPath"] for mount in cdi["containerEdits"]["mounts"]] == [
        "/usr/lib/libcdsprpc.so.1", "/usr/share/hexagon-dsp",
    ]  # fmt: skip


def test_a_machine_without_a_dsp_says_so(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "cdi: there is no /dev/fastrpc-cdsp: pyhexagon doctor says why\n"
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/fastrpc-cdsp").touch()
    assert "cdi: there is no libcdsprpc.so.1: install libfastrpc1" in run(tmp_path).stderr


def test_the_image_takes_a_package_of_build_deb_and_runs_as_a_user() -> None:
    text = (needs.ROOT / "Containerfile").read_text()
    assert '/dist/pyhexagon_*+python3.13_"$(dpkg --print-architecture)".deb' in text
    assert 'f"pyhexagon_{source.version}+python{python}_' in (needs.ROOT / "scripts/build-deb").read_text()
    instructions = re.findall(r"^([A-Z]+) (.*)$", text, re.MULTILINE)
    assert dict(instructions)["USER"] == "990"
    assert dict(instructions)["ENTRYPOINT"] == '["pyhexagon"]'
