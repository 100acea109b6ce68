# SPDX-License-Identifier: MIT
"""The tools of a request, and OpenAI's objects of their calls."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError, value_at
from pyhexagon.llm.chat.openai_format import Record

Schemas = Mapping[str, Mapping[str, Any]]

_NAMES: Final = ("name", "tool_name", "function", "function_name", "tool")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input", "kwargs")
_IDS: Final = ("id", "tool_call_id", "call_id")
FIRST_KEYS: Final = frozenset((*_NAMES, *_ARGUMENTS, *_IDS, "type", "index", "tool_calls"))
PREFIXES: Final = ("functions.", "default_api.")  # that models write before names
_SUFFIX: Final = ".call"  # that Llama 3.1 writes behind names of its own tools
_REFERENCES: Final = 8  # of a schema, followed one after the other
_TRUTHS: Final = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}


class KnownTools:
    """The tools that a completion may call.

    Args:
        schemas: JSON schemas of their parameters, by name.
    """

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas

    def call(self, name: Any, arguments: Any, call_id: Any = None) -> Record | None:
        """Return OpenAI's object of a call; None if there is no such tool, or the arguments are none.

        Args:
            name: of the tool.
            arguments: an object; None or an empty text: no arguments; a text: JSON of an object; a list: values of the
                tool's parameters in their order.
            call_id: that the model wrote, if it did.
        """
        if not isinstance(name, str) or name not in self.schemas:
            return None
        values = self._object(name, arguments)
        if values is None:
            return None
        try:
            written = json.dumps(values, ensure_ascii=False)
        except RecursionError:
            return None
        if not written.isascii() and any("\ud800" <= letter <= "\udfff" for letter in written):
            written = json.dumps(values)  # half a character has no UTF-8
        function = {"name": name, "arguments": written}
        is_own = isinstance(call_id, str) and call_id.isascii() and call_id.isalnum() and len(call_id) <= 64
        return {"id": call_id if is_own else f"call_{uuid.uuid4().hex[:24]}", "type": "function", "function": function}

    def of_object(self, value: Any) -> Record | None:
        """Return the call that an object describes: ``{"name": ..., "arguments": {...}}`` with its many other keys, or
        ``{NAME: {...}}``; None if it is none."""
        if not isinstance(value, dict):
            return None
        inner = value.get("function")
        if isinstance(inner, dict):
            value = {**inner, **{key: value[key] for key in _IDS if key in value}}
        name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
        if name is None:
            (entry,) = value.items() if len(value) == 1 else [("", None)]
            return self.call(*entry) if isinstance(entry[1], dict) else None
        arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
        return self.call(self.known(name), arguments, next((value[key] for key in _IDS if key in value), None))

    def known(self, name: str) -> str:
        """Return the name of a tool without what some models write before and behind it."""
        if name in self.schemas:
            return name
        for prefix in PREFIXES:
            name = name.removeprefix(prefix)
        return name.removesuffix(_SUFFIX)

    def properties(self, name: str) -> Mapping[str, Any]:
        """Return the schemas of a tool's parameters, by name."""
        found = _resolved(self.schemas.get(name, {}), self.schemas.get(name, {})).get("properties")
        return found if isinstance(found, Mapping) else {}

    def typed(self, name: str, key: str, text: str) -> Any:
        """Return the value of a parameter that a model wrote as plain text: a text, unless its schema says otherwise.

        Args:
            name: of the tool.
            key: of the parameter.
            text: that the model wrote.
        """
        return _typed(text, _kinds(self.properties(name).get(key), self.schemas.get(name, {})))

    def positional(self, name: str, values: Sequence[Any]) -> Record | None:
        """Return arguments without names, by the order of the tool's parameters; None if there are too many."""
        keys = list(self.properties(name))
        return dict(zip(keys, values, strict=False)) if len(values) <= len(keys) else None

    def _object(self, name: str, arguments: Any) -> Record | None:
        if isinstance(arguments, str):
            if not arguments.strip():
                return {}
            parsed = literal(arguments)
            return self._object(name, parsed) if isinstance(parsed, (dict, list)) else None
        if arguments is None:
            return {}
        if isinstance(arguments, list):
            if len(arguments) == 1 and isinstance(arguments[0], dict):
                return arguments[0]
            return self.positional(name, arguments)
        return arguments if isinstance(arguments, dict) else None


def literal(text: str) -> Any:
    """Return the value of a text that is JSON or a literal of Python, and nothing else; else the text itself."""
    text = text.strip()
    try:
        value, end = value_at(f"{text}\n", 0)
    except (IncompleteError, InvalidError):
        if text[:1] in "\"'" and len(text) > 1 and text[0] == text[-1]:
            return text[1:-1] if text[0] not in text[1:-1] and "\\" not in text else _json(text)
        return text
    return text if text[end:].strip() else value


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text


def _resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema, or the one that its "$ref" names within ``root``."""
    for _ in range(_REFERENCES):
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        schema = root
        for part in reference[2:].split("/"):
            schema = schema.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(schema, Mapping) else None
    return schema if isinstance(schema, Mapping) else {}


def _kinds(schema: Any, root: Mapping[str, Any], depth: int = 0) -> set[str]:
    """Return JSON Schema's names of the types that a schema allows; empty: any."""
    schema = _resolved(schema, root)
    given = schema.get("type")
    kinds = {given} if isinstance(given, str) else {kind for kind in given or () if isinstance(kind, str)}
    for word in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and depth < _REFERENCES:
            kinds.update(*(_kinds(branch, root, depth + 1) for branch in branches))
    values = [*(schema.get("enum") or ()), *([schema["const"]] if "const" in schema else [])]
    return kinds or ({"string"} if values and all(isinstance(value, str) for value in values) else set())


def _typed(text: str, kinds: set[str]) -> Any:
    word = text.strip()
    if "string" in kinds:
        return None if "null" in kinds and word in ("null", "None") else text
    if "boolean" in kinds and word.lower() in _TRUTHS:
        return _TRUTHS[word.lower()]
    value = literal(word)
    if isinstance(value, str) and kinds and value == word:
        return text
    if isinstance(value, float) and "integer" in kinds and "number" not in kinds and value.is_integer():
        return int(value)
    return text if value == word and isinstance(value, str) else value
