# SPDX-License-Identifier: MIT
"""Request schemas: an API declares the fields of a request once, with types, bounds and defaults. The declaration
validates bodies (``parse``), gives the text of errors, and is the schema in ``/openapi.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import inspect

from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.json_responses import as_json

T = TypeVar("T")
REFERENCES: Final = "#/components/schemas/{name}"
_PATH: Final = re.compile(r".* - at (?:`key` in )?`\$([^`]*)`", re.DOTALL)  # the last one: a value may look like it
_STEP: Final = re.compile(r"\[(\d+|\.\.\.)\]|\.([^.\[]+)")
_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
_LONGEST: Final = 60  # characters of a value in an error
_type_info: Final = cache(inspect.type_info)  # a millisecond for a chat request


class _NullIsMissing(msgspec.StructMeta):
    """Accepts null for each field that has a default."""

    def __new__(meta, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> _NullIsMissing:
        annotations = namespace.get("__annotations__", {})  # texts
        for field in annotations.keys() & namespace.keys():
            annotations[field] = f"{annotations[field]} | None"
        return super().__new__(meta, name, bases, namespace, **options)


class Schema(msgspec.Struct, metaclass=_NullIsMissing):
    """An object of a request. Unknown fields are ignored; a null is a missing field.

    A field whose type has a description is invalid as a whole: errors name neither an item of it nor one of its fields.
    """

    def __post_init__(self) -> None:
        for name, default in _defaults(type(self)):
            if getattr(self, name) is None:
                setattr(self, name, default)


@cache
def _defaults(schema: type[Schema]) -> tuple[tuple[str, Any], ...]:
    defaults = zip(reversed(schema.__struct_fields__), reversed(schema.__struct_defaults__), strict=False)
    return tuple((name, value) for name, value in defaults if value not in (None, msgspec.NODEFAULT))


def items(schema: type[Schema]) -> Mapping[str, Any]:
    """Return the JSON schema of a list of objects that keep their unknown fields, and that ``schema`` describes."""
    return {"items": {"$ref": REFERENCES.format(name=schema.__name__)}}


def parse(schema: type[T], content: bytes) -> T:
    """Parse a request body.

    Raises:
        ServeError: the content is not a JSON object, or a field is invalid.
    """
    try:
        body = json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise wrong(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise wrong("the body is no JSON object")
    for name, value in body.items():
        if type(value) is float and value.is_integer():
            body[name] = int(value)  # some clients send 2.0 for 2
        elif type(value) is dict:
            _make_whole(value)
    return validated(schema, body)


def _make_whole(options: dict[str, Any]) -> None:
    """Make integers of the whole numbers among options."""
    for name, value in options.items():
        if type(value) is float and value.is_integer():
            options[name] = int(value)


def parse_form(schema: type[T], fields: Mapping[str, Any]) -> T:
    """Parse the fields of a form, whose values are texts, lists of texts, and files.

    Raises:
        ServeError: a field is invalid.
    """
    return validated(schema, dict(fields), is_form=True)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def validated(schema: type[T], value: Any, path: str = "", *, is_form: bool = False) -> T:
    """Return JSON as an object of a schema.

    Args:
        path: of the value in the request, for error messages; empty: it is the request.
        is_form: texts stand for numbers and booleans, too.

    Raises:
        ServeError: a field is invalid.
    """
    try:
        return msgspec.convert(value, schema, strict=not is_form)
    except UnicodeEncodeError:  # a lone surrogate in the name of a field, or where few texts are allowed
        return validated(schema, _encodable(value), path)
    except msgspec.ValidationError as error:
        raise _explained(schema, value, path, str(error)) from None


def _encodable(value: Any) -> Any:
    """Return JSON in which question marks replace lone surrogates."""
    try:
        return json.loads(as_json(value))
    except RecursionError as error:
        raise wrong(f"the body is too deep: {error}") from None


def variant(kinds: Mapping[str, type[T]], value: Mapping[str, Any], path: str, default: str = "", more: str = "") -> T:
    """Return an object as its schema, which its field "type" chooses.

    Args:
        kinds: schemas by type.
        default: type of objects without one; empty: they are invalid.
        more: appended to the error for another type.

    Raises:
        ServeError: a field is invalid.
    """
    kind = value.get("type")
    schema = kinds.get(default if kind is None else kind) if isinstance(kind, str | None) else None
    if schema is None:
        raise invalid(f"{path}.type", kind, " or ".join(kinds) + more)
    return validated(schema, value, path)


def invalid(path: str, value: Any, expected: str) -> ServeError:
    """Return the error for a field that is not what is expected."""
    return wrong(f"{path} is {quoted(value)}: expected {expected}", path)


def quoted(value: Any) -> str:
    """Return a value of a request as JSON, shortened, for errors and the log."""
    try:
        shown = json.dumps(value)
    except RecursionError:
        shown = "a deep value"
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def _explained(schema: Any, value: Any, path: str, problem: str) -> ServeError:
    """Return the error for what msgspec says about a value: the path of the field, and which type is wrong there."""
    steps = [path] if path else []
    kind: Any = _type_info(schema)
    for step in _steps(problem):
        if _description(kind):
            break
        kind, value, name = _inner(kind, value, step)
        steps.append(name)
    return invalid(".".join(steps), value, _expected(kind))


def _steps(problem: str) -> Iterator[str]:
    if found := _PATH.fullmatch(problem):
        for index, name in _STEP.findall(found[1]):
            yield index or name
    if missing := _MISSING.match(problem):
        yield missing[1]


def _inner(kind: Any, value: Any, step: str) -> tuple[Any, Any, str]:
    """Return type, value and name of what a step of a path leads to."""
    for part in _alternatives(kind):
        if isinstance(part, inspect.StructType) and isinstance(value, dict):
            field = next(field for field in part.fields if field.encode_name == step)
            return field.type, value.get(step), step
        if isinstance(part, inspect.DictType) and isinstance(value, dict):
            name = next((name for name, number in value.items() if not _fits(part.value_type, number)), step)
            return part.value_type, value.get(name), name
        if isinstance(part, inspect.ListType) and isinstance(value, list):
            return part.item_type, value[int(step)], step
    raise AssertionError(f"no type has {step}")


def _fits(kind: Any, number: Any) -> bool:
    """Return whether an object may have a number as a value. msgspec does not name the key of a wrong number."""
    return type(number) in (int, float) and kind.ge <= number <= kind.le


def _description(kind: Any) -> str:
    """Return the description of a type; empty if it has none."""
    for part in kind.types if isinstance(kind, inspect.UnionType) else (kind,):
        if isinstance(part, inspect.Metadata) and (text := (part.extra_json_schema or {}).get("description")):
            return str(text)
    return ""


def _alternatives(kind: Any) -> list[Any]:
    """Return the types that a value may have, beside null."""
    if isinstance(kind, inspect.Metadata):
        return _alternatives(kind.type)
    if isinstance(kind, inspect.UnionType):
        return [other for part in kind.types for other in _alternatives(part)]
    return [] if isinstance(kind, inspect.NoneType) else [kind]


def _expected(kind: Any) -> str:
    return _description(kind) or ", or ".join(map(_name, _alternatives(kind)))


def _name(kind: Any) -> str:
    match kind:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return "a whole number" + ("" if kind.ge is None else f" from {kind.ge} to {kind.le}")
        case inspect.FloatType():
            return f"a number from {kind.ge:g} to {kind.le:g}"
        case inspect.LiteralType():
            return " or ".join(map(str, kind.values))
        case inspect.StrType():
            least = " that is not empty" if kind.min_length else ""
            return f"a text{least}" + (f" of at most {kind.max_length} characters" if kind.max_length else "")
        case inspect.ListType():
            limit = f"{kind.min_length} to" if kind.min_length else "at most"
            most = "" if kind.max_length is None else f"{limit} {kind.max_length} "
            return f"a list of {most}{'objects' if _is_object(kind.item_type) else 'items'}"
    return "an object"


def _is_object(kind: Any) -> bool:
    return isinstance(kind, (inspect.DictType, inspect.StructType))
