# SPDX-License-Identifier: MIT
"""Starts and ends Ray on this machine, and tells what runs in a cluster."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyhexagon.cluster.connecting import NAMESPACE, RESOURCE, TOKEN, connect, fetch, package, settings
from pyhexagon.errors import ClusterError, HexagonError

PORT: Final = 6379
STORE: Final = 76 << 20  # bytes of the object store, the least that Ray takes: a message's rows are a MiB or two
_DETECTION: Final = {  # of Ray: a silent node is gone after about 6 seconds; by itself it takes half a minute
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "3000",
    "RAY_health_check_failure_threshold": "3",
}
_START_SECONDS: Final = 120
_FACTS_SECONDS: Final = 10.0


def token() -> str:
    """Without which nobody gets in; made when there is none."""
    path = TOKEN.expanduser()
    if not path.exists():
        keep_token(secrets.token_hex(32))
    return path.read_text().strip()


def keep_token(content: str) -> None:
    """Writes it where Ray looks for it, for this user only.

    Raises:
        ClusterError: it is none.
    """
    if len(content) < 32 or not content.isalnum():
        raise ClusterError("that is no token: expected 32 letters and digits or more")
    path = TOKEN.expanduser()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(content)


def start_command(address: str | None, port: int, *, is_board: bool, more: Sequence[str] = ()) -> list[str]:
    """Of Ray: a head, or with an address, a node that joins it."""
    head = ["--head", f"--port={port}", "--include-dashboard=false"]
    where = head if address is None else [f"--address={address}"]
    resources = json.dumps({RESOURCE: 1} if is_board else {})
    return [
        sys.executable, "-m", "ray.scripts.scripts", "start", *where, f"--resources={resources}", "--num-cpus=1",
        f"--object-store-memory={STORE}", "--disable-usage-stats", *more,
    ]  # fmt: skip


def start(address: str | None = None, port: int = PORT, *, is_board: bool = True, more: Sequence[str] = ()) -> None:
    """Starts Ray here: as the head, or as a node of the cluster at an address.

    Raises:
        ClusterError: Ray does not start; the message has its words.
    """
    package()
    token()
    _ray(start_command(address, port, is_board=is_board, more=more), _START_SECONDS)


def stop() -> None:
    """Ends Ray on this machine, and what runs on it."""
    package()
    _ray([sys.executable, "-m", "ray.scripts.scripts", "stop", "--grace-period=5"], _START_SECONDS)


def _ray(command: Sequence[str], seconds: float) -> None:
    environment = {**_DETECTION, **os.environ, **settings()}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ClusterError(f"ray {command[3]} has not ended after {seconds:.0f} seconds") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise ClusterError(f"ray {command[3]} failed: {' '.join(lines[-3:])}")


def status(address: str | None) -> list[Mapping[str, Any]]:
    """Each node of the cluster, and what its board does; a board that does not answer has an "error".

    Raises:
        ClusterError: as ``connect``.
    """
    ray = connect(address)
    boards: dict[str, Mapping[str, Any]] = {}
    for one in ray.util.list_named_actors(all_namespaces=True):
        if one["namespace"] == NAMESPACE and one["name"].startswith(RESOURCE):
            actor = ray.get_actor(one["name"], namespace=NAMESPACE)
            found = _facts(actor)
            boards[str(found.get("node", one["name"]))] = found
    rows = []
    for node in ray.nodes():
        has_board = bool(node["Resources"].get(RESOURCE))
        about = {"host": node["NodeManagerHostname"], "address": node["NodeManagerAddress"], "alive": node["Alive"]}
        rows.append({**about, "board": has_board, **boards.pop(node["NodeID"], {})})
    return [*rows, *boards.values()]


def _facts(actor: Any) -> Mapping[str, Any]:
    try:
        facts: Mapping[str, Any] = fetch(actor.facts.remote(), _FACTS_SECONDS)
    except HexagonError as problem:
        return {"error": str(problem)}
    return facts


