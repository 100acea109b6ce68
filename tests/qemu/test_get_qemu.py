# SPDX-License-Identifier: MIT
"""pyhexagon get-qemu and scripts/debian_package.py: which QEMU is taken, and from where."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pd
import pytest

from pyhexagon import cli
from pyhexagon.fetch import debian_package
from pyhexagon.fetch.qemu import find

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


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_a_deb822_source_keeps_its_inline_key(sources: Path) -> None:
    text = "Enabled: no\n" + DEB822.format(name="off") + "\n" + DEB822.format(name="on")
    (sources / "sources.list.d/ubuntu.sources").write_text(text)
    mirror = debian_package.own_mirror(sources, "noble", "main")
    assert mirror["uris"] == "http://mirror.example/on"
    assert mirror["signed-by"].splitlines()[-1] == " mQINBF"


def test_a_one_line_source_keeps_its_options(sources: Path) -> None:
    (sources / "sources.list").write_text(
        "# deb http://mirror.example/off trixie main\n"
        "deb-src http://mirror.example/source trixie main\n"
        "deb http://mirror.example/security trixie-security main\n"
        "deb [arch=amd64 signed-by=/a.gpg,/b.gpg] http://mirror.example/debian trixie main contrib # yes\n"
    )
    mirror = debian_package.own_mirror(sources, "trixie", "main")
    assert (mirror["uris"], mirror["signed-by"]) == ("http://mirror.example/debian", "/a.gpg /b.gpg")


def test_no_source_is_an_error_that_names_the_series(sources: Path) -> None:
    with pytest.raises(debian_package.FetchError, match="noble main"):
        debian_package.own_mirror(sources, "noble", "main")


@pytest.mark.parametrize(("version", "taken"), [("11.1.3", True), ("10.0.2", True), ("7.2.0", False), ("", False)])
def test_the_one_on_path_is_taken_when_new_enough(
    tmp_path: Path, qemu: str, version: str, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "qemu-hexagon"
    program.write_text(f"#!/bin/sh\necho qemu-hexagon version {version}\n")
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    assert find() == (program if taken else Path(qemu))


def test_the_command_and_the_script_print_the_path(qemu: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["get-qemu"]) == 0
    assert capsys.readouterr().out == f"{qemu}\n"
    assert cli.main(["get-qemu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": qemu}
    script = pd.ROOT / "scripts/get-qemu"
    assert subprocess.run([script], capture_output=True, text=True, check=True).stdout == f"{qemu}\n"


def test_where_none_can_be_had_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cli.main(["get-qemu"]) == 1
    assert "apt-get is not installed" in (error := capsys.readouterr().err)
    assert "install qemu-hexagon 10 or newer" in error


def test_the_cache_is_shown_and_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cli.main(["cache", "--clear"]) == 0
    capsys.readouterr()
    (tmp_path / "pyhexagon/qemu/x86_64").mkdir(parents=True)
    (tmp_path / "pyhexagon/qemu/x86_64/qemu-hexagon").write_bytes(bytes(1234))
    (tmp_path / "other").write_bytes(b"of somebody else")
    (tmp_path / "pyhexagon/link").symlink_to(tmp_path / "other")
    assert cli.main(["cache"]) == 0
    assert "qemu    1,234 bytes" in capsys.readouterr().out
    assert cli.main(["cache", "--clear", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["folder"] == str(tmp_path / "pyhexagon")
    assert answer["freed"] >= 1234
    assert list((tmp_path / "pyhexagon").iterdir()) == []
    assert (tmp_path / "other").exists()
