# SPDX-License-Identifier: MIT
"""The shell and the firmware: hashes, compressed firmware, and entries of conf.d that do not name the board."""

from __future__ import annotations

import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pyhexagon.doctor import firmware
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.shell import shell

from . import boards, elf, field_boards
from .boards import FIRMWARE, FakeBoard

SHELL = "usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3"
IMAGE = f"usr/lib/firmware/{FIRMWARE}"
REINSTALL = "sudo apt install --reinstall radxa-firmware-qcs6490"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeBoard:
    monkeypatch.delenv("MACHINE_NAME", raising=False)
    fake = boards.healthy(tmp_path)
    fake.write(SHELL, elf.shell())
    fake.write(IMAGE, elf.matching())
    return fake


def problem(fake: FakeBoard) -> Problem:
    with pytest.raises(Problem) as caught:
        shell(fake.board())
    return caught.value


def test_the_firmwares_own_shell_passes(fake: FakeBoard) -> None:
    assert "has the SHA-256 that the firmware contains" in shell(fake.board())


@pytest.mark.parametrize(
    "content",
    [
        elf.shell(code=b"respun"),
        elf.shell()[:-8],  # cut short within the last segment
        elf.elf([boards.shell_bytes(boards.BUILD) + b"code", b"data", b"one more"]),
        boards.shell_bytes(boards.BUILD),  # has no segments
    ],
    ids=["respun", "cut", "more", "none"],
)
def test_another_file_of_the_same_build_is_refused(fake: FakeBoard, content: bytes) -> None:
    # linux-msm/hexagon-dsp-binaries#95, #111
    fake.write(SHELL, content)
    found = problem(fake)
    assert "but not the SHA-256 that the firmware contains" in found.finding
    assert found.remedy == REINSTALL


def test_what_no_segment_covers_may_differ(fake: FakeBoard) -> None:
    fake.write(SHELL, elf.shell()[: -len(b"debug")] + b"stripped")
    assert "has the SHA-256" in shell(fake.board())


def test_a_shell_of_another_build_names_both_builds(fake: FakeBoard) -> None:
    fake.write(SHELL, elf.shell(boards.OTHER_BUILD))
    assert boards.OTHER_BUILD in problem(fake).finding
    assert "come from different sources" in problem(fake).finding


def test_another_file_beside_the_shell_is_a_warning(fake: FakeBoard) -> None:
    files = {"fastrpc_shell_unsigned_3": [boards.shell_bytes(boards.BUILD) + b"code", b"data"]}
    fake.write(IMAGE, elf.firmware({**files, "libc++.so.1": [b"library"], "libother.so": [b"not installed"]}))
    folder = SHELL.rpartition("/")[0]
    fake.write(f"{folder}/libc++.so.1", elf.elf([b"library"]))
    fake.write(f"{folder}/libours.so", elf.elf([b"not listed"]))
    assert "has the SHA-256" in shell(fake.board())
    fake.write(f"{folder}/libc++.so.1", elf.elf([b"newer library"]))
    found = problem(fake)
    assert "but libc++.so.1 beside it is not" in found.finding
    assert (found.remedy, found.status.value) == (REINSTALL, "warning")


@pytest.mark.parametrize("respun", [False, True])
def test_firmware_in_parts_is_read_whole(fake: FakeBoard, respun: bool) -> None:
    image = elf.matching(code=b"respun" if respun else b"code")
    fake.remove(IMAGE)
    fake.write(f"{boards.REMOTEPROC}/firmware", FIRMWARE.replace(".mbn", ".mdt") + "\n")
    base = IMAGE.removesuffix(".mbn")
    fake.write(f"{base}.mdt", image[:10])
    fake.write(f"{base}.b00", image[10:40])  # splits a hash
    fake.write(f"{base}.b01", image[40:])
    if respun:
        assert "not the SHA-256" in problem(fake).finding
    else:
        assert "has the SHA-256" in shell(fake.board())


def compressed(fake: FakeBoard, suffix: str, image: bytes) -> None:
    fake.remove(IMAGE)
    if suffix == ".xz":
        fake.write(IMAGE + suffix, lzma.compress(image))
    else:
        if shutil.which("zstd") is None:
            pytest.skip("there is no program zstd")
        done = subprocess.run(["zstd", "-qc"], input=image, stdout=subprocess.PIPE, check=True)
        fake.write(IMAGE + suffix, done.stdout)


