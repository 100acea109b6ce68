# SPDX-License-Identifier: MIT
"""The OpenAPI document of the server, from its routes and from the schemas of their requests and responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from starlette.routing import Route

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.guard import OPEN
from pyhexagon.serve.http.schema import REFERENCES, Schema
from pyhexagon.version import VERSION

EVENTS: Final = "text/event-stream"
_CONVERTER: Final = re.compile(r"\{(\w+):\w+\}")


class Operation(Route):
    """A method of a route, with its description.

    Args:
        summary: what it does.
        response: type of its JSON response; None: it is not JSON.
        request: schema of the body, which ``endpoint`` parses.
        stream: media type of the response if the request asks for a stream.
        media_type: of the response.
        query: parameters of the query string.
        body: media type of the body.
    """

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        summary: str,
        response: Any,
        *,
        request: type[Schema] | None = None,
        method: str = "",
        stream: str = "",
        media_type: str = "application/json",
        query: Sequence[str] = (),
        body: str = "application/json",
    ) -> None:
        self.method = method or ("GET" if request is None else "POST")
        super().__init__(path, endpoint, methods=[self.method])
        self.summary, self.response, self.request, self.stream = summary, response, request, stream
        self.media_type, self.query, self.body = media_type, query, body


def record(name: str, /, **fields: Any) -> type[msgspec.Struct]:
    """Return the type of a JSON object that has these fields, among others."""
    return msgspec.defstruct(name, list(fields.items()))


def list_of(kind: Any) -> Any:
    """Return the type of a list of these."""
    return list[kind]


def document(operations: Sequence[Operation]) -> Record:
    """Return the document."""
    types = [kind for operation in operations for kind in (operation.request, operation.response) if kind is not None]
    kinds: list[Any] = list(dict.fromkeys([*types, *_schemas(Schema)]))
    schemas, components = msgspec.json.schema_components(kinds, ref_template=REFERENCES)
    of_type = dict(zip(kinds, schemas, strict=True))
    paths: dict[str, Record] = {}
    for operation in operations:
        path = _CONVERTER.sub(r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method.lower()] = _described(operation, path, of_type)
    return {
        "openapi": "3.1.0", "info": {"title": "pyhexagon", "version": VERSION}, "paths": paths,
        "components": {
            "schemas": components, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }  # fmt: skip


def _schemas(schema: type[Schema]) -> Iterator[type[Schema]]:
    """Yield the schemas: some describe objects that are declared as any object, because unknown fields are kept."""
    for below in schema.__subclasses__():
        yield below
        yield from _schemas(below)


def _described(operation: Operation, path: str, schemas: Mapping[Any, Record]) -> Record:
    content: Record = {operation.media_type: {}}
    if operation.response is not None:
        content[operation.media_type] = {"schema": schemas[operation.response]}
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
    parameters: list[Record] = [{"name": name, "in": "query"} for name in operation.query]
    parameters += [{"name": name, "in": "path", "required": True} for name in re.findall(r"\{(\w+)\}", path)]
    if parameters:
        described["parameters"] = [parameter | {"schema": {"type": "string"}} for parameter in parameters]
    if operation.request is not None:
        body = {operation.body: {"schema": schemas[operation.request]}}
        described["requestBody"] = {"required": True, "content": body}
    return described


def _error(path: str) -> Record:
    """Return the schema of an error of a route, which depends on its API."""
    body = ServeError(400, "").body(path)

    def of(value: Any) -> Record:
        if isinstance(value, dict):
            properties = {key: of(item) for key, item in value.items()}
            return {"type": "object", "required": list(value), "properties": properties}
        return {"type": "string"} if isinstance(value, str) else {"type": ["string", "null"]}

    return of(body)
