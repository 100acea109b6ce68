# SPDX-License-Identifier: MIT
"""``serve``: OpenAI's HTTP API for a model, from Python."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.serve import guard, server
from pyhexagon.serve.app import Server
from pyhexagon.serve.backend import Backend, ServedModel
from pyhexagon.serve.keys import Keys
from pyhexagon.serve.limits import Limits
from pyhexagon.serve.metrics import Metrics
from pyhexagon.serve.scheduler import Scheduler

HOST = "127.0.0.1"
PORT = 8080


class Replicas(Backend, Protocol):
    """Replicas of a model on several boards: a ``pyhexagon.cluster.Router``."""

    @property
    def model(self) -> ServedModel:
        """Return the model's tokenizer and chat template."""


def serve(
    llm: LanguageModel | Replicas,
    host: str = HOST,
    port: int = PORT,
    *,
    name: str | None = None,
    api_keys: Sequence[str] = (),
    limits: Limits | None = None,
    metrics: Metrics | None = None,
    listener: socket.socket | None = None,
    ready: Callable[[str, str, str], None] = lambda url, name, device: None,
) -> None:
    """Serve a model over HTTP until SIGTERM or Ctrl-C. Call it on the main thread; the model stays open.

    Args:
        llm: an ``LLM`` or a ``Pipeline``, with ``n_sequences`` of at least ``limits.n_parallel``; or a ``Router``.
        host, port: address to listen on; port 0 takes a free one.
        name: of the model for clients; None: the name of its file.
        api_keys: keys of which a client must send one; none: anyone who reaches the address may use the model.
        limits: of requests; None: four running, 128 waiting, ten minutes and 4 MiB each.
        metrics: for Prometheus; a ``Router`` has its own.
        listener: a bound socket, in place of host and port.
        ready: called with the URL, the name and the device as soon as the server listens.

    Raises:
        HexagonError: the address cannot be used.
    """
    limits = limits or Limits()
    metrics = metrics or Metrics()
    keys = Keys(api_keys)
    with ExitStack() as stack:
        listener = listener or stack.enter_context(server.listen(host, port))
        address, port = listener.getsockname()[:2]
        is_local = address in ("127.0.0.1", "::1")
        if not keys and not is_local:
            told = f"pyhexagon: warning: anyone who reaches {address} may use the model: --api-key-file"
            print(told, file=sys.stderr)
        hosts = guard.LOCAL if is_local and not keys else frozenset[str]()
        url = f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
        model: ServedModel
        backend: Backend
        if isinstance(llm, LanguageModel):
            model, device = llm, llm.device_name
            backend = stack.enter_context(
                Scheduler(llm, metrics, n_parallel=limits.n_parallel, n_waiting=limits.n_waiting)
            )
        else:
            model, device, backend = llm.model, "cluster", llm
        known_as = name or Path(model.path).stem
        one = Server(model, backend, metrics, name=known_as, limits=limits, keys=keys, hosts=hosts, device=device)
        server.run(one, listener, lambda: ready(url, known_as, device))