@pytest.mark.parametrize("suffix", [".xz", ".zst"])
def test_compressed_firmware_is_compared_exactly(fake: FakeBoard, suffix: str) -> None:
    compressed(fake, suffix, elf.matching())
    assert "has the SHA-256" in shell(fake.board())
    fake.write(SHELL, elf.shell(code=b"respun"))
    assert "not the SHA-256" in problem(fake).finding


@pytest.mark.parametrize("suffix", [".xz", ".zst"])
def test_damaged_compressed_firmware_is_not_compared(fake: FakeBoard, suffix: str) -> None:
    compressed(fake, suffix, elf.matching())
    path = fake.root / (IMAGE + suffix)
    path.write_bytes(path.read_bytes()[:20] + b"damage")
    assert f"cannot be read (its {'xz' if suffix == '.xz' else 'zstd'} data is damaged), not compared" in shell(
        fake.board()
    )


def test_without_zstd_the_doctor_names_the_package(fake: FakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.remove(IMAGE)
    fake.write(IMAGE + ".zst", b"\x28\xb5\x2f\xfd")
    monkeypatch.setattr(firmware, "_ZSTD_MODULES", ())
    monkeypatch.setattr("pyhexagon.doctor.firmware.shutil.which", lambda name: None)
    assert "sudo apt install zstd), not compared" in shell(fake.board())


def test_without_lzma_the_doctor_names_the_module(fake: FakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    compressed(fake, ".xz", elf.matching())
    monkeypatch.setitem(sys.modules, "lzma", None)
    assert "this Python has no module lzma" in shell(fake.board())


# --- conf.d does not name the board ---


def renamed(tmp_path: Path, model: str) -> FakeBoard:
    """Make a Q6A with Debian's files whose device tree has another model string."""
    fake = boards.debian(tmp_path)
    fake.write("proc/device-tree/model", f"{model}\0")
    return fake


@pytest.mark.parametrize("model", ["Radxa Dragon Q6A rev 2", "Radxa Computer (Shenzhen) Co., Ltd. Dragon Q6A"])
def test_another_model_string_gets_the_fitting_machines_name(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # qualcomm-linux/qcom-deb-images#298
    monkeypatch.delenv("MACHINE_NAME", raising=False)
    fake = renamed(tmp_path, model)
    found = problem(fake)
    assert f"no file in conf.d names this board, {model!r}, but the files of 'Radxa Dragon Q6A' fit" in found.finding
    assert "0x8000044f" in found.finding
    assert found.remedy == "export MACHINE_NAME='Radxa Dragon Q6A'"
    fake.environ["MACHINE_NAME"] = "Radxa Dragon Q6A"
    assert boards.BUILD in shell(fake.board())


def test_a_machine_whose_files_do_not_fit_is_not_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MACHINE_NAME", raising=False)
    fake = renamed(tmp_path, "Overlay")
    fake.write(IMAGE, boards.firmware_bytes(boards.OTHER_BUILD))
    assert problem(fake).remedy == "sudo apt install --reinstall hexagon-dsp-binaries-radxa-dragon-q6a"
    fake.write(IMAGE, elf.matching())  # of the same build, but the shell is another file
    assert problem(fake).remedy == "sudo apt install --reinstall hexagon-dsp-binaries-radxa-dragon-q6a"


@pytest.mark.parametrize("hashes", [False, True])
def test_a_board_with_its_makers_files_needs_hashes_to_use_anothers(
    tmp_path: Path, hashes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MACHINE_NAME", raising=False)
    fake = field_boards.tachyon(tmp_path)
    field_boards.other_machines_only(fake)
    if hashes:
        (other,) = fake.root.glob("usr/share/hexagon-dsp/**/fastrpc_shell_unsigned_3")
        other.write_bytes(elf.shell())
        name = (fake.root / boards.REMOTEPROC / "firmware").read_text().strip()
        fake.write(f"usr/lib/firmware/{name}", elf.matching())
        assert problem(fake).remedy == "export MACHINE_NAME='Qualcomm Technologies, Inc. Robotics RB3gen2'"
    else:
        assert "QCM6490_dspso.zip" in problem(fake).remedy
