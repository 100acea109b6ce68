# SPDX-License-Identifier: MIT
"""Complete deploys: the real wheel, upgrades, and versions that must not become current."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from user_kernels import examples

from pyhexagon import Device

from . import boards, stub
from .boards import Done, FakeBoard

NOT_READY = 3
CALL = """
import numpy as np
from pyhexagon import Device, UnsupportedError
with Device("loopback") as dsp:
    print(dsp.kernel("threshold.phxk")(np.float32([1, 2]), limit=1.5).numpy())
    try:
        dsp.elementwise("int8 a", "int8 out", "out = a")
    except UnsupportedError:
        print("no compiler")
"""


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    with boards.running(tmp_path / "board", {}) as board:
        yield board


def titles(done: Done) -> list[str]:
    return [line.partition(":")[0] for line in done.err.splitlines()]


def spoil(recorded: bytes) -> bytes:
    """Change one hash of the self test's record."""
    content = json.loads(recorded)
    text = json.dumps(content)
    digits = next(word for word in text.split('"') if len(word) >= 16 and set(word) <= set("0123456789abcdef"))
    return text.replace(digits, digits[::-1], 1).encode()


def test_this_checkout_fresh_and_again_and_a_bad_wheel_after_it(
    wheels: dict[str, Path], board: FakeBoard, tmp_path: Path
) -> None:
    wheel = wheels[platform.machine()]
    planned = board.deploy("--dry-run", "--json").json()["steps"]
    assert list(board.home.iterdir()) == []

    fresh = board.deploy()
    assert (fresh.code, titles(fresh)) == (0, [step["step"] for step in planned]), fresh.err
    assert "deployed, and it works" in fresh.out
    assert board.versions == {board.version("current")}
    assert board.version("previous") == ""
    assert not (board.prefix / "uploads").exists() or not list((board.prefix / "uploads").iterdir())
    assert json.loads(board.command("info", "--device", "loopback", "--json"))["device"] == "loopback"

    with Device("cpu") as cpu:
        examples.load(cpu, "threshold").save(tmp_path / "threshold.phxk")
    kept = board.version("current")
    installed = (board.prefix / "current").lstat().st_ctime_ns
    # Another build of the same sources: the same file.
    again = board.deploy("--wheel", wheel, "--kernel", tmp_path / "threshold.phxk")
    assert again.code == 0, again.err
    assert "nothing to do: it was there, and it works" in again.out
    assert "copy and install: nothing to do" in again.err
    assert (board.prefix / "current").lstat().st_ctime_ns == installed
    for folder in ("current", f"versions/{kept}"):
        command = [str(board.prefix / folder / "bin/python"), "-c", CALL]
        there = {"PATH": "/usr/bin:/bin", "HOME": str(board.home)}
        called = subprocess.run(command, capture_output=True, text=True, check=False, env=there, cwd=board.home)
        assert called.stdout == "[0. 2.]\nno compiler\n", called.stderr

    bad = stub.changed(wheel, tmp_path, "pyhexagon/selftest.json", spoil)
    failed = board.deploy("--wheel", bad)
    assert failed.code == 1
    assert "the self test of" in failed.err
    assert board.version("current") == kept
    assert json.loads(board.command("selftest", "--device", "loopback", "--json"))["passed"] is True


