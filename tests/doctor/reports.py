# SPDX-License-Identifier: MIT
"""Public reports of owners of boards, each with its source: an issue, a facts file, or the kernel's device tree.

Each of ``REPORTS`` has the board before the failure, what breaks it, the check that must be the first problem, a part
of the finding that names the cause, and the one command that the doctor prints.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import boards
from .boards import FIRMWARE, REMOTEPROC, FakeBoard
from .field_boards import (
    android,
    armbian,
    both_packagings,
    container,
    crashed,
    dangling,
    disabled,
    environ,
    fairphone5,
    heap_denied,
    library,
    named_after_its_device,
    no_memory_region,
    no_nodes,
    not_in_group,
    offline,
    on_a_pc,
    only_adsp,
    only_unversioned,
    other_firmware,
    other_machines_only,
    q8b,
    rb3gen2,
    root_only,
    rubikpi3,
    secure_node_is_roots,
    sm8350,
    tachyon,
    tree_of,
    uno_q,
    vendor_kernel,
    without_firmware,
    without_library,
    without_shell,
    x13s,
)

UPGRADE = "sudo apt update && sudo apt full-upgrade && sudo reboot"
LOOPBACK = "pyhexagon doctor --device cpu"


@dataclass(frozen=True)
class Report:
    """A report of the field: ``check`` is empty if pyhexagon works there."""

    make: Callable[[Path], FakeBoard]
    breaks: tuple[Callable[[FakeBoard], object], ...]
    check: str
    finding: str = ""
    remedy: str = ""
    warning: bool = False


REPORTS: dict[str, Report] = {
    # radxa-docs/docs#1782: "lsmod | grep fastrpc" prints nothing, /dev/fastrpc* is missing, ERROR 0x72
    "q6a_driver_not_loaded": Report(
        boards.healthy, (no_nodes,), "nodes", "the driver is not loaded", "sudo modprobe fastrpc"
    ),
    # radxa-build/radxa-dragon-q6a#7: adsp.mbn and cdsp.mbn are missing on the official image
    "q6a_no_firmware": Report(
        boards.healthy, (without_firmware, no_nodes), "remoteproc", f"{FIRMWARE} is in none of",
        "sudo apt install --reinstall radxa-firmware-qcs6490",
    ),
    # Radxa forum 31078: the firmware is not in the initramfs, the DSP stays offline
    "q6a_firmware_not_in_initramfs": Report(
        boards.healthy, (offline, no_nodes), "remoteproc", "not in the initramfs",
        f"echo start | sudo tee /{REMOTEPROC}/state",
    ),
    # radxa-pkg/radxa-overlays#501: the EL2 (KVM) overlay switches the CDSP off
    "q6a_el2": Report(boards.healthy, (disabled,), "device-tree", "boots in EL2", "sudo rsetup"),
    # radxa-pkg/radxa-overlays#522: no memory-region in the device tree
    "q6a_no_memory_region": Report(boards.healthy, (no_memory_region,), "device-tree", "no memory-region", UPGRADE),
    # radxa-build/radxa-dragon-q6a#4: "failed to reserve memory for node 'cdsp@8e000000'"
    "q6a_reserved_memory_in_use": Report(
        boards.healthy, (only_adsp,), "remoteproc", "its reserved memory is in use",
        "sudo dmesg | grep -iE 'remoteproc|cdsp|reserved mem' | tail -30",
    ),
    # radxa-docs/docs#1303, radxa/kernel#567: 0x80000600 at open; one cause is a missing shell
    "q6a_no_shell": Report(
        boards.healthy, (without_shell,), "shell", "answers an open with 0x80000600",
        "sudo apt install --reinstall radxa-firmware-qcs6490",
    ),
    # Armbian before armbian/firmware#129 had firmware CDSP.HT.2.5.c3-00134-KODIAK-1 beside Radxa's shell c4-00004
    "q6a_armbian_firmware": Report(
        armbian, (other_firmware,), "shell", "come from different sources", UPGRADE,
    ),
    # qualcomm/GenieX#1170: Armbian; the files are right, and the queue fails later (tests/doctor/test_sessions.py)
    "q6a_armbian": Report(armbian, (), ""),
    # geerlingguy/sbc-reviews#85: no library under the name that llama.cpp loads, only libcdsprpc.so.1
    "q6a_only_versioned_library": Report(boards.healthy, (), "", "llama.cpp looks for libcdsprpc.so"),
    # geerlingguy/sbc-reviews#85: ADSP_LIBRARY_PATH=./lib of llama.cpp's instructions does no harm
    "q6a_path_of_llama_cpp": Report(boards.healthy, (environ(ADSP_LIBRARY_PATH="./lib"),), ""),
    # qualcomm/fastrpc#379: ADSP_LIBRARY_PATH with ':' is taken as one name
    "q6a_colon": Report(
        boards.healthy, (environ(DSP_LIBRARY_PATH="/a:/b"),), "search-paths", "the separator is ';'",
        "export DSP_LIBRARY_PATH='/a;/b'", warning=True,
    ),
    # qualcomm/fastrpc#269, meta-qcom#2588: the CDSP crashed and did not recover
    "q6a_crashed": Report(boards.healthy, (crashed, no_nodes), "remoteproc", "has crashed", "sudo reboot"),
    # two copies of the library: Radxa's packages and Debian's are both installed
    "q6a_both_packagings": Report(
        boards.healthy, (both_packagings,), "library", "2 different libcdsprpc", "dpkg -S", warning=True
    ),
    # qualcomm/fastrpc#366: only root may open the heap
    "q6a_heap_is_roots": Report(
        boards.healthy, (heap_denied,), "dma-heap", "you are not in group render",
        "sudo usermod -aG render $USER, then log out and in again", warning=True,
    ),
    # meta-qcom#1879: group render owns the nodes, the user is not in it
    "q6a_not_in_render": Report(
        boards.healthy, (not_in_group,), "nodes", "you are not in group render",
        "sudo usermod -aG render $USER, then log out and in again",
    ),
    # meta-qcom#1711: no udev rule, so the nodes are root's
    "q6a_no_udev_rules": Report(
        boards.healthy, (root_only,), "nodes", "the udev rules are missing", "sudo apt install fastrpc && sudo reboot"
    ),
    # qualcomm/fastrpc#333: the secure node stays root's, which is right
    "q6a_secure_node_is_roots": Report(boards.healthy, (secure_node_is_roots,), ""),
    # Debian forky: group fastrpc
    "q6a_debian_not_in_fastrpc": Report(
        boards.debian, (not_in_group,), "nodes", "you are not in group fastrpc",
        "sudo usermod -aG fastrpc $USER, then log out and in again",
    ),
    # Debian: fastrpc-support has the udev rules
    "q6a_debian_no_udev_rules": Report(
        boards.debian, (root_only,), "nodes", "the udev rules are missing",
        "sudo apt install fastrpc-support && sudo reboot",
    ),
    # Debian: libfastrpc1 has the library
    "q6a_debian_no_library": Report(
        boards.debian, (without_library,), "library", "is installed", "sudo apt install libfastrpc1"
    ),
    # Debian: the component non-free-firmware has the DSP's files
    "q6a_debian_no_dsp_files": Report(
        boards.debian, (lambda fake: fake.remove(boards.DEBIAN_DSP),), "shell", "is in none of",
        "sudo apt install --reinstall hexagon-dsp-binaries-radxa-dragon-q6a",
    ),
    # radxa-build/radxa-dragon-q6a#7, on Debian
    "q6a_debian_no_firmware": Report(
        boards.debian, (without_firmware,), "remoteproc", "is in none of",
        "sudo apt install hexagon-dsp-binaries-radxa-dragon-q6a",
    ),
    # qualcomm/fastrpc#383: conf.d is searched by the machine's name, which MACHINE_NAME overrides
    "q6a_debian_other_machine_name": Report(
        boards.debian, (environ(MACHINE_NAME="Dragon Q6A"),), "shell", "MACHINE_NAME of the environment",
        "unset MACHINE_NAME",
    ),
    # radxa-docs/docs#1225: docker run without --device
    "docker_without_devices": Report(
        container, (no_nodes,), "nodes", "a container without the DSP's devices",
        "docker run --device /dev/fastrpc-cdsp",
    ),
    # qualcomm/ai-hub-models#133: devices are passed, the user in the container is not in their group
    "docker_without_group": Report(
        container, (not_in_group,), "nodes", "the container's user is not in its group",
        f"docker run --group-add {os.getegid()}",
    ),
    # arduino/arduino-app-cli#635: FastRPC nodes without the heap's node
    "docker_without_heap": Report(
        container, (lambda fake: fake.remove("dev/dma_heap"),), "dma-heap", "does not exist",
        "docker run --device /dev/fastrpc-cdsp --device /dev/dma_heap/system", warning=True,
    ),
    # wendylabsinc/WendyOS#1988: the nodes without the userspace that drives them (no CDI)
    "docker_without_library": Report(
        container, (without_library,), "library", "is installed in this container", "sudo apt install libfastrpc1"
    ),
    # wendylabsinc/WendyOS#1988: the shell must come from the host
    "docker_without_dsp_files": Report(
        container, (without_shell,), "shell", "this is a container", "docker run -v /usr/lib/dsp:/usr/lib/dsp:ro"
    ),
    # wendylabsinc/WendyOS#1988: the conf.d mapping needs the board's name, which Docker hides
    "docker_without_machine_name": Report(
        container, (other_machines_only,), "shell", "a container hides the board's name", "docker run -e MACHINE_NAME="
    ),
    # radxa-docs/docs#1225: with --device and the host's files it works
    "docker_complete": Report(container, (), "", "a container hides the device tree"),
    # the container of a PC or of CI has no FastRPC node and no remote processor
    "docker_on_a_pc": Report(container, (on_a_pc,), "soc", "this is not a board", LOOPBACK),
    # qualcomm/fastrpc#371: RB3 Gen 2, library 1.0.6: 0x72, because the user's group does not own the node
    "rb3gen2_not_in_fastrpc": Report(
        rb3gen2, (not_in_group,), "nodes", "you are not in group fastrpc",
        "sudo usermod -aG fastrpc $USER, then log out and in again",
    ),
    # linux-msm/hexagon-dsp-binaries, config.txt: RB3 Gen 2 has its own package
    "rb3gen2_no_dsp_files": Report(
        rb3gen2, (without_shell,), "shell", "is in none of",
        "sudo apt install --reinstall hexagon-dsp-binaries-thundercomm-rb3gen2",
    ),
    # linux-arm-msm, an X13s on Linux 6.0: "remoteproc1: powering up 1b300000.remoteproc"
    "rb3gen2_older_kernel": Report(rb3gen2, (named_after_its_device,), ""),
    # Radxa forum 31078, with that name
    "rb3gen2_older_kernel_offline": Report(
        rb3gen2, (named_after_its_device, offline), "remoteproc", "could not start it", "echo start | sudo tee"
    ),
    # linux-msm/hexagon-dsp-binaries#52: RUBIK Pi 3 uses the generic CDSP firmware and RB3 Gen 2's shell
    "rubikpi3_no_dsp_files": Report(
        rubikpi3, (without_shell,), "shell", "is in none of",
        "sudo apt install --reinstall hexagon-dsp-binaries-thundercomm-rubikpi3",
    ),
    # linux-msm/hexagon-dsp-binaries#52: a shell c3-00103 beside newer firmware
    "rubikpi3_older_shell": Report(rubikpi3, (other_firmware,), "shell", "come from different sources", UPGRADE),
    # Linux: qcs6490-thundercomm-rubikpi3.dts requests qcom/qcs6490/cdsp.mbn
    "rubikpi3_no_firmware": Report(
        rubikpi3, (without_firmware,), "remoteproc", "qcom/qcs6490/cdsp.mbn is in none of",
        "sudo apt install linux-firmware",
    ),
    # particle-iot/tachyon-composer#63: QCM6490_dspso.zip is never installed, AEE_ERPC (0x80000600) at open
    "tachyon_no_dsp_files": Report(
        tachyon, (without_shell,), "shell", "answers an open with 0x80000600", "QCM6490_dspso.zip"
    ),
    # qualcomm/fastrpc#383: "DSP_LIBRARY_PATH not found for machine"
    "tachyon_dsp_files_of_rb3gen2": Report(
        tachyon, (other_machines_only,), "shell", "no file in conf.d names this board, 'Particle Tachyon'",
        "QCM6490_dspso.zip",
    ),
    # particle-iot/tachyon-composer: Tachyon's older images have the vendor's kernel with /dev/adsprpc-smd
    "tachyon_vendor_kernel": Report(
        tachyon, (vendor_kernel,), "nodes", "the vendor's kernel", "install a system with a mainline kernel"
    ),
    # postmarketOS, Fairphone 5: firmware of the phone, no package of DSP files
    "fairphone5": Report(fairphone5, (), ""),
    # qualcomm/fastrpc#269: a phone's DSP files come from its own partition
    "fairphone5_no_dsp_files": Report(fairphone5, (without_shell,), "shell", "is in none of", "dsp_a"),
    # meta-qcom#843: hexagonrpc, which phones' systems have, is another project without a libcdsprpc
    "fairphone5_no_library": Report(
        fairphone5, (without_library,), "library", "is installed", "git clone https://github.com/qualcomm/fastrpc"
    ),
    # qualcomm/GenieX#954: Android's own library comes from vendor/qcom/proprietary
    "fairphone5_library_of_android": Report(
        fairphone5, (library(b"\x7fELF\0liblog.so\0"),), "library", "Android's library", "git clone"
    ),
    # kantv#269: Android applications; out of scope
    "fairphone5_android": Report(fairphone5, (android,), "soc", "this is Android", LOOPBACK),
    # linux-msm/hexagon-dsp-binaries#102: SC8280XP has no package yet; its CDSP is called NSP 0
    "x13s": Report(x13s, (), ""),
    # linux-msm/hexagon-dsp-binaries#102, qualcomm/fastrpc#377: files of the Windows driver package
    "x13s_no_dsp_files": Report(x13s, (without_shell,), "shell", "is in none of", "Lenovo's Windows driver"),
    # qualcomm/fastrpc#377: the firmware gate of a Lenovo refuses other firmware, so the DSP stays offline
    "x13s_refused_firmware": Report(x13s, (offline,), "remoteproc", "could not start it", "echo start | sudo tee"),
    # Radxa Dragon Q8B, two CDSPs
    "q8b": Report(q8b, (), ""),
    # radxa-pkg/radxa-firmware has a package for SC8280XP
    "q8b_no_dsp_files": Report(
        q8b, (without_shell,), "shell", "is in none of", "sudo apt install --reinstall radxa-firmware-sc8280xp"
    ),
    # SM8350 phones on Linux
    "sm8350": Report(sm8350, (), ""),
    # Linux: sm8350 phones request vendor-signed firmware, which no package may contain
    "sm8350_no_firmware": Report(
        sm8350, (without_firmware,), "remoteproc", "sagami/cdsp.mbn is in none of", "copy the firmware"
    ),
    # QRB2210 has no CDSP, and its ADSP has no HVX
    "uno_q": Report(
        boards.healthy, (uno_q,), "soc", "Arduino UnoQ: QRB2210 has no compute DSP with HVX", LOOPBACK
    ),
    # qualcomm/fastrpc#370, #180, meta-qcom#843: RB1, Yoga C630 and RB3, RB5
    "rb1": Report(
        boards.debian, (tree_of("Robotics RB1", "qcom,qrb2210-rb1", "qcom,qrb2210", "qcom,qcm2290"),), "soc",
        "Robotics RB1: QRB2210 has no compute DSP with HVX", LOOPBACK,
    ),
    "rb3": Report(
        boards.debian, (tree_of("Dragonboard 845c", "thundercomm,db845c", "qcom,sdm845"),), "soc",
        "a Hexagon v65", LOOPBACK,
    ),
    "rb5": Report(
        boards.debian, (tree_of("Robotics RB5", "qcom,qrb5165-rb5", "qcom,sm8250"),), "soc", "a Hexagon v66", LOOPBACK
    ),
    # qualcomm/GenieX#1471, llama.cpp#22204: Windows on Snapdragon; WSL has no FastRPC devices
    "windows": Report(
        x13s,
        (lambda fake: fake.write("proc/sys/kernel/osrelease", "6.6.87.2-microsoft-standard-WSL2\n"), no_nodes),
        "soc", "Linux on Windows", LOOPBACK,
    ),
    # An interrupted installation, and a link whose file is gone
    "q6a_empty_library": Report(
        boards.healthy, (library(b""),), "library", "is empty", "sudo apt install --reinstall libcdsprpc1"
    ),
    "q6a_dangling_library": Report(
        boards.healthy, (dangling,), "library", "is installed", "sudo apt install libcdsprpc1"
    ),
    # qualcomm-linux/meta-qcom, fastrpc_1.0.6.bb: images with the unversioned name
    "q6a_only_unversioned_library": Report(boards.healthy, (only_unversioned,), ""),
}  # fmt: skip
