# SPDX-License-Identifier: MIT
"""Starts and stops Ray on this machine, and reports the status of a cluster."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyhexagon.cluster import processes
from pyhexagon.cluster.connecting import NAMESPACE, RESOURCE, TOKEN, connect, fetch, names, package, settings
from pyhexagon.errors import ClusterError, HexagonError

PORT: Final = 6379
STORE: Final = 76 << 20  # bytes of the object store, Ray's minimum: the rows of a message are 1 or 2 MiB
DETECTION: Final = {  # Ray declares a silent node dead after about 6 seconds instead of its default, 30
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "3000",
    "RAY_health_check_failure_threshold": "3",
}
_NO_METRICS: Final = {"AUTOSCALER_METRIC_PORT": "-1"}  # no option of ray start ends this endpoint, open to everybody
_START_SECONDS: Final = 120
_FACTS_SECONDS: Final = 10.0


def token() -> str:
    """Return the authentication token of this user's clusters. Create it if there is none."""
    path = TOKEN.expanduser()
    if not path.exists():
        keep_token(secrets.token_hex(32))
    return path.read_text().strip()


def keep_token(content: str) -> None:
    """Write a token to Ray's token file, readable by this user only.

    Raises:
        ClusterError: ``content`` is no token.
    """
    if len(content) < 32 or not content.isalnum():
        raise ClusterError("that is no token: expected 32 letters and digits or more")
    path = TOKEN.expanduser()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(content)


def start_command(address: str | None, port: int, *, is_board: bool, name: str = "") -> list[str]:
    """Return the command that starts a Ray head, or with an address, a node that joins that head."""
    head = ["--head", f"--port={port}", "--include-dashboard=false"]
    where = head if address is None else [f"--address={address}"]
    resources = json.dumps({RESOURCE: 1} if is_board else {})
    return [
        sys.executable, "-m", "ray.scripts.scripts", "start", *where, f"--resources={resources}", "--num-cpus=1",
        f"--object-store-memory={STORE}", "--disable-usage-stats",
        *([f"--node-name={name}"] if name else []),
    ]  # fmt: skip


def start(
    address: str | None = None, port: int = PORT, *, is_board: bool = True, name: str = "", is_member: bool = False
) -> bool:
    """Start Ray on this machine: as a head, or as a node that joins the head at an address.

    A node of the same cluster that is dead, or that another installation started, is stopped first.

    Args:
        address: HOST:PORT of the head to join; None: start a head.
        port: of a new head.
        is_board: the node offers its DSP to the cluster.
        name: of the node, for ``status``.
        is_member: the head reports a live node of this name.

    Returns:
        Whether Ray was started; False if the head or the node runs already.

    Raises:
        ClusterError: Ray does not start (the message quotes it), a node of another cluster runs here, or another
            installation started the head that runs here.
    """
    package()
    cluster = address or f"{processes.PORT}{port}"
    here = processes.node()
    if here is not None:
        if here.cluster != cluster:
            raise ClusterError(
                f"here runs a part of another cluster already ({here.cluster})",
                hint=f"pyhexagon cluster stop{f' {name}' if name else ''}",
            )
        is_same = here.prefix == sys.prefix
        if here.is_head and not is_same:
            raise ClusterError(f"the head here was started by {here.prefix}", hint="pyhexagon cluster stop, then start")
        if is_same and (here.is_head or is_member):
            return False
        processes.end()
    token()
    _ray(start_command(address, port, is_board=is_board, name=name), _START_SECONDS, processes.marked(cluster))
    return True


def stop() -> bool:
    """Stop the node that ``start`` started on this machine, and its actors.

    Returns:
        Whether a node was running.
    """
    was_there = processes.node() is not None
    processes.end()
    return was_there


def _ray(command: Sequence[str], seconds: float, more: Mapping[str, str]) -> None:
    environment = {**DETECTION, **_NO_METRICS, **os.environ, **settings(), **more}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ClusterError(f"ray {command[3]} has not ended after {seconds:.0f} seconds") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [n for n, line in enumerate(lines) if re.match(r"[\w.]*(Error|Exception): ", line)]
        raise ClusterError(f"ray {command[3]} failed: {' '.join(lines[errors[-1] if errors else -3 :])}")


def status(address: str | None) -> list[Mapping[str, Any]]:
    """Return the nodes of the cluster with the facts of their boards; a board that does not answer has an "error".

    Raises:
        ClusterError: as ``connect``.
    """
    ray = connect(address)
    boards: dict[str, Mapping[str, Any]] = {}
    for name in names(ray):
        found = _facts(ray.get_actor(name, namespace=NAMESPACE))
        boards[str(found.get("node", name))] = found
    rows = []
    for node in _without_the_past(ray.nodes()):
        has_board = bool(node["Resources"].get(RESOURCE))
        about = {
            "name": node["NodeName"], "host": node["NodeManagerHostname"], "address": node["NodeManagerAddress"],
            "alive": node["Alive"],
        }  # fmt: skip
        rows.append({**about, "board": has_board, **boards.pop(node["NodeID"], {})})
    return [*rows, *boards.values()]


def _without_the_past(nodes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the live nodes, and the last dead one of each name without a live node."""
    alive = [node for node in nodes if node["Alive"]]
    gone = {node["NodeName"]: node for node in nodes if not node["Alive"]}
    return [*alive, *(node for name, node in gone.items() if name not in {node["NodeName"] for node in alive})]


def _facts(actor: Any) -> Mapping[str, Any]:
    try:
        facts: Mapping[str, Any] = fetch(actor.facts.remote(), _FACTS_SECONDS)
    except HexagonError as problem:
        return {"error": str(problem)}
    return facts
