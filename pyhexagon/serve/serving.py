# SPDX-License-Identifier: MIT
"""``serve``: OpenAI's HTTP API for a model, from Python."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.engine_thread import EngineThread
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.serve import server
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import BODY_BYTES, IMAGES_BODY_BYTES, Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.backend import Backend, ServedModel
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import LoadedModel, PooledModel, Prompts

if TYPE_CHECKING:
    from pyhexagon.cluster.router import Router

HOST = "127.0.0.1"
PORT = 8080


def serve(
    llm: LanguageModel | Router | ModelPool,
    host: str = HOST,
    port: int = PORT,
    *,
    name: str | None = None,
    api_keys: Sequence[str] = (),
    limits: Limits | None = None,
    metrics: Metrics | None = None,
    listener: socket.socket | None = None,
    trusted_proxies: Sequence[str] = (),
    ready: Callable[[str, str, str], None] = lambda url, name, device: None,
) -> None:
    """Serve models over HTTP until SIGTERM or Ctrl-C. Call it on the main thread; the model stays open.

    Args:
        llm: an ``LLM`` or a ``Pipeline``, with ``n_sequences`` of at least ``limits.n_parallel``; a ``Router``; or a
            ``ModelPool`` of several models.
        host, port: address to listen on; port 0 takes a free one.
        name: of the model for clients, unless there are several; None: the name of its file.
        api_keys: keys of which a client must send one; none: anyone who reaches the address may use the model.
        limits: of requests; None: four running, 128 waiting, ten minutes and 4 MiB each, or 32 MiB if a model takes
            images.
        metrics: for Prometheus; a ``Router`` has its own.
        listener: a bound socket, in place of host and port.
        trusted_proxies: IP addresses and networks of proxies, whose ``X-Forwarded-For`` names the client.
        ready: called with the URL, the name and the device as soon as the server listens.

    Raises:
        HexagonError: the address cannot be used, or a LoRA adapter has the name of the model.
        ArgumentError: a trusted proxy is no address and no network.
    """
    for proxy in trusted_proxies:
        guard.check_network(proxy)
    limits = limits or Limits(body_bytes=IMAGES_BODY_BYTES if _takes_images(llm) else BODY_BYTES)
    metrics = metrics or Metrics()
    keys = Keys(api_keys)
    with ExitStack() as stack:
        listener = listener or stack.enter_context(server.listen(host, port))
        address, port = listener.getsockname()[:2]
        is_local = address in ("127.0.0.1", "::1")
        if not keys and not is_local:
            warning = f"pyhexagon: warning: anyone who reaches {address} may use the model: --api-key-file"
            print(warning, file=sys.stderr)
        hosts = guard.LOCAL if is_local and not keys else frozenset[str]()
        url = f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
        pool = llm if isinstance(llm, ModelPool) else stack.enter_context(_only(llm, name, metrics, limits))
        app = Server(pool, metrics, limits=limits, keys=keys, hosts=hosts)
        names = ", ".join(model.name for model in pool.models)
        server.run(app, listener, lambda: ready(url, names, pool.device), trusted_proxies)


def _takes_images(llm: LanguageModel | Router | ModelPool) -> bool:
    if isinstance(llm, ModelPool):
        return any(model.has_vision for model in llm.models)
    return isinstance(llm, LanguageModel) and llm.has_vision


@contextmanager
def _only(llm: LanguageModel | Router, name: str | None, metrics: Metrics, limits: Limits) -> Iterator[ModelPool]:
    """Yield the pool of a server that has one model, which stays loaded."""
    with ExitStack() as stack:
        if isinstance(llm, LanguageModel):
            backend: Backend = stack.enter_context(
                EngineThread(llm, metrics.statistics, n_parallel=limits.n_parallel, n_waiting=limits.n_waiting)
            )
            metrics.watch(backend.figures)
            yield pool_of(llm, backend, metrics, name=name, device=llm.device_name, draft=llm.draft_name)
        else:
            yield pool_of(llm.model, llm, metrics, name=name, device="cluster")


def pool_of(
    model: ServedModel, backend: Backend, metrics: Metrics, *, name: str | None = None, device: str = "cdsp",
    draft: str = "",
) -> ModelPool:
    """Return the pool of one model, which stays loaded.

    Args:
        name: for clients; None: the name of its file.
        device: name of the device, as of ``Device``.
        draft: name of the draft model; empty: none.

    Raises:
        ArgumentError: a LoRA adapter has the name of the model.
    """
    prompts = Prompts(model, backend.run_beside) if isinstance(backend, EngineThread) else Prompts(model)
    loaded, name = LoadedModel(model, backend, metrics, prompts), name or Path(model.path).stem
    if name in model.adapters:
        hint = "--alias gives the model another name"
        raise ArgumentError(f"a LoRA adapter is called {name}, as the model is", hint=hint)
    return ModelPool([PooledModel(name, model.path, adapters=model.adapters, draft=draft, loaded=loaded)], device)
