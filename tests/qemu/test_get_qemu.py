# SPDX-License-Identifier: MIT
"""scripts/get-qemu and scripts/debian_package.py: which QEMU is taken, and from where."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pd
import pytest

pytest_plugins = ("qemu_plugin",)

DEB822 = """\
# a comment
Types: deb deb-src
URIs: http://mirror.example/{name}
Suites: noble noble-updates
Components: main universe
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBF
"""


@pytest.fixture(scope="module")
def debian_package() -> ModuleType:
    spec = importlib.util.spec_from_file_location("debian_package", pd.ROOT / "scripts/debian_package.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_a_deb822_source_keeps_its_inline_key(debian_package: ModuleType, sources: Path) -> None:
    text = "Enabled: no\n" + DEB822.format(name="off") + "\n" + DEB822.format(name="on")
    (sources / "sources.list.d/ubuntu.sources").write_text(text)
    mirror = debian_package.own_mirror(sources, "noble", "main")
    assert mirror["uris"] == "http://mirror.example/on"
    assert mirror["signed-by"].splitlines()[-1] == " mQINBF"


def test_a_one_line_source_keeps_its_options(debian_package: ModuleType, sources: Path) -> None:
    (sources / "sources.list").write_text(
        "# deb http://mirror.example/off trixie main\n"
        "deb-src http://mirror.example/source trixie main\n"
        "deb http://mirror.example/security trixie-security main\n"
        "deb [arch=amd64 signed-by=/a.gpg,/b.gpg] http://mirror.example/debian trixie main contrib # yes\n"
    )
    mirror = debian_package.own_mirror(sources, "trixie", "main")
    assert (mirror["uris"], mirror["signed-by"]) == ("http://mirror.example/debian", "/a.gpg /b.gpg")


def test_no_source_is_an_error_that_names_the_series(debian_package: ModuleType, sources: Path) -> None:
    with pytest.raises(debian_package.FetchError, match="noble main"):
        debian_package.own_mirror(sources, "noble", "main")


@pytest.mark.parametrize(("version", "taken"), [("11.1.3", True), ("10.0.2", True), ("7.2.0", False), ("", False)])
def test_the_one_on_path_is_taken_when_new_enough(tmp_path: Path, qemu: str, version: str, taken: bool) -> None:
    program = tmp_path / "qemu-hexagon"
    program.write_text(f"#!/bin/sh\necho qemu-hexagon version {version}\n")
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, str(pd.ROOT / "scripts/get-qemu")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path})
    assert (done.stdout.strip() == str(program)) == taken
    assert taken or done.stdout.strip() == qemu
