# SPDX-License-Identifier: MIT
"""What constrains completions: OpenAI's ``response_format``, and fields of llama.cpp, vLLM and Ollama."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import Schema, invalid

_LENIENT: Final = {"lenient": True}  # words of a schema that llguidance cannot enforce are ignored
_MOST_CHOICES: Final = 4096
_NOTHING: Final[Mapping[str, Any]] = {}
_JSON: Final[Mapping[str, Any]] = {"json_schema": {"type": "object"}}

JSONSchema = Annotated[str | dict[str, Any], Meta(description="a JSON schema")]
Choices = Annotated[Sequence[str], Meta(min_length=1, max_length=_MOST_CHOICES)]


class NamedSchema(Schema, kw_only=True):
    schema: dict[str, Any]
    strict: bool = False


class ResponseFormat(Schema):
    """The form of a completion. The Responses API and Anthropic's have the schema of "json_schema" in ``schema``."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: NamedSchema | None = None
    schema: dict[str, Any] | None = None
    strict: bool = False

    def constraint(self) -> Mapping[str, Any] | None:
        """Return sampling parameters; None: completions may be any text."""
        if self.type == "text":
            return None
        if self.json_schema is not None and self.type == "json_schema":
            return _of_schema(self.json_schema.schema, is_strict=self.json_schema.strict)
        if self.schema is None and self.type == "json_schema":
            raise invalid("response_format.json_schema", None, 'an object with a "schema"')
        return _JSON if self.schema is None else _of_schema(self.schema, is_strict=self.strict)


class StructuredOutputs(Schema):
    """vLLM's field."""

    json: JSONSchema | None = None
    choice: Choices | None = None
    regex: str | None = None
    grammar: str | None = None
    json_object: bool = False
    structural_tag: Annotated[str, Meta(max_length=0, description="nothing: the server does not support it")] = ""


class Constraints(ModelRequest):
    """Of these fields, a request may have one."""

    grammar: str | None = None
    response_format: ResponseFormat | None = None
    json_schema: dict[str, Any] | None = None
    format: Annotated[
        Literal["json", ""] | dict[str, Any], Meta(description='"json" or a JSON schema')
    ] = ""  # fmt: skip
    guided_json: JSONSchema | None = None
    guided_choice: Choices | None = None
    guided_regex: str | None = None
    guided_grammar: str | None = None
    regex: str | None = None
    ebnf: str | None = None
    structured_outputs: StructuredOutputs | None = None

    def constraint(self) -> Mapping[str, Any]:
        """Return sampling parameters: a grammar, a JSON schema, or nothing.

        Raises:
            ServeError: a field is invalid, or there are several.
        """
        if self.grammar is None and not any(map(partial(getattr, self), _FIELDS)):
            return _NOTHING
        outputs = self.structured_outputs or StructuredOutputs()
        found = {
            "grammar": _of_grammar(self.grammar),
            "response_format": self.response_format and self.response_format.constraint(),
            "json_schema": None if self.json_schema is None else _of_schema(self.json_schema),
            "format": _JSON if self.format == "json" else _of_schema(self.format) if self.format else None,
            "guided_json": _of_json(self.guided_json, "guided_json"),
            "guided_choice": _of_choices(self.guided_choice),
            "guided_regex": _of_regex(self.guided_regex),
            "guided_grammar": _of_grammar(self.guided_grammar),
            "regex": _of_regex(self.regex),
            "ebnf": _of_grammar(self.ebnf),
            "structured_outputs.json": _of_json(outputs.json, "structured_outputs.json"),
            "structured_outputs.choice": _of_choices(outputs.choice),
            "structured_outputs.regex": _of_regex(outputs.regex),
            "structured_outputs.grammar": _of_grammar(outputs.grammar),
            "structured_outputs.json_object": _JSON if outputs.json_object else None,
        }
        names = [name for name, value in found.items() if value]
        if len(names) > 1:
            raise wrong(f"both a {names[0]} and a {names[1]}", names[1])
        return (found[names[0]] if names else None) or _NOTHING


_FIELDS: Final = [
    name for name in Constraints.__struct_fields__ if name not in ("grammar", *ModelRequest.__struct_fields__)
]  # fmt: skip


def lenient(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON schema whose words are ignored where they cannot be enforced."""
    own = schema.get("x-guidance")
    return {**schema, "x-guidance": {**_LENIENT, **(own if isinstance(own, dict) else {})}}


def _of_schema(schema: dict[str, Any], *, is_strict: bool = False) -> Mapping[str, Any]:
    return {"json_schema": schema if is_strict else lenient(schema)}


def _of_grammar(grammar: str | None) -> Mapping[str, Any] | None:
    return None if grammar is None else {"grammar": grammar}


def _of_json(given: str | dict[str, Any] | None, name: str) -> Mapping[str, Any] | None:
    if given is None:
        return None
    schema: Any = given
    if isinstance(given, str):
        try:
            schema = json.loads(given)
        except (ValueError, RecursionError):
            schema = None
    if not isinstance(schema, dict):
        raise invalid(name, given, "a JSON schema")
    return _of_schema(schema)


def _of_choices(choices: Sequence[str] | None) -> Mapping[str, Any] | None:
    if choices is None:
        return None
    return {"grammar": "start: " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)}


def _of_regex(regex: str | None) -> Mapping[str, Any] | None:
    """Return a grammar whose only terminal is the regular expression, between slashes."""
    return None if regex is None else {"grammar": "start: /" + regex.replace("\\/", "/").replace("/", "\\/") + "/"}
