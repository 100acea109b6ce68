# SPDX-License-Identifier: MIT
"""scripts/test-bare: the files of this machine that a bare system sees. `.ci/run` runs it, too."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
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


def test_systems_get_links_to_unchanged_sources_and_the_objects_compiled_here(
    bare: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare_clone = sys.modules[bare.put_checkout.__module__]
    root, cache, own, kept = (tmp_path / name for name in ("root", "cache", "own", "cache/caches"))
    for path in (root / "dsp", kept, own / "h", own / "o/12"):
        path.mkdir(parents=True)
    names = ("dsp/kept.c", "dsp/changed.c", "dsp/secret.c", "dsp/some.h")
    for name in names:
        (root / name).write_text("as committed")
    for file in ("h/34", "o/12/kept.o"):
        (own / file).write_text("compiled")
    git = ("git", "-C", root, "-c", "user.name=x", "-c", "user.email=x")
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "x")):
        subprocess.run([*git, *command], check=True)
    (root / "dsp/changed.c").write_text("changed since")
    (root / "dsp/secret.c").chmod(0o600)
    monkeypatch.setattr(bare_clone, "ROOT", root)
    monkeypatch.setattr(bare_clone, "CACHE", cache)
    monkeypatch.setattr(bare_clone, "ID", os.getuid())
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(own))

    systems = [tmp_path / name for name in ("one", "other")]
    for folder in systems:
        bare_clone.put_checkout(folder, kept)
    one, other = (folder / root.relative_to("/") for folder in systems)
    for name in names:
        assert (one / name).read_text() == "as committed"
        assert (one / name).samefile(other / name)
        assert (one / name).samefile(root / name) == (name == "dsp/kept.c"), name
    assert [(kept / "zig" / file).read_text() for file in ("h/34", "o/12/kept.o")] == ["compiled"] * 2
    assert [path.name for path in (one / "dsp").iterdir() if path.suffix == ".link"] == []


def test_the_commands_are_those_of_the_readme(bare: Any) -> None:
    text = (needs.ROOT / "README.md").read_text()
    walk = bare.commands(text, is_short=False)
    assert list(walk) == ["chat", "python", "quickstart", "tests"]
    assert (walk["quickstart"], walk["tests"]) == ("scripts/quickstart", "scripts/test")
    assert bare.commands(text, is_short=True)["tests"] == bare.SHORT
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
        bare.commands(text.replace(old, new), is_short=True)


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


@pytest.mark.parametrize(
    ("arguments", "walked"),
    [
        (["--short"], [("trixie", "short")]),
        (["--short", "bookworm"], [("bookworm", "short")]),
        (["bookworm"], [("bookworm", "all")]),
    ],
)
def test_short_walks_debian_13_unless_told_otherwise(
    bare: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], walked: list[tuple[str, str]]
) -> None:
    seen = []

    def walk(series: str, commands: dict[str, str]) -> tuple[bool, str]:
        seen.append((series, "short" if commands["tests"] == bare.SHORT else "all"))
        return True, ""

    monkeypatch.setattr(bare, "check_machine", lambda: None)
    monkeypatch.setattr(bare, "CACHE", tmp_path)
    monkeypatch.setattr(bare, "try_commands", walk)
    monkeypatch.setattr("sys.argv", ["test-bare", *arguments])
    assert bare.main() == 0
    assert seen == walked


def test_the_short_walk_s_tests_are_there(bare: Any) -> None:
    files = re.findall(r"tests/\S+?(?=::| |$)", bare.SHORT.split("pytest ", 1)[1])
    assert len(files) > 5
    assert [name for name in files if not (needs.ROOT / name).exists()] == []
