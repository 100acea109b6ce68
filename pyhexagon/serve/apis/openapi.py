# SPDX-License-Identifier: MIT
"""The OpenAPI document of the server, from its routes and ``OPERATIONS``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from starlette.routing import Route

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis.operations import OPERATIONS, Operation, Schema
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.guard import OPEN
from pyhexagon.version import VERSION

_CONVERTER: Final = re.compile(r"\{(\w+):\w+\}")
_TYPES: Final = {"/": "text/html", "/metrics": "text/plain"}  # of responses that are not JSON


def document(routes: Sequence[Route]) -> Record:
    """Return the document.

    Raises:
        KeyError: a route has no ``Operation``.
    """
    paths: dict[str, Record] = {}
    for route in routes:
        path = _CONVERTER.sub(r"{\1}", route.path)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            paths.setdefault(path, {})[method.lower()] = _described(OPERATIONS[method, path], path)
    return {
        "openapi": "3.1.0", "info": {"title": "pyhexagon", "version": VERSION}, "paths": paths,
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }  # fmt: skip


def _described(operation: Operation, path: str) -> Record:
    kind = "application/json" if operation.response is not None else _TYPES[path]
    content: Record = {kind: {} if operation.response is None else {"schema": operation.response}}
    if operation.stream:
        content[operation.stream] = {"schema": {"type": "string"}}
    described: Record = {
        "summary": operation.summary,
        "responses": {
            "200": {"description": "Success.", "content": content},
            "default": {"description": "An error.", "content": {"application/json": {"schema": _error(path)}}},
        },
        "security": [{}] if path in OPEN else [{}, {"key": []}],
    }
    parameters: list[Record] = [{"name": name, "in": "query"} for name in operation.parameters]
    parameters += [{"name": name, "in": "path", "required": True} for name in re.findall(r"\{(\w+)\}", path)]
    if parameters:
        described["parameters"] = [one | {"schema": {"type": "string"}} for one in parameters]
    if operation.fields:
        properties = {name: _or_null(schema, name in operation.required) for name, schema in operation.fields.items()}
        body = {"type": "object", "properties": properties, "required": list(operation.required)}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return described


def _or_null(schema: Schema, is_required: bool) -> Schema:
    return schema if is_required or not schema else {"anyOf": [schema, {"type": "null"}]}


def _error(path: str) -> Schema:
    """Return the schema of an error of a route, which depends on its API."""
    body = ServeError(400, "").body(path)

    def of(value: Any) -> Schema:
        if isinstance(value, dict):
            properties = {key: of(one) for key, one in value.items()}
            return {"type": "object", "required": list(value), "properties": properties}
        return {"type": "string"} if isinstance(value, str) else {"type": ["string", "null"]}

    return of(body)
