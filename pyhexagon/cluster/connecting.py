# SPDX-License-Identifier: MIT
"""Connects to a cluster, which requires its token, and rejects boards whose versions or skels differ."""

from __future__ import annotations

import os
import platform
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final

from pyhexagon import extras
from pyhexagon.cluster import processes
from pyhexagon.errors import ClusterError, DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.version import VERSION

RESOURCE: Final = "hexagon"
NAMESPACE: Final = "pyhexagon"
TOKEN: Final = Path("~/.ray/auth_token")  # the path at which Ray looks for it
_WAIT: Final = 60.0
_GLANCE: Final = 2.0
_TRIES: Final = 3
_HEAD_GONE: Final = "the head of the cluster is gone"
_PATIENCE: Final = "RAY_gcs_rpc_server_reconnect_timeout_s"  # seconds until Ray terminates a process that lost its head
_DAY: Final = 86400
_MEND: Final = "pyhexagon deploy {0} --cluster, then pyhexagon cluster join {0}"

Facts = Mapping[str, Any]


def settings() -> dict[str, str]:
    """Return Ray's environment variables: require the token, report no usage, accept other patch versions of Python."""
    return {
        "RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_DEFAULT_PYTHON_VERSION_MATCH_LEVEL": "minor",
    }  # fmt: skip


def package() -> Any:
    """Import Ray with the environment of ``settings``, and return the module.

    Raises:
        UnsupportedError: Ray is not installed.
    """
    for name, value in settings().items():
        os.environ.setdefault(name, value)
    with extras.needed("several boards", "llm,cluster"):
        import ray
    return ray


def connect(address: str | None) -> Any:
    """Connect to a cluster unless this process is connected, and return Ray's module.

    Args:
        address: HOST:PORT of the head; None: the cluster that runs on this machine.

    Raises:
        ClusterError: there is no cluster, it rejects the token, or it runs another version of Python or Ray.
    """
    ray = package()
    if ray.is_initialized():
        return ray
    node = None if address else processes.node()
    where = address or _here(node)
    is_head = node is not None and node.is_head
    if not is_head and where.rpartition(":")[2].isdigit() and not _listens(where):  # Ray would wait for a day
        raise ClusterError(
            f"no cluster has its head at {where}" if address else f"no cluster runs here: nobody listens at {where}",
            hint="pyhexagon cluster start, where the head is to be; from elsewhere, --address HOST:PORT of the head",
        )
    os.environ[_PATIENCE] = str(_DAY)
    try:
        ray.init(address=where, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError, ValueError) as problem:
        raise ClusterError(
            f"cannot join the cluster{f' at {address}' if address else ''}: {_first_line(problem)}",
            hint=f"does it run (pyhexagon cluster start), and does {TOKEN} here hold its head's token? Where "
            "Python or Ray differ, pyhexagon deploy brings a board this version",
        ) from None
    finally:
        del os.environ[_PATIENCE]
    return ray


def _here(node: processes.LocalNode | None) -> str:
    """Return the address of the head that the node on this machine has joined. Without a node, return Ray's default:
    RAY_ADDRESS, or the head in Ray's file, which was started last on this machine.

    Raises:
        ClusterError: another user wrote that file. All users may write to its folder, and the head receives the token.
    """
    if node is None:
        last = Path(os.environ.get("RAY_TMPDIR", "/tmp"), "ray/ray_current_cluster")
        if address := os.environ.get("RAY_ADDRESS"):
            return address
        with suppress(OSError), last.open() as file:
            if os.fstat(file.fileno()).st_uid not in (0, os.getuid()):
                raise ClusterError(f"{last} belongs to another user", hint="name the head with --address")
            return file.read().strip()
        return "auto"
    return f"127.0.0.1:{node.cluster.removeprefix(processes.PORT)}" if node.is_head else node.cluster


def check_head(address: str | None = None) -> None:
    """Raise DeviceLostError unless a process listens at the address of a head, by default of this process's head."""
    address = address or str(package().get_runtime_context().gcs_address)
    for _ in range(_TRIES):
        if _listens(address):
            return
        time.sleep(_GLANCE / _TRIES)
    raise DeviceLostError(_HEAD_GONE, hint="pyhexagon cluster start, and join the boards again")


def check_known(ray: Any, actors: Iterable[str], address: str | None = None) -> None:
    """Raise DeviceLostError unless the head answers and knows one of these actors by name. A restarted head knows none.

    Args:
        actors: names of actors.
        address: of the head; None: this process's head.
    """
    check_head(address)
    known: Collection[str] = ()
    with suppress(Exception):  # the head at this address may be another cluster's
        known = names(ray)
    if not any(name in known for name in actors):
        raise DeviceLostError(_HEAD_GONE, hint="pyhexagon cluster start, and join the boards again")


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _GLANCE).close()
    except OSError:
        return False
    return True


def head_is_gone(problem: BaseException) -> bool:
    """Return whether ``check_head`` or ``check_known`` raised this error."""
    return isinstance(problem, DeviceLostError) and problem.detail == _HEAD_GONE


def _first_line(problem: BaseException) -> str:
    return next((line for line in str(problem).splitlines() if line.strip()), type(problem).__name__)


