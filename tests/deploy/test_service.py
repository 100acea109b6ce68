# SPDX-License-Identifier: MIT
"""``pyhexagon deploy --serve``: the real server as a service on a board, whose systemd is tests/deploy/systemd.py."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gguf
import needs
import pytest
from llm import tiny
from llm.test_lora import pairs
from llm.test_lora import write as write_adapter
from serve.serving import model
from waiting import LONG

from pyhexagon import ArgumentError
from pyhexagon.cli.serve import as_service
from pyhexagon.deploy.systemd_unit import SANDBOX, Service, ServiceFile, quoted

from . import boards, stub, systemd
from .boards import Done, FakeBoard, wait_until

KEY = "correct-horse-battery-6b1f"
# Tenths of what systemd-analyze security prints, 10 is worst; with and without a sandbox. Capabilities, which a user's
# service does not have anyway, count for 2.5 of the latter.
EXPOSURES = {True: 30, False: 62}
NEWER_KEY = re.compile(r"Unknown key.*'(RestartSteps|RestartMaxDelaySec)'.*ignoring")  # keys of systemd 254


@dataclass
class Serving:
    """A board that can run services."""

    board: FakeBoard
    systemd: systemd.Systemd
    model: Path
    wheel: Path
    port: int

    @property
    def unit(self) -> Path:
        return self.board.home / ".config/systemd/user/pyhexagon.service"

    def deploy(self, *more: object, options: str = "", **environment: str) -> Done:
        """Deploy with --serve."""
        text = f"--port {self.port} -c 64 --parallel 2 {options}"
        serve = ("--serve", self.model, f"--serve-options={text}", "--wheel", self.wheel)
        return self.board.deploy(*serve, *more, **environment)

    def get(self, path: str, key: str = "") -> int:
        """Return the status of an answer."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}")
        if key:
            request.add_header("authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=LONG) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Serving]:
    with boards.running(tmp_path / "board", {}) as board:
        fake = systemd.install(board.tools, tmp_path / "systemd")
        (tmp_path / "it's a model").mkdir()
        path = model(tmp_path / "it's a model")
        yield Serving(board, fake, path, stub.small(tmp_path, "0.2"), free_port())
        fake.stop()


def test_a_model_is_served_again_and_again_until_it_is_removed(there: Serving, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"{KEY}\n")
    done = there.deploy(options=f"--api-key-file {keys}")
    assert done.code == 0, done.err
    told = " ".join(done.out.split())
    assert f"service http://127.0.0.1:{there.port} on board" in told
    tunnel = f"ssh -F {there.board.folder}/ssh_config -N -L {there.port}:127.0.0.1:{there.port} board"
    assert tunnel in told
    assert (there.get("/health"), there.get("/v1/models"), there.get("/v1/models", KEY)) == (200, 401, 200)
    kept = there.board.prefix / "api-keys"
    assert (kept.read_text(), stat.S_IMODE(kept.stat().st_mode)) == (f"{KEY}\n", 0o600)
    assert (there.board.prefix / "models" / there.model.name).read_bytes() == there.model.read_bytes()
    assert (there.systemd.folder / "linger").exists()
    assert not list(there.board.prefix.glob("uploads/*"))

    # A second deploy copies nothing, and the service keeps running.
    pid = there.systemd.pid
    again = there.deploy(options=f"--api-key-file {keys}")
    assert (again.code, there.systemd.pid) == (0, pid), again.err
    assert "nothing to do: it runs at" in again.err
    assert "copy the model: nothing to do: it is there" in again.err

    # Without new keys the old ones stay; another option restarts it, and so does another version.
    more = there.deploy("--json", options="--alias other")
    assert more.json()["service"] == f"http://127.0.0.1:{there.port}"
    assert there.systemd.pid not in (0, pid)
    assert (there.get("/v1/models/other"), there.get("/v1/models/other", KEY)) == (401, 200)
    pid = there.systemd.pid
    upgraded = there.board.deploy("--wheel", stub.small(tmp_path, "0.3"))
    assert upgraded.code == 0, upgraded.err
    assert there.systemd.pid not in (0, pid)
    assert there.get("/v1/models/other", KEY) == 200
    pid = there.systemd.pid
    assert there.board.deploy("--wheel", stub.small(tmp_path, "0.3")).code == 0
    assert there.systemd.pid == pid

    removed = there.board.deploy("--no-serve", "--json")
    assert removed.json() == {"host": "board", "removed": True}
    assert not there.systemd.pid
    left = {path.name for path in there.board.prefix.iterdir()}
    assert left == {"versions", "current", "previous", "uploads", ".deploy.lock", ".step.lock"}
    assert not there.unit.exists()
    assert there.board.deploy("--no-serve", "--json").json()["removed"] is False

    told = there.systemd.journal.read_text() + (there.board.folder / "sshd.log").read_text()
    told += "".join(one.out + one.err for one in (done, again, more, upgraded))
    assert KEY not in told


def test_files_of_the_options_are_copied_as_the_model_is(there: Serving, tmp_path: Path) -> None:
    lora = write_adapter(tmp_path / "an adapter.gguf", pairs(there.model, ("blk.0.attn_q.weight",)))
    draft = tiny.write(tmp_path / "draft.gguf", "llama", layers=1, width=64, seed=2)
    options = f"--lora 'sql={lora}:0.5' --draft {draft}"
    steps = [one["step"] for one in there.deploy("--dry-run", "--json", options=options).json()["steps"]]
    for name in ("the model", lora.name, draft.name):
        assert (f"read {name}" in steps, f"copy {name}" in steps) == (True, True)
    done = there.deploy(options=options)
    assert done.code == 0, done.err
    assert there.get("/v1/models/sql") == 200
    with urllib.request.urlopen(f"http://127.0.0.1:{there.port}/props", timeout=LONG) as answer:
        assert json.load(answer)["draft_model"] == "draft"
    models = there.board.prefix / "models"
    for path in (there.model, lora, draft):
        assert (models / path.name).read_bytes() == path.read_bytes()
    assert str(tmp_path / "draft") not in there.unit.read_text()
    pid = there.systemd.pid
    again = there.deploy(options=options)
    assert (again.code, there.systemd.pid) == (0, pid), again.err
    assert f"copy {lora.name}: nothing to do: it is there" in again.err
    wrong = there.deploy(options="--lora /none.gguf")
    assert (wrong.code, there.systemd.pid) == (1, pid)
    assert "there is no file /none.gguf, neither here nor on board" in wrong.err
    (tmp_path / "2").mkdir()
    other = tiny.write(tmp_path / "2" / there.model.name, "llama", layers=1)
    assert f"two files to copy are called {other.name}" in there.deploy(options=f"--draft {other}").err
    assert there.deploy().code == 0
    assert {path.name for path in models.iterdir()} == {there.model.name, f"{there.model.name}.sha256"}


def test_a_split_model_is_copied_whole(there: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "GGUFWriter", partial(gguf.GGUFWriter, split_max_tensors=8))
    tiny.write(tmp_path / "split.gguf", "llama")
    there.model, *others = sorted(tmp_path.glob("split-*-of-*.gguf"))
    assert len(others) == 2
    names = {one.name for path in (there.model, *others) for one in (path, path.with_name(f"{path.name}.sha256"))}
    done = there.deploy()
    assert done.code == 0, done.err
    assert {path.name for path in (there.board.prefix / "models").iterdir()} == names
    assert there.get("/v1/models") == 200
    others[1].unlink()
    wrong = there.deploy()
    assert wrong.code == 1
    assert f"there is no file {others[1]}, neither here nor on board" in wrong.err


def test_a_model_of_the_board_and_a_key_from_the_environment(there: Serving) -> None:
    (there.board.home / "m.gguf").write_bytes(there.model.read_bytes())
    there.model = Path("m.gguf")
    process = there.board.start(
        *there.board.usual(), "--serve", "m.gguf", f"--serve-options=--port {there.port}", "--wheel", there.wheel,
        PYHEXAGON_API_KEY=KEY,
    )  # fmt: skip
    with process:
        seen = set()
        while process.poll() is None:
            seen |= {line for line in boards.command_lines() if KEY.encode() in line}
        out, err = process.communicate()
    assert process.returncode == 0, err
    assert seen == set()
    assert KEY not in out + err
    assert there.get("/v1/models", KEY) == 200
    assert not (there.board.prefix / "models").exists()


def test_a_board_without_an_index_gets_what_the_server_needs(tmp_path: Path) -> None:
    alone = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": "/dev/null"}
    metadata = "Provides-Extra: llm\nProvides-Extra: serve\nRequires-Dist: mdurl; extra == 'serve'\n"
    with boards.running(tmp_path / "board", alone) as board:
        fake = systemd.install(board.tools, tmp_path / "systemd")
        wheel = stub.small(tmp_path, "0.2", metadata=metadata)
        there = Serving(board, fake, model(tmp_path), wheel, free_port())
        try:
            done = there.deploy("--offline")
            assert done.code == 0, done.err
            assert list(board.prefix.glob("current/lib/*/site-packages/mdurl"))
            assert there.get("/health") == 200
        finally:
            fake.stop()


def test_nothing_is_open_to_a_network_without_a_key(there: Serving) -> None:
    done = there.deploy(options="--host 0.0.0.0")
    assert done.code == 0, done.err
    key = (there.board.prefix / "api-keys").read_text().strip()
    assert key not in done.out + done.err
    assert (there.get("/v1/models"), there.get("/v1/models", key)) == (401, 200)


def test_what_keeps_a_board_from_serving_is_seen_before_anything_changes(there: Serving) -> None:
    def refused(*more: object) -> str:
        done = there.deploy(*more)
        assert done.code == 1, done.err
        assert not there.board.versions
        return done.err

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", there.port))
        taken.listen()
        assert f"cannot listen on 127.0.0.1, port {there.port} on board: Address already in use" in refused()
    (there.systemd.folder / "linger").unlink()
    (there.systemd.folder / "no-linger").touch()
    assert (
        "may not run services without a login: Could not enable linger: Access denied. "
        "Hint: on the board: sudo loginctl enable-linger" in refused()
    )
    (there.systemd.folder / "no-manager").touch()
    assert "does not answer: Failed to connect to bus: No medium found" in refused()
    there.model = Path("none.gguf")
    assert "there is no model none.gguf, neither here nor on board" in refused()


def test_no_room_for_the_model(there: Serving) -> None:
    assert there.board.deploy("--wheel", there.wheel).code == 0
    df = there.board.tools / "df"
    df.write_text("#!/bin/sh\necho /dev/mmcblk0p3 30000000 29998976 8 100% /\n")
    df.chmod(0o755)
    done = there.deploy()
    assert done.code == 1
    assert "disk of board is full" in done.err
    assert not there.unit.exists()


def test_a_service_that_does_not_come_up_says_why(there: Serving) -> None:
    there.model.write_bytes(b"GGUF, but not really")
    done = there.deploy()
    assert done.code == 1
    assert "the service on board does not come up (failed):" in done.err
    assert "journalctl --user -u pyhexagon" in done.err
    assert "tiny.gguf" in done.err
    there.model = model(there.model.parent)
    done = there.deploy()  # a better one replaces it
    assert done.code == 0, done.err
    assert there.get("/health") == 200


def test_what_would_be_done(there: Serving) -> None:
    steps = [one["step"] for one in there.deploy("--dry-run", "--json").json()["steps"]]
    done = there.deploy()
    titles = [line.partition(":")[0] for line in done.err.splitlines()]
    assert titles == steps
    wait_until(lambda: there.systemd.pid != 0)


def test_the_unit_has_a_sandbox_where_the_users_manager_applies_one(there: Serving) -> None:
    done = there.deploy()
    assert done.code == 0, done.err
    assert (there.systemd.folder / "properties").read_text().splitlines() == list(SANDBOX)
    lines = there.unit.read_text().splitlines()
    assert [one for one in SANDBOX if one not in lines] == []
    assert "without a sandbox" not in done.err
    pid = there.systemd.pid

    (there.systemd.folder / "no-namespaces").touch()
    done = there.deploy()
    assert done.code == 0, done.err
    assert "without a sandbox: this system gives users no namespaces" in done.err
    lines = there.unit.read_text().splitlines()
    assert [one for one in SANDBOX if one in lines] == []
    always = {"NoNewPrivileges=yes", "MemoryDenyWriteExecute=yes", "RestrictNamespaces=yes", "LockPersonality=yes"}
    assert always <= set(lines)
    assert there.systemd.pid not in (0, pid)
    assert there.get("/health") == 200


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    needs.require("systemd-analyze")
    prefix = tmp_path / "odd folder; 100 %"
    program = prefix / "current/bin/pyhexagon"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    one = Service("m", ("--alias", 'a "$HOME" \\ %h ; name', "-c", "64"), "::1", 8081)
    unit = tmp_path / "pyhexagon.service"
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    command = ["systemd-analyze", "verify", "--user", "--man=no", str(unit)]
    for is_sandboxed, exposure in EXPOSURES.items():
        text = one.unit(str(prefix), {"m": "/models/it's $5.gguf"}, has_keys=True, is_sandboxed=is_sandboxed)
        unit.write_text(text)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        told = [line for line in (done.stdout + done.stderr).splitlines() if not NEWER_KEY.search(line)]
        assert (done.returncode, told) == (0, [])
        security = ["systemd-analyze", "security", "--offline=true", f"--threshold={exposure}", str(unit)]
        done = subprocess.run(security, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout
    unit.write_text(unit.read_text().replace("Type=exec", "Type=what"))
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "what" in done.stderr  # it searches the home directory
    with pytest.raises(ArgumentError, match="systemd cannot run from a folder"):
        one.unit("/it's", {"m": "/m.gguf"}, has_keys=False, is_sandboxed=False)


def test_arguments_reach_the_server_as_they_are() -> None:
    for text in ("plain", "", "two words", "it's", 'a "b"', "100 %h", "$HOME", "a\\b", ";"):
        (read,) = shlex.split(quoted(text))
        assert read.replace("%%", "%").replace("$$", "$") == text
    with pytest.raises(ArgumentError):
        quoted("a\nExecStartPre=b")


def test_options_of_the_server(tmp_path: Path) -> None:
    one = as_service("m.gguf", "--host 0.0.0.0 --port 9000 --alias 'a b' -c 64", "loopback")
    assert (one.host, one.port, one.url) == ("0.0.0.0", 9000, "http://127.0.0.1:9000")
    assert list(one.arguments) == ["--alias", "a b", "-c", "64", "--device", "loopback"]
    assert as_service("m.gguf", "", "cdsp").arguments == []
    files = as_service("m.gguf", "--lora a=x.gguf --lora b=y.gguf:2 --draft d.gguf -c 64", "cdsp")
    assert files.files == ["m.gguf", "x.gguf", "y.gguf", "d.gguf"]
    wanted = "-c 64 --lora a=/x:1.0 --lora b=/y:2.0 --draft /d"
    there = dict(zip(files.files, ("/m", "/x", "/y", "/d"), strict=True))
    assert f"{wanted}\n" in files.unit("/p", there, has_keys=False, is_sandboxed=False)
    scaled = as_service("m.gguf", "--lora-scaled x.gguf:0.5 --draft lookup", "cdsp").arguments
    assert scaled == ["--lora-scaled", ServiceFile("x.gguf", after=":0.5"), "--draft", "lookup"]
    short = tmp_path / "keys"
    short.write_text("short")
    for text, told in (
        ("--port 0", "port 0"), ("--parallel 99", "--parallel is 99"), ("--what", "--what"), ("'", "quotation"),
        ("--on b", "--on"), (f"--api-key-file {short}", "shorter"), ("--api-key-file /none", "/none"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=told):
            as_service("m.gguf", text, "cdsp")
    assert json.dumps(KEY) not in repr(Service("m", keys=KEY))
