# SPDX-License-Identifier: MIT
"""scripts/build-wheels: what is in the wheels, and that one is all a machine needs."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.tags import Tag
from packaging.utils import parse_wheel_filename
from userland import ROOT

import pyhexagon
from pyhexagon.process import locate

pytest_plugins = ("wheels_plugin",)

MACHINES = ("x86_64", "aarch64")
E_MACHINE = {"x86_64": 62, "aarch64": 183}
KERNEL = "libpyhexagon_kernel.so"  # that doctor loads
HEXAGON = (*(f"{arch}/libpyhexagon_skel.so" for arch in ("v68", "v73", "v75")), f"v68/{KERNEL}", "pyhexagon-pd")
HOST = ("skel", "sharing")  # for each level of CPU kernels
INTRINSICS = ROOT / "dsp/cpu/hvx"
HEADERS = (  # and the list of functions that the DSP exports: for user kernels
    *(f"include/cpu/{path.relative_to(INTRINSICS)}" for path in INTRINSICS.rglob("*.h")),
    "include/pyhexagon_kernel.h",
    "include/q6a-shell-exports.txt",
)
BUILT = {
    *("libcdsprpc.so.1", "libpyhexagon_native.so", f"host/{KERNEL}", *HEXAGON),
    *(f"host/ref/libpyhexagon_{name}.so" for name in HOST),
}

A_PROGRAM = """
import numpy as np
import pyhexagon

with pyhexagon.Device("loopback") as device, device.weight(np.ones((4, 32), np.float32)) as weight:
    reveal_type(device.matmul(np.ones((2, 32), np.float32), weight))
