# SPDX-License-Identifier: MIT
"""A cluster on this machine: a head, and nodes with a board each."""

from __future__ import annotations

import os
import secrets
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import needs
import pytest
from llm import tiny
from waiting import LONG

from pyhexagon.cluster.connecting import RESOURCE, package, settings

STORE = 76 << 20  # bytes of each node's object store: the least that Ray takes


class Nodes:
    """Ray's nodes, which can be added and killed."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False},
        )
        self.address: str = self._cluster.address

    def add(self, n: int = 1) -> list[Any]:
        """Nodes with a board, of one thread each: there are more boards than cores."""
        environment = {"PYHEXAGON_DEVICE": "loopback", "PYHEXAGON_LOOPBACK": "threads=1"}
        return [
            self._cluster.add_node(
                num_cpus=1, resources={"hexagon": 1}, object_store_memory=STORE, env_vars=environment, wait=False
            )
            for _ in range(n)
        ]

    def ready(self) -> None:
        self._cluster.wait_for_nodes()

    def close(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Three boards, and this process connected."""
    needs.require("ray")
    package()
    os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ray

        made = Nodes()
        made.add(3)
        made.ready()
        try:
            ray.init(
                address=made.address, namespace="pyhexagon", log_to_driver=False, configure_logging=False,
                runtime_env={"env_vars": settings()},
            )  # fmt: skip
            yield made
        finally:
            ray.shutdown()
            made.close()
            del os.environ["RAY_AUTH_TOKEN"]


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
