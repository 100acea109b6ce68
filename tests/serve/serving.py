# SPDX-License-Identifier: MIT
"""A server on a thread of this process, with a real socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import httpx2
import openai
from llm import tiny
from uvicorn import Server as Uvicorn
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm.engine.engine_thread import EngineThread
from pyhexagon.serve import server
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.pooled_model import LoadedModel
from pyhexagon.serve.serving import pool_of

NAME = "tiny"
TEMPLATE = (
    '{% for m in messages %}{{ m.role[0] + " " + m.content }}\n'
    "{% for c in m.tool_calls or () %}{{ c.function.name }} of {{ c.function.arguments.a }}\n{% endfor %}{% endfor %}a "
)


def model(folder: Path, architecture: str = "llama", **more: Any) -> Path:
    """Write a tiny model with a chat template, and return its path."""

    def with_template(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(TEMPLATE)

    return tiny.write(folder / f"{NAME}.gguf", architecture, edit=with_template, **more)


@dataclass
class Serving:
    """A server that listens.

    Attributes:
        url: its base URL.
        server: the HTTP routes.
        uvicorn: the HTTP server, with its connections.
        clients: closes the clients.
    """

    url: str
    server: Server
    uvicorn: Uvicorn
    clients: ExitStack

    @property
    def loaded(self) -> LoadedModel:
        """The model, if there is one only."""
        (model,) = self.server.pool.models
        assert model.text
        return model.text

    def client(self, key: str = "none") -> openai.OpenAI:
        """Return OpenAI's client, without retries."""
        made = openai.OpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=0, timeout=LONG)
        return self.clients.enter_context(made)

    def http(self, **more: Any) -> httpx2.Client:
        """Return an HTTP client for other requests."""
        made: httpx2.Client = self.clients.enter_context(httpx2.Client(base_url=self.url, timeout=LONG, **more))
        return made


@contextmanager
def serving(
    llm: LLM, keys: tuple[str, ...] = (), *, name: str = NAME, grace: int = 5, proxies: tuple[str, ...] = (),
    **limits: Any,
) -> Iterator[Serving]:  # fmt: skip
    """Serve a model, by a name, until the end of a ``with`` statement."""
    all_limits, metrics = Limits(**limits), Metrics()
    engine = EngineThread(
        llm, metrics.statistics, n_parallel=all_limits.n_parallel, n_waiting=all_limits.n_waiting
    )
    metrics.watch(engine.figures)
    pool = pool_of(llm, engine, metrics, name=name, device=llm.device.name, draft=llm.draft_name)
    routes = Server(pool, metrics, limits=all_limits, keys=Keys(keys), hosts=guard.LOCAL)
    with engine, serving_of(routes, grace, proxies) as one:
        yield one


@contextmanager
def serving_of(one: Server, grace: int = 5, proxies: tuple[str, ...] = ()) -> Iterator[Serving]:
    """Serve models until the end of a ``with`` statement."""
    ready = threading.Event()
    with server.listen("127.0.0.1", 0) as listener:
        uvicorn = server.uvicorn_of(one, ready.set, grace=grace, proxies=proxies)
        thread = threading.Thread(target=uvicorn.run, kwargs={"sockets": [listener]}, name="event loop")
        thread.start()
        try:
            assert ready.wait(LONG)
            with ExitStack() as clients:
                yield Serving(f"http://127.0.0.1:{listener.getsockname()[1]}", one, uvicorn, clients)
        finally:
            uvicorn.should_exit = True
            thread.join()