"""


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("machine", MACHINES)
def test_wheel_is_for_any_python_3_and_glibc_2_17(wheels: dict[str, Path], machine: str) -> None:
    name, _, build, tags = parse_wheel_filename(wheels[machine].name)
    assert str(name) == "pyhexagon"
    assert build == ()
    assert tags == {Tag("py3", "none", f"manylinux_2_17_{machine}")}
    (metadata,) = (content for name, content in contents(wheels[machine]).items() if name.endswith("-info/WHEEL"))
    assert f"Tag: py3-none-manylinux_2_17_{machine}\n".encode() in metadata
    assert b"Root-Is-Purelib: false" in metadata


@pytest.mark.parametrize("machine", MACHINES)
def test_wheel_has_the_package_and_the_built_files_and_nothing_else(wheels: dict[str, Path], machine: str) -> None:
    names = contents(wheels[machine]).keys()
    built = {name.removeprefix("pyhexagon/lib/") for name in names if name.startswith("pyhexagon/lib/")}
    levels = locate.CPU_LEVELS[machine]
    assert built == BUILT | {*HEADERS, *(f"host/{level}/libpyhexagon_{name}.so" for level in levels for name in HOST)}
    package = {name for name in names if not name.startswith("pyhexagon/lib/") and ".dist-info/" not in name}
    rooms = ("pyhexagon", "pyhexagon_command")
    files = (path.relative_to(ROOT) for room in rooms for path in (ROOT / room).rglob("*") if path.is_file())
    assert package == {str(path) for path in files if not {"__pycache__", "lib"} & set(path.parts)}
    assert "pyhexagon/_ffi/_generated.py" in package


@pytest.mark.parametrize("machine", MACHINES)
def test_user_kernels_take_little_of_a_wheel(wheels: dict[str, Path], machine: str) -> None:
    with zipfile.ZipFile(wheels[machine]) as wheel:
        sizes = {entry.filename: entry.compress_size for entry in wheel.infolist()}
    parts = [name for name in sizes if name.startswith(("pyhexagon/kernels/", "pyhexagon/lib/include/"))]
    parts += [name for name in sizes if name.endswith(KERNEL)]
    assert len(parts) > 20
    assert sum(sizes[name] for name in parts) < 120_000


@pytest.mark.parametrize("machine", MACHINES)
def test_wheel_has_a_software_bill_of_materials(wheels: dict[str, Path], machine: str) -> None:
    (content,) = (one for name, one in contents(wheels[machine]).items() if ".dist-info/sboms/" in name)
    sbom = json.loads(content)
    assert (sbom["bomFormat"], sbom["metadata"]["component"]["version"]) == ("CycloneDX", pyhexagon.__version__)
    bundled = {one["name"] for one in sbom["components"] if one["bom-ref"].startswith("bundled:")}
    assert bundled == {"compiler_rt", "musl"}


@pytest.mark.parametrize("machine", MACHINES)
def test_record_has_the_hash_and_size_of_every_file(wheels: dict[str, Path], machine: str) -> None:
    files = contents(wheels[machine])
    (record,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    rows = list(csv.reader(files[record].decode().splitlines()))
    assert sorted(name for name, _, _ in rows) == sorted(files)
    for name, digest, size in rows:
        if name != record:
            expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={expected}", str(len(files[name]))), name


@pytest.mark.parametrize("machine", MACHINES)
def test_no_path_of_the_build_machine_is_in_it(wheels: dict[str, Path], machine: str) -> None:
    for name, content in contents(wheels[machine]).items():
        assert not name.startswith("/")
        assert ".." not in name
        for path in (str(ROOT), str(Path.home()), sys.prefix, "/tmp"):
            assert path.encode() + b"/" not in content, f"{path} in {name}"


@pytest.mark.parametrize("machine", MACHINES)
def test_what_was_built_has_no_debug_information(wheels: dict[str, Path], machine: str) -> None:
    files = contents(wheels[machine])
    for name in BUILT:
        assert b".debug_" not in files[f"pyhexagon/lib/{name}"], name


@pytest.mark.parametrize("machine", MACHINES)
def test_loopback_and_host_skel_are_for_the_machine(wheels: dict[str, Path], machine: str) -> None:
    files = contents(wheels[machine])
    for name in BUILT - set(HEXAGON):
        assert int.from_bytes(files[f"pyhexagon/lib/{name}"][18:20], "little") == E_MACHINE[machine]


@pytest.mark.parametrize("name", ["v68/libpyhexagon_skel.so", "pyhexagon-pd"])
def test_hexagon_files_are_those_that_the_tests_ran(wheels: dict[str, Path], name: str) -> None:
    """tests/audit/test_archs.py compares the others."""
    tested = locate.installed(name).read_bytes()
    for wheel in wheels.values():
        assert contents(wheel)[f"pyhexagon/lib/{name}"] == tested


def test_wheel_is_all_that_a_fresh_environment_needs(wheels: dict[str, Path], tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    # PATH has this environment only: no compiler, no cmake.
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYHEXAGON", "VIRT"))
    }
    environment["PATH"] = str(venv / "bin")

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python = str(venv / "bin/python")
    run(sys.executable, "-m", "venv", str(venv))
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "--only-binary=:all:", str(wheels["x86_64"]))
    assert run(python, "-c", "import pyhexagon; print(pyhexagon.__file__)").startswith(str(venv))
    run(python, "-m", "pyhexagon", "example", "example.gguf")
    matmul = (python, "-m", "pyhexagon", "matmul", "example.gguf", "blk.0.ffn_up.weight", "--device", "loopback")
    answer = json.loads(run(*matmul, "--batch", "3", "--json"))
    assert (answer["device"], answer["shape"], answer["type"]) == ("loopback", [3, 1024], "Q4_0")
    assert os.access(next(venv.glob("lib/*/site-packages/pyhexagon/lib/pyhexagon-pd")), os.X_OK)
    assert run("pyhexagon", "--version") == f"pyhexagon {pyhexagon.__version__}\n"

    (tmp_path / "program.py").write_text(A_PROGRAM)
    mypy = (sys.executable, "-m", "mypy", "--config-file=", "--strict", "--python-executable", python)
    assert 'Revealed type is "pyhexagon.tensor.Tensor"' in run(*mypy, "program.py")
