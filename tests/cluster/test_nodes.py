# SPDX-License-Identifier: MIT
"""The start of Ray's nodes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import prometheus_client
import pytest
from waiting import LONG

from pyhexagon import ClusterError, DeviceLostError
from pyhexagon.cluster import connecting, nodes
from pyhexagon.cluster.connecting import package, translated


def test_only_a_head_is_told_of_the_dashboard() -> None:
    """Ray rejects the dashboard's option for a node that joins."""
    head, board = (nodes.start_command(address, 7000, is_board=True) for address in (None, "one:7000"))
    assert {"--head", "--port=7000", "--include-dashboard=false"} <= set(head)
    assert "--address=one:7000" in board
    assert not any(one.startswith(("--head", "--include-dashboard", "--port")) for one in board)
    assert '--resources={"hexagon": 1}' in board
    assert "--resources={}" in nodes.start_command(None, 7000, is_board=False)


def test_the_metrics_of_a_head_are_open_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray's monitor serves them to everybody, unless its port is one at which prometheus_client refuses to listen."""
    given: dict[str, str] = {}

    def run(command: list[str], *, env: dict[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        given.update(env)
        return subprocess.CompletedProcess(command, 0)

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", run)
        nodes._ray(nodes.start_command(None, 7000, is_board=True), 1, {})
    port = "from ray.autoscaler._private.constants import AUTOSCALER_METRIC_PORT as port; print(port)"
    done = subprocess.run([sys.executable, "-c", port], capture_output=True, text=True, check=True, env=given)
    with pytest.raises((OSError, OverflowError)):
        prometheus_client.start_http_server(int(done.stdout))


def test_a_token_is_kept_for_its_user_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    made = nodes.token()
    path = tmp_path / ".ray/auth_token"
    assert made == nodes.token() == path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ClusterError, match="no token"):
        nodes.keep_token("short")
    nodes.keep_token("a" * 64)
    assert nodes.token() == "a" * 64


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "no cluster runs here: nobody listens at 127.0.0.1:1"),
        (("--address", "127.0.0.1:2"), "no cluster has its head at 127.0.0.1:2"),
    ],
)
def test_where_no_head_is_nobody_waits(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    """Ray remembers a cluster that has ended, and would try to reach it for as long as a lost one."""
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray/ray_current_cluster").write_text("127.0.0.1:1")
    known = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-m", "pyhexagon", "cluster", "status", *more], capture_output=True, text=True, check=False,
        env={**known, "HOME": str(tmp_path), "RAY_TMPDIR": str(tmp_path)}, timeout=LONG,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"{told}. Hint: pyhexagon cluster start" in done.stderr


def test_the_cluster_of_another_user_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    (tmp_path / "ray").mkdir()
    last = tmp_path / "ray/ray_current_cluster"
    last.write_text("127.0.0.1:1")
    assert connecting._here(None) == "127.0.0.1:1"
    fstat = os.fstat

    def of_another(fd: int) -> os.stat_result:
        found = list(fstat(fd))
        found[4] = os.getuid() + 1  # st_uid
        return os.stat_result(found)

    monkeypatch.setattr(os, "fstat", of_another)
    with pytest.raises(ClusterError, match=r"belongs to another user. Hint: name the head with --address"):
        connecting._here(None)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:2")
    assert connecting._here(None) == "127.0.0.1:2"


def test_a_board_that_cannot_begin_says_why() -> None:
    errors = package().exceptions
    failed = errors.RayTaskError("__init__", "Traceback\n  a line\npyhexagon.errors.DeviceNotFoundError: no DSP", None)
    with pytest.raises(DeviceLostError, match=r"^a board cannot begin: pyhexagon.errors.DeviceNotFoundError: no DSP$"):
        raise translated(errors.ActorDiedError(failed))


def test_a_node_that_is_back_is_told_once() -> None:
    def node(name: str, number: int, *, alive: bool) -> dict[str, object]:
        return {"NodeName": name, "NodeID": number, "Alive": alive}

    past = [node("a", 1, alive=False), node("b", 2, alive=False), node("b", 3, alive=False)]
    present = [node("a", 4, alive=True), node("c", 5, alive=True), node("c", 6, alive=True)]
    assert [one["NodeID"] for one in nodes._without_the_past([*past, *present])] == [4, 5, 6, 3]
