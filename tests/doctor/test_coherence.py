# SPDX-License-Identifier: MIT
"""The coherence that device trees declare, and the doctor's finding about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyhexagon.device import Device
from pyhexagon.doctor.coherence import coherence
from pyhexagon.doctor.findings import Problem, Status
from pyhexagon.process.coherence import read_coherence

from . import boards

FASTRPC = f"{boards.PAS}/glink-edge/fastrpc"


def test_coherent_nodes_are_ok(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    fake.write(f"{FASTRPC}/compute-cb@2/dma-coherent", "")
    assert coherence(fake.board()) == "2 of 2 compute-cb nodes have dma-coherent"


def test_a_node_without_the_property_is_a_warning(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    fake.write(f"{FASTRPC}/compute-cb@2/reg", b"\0\0\0\2")
    with pytest.raises(Problem, match="1 of 2 compute-cb nodes") as caught:
        coherence(fake.board())
    assert caught.value.status is Status.WARNING
    assert f"/{FASTRPC}/compute-cb@2 has none" in caught.value.finding
    assert "dma-coherent" in caught.value.remedy


def test_a_disabled_node_does_not_count(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    fake.write(f"{FASTRPC}/compute-cb@2/status", "disabled\0")
    assert read_coherence(tmp_path).incoherent == ()


def test_nodes_of_the_adsp_do_not_count(tmp_path: Path) -> None:
    fake = boards.healthy(tmp_path)
    adsp = "proc/device-tree/soc@0/remoteproc@3700000/glink-edge/fastrpc"
    fake.write(f"{adsp}/label", "adsp\0")
    fake.write(f"{adsp}/compute-cb@3/reg", b"\0\0\0\3")
    assert read_coherence(tmp_path).incoherent == ()


def test_without_a_tree_the_coherence_is_unknown(tmp_path: Path) -> None:
    assert read_coherence(tmp_path).text.startswith("unknown")


def test_info_says_what_the_device_tree_declares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boards.healthy(tmp_path)
    with Device("loopback") as device:
        assert device.info().coherence == "coherent (loopback)"
        monkeypatch.setattr(type(device._library), "is_loopback", False)
        monkeypatch.setattr(
            "pyhexagon.process.coherence.read_coherence", lambda processor: read_coherence(tmp_path, processor)
        )
        assert device.info().coherence == "1 of 1 compute-cb nodes have dma-coherent"
