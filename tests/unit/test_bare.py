# SPDX-License-Identifier: MIT
"""scripts/test-bare: the files of this machine that a bare system sees."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import needs
import pytest


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the script as a module."""
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
    monkeypatch.setattr(bare, "run", lambda *_: listed)
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


def test_systems_get_a_clone_of_the_commit(bare: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root, folder = tmp_path / "root", tmp_path / "system"
    root.mkdir()
    (root / "some.c").write_text("as committed")
    git = ("git", "-C", root, "-c", "user.name=x", "-c", "user.email=x")
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "x")):
        subprocess.run([*git, *command], check=True)
    (root / "some.c").write_text("changed since")
    monkeypatch.setattr(bare, "ROOT", root)
    monkeypatch.setattr(bare, "ID", os.getuid())
    for _ in range(2):  # the second one replaces the first
        bare.put_checkout(folder)
        assert (folder / root.relative_to("/") / "some.c").read_text() == "as committed"


def test_the_commands_are_those_of_the_readme(bare: Any) -> None:
    text = (needs.ROOT / "README.md").read_text()
    walk = bare.commands(text)
    assert list(walk) == ["chat", "python", "quickstart", "tests"]
    assert (walk["quickstart"], walk["tests"]) == ("scripts/quickstart", "scripts/test")
    lines = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0].splitlines()
    assert lines[1] in walk["chat"].splitlines()  # the set-up
    assert f"| {lines[-1]} 2>&1" in walk["chat"]  # the chat itself
    assert "git clone" not in walk["chat"]
    assert subprocess.run(["sh", "-nc", walk["chat"]], check=False).returncode == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## A chat on a PC", "## Chat"),
        ("git clone", "wget"),
        ("pyhexagon pull", "curl"),
        ("pull smollm2:135m", "pull smollm2:135m there"),
        ("> Name", "Name"),
        ("scripts/quickstart ", "scripts/slowstart "),
        ("```python", "```py"),
    ],
)
def test_another_readme_is_told(bare: Any, old: str, new: str) -> None:
    text = (needs.ROOT / "README.md").read_text()
    assert old in text
    with pytest.raises(bare.ReadmeError):
        bare.commands(text.replace(old, new))


def test_the_first_lines_of_python_print_what_the_readme_says(capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"^```python\n(.*?)^```", (needs.ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    exec(compile(block[1], "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    comments = [line.partition("#")[2] for line in block[1].splitlines() if line.strip().startswith("print(")]
    assert len(printed) == len(comments) == 2
    for said, comment in zip(printed, comments, strict=True):
        assert comment.endswith(said)


def test_who_is_not_root_is_told_at_once(
    bare: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr("sys.argv", ["test-bare"])
    assert bare.main() == bare.IMPOSSIBLE
    assert "sudo scripts/test-bare" in capsys.readouterr().err


def test_a_series_that_is_named_is_the_only_one(
    bare: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = []

    def walk(series: str, commands: dict[str, str]) -> tuple[bool, str]:
        seen.append((series, commands["tests"]))
        return True, ""

    monkeypatch.setattr(bare, "check_machine", lambda: None)
    monkeypatch.setattr(bare, "CACHE", tmp_path)
    monkeypatch.setattr(bare, "try_commands", walk)
    monkeypatch.setattr("sys.argv", ["test-bare", "bookworm"])
    assert bare.main() == 0
    assert seen == [("bookworm", "scripts/test")]
