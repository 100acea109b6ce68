# SPDX-License-Identifier: MIT
"""scripts/test-bare: what of this machine a bare system gets to see. `.ci/run` runs it, too."""

from __future__ import annotations

import importlib.util
import os
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import needs
import pytest


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(needs.ROOT / "scripts"))
    loader = SourceFileLoader("test_bare_script", str(needs.ROOT / "scripts/test-bare"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_pip_s_settings_become_variables_and_those_of_the_environment_go_first(
    bare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = (
        ":env:.cert='/b'\nglobal.cert='/a'\nglobal.extra-index-url='file:///i/simple\\nhttps://host/simple'\n"
        "install.find-links='/wheels'\nlist.format='columns'\n"
    )
    monkeypatch.setattr(bare, "_run", lambda *_: listed)
    assert bare.pip_settings() == {
        "PIP_CERT": "/b",
        "PIP_EXTRA_INDEX_URL": "file:///i/simple https://host/simple",
        "PIP_FIND_LINKS": "/wheels",
    }


def test_what_pip_s_settings_name_is_mounted(bare: Any, tmp_path: Path) -> None:
    for name in ("index/simple", "wheels"):
        (tmp_path / name).mkdir(parents=True)
    settings = {
        "PIP_EXTRA_INDEX_URL": f"file://{tmp_path}/index/simple https://host/simple",
        "PIP_FIND_LINKS": f"{tmp_path}/wheels {tmp_path}/absent",
    }
    mounts = bare._mounts(Path("/there"), settings)
    ours = [mount for mount in mounts if tmp_path in mount[0].parents]
    assert ours == [(tmp_path / name, Path(f"/there{tmp_path}/{name}")) for name in ("index", "wheels")]
    assert (Path("/etc/hosts"), Path("/there/etc/hosts")) in mounts


def test_who_is_not_root_is_told_at_once(
    bare: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr("sys.argv", ["test-bare"])
    assert bare.main() == bare.IMPOSSIBLE
    assert "sudo scripts/test-bare" in capsys.readouterr().err
