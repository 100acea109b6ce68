# SPDX-License-Identifier: MIT
"""The HTTP application: the routes of all APIs, the chat page, health, metrics, access, errors."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any, Final

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.errors.logged import log_failure
from pyhexagon.llm.engine.errors import RequestError
from pyhexagon.serve.apis import (
    anthropic,
    llama_completion,
    llama_cpp,
    ollama,
    openai,
    responses,
    token_routes,
    transcriptions,
)
from pyhexagon.serve.apis.openapi import Operation, document, record
from pyhexagon.serve.apis.service import ENDS, ModelService
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.errors import ServeError, serve_error, wrong
from pyhexagon.serve.http.json_responses import HEADERS, JSON, as_json, failure
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.page import markdown
from pyhexagon.serve.page.markdown import MarkdownRequest
from pyhexagon.serve.page.page import page

_LOG: Final = logging.getLogger("pyhexagon.serve")
_APIS: Final = (openai, transcriptions, token_routes, llama_cpp, llama_completion, responses, anthropic, ollama)


class Server(ModelService):
    """The HTTP routes of the models.

    Args:
        pool, metrics, limits: as of ``ModelService``.
        keys: of clients.
        hosts: accepted values of the Host header; none: all.
    """

    def __init__(
        self, pool: ModelPool, metrics: Metrics, *, limits: Limits, keys: Keys, hosts: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(pool, metrics, limits)
        routes = [route for api in _APIS for route in api.routes(self)]
        routes += [
            Operation("/", self._page, "Return the chat page.", None, media_type="text/html"),
            Operation(
                "/markdown", self._markdown, "Return Markdown as HTML.", record("Html", html=str),
                request=MarkdownRequest,
            ),
            Operation(
                "/health", self._health, "Return whether the device can be used.", record("Health", status=str)
            ),
            Operation(
                "/metrics", self._metrics, "Return metrics for Prometheus.", None, media_type="text/plain"
            ),
            Operation(
                "/openapi.json", self._openapi, "Return this document.",
                record("OpenApi", openapi=str, info=dict[str, str], paths=dict[str, Any]),
            ),
        ]  # fmt: skip
        self._document = as_json(document(routes))
        handlers: Any = {
            ServeError: self._refused, RequestError: self._refused, HTTPException: self._refused,
            ArgumentError: self._refused, UnsupportedError: self._refused, Exception: self._mistaken,
        }  # fmt: skip
        app = Starlette(routes=routes, exception_handlers=handlers)
        self.app: ASGIApp = _Guarded(app, keys, hosts, metrics)

    async def _refused(self, request: Request, error: Exception) -> Response:
        path = request.url.path
        if isinstance(error, HTTPException):
            return failure(ServeError(error.status_code, error.detail), path)
        if not isinstance(error, (ServeError, RequestError)):
            return failure(wrong(self.pool.named(str(error))), path)
        return failure(serve_error(error), path)

    async def _mistaken(self, request: Request, error: Exception) -> Response:
        log_failure(_LOG, f"{request.method} {request.url.path} failed", error)
        answer = ServeError(500, "the server made a mistake: its log tells more", code="internal_error")
        return failure(answer, request.url.path)

    async def _page(self, _: Request) -> Response:
        return page()

    async def _markdown(self, request: Request) -> Response:
        return JSON({"html": await self.of_body(request, MarkdownRequest, markdown.rendered, self.pages)})

    async def _health(self, _: Request) -> Response:
        problem = self.pool.problem
        if problem:
            return JSON({"status": "unavailable", "problem": problem[:2000]}, 503)
        return JSON({"status": "ok"})

    async def _openapi(self, _: Request) -> Response:
        return Response(self._document, headers=HEADERS, media_type="application/json")

    async def _metrics(self, _: Request) -> Response:
        kind = "text/plain; version=0.0.4; charset=utf-8"
        text = await to_thread.run_sync(self.metrics.text)
        return Response(text, headers={**HEADERS, "content-type": kind})


class _Guarded:
    """Middleware that authorizes and counts requests."""

    def __init__(self, app: ASGIApp, keys: Keys, hosts: frozenset[str], metrics: Metrics) -> None:
        self._app, self._keys, self._hosts, self._metrics = app, keys, hosts, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def counted(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            scope.setdefault("state", {})["client"] = guard.client_of(scope, self._keys, self._hosts)
        except ServeError as error:
            await failure(error, scope["path"])(scope, receive, counted)
        else:
            try:
                with suppress(Exception):  # logged, and reported to the client
                    await self._app(scope, receive, counted)
            except asyncio.CancelledError:  # the server shuts down
                if not status:
                    await failure(ENDS, scope["path"])(scope, receive, counted)
        finally:
            known = scope.get("route")
            path = known.path if isinstance(known, Route) else "other"
            self._metrics.requests.labels(path, str(status)).inc()
