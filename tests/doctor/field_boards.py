# SPDX-License-Identifier: MIT
"""Fixture boards of other models and systems, and functions that break a board as its owners describe (reports.py)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from . import boards
from .boards import PAS, REMOTEPROC, FakeBoard

UNSIGNED = "fastrpc_shell_unsigned_3"


# --- Boards ---


def board_of(
    root: Path, model: str, compatible: str, firmware: str, *, pas: str = "qcom,sc7280-cdsp-pas", system: str = ""
) -> FakeBoard:
    """Make a healthy board with another device tree, firmware path and system ("debian", "ubuntu", "")."""
    fake = boards.healthy(root, "fastrpc" if system else "render")
    fake.remove("etc/apt")
    fake.write("etc/os-release", f"ID={system or 'postmarketos'}\n")
    fake.write("proc/device-tree/model", f"{model}\0")
    fake.write("proc/device-tree/compatible", compatible.replace(" ", "\0") + "\0")
    fake.write(f"{PAS}/compatible", f"{pas}\0")
    fake.write(f"{REMOTEPROC}/firmware", f"{firmware}\n")
    fake.write(f"usr/lib/firmware/{firmware}", boards.firmware_bytes(boards.BUILD))
    return fake


def rb3gen2(root: Path) -> FakeBoard:  # Linux: qcs6490-rb3gen2.dts
    model, firmware = "Qualcomm Technologies, Inc. Robotics RB3gen2", "qcom/qcs6490/cdsp.mbn"
    return board_of(root, model, "qcom,qcs6490-rb3gen2 qcom,qcm6490", firmware, system="debian")


def rubikpi3(root: Path) -> FakeBoard:  # Linux: qcs6490-thundercomm-rubikpi3.dts
    compatible, firmware = "thundercomm,rubikpi3 qcom,qcm6490", "qcom/qcs6490/cdsp.mbn"
    return board_of(root, "Thundercomm RUBIK Pi 3", compatible, firmware, system="ubuntu")


def tachyon(root: Path) -> FakeBoard:  # Linux: qcm6490-particle-tachyon.dts
    firmware = "qcom/qcm6490/particle/tachyon/cdsp.mbn"
    return board_of(root, "Particle Tachyon", "particle,tachyon qcom,qcm6490", firmware, system="ubuntu")


def fairphone5(root: Path) -> FakeBoard:  # Linux: qcm6490-fairphone-fp5.dts; postmarketOS
    return board_of(root, "Fairphone 5", "fairphone,fp5 qcom,qcm6490", "qcom/qcm6490/fairphone5/cdsp.mbn")


def x13s(root: Path) -> FakeBoard:  # Linux: sc8280xp-lenovo-thinkpad-x13s.dts
    firmware, pas = "qcom/sc8280xp/LENOVO/21BX/qccdsp8280.mbn", "qcom,sc8280xp-nsp0-pas"
    compatible = "lenovo,thinkpad-x13s qcom,sc8280xp"
    return board_of(root, "Lenovo ThinkPad X13s", compatible, firmware, pas=pas, system="debian")


def q8b(root: Path) -> FakeBoard:  # Radxa's kernel: sc8280xp-radxa-dragon-q8b.dts
    fake = boards.healthy(root)
    fake.write("proc/device-tree/model", "Radxa Dragon Q8B\0")
    fake.write("proc/device-tree/compatible", "radxa,dragon-q8b\0qcom,sc8280xp\0")
    fake.write(f"{PAS}/compatible", "qcom,sc8280xp-nsp0-pas\0")
    return fake


def sm8350(root: Path) -> FakeBoard:  # Linux: sm8350-hdk.dts, sm8350-sony-xperia-sagami.dtsi
    compatible, pas = "sony,pdx215-generic qcom,sm8350", "qcom,sm8350-cdsp-pas"
    return board_of(root, "Sony Xperia 1 III", compatible, "qcom/sm8350/Sony/sagami/cdsp.mbn", pas=pas)


def armbian(root: Path) -> FakeBoard:  # GenieX#1170: Armbian 26.2.4 (Ubuntu 24.04), 6.18.2-current-qcs6490
    fake = boards.healthy(root)
    fake.remove("etc/apt")
    fake.write("proc/sys/kernel/osrelease", "6.18.2-current-qcs6490\n")
    return fake


def container(root: Path) -> FakeBoard:
    """A container on a healthy Q6A with its devices: Docker hides /sys/firmware, which has the device tree."""
    fake = boards.healthy(root)
    fake.remove("etc/apt")
    fake.remove("proc/device-tree")
    fake.write(".dockerenv", "")
    return fake


# --- Failures ---


def no_nodes(fake: FakeBoard) -> None:
    fake.remove("dev/fastrpc-cdsp")
    fake.remove("dev/fastrpc-cdsp-secure")


def root_only(fake: FakeBoard) -> None:
    fake.deny("dev/fastrpc-cdsp")
    for node in ("dev/fastrpc-cdsp", "dev/fastrpc-cdsp-secure"):
        (fake.root / node).chmod(0o600)


def not_in_group(fake: FakeBoard) -> None:
    fake.deny("dev/fastrpc-cdsp")
    fake.deny("dev/fastrpc-cdsp-secure")


def secure_node_is_roots(fake: FakeBoard) -> None:
    (fake.root / "dev/fastrpc-cdsp-secure").chmod(0o600)


def heap_denied(fake: FakeBoard) -> None:
    (fake.root / "dev/fastrpc-cdsp").chmod(0o664)
    fake.deny("dev/dma_heap/system")


def offline(fake: FakeBoard) -> None:
    fake.write(f"{REMOTEPROC}/state", "offline\n")


def crashed(fake: FakeBoard) -> None:
    fake.write(f"{REMOTEPROC}/state", "crashed\n")


def without_firmware(fake: FakeBoard) -> None:
    offline(fake)
    shutil.rmtree(fake.root / "usr/lib/firmware")


def without_shell(fake: FakeBoard) -> None:
    fake.remove("usr/lib/dsp")


def other_firmware(fake: FakeBoard) -> None:
    firmware = (fake.root / REMOTEPROC / "firmware").read_text().strip()
    fake.write(f"usr/lib/firmware/{firmware}", boards.firmware_bytes(boards.OTHER_BUILD))


def disabled(fake: FakeBoard) -> None:
    fake.write(f"{PAS}/status", "disabled\0")
    no_nodes(fake)


def no_memory_region(fake: FakeBoard) -> None:
    fake.remove(f"{PAS}/memory-region")
    no_nodes(fake)


def only_adsp(fake: FakeBoard) -> None:
    fake.remove(REMOTEPROC)
    no_nodes(fake)


def named_after_its_device(fake: FakeBoard) -> None:
    fake.write("sys/class/remoteproc/remoteproc0/name", "3700000.remoteproc\n")
    fake.write(f"{REMOTEPROC}/name", "a300000.remoteproc\n")


def vendor_kernel(fake: FakeBoard) -> None:
    no_nodes(fake)
    fake.write("dev/adsprpc-smd", "")


def android(fake: FakeBoard) -> None:
    vendor_kernel(fake)
    fake.write("system/build.prop", "ro.build.version.sdk=35\n")


def uno_q(fake: FakeBoard) -> None:
    tree_of("Arduino UnoQ", "arduino,imola", "qcom,qrb2210", "qcom,qcm2290")(fake)
    fake.write(f"{PAS}/compatible", "qcom,qcm2290-adsp-pas\0")
    only_adsp(fake)


def tree_of(model: str, *compatible: str) -> Callable[[FakeBoard], object]:
    def write(fake: FakeBoard) -> None:
        fake.write("proc/device-tree/model", f"{model}\0")
        fake.write("proc/device-tree/compatible", "".join(f"{name}\0" for name in compatible))

    return write


def environ(**variables: str) -> Callable[[FakeBoard], object]:
    return lambda fake: fake.environ.update(variables)


def library(content: bytes) -> Callable[[FakeBoard], object]:
    return lambda fake: fake.write("usr/lib/libcdsprpc.so.1", content)


def without_library(fake: FakeBoard) -> None:
    fake.remove("usr/lib/libcdsprpc.so.1")


def only_unversioned(fake: FakeBoard) -> None:
    without_library(fake)
    fake.write("usr/lib/libcdsprpc.so", b"\x7fELF")


def dangling(fake: FakeBoard) -> None:
    without_library(fake)
    os.symlink("libcdsprpc.so.1.0.0", fake.root / "usr/lib/libcdsprpc.so.1")


def both_packagings(fake: FakeBoard) -> None:
    fake.write("usr/lib/aarch64-linux-gnu/libcdsprpc.so.1", b"\x7fELF of Debian")


def other_machines_only(fake: FakeBoard) -> None:
    fake.remove("usr/lib/dsp")
    shell = "usr/share/hexagon-dsp/qcm6490/Thundercomm/RB3gen2/dsp/cdsp/" + UNSIGNED
    fake.write(shell, boards.shell_bytes(boards.BUILD))
    fake.write(
        "usr/share/hexagon-dsp/conf.d/hexagon-dsp-binaries-thundercomm-rb3gen2.yaml",
        "machines:\n  Qualcomm Technologies, Inc. Robotics RB3gen2:\n"
        "    DSP_LIBRARY_PATH: qcm6490/Thundercomm/RB3gen2/dsp\n",
    )


def on_a_pc(fake: FakeBoard) -> None:
    fake.remove("sys/class")
    no_nodes(fake)
