# SPDX-License-Identifier: MIT
"""``pyhexagon deploy --serve`` and ``cluster`` on a board that a real systemd boots (tests/deploy/booted.py)."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import needs
import pytest
from serve.serving import model
from waiting import LONG

from . import booted, stub
from .boards import wait_until
from .booted import Booted

URL = "http://127.0.0.1:8080"
ASK = """
import json, sys, urllib.request
body = {"prompt": "once upon", "max_tokens": 4, "temperature": 0}
request = urllib.request.Request(sys.argv[1] + "/v1/completions", json.dumps(body).encode())
request.add_header("content-type", "application/json")
print(json.load(urllib.request.urlopen(request, timeout=60))["usage"]["completion_tokens"])
"""
NOT_READY = 3
SYSTEMDS_LIMIT = 5
WITHOUT_DSP = """
touch no-dsp
echo {report} > doctor-0.2.json
mkdir -p .config/systemd/user/pyhexagon.service.d
printf '[Service]\\nRestartSec=100ms\\nRestartMaxDelaySec=200ms\\n' > .config/systemd/user/pyhexagon.service.d/soon.conf
"""
WITH_DSP = "rm -r no-dsp doctor-0.2.json .config/systemd/user/pyhexagon.service.d"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booted]:
    python = Path(sys.base_prefix)
    own = [] if python.is_relative_to("/usr") else [python]  # Debian's Python is also on the board
    with booted.running(tmp_path_factory.mktemp("booted") / "board", needs.ROOT, Path(sys.prefix), *own) as one:
        yield one


def answers(board: Booted) -> bool:
    """Return whether the service answers a request now."""
    command = board.within(sys.executable, "-c", ASK, URL)
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG).stdout == "4\n"


def test_a_service_of_real_systemd(board: Booted, tmp_path: Path) -> None:
    file, wheel = model(tmp_path), stub.small(tmp_path, "0.2")
    serve = ("--serve", file, "--serve-options=-c 64 --parallel 2", "--wheel", wheel)
    asked = "systemctl --user show --value --property="
    assert board.run_there("loginctl show-user $USER --property=Linger") == "Linger=no"

# The service is restarted until the DSP appears; here after moments, more often than systemd would.
    board.run_there(WITHOUT_DSP.format(report=shlex.quote(stub.report("nodes"))))
    done = board.deploy(*serve)
    assert done.code == NOT_READY, done.err
    assert "it waits for the board's DSP to work" in done.err
    wait_until(lambda: int(board.run_there(f"{asked}NRestarts pyhexagon")) > SYSTEMDS_LIMIT)
    board.run_there(WITH_DSP)
    wait_until(lambda: answers(board))

    done = board.deploy(*serve)
    assert done.code == 0, done.err
    assert answers(board)
    assert board.run_there("systemctl --user is-enabled pyhexagon; loginctl show-user $USER --property=Linger") == (
        "enabled\nLinger=yes"
    )
    # The sandbox is there where the deploy says so: here the kernel gives users namespaces, or not.
    is_sandboxed = "without a sandbox" not in done.err
    assert board.run_there(f"{asked}ProtectSystem pyhexagon") == ("strict" if is_sandboxed else "no")
    spaces = board.run_there(f"readlink /proc/self/ns/user /proc/$({asked}MainPID pyhexagon)/ns/user").splitlines()
    assert (spaces[0] != spaces[1]) == is_sandboxed
    # The log command named by the deploy prints something.
    assert f"tiny at {URL}" in board.run_there("journalctl --user -u pyhexagon")
    first = board.run_there(f"{asked}MainPID pyhexagon")
    assert board.deploy(*serve).code == 0
    assert board.run_there(f"{asked}MainPID pyhexagon") == first

    # A killed service restarts, and it starts after a reboot without a login.
    board.run_there(f"kill -9 {first}")
    wait_until(lambda: answers(board))
    assert board.run_there(f"{asked}NRestarts pyhexagon") == "1"
    board.power_off()
    assert not answers(board)
    board.power_on()
    wait_until(lambda: answers(board))

    # A service that does not come up reports its own messages, not systemd's.
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    done = board.deploy(*serve)
    assert done.code == 1
    assert "does not come up" in done.err
    assert "tiny.gguf: truncated or corrupt" in done.err

    removed = board.deploy("--no-serve", "--json")
    assert json.loads(removed.out)["removed"] is True
    assert not answers(board)
    assert board.run_there(f"{asked}LoadState pyhexagon") == "not-found"
    assert board.run_there("ls .config/systemd/user .local/share/pyhexagon") == (
        ".config/systemd/user:\n\n.local/share/pyhexagon:\ncurrent\nuploads\nversions"
    )


def test_a_part_of_a_cluster_outlives_the_login_that_started_it(board: Booted, tmp_path: Path) -> None:
    """It lives in the scope of that login's session, by a user who need not linger."""
    done = board.deploy("--wheel", stub.small(tmp_path, "0.2"))
    assert done.code == 0, done.err
    cluster = ".local/share/pyhexagon/current/bin/pyhexagon cluster"
    assert board.run_there("loginctl disable-linger; loginctl show-user $USER --property=Linger") == "Linger=no"
    assert board.run_there(f"{cluster} start").startswith("the head runs")
    assert board.run_there(f"{cluster} start").startswith("nothing to do: the head runs")
    assert board.run_there(f"{cluster} status").splitlines()[0].endswith("  free")
