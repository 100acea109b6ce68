# SPDX-License-Identifier: MIT
"""A Ray cluster on this machine: a head, and nodes with one board each."""

from __future__ import annotations

import os
import secrets
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from llm import tiny
from waiting import LONG

from pyhexagon.cluster.connecting import RESOURCE, connect, package
from pyhexagon.cluster.nodes import DETECTION

STORE = 76 << 20  # bytes of each node's object store: Ray's minimum
TOKEN = secrets.token_hex(32)  # for all clusters of this process, because Ray reads it once per process


class Nodes:
    """The nodes of the cluster, which tests add and kill."""

    def __init__(self) -> None:
        self._cluster = _cluster(0)
        self.address: str = self._cluster.address
        self.boards: list[Any] = []

    def add(self, n: int = 1, *settings: str) -> None:
        """Add n nodes with a board. The boards have one DSP thread each, because there are more boards than cores.

        Args:
            settings: further settings of their loopbacks.
        """
        environment = {"PYHEXAGON_DEVICE": "loopback", "PYHEXAGON_LOOPBACK": ";".join(("threads=1", *settings))}
        self.boards += [
            self._cluster.add_node(
                num_cpus=1, resources={RESOURCE: 1}, object_store_memory=STORE, env_vars=environment, wait=False
            )
            for _ in range(n)
        ]

    def kill_one(self, *, is_whole: bool = True) -> list[int]:
        """Kill the processes of the oldest board at once, and return the ids of all of them.

        Args:
            is_whole: kill all processes, as when the board loses power; otherwise only Ray's own.
        """
        node = self.boards.pop(0)
        pids = _kill(node, is_whole=is_whole)
        self._cluster.remove_node(node, allow_graceful=False)
        return pids

    def pids(self) -> list[int]:
        """Return the ids of all processes of the head and of the boards."""
        return [pid for node in (self._cluster.head_node, *self.boards) for pid in descendants(_own(node))]

    def kill_head(self) -> None:
        """Kill all processes of the head at once."""
        _kill(self._cluster.head_node, is_whole=True)

    def new_head(self) -> None:
        """Kill the boards, start a new head at the address of the old one, and connect this process to it."""
        while self.boards:
            _kill(self.boards.pop(), is_whole=True)
        package().shutdown()
        self._cluster.shutdown()
        self._cluster = _cluster(int(self.address.rpartition(":")[2]))
        connect(self.address)

    def ready(self) -> None:
        self._cluster.wait_for_nodes()

    def close(self) -> None:
        self._cluster.shutdown()


def _cluster(port: int) -> Any:
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False, "gcs_server_port": port}
    return Cluster(initialize_head=True, head_node_args=head)


def _kill(node: Any, *, is_whole: bool) -> list[int]:
    """Kill a node's processes and, if is_whole, their descendants; return the ids of all of them."""
    own = _own(node)
    pids = descendants(own)
    for pid in pids if is_whole else own:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return pids


def _own(node: Any) -> list[int]:
    """Return the ids of the processes that Ray lists for a node."""
    return [info.process.pid for infos in node.all_processes.values() for info in infos]


@contextmanager
def running(n: int) -> Iterator[Nodes]:
    """Start a cluster with n boards, and connect this process to it."""
    package()
    settings = {"RAY_AUTH_TOKEN": TOKEN, **DETECTION}
    os.environ.update(settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ray

        made = Nodes()
        made.add(n)
        made.ready()
        try:
            connect(made.address)
            yield made
        finally:
            ray.shutdown()
            made.close()
            for name in settings:
                del os.environ[name]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """Return a cluster with three boards, to which this process is connected."""
    with running(3) as made:
        yield made


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("model") / "model.gguf", "llama", layers=6)


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 5 * LONG
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def free_boards() -> int:
    return int(package().available_resources().get(RESOURCE, 0))


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pids: Sequence[int]) -> list[int]:
    """Return the ids of some processes and of all their descendants."""
    parents = dict[int, int]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)