def test_upgrades_keep_the_previous_version_and_no_older_one(board: FakeBoard, tmp_path: Path) -> None:
    board.put_old_version()
    first, second = (stub.small(tmp_path, f"0.{n}") for n in (2, 3))

    # The board's fault: the new version becomes current, and the exit code reports it.
    problem = board.home / "doctor-0.2.json"
    problem.write_text(stub.report("nodes"))
    upgraded = board.deploy("--wheel", first, "--json")
    assert upgraded.code == NOT_READY, upgraded.err
    answer = upgraded.json()
    assert (answer["switched"], answer["ready"]) == (True, False)
    assert answer["first_problem"] == {"check": "nodes", "finding": "nodes found", "remedy": "mend it"}
    one = board.version("current")
    assert (one, board.version("previous")) == (answer["version"], board.OLD)

    # The new version alone fails the check: the current version stays.
    problem.unlink()
    problem = board.home / "doctor-0.3.json"
    problem.write_text(stub.report("matmul"))
    refused = board.deploy("--wheel", second)
    assert refused.code == 1
    assert f"at matmul: matmul found; {one} stays current. Hint: mend it." in refused.err
    assert (board.version("current"), board.version("previous")) == (one, board.OLD)
    assert board.command("--version") == "pyhexagon 0.2\n"

    # What was installed then is not installed once more; what was previous goes.
    problem.unlink()
    mended = board.deploy("--wheel", second, "--json").json()
    assert (mended["installed"], mended["copied_bytes"], mended["switched"]) == (False, 0, True)
    assert board.version("previous") == one
    assert board.versions == {one, board.version("current")}
    assert board.command("--version") == "pyhexagon 0.3\n"


def test_each_of_several_devices_is_tested(board: FakeBoard, tmp_path: Path) -> None:
    (board.home / "doctor-0.2-loopback:qemu.json").write_text(stub.report("nodes"))
    deployed = board.deploy("--wheel", stub.small(tmp_path, "0.2"), "--device", "loopback,loopback:qemu", "--json")
    assert deployed.code == NOT_READY, deployed.err
    assert deployed.json()["first_problem"]["finding"] == "loopback:qemu: nodes found"
    refused = board.deploy("--device", "loopback,cdsp2", "--dry-run")
    assert (refused.code, "'cdsp2' is none of cdsp, cdsp1, cpu" in refused.err) == (2, True), refused.err


def test_board_without_an_index_keeps_its_version_or_gets_the_dependencies_too(tmp_path: Path) -> None:
    alone = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}
    wheel = stub.small(tmp_path, "0.2", metadata="Requires-Dist: mdurl\n")
    with boards.running(tmp_path / "board", alone) as board:
        board.put_old_version()
        failed = board.deploy("--wheel", wheel)
        assert failed.code == 1
        assert "No matching distribution found for mdurl" in failed.err
        assert "deploy with --offline" in failed.err
        assert board.versions == {board.OLD}
        assert board.command() == "old\n"

        done = board.deploy("--wheel", wheel, "--offline")
        assert done.code == 0, done.err
        assert "fetch what it needs: 1 packages" in done.err
        assert list(board.prefix.glob("current/lib/*/site-packages/mdurl"))
        assert board.version("previous") == board.OLD


def test_a_plain_deploy_brings_what_language_models_need(board: FakeBoard, tmp_path: Path) -> None:
    wheel = stub.small(tmp_path, "0.2", metadata="Provides-Extra: llm\nRequires-Dist: mdurl; extra == 'llm'\n")
    planned = board.deploy("--wheel", wheel, "--dry-run", "--json").json()["steps"]
    (install,) = (step["command"] for step in planned if step["step"] == "install")
    assert f"/{wheel.name}[llm,speech]" in install
    done = board.deploy("--wheel", wheel)
    assert done.code == 0, done.err
    assert list(board.prefix.glob("current/lib/*/site-packages/mdurl"))


def test_what_a_cluster_needs_comes_when_it_is_asked_for_and_stays(board: FakeBoard, tmp_path: Path) -> None:
    metadata = "Provides-Extra: llm\nProvides-Extra: cluster\nRequires-Dist: mdurl; extra == 'cluster'\n"
    first, second = (stub.small(tmp_path, f"0.{n}", metadata=metadata) for n in (2, 3))
    for wheel, more, has_it in ((first, (), False), (first, ("--cluster",), True), (second, (), True)):
        done = board.deploy("--wheel", wheel, *more)
        assert done.code == 0, done.err
        assert bool(list(board.prefix.glob("current/lib/*/site-packages/mdurl"))) == has_it
        assert board.version("current").endswith("-cluster") == has_it