def versions() -> dict[str, str]:
    """Return the versions of Python, Ray and pyhexagon, which must match on all machines."""
    return {"python": platform.python_version(), "ray": package().__version__, "pyhexagon": VERSION}


def check_alike(boards: Sequence[Facts], here: Mapping[str, str] | None = None) -> None:
    """Raise ClusterError unless all boards have the required versions and the same skel.

    Args:
        boards: facts of each board: "host", "versions" and "skel".
        here: required versions; None: this machine's.
    """
    here = here or versions()
    for board in boards:
        for name, version in board["versions"].items():
            if _series(name, version) != _series(name, here.get(name, "none")):
                mend = _MEND.format(board["host"])
                if name == "python":  # a deployment does not change the board's Python
                    mend = f"Ray wants one Python everywhere: use a head that has {_series(name, version)}, as a board"
                message = f"{board['host']} has {name} {version}, this machine {here.get(name, 'none')}"
                raise ClusterError(message, hint=mend)
        if board["skel"] != boards[0]["skel"]:
            raise ClusterError(
                f"the skel of {board['host']} is {board['skel']}, that of {boards[0]['host']} {boards[0]['skel']}",
                hint=_MEND.format(board["host"]),
            )


def _series(name: str, version: str) -> str:
    """Return the part of a version that must match: without the patch version of Python, as ``settings`` tells Ray."""
    return version.rpartition(".")[0] if name == "python" else version


def fetch(reference: Any, timeout: float | None = _WAIT, check: Callable[[], None] = check_head) -> Any:
    """Wait for the result of an actor's method, and return it.

    Args:
        reference: of the result.
        timeout: in seconds; None: no timeout.
        check: called about every two seconds while the result is missing; raises if it can no longer arrive.

    Raises:
        HexagonError: the method raised this error. DeviceLostError: the actor is gone. DspTimeoutError: the timeout
            has passed.
    """
    ray = package()
    end = inf if timeout is None else time.monotonic() + timeout
    while True:
        try:
            return ray.get(reference, timeout=max(min(_GLANCE, end - time.monotonic()), 0))
        except ray.exceptions.GetTimeoutError as problem:
            if time.monotonic() >= end:
                raise translated(problem) from None
        except Exception as problem:
            raise translated(problem) from None
        check()  # Ray itself keeps waiting if the head is gone


def translated(problem: Exception) -> Exception:
    """Return the HexagonError for an error that Ray raised; other errors are returned unchanged."""
    errors = package().exceptions
    if isinstance(problem, errors.GetTimeoutError):
        return DspTimeoutError(f"no answer from a board: {_first_line(problem)}")
    if isinstance(problem, errors.RayTaskError):
        if isinstance(problem.cause, HexagonError):
            return problem.cause
        if isinstance(problem.cause, errors.RayError):
            return translated(problem.cause)
        return ClusterError(f"a board failed: {problem.cause!r}")
    if getattr(problem, "actor_init_failed", False):  # the last line is the actor's own error
        return DeviceLostError(f"a board cannot begin: {str(problem).rstrip().splitlines()[-1]}")
    if isinstance(problem, errors.RayError):
        return DeviceLostError(f"a board is gone: {_first_line(problem)}", hint="reopen, once its node is back")
    return problem


def on_boards(
    ray: Any, kind: type, given: Sequence[Any], max_boards: int | None = None, *, min_boards: int = 1
) -> dict[str, Any]:
    """Start an actor on each free board, and return the actors by name.

    Args:
        kind: class of the actors; Ray restarts an actor that dies.
        given: arguments of its constructor.
        max_boards: most boards to use; None: all free boards.
        min_boards: fewest boards to use.

    Raises:
        ClusterError: fewer boards are free than needed.
    """
    n_free = int(ray.available_resources().get(RESOURCE, 0))
    if n_free < min_boards:
        total = int(ray.cluster_resources().get(RESOURCE, 0))
        raise ClusterError(
            f"{f'{n_free} free boards of {min_boards}' if n_free else 'no free board'}: the cluster has {total}",
            hint="pyhexagon cluster join USER@HOST, or pyhexagon cluster status",
        )
    return actors(ray, kind, given, min(n_free, max_boards or n_free))


def actors(ray: Any, kind: type, given: Sequence[Any], n: int) -> dict[str, Any]:
    """Create n actors, and return them by name. Each one starts as soon as a board is free; see ``on_boards``."""
    options = {"resources": {RESOURCE: 1}, "num_cpus": 0, "max_restarts": -1, "max_task_retries": 0}
    made = ray.remote(**options)(kind)
    names = [f"{RESOURCE}-{secrets.token_hex(4)}" for _ in range(n)]
    return {name: made.options(name=name, namespace=NAMESPACE).remote(*given) for name in names}


def names(ray: Any) -> list[str]:
    """Return the names of all actors that have a board or wait for one, as the head knows them."""
    named = ray.util.list_named_actors(all_namespaces=True)
    return [entry["name"] for entry in named if entry["namespace"] == NAMESPACE and entry["name"].startswith(RESOURCE)]
