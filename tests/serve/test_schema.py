# SPDX-License-Identifier: MIT
"""Request schemas: every field of every API has its type, bounds and default, and errors name field and value."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, inspect
from waiting import PACKAGE

from pyhexagon.llm.chat import templates
from pyhexagon.serve import apis, app
from pyhexagon.serve.apis import openai_schema as openai
from pyhexagon.serve.apis import requests, tools
from pyhexagon.serve.apis.ollama_schema import Options
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.schema import Schema, invalid, parse, validated, variant

DEEP = 940  # levels: the parser of JSON accepts them, an error's text may not
MAX_CALLS = 31  # of Python, for the body of a chat

assert apis
assert app  # which imports the schemas of all APIs


class Part(Schema, kw_only=True):
    type: Literal["text", "image"]
    text: Annotated[str, Meta(max_length=3)] = ""


class Body(Schema, kw_only=True):
    number: Annotated[float, Meta(ge=0, le=2)] = 0.5
    whole: Annotated[int, Meta(ge=-1, le=64)] = 16
    flag: bool = True
    text: str
    parts: Annotated[Sequence[Part], Meta(max_length=2)] = ()
    bias: dict[str, Annotated[float, Meta(ge=-1, le=1)]] | None = None
    stop: Annotated[str | list[Part], Meta(description="a text, or parts")] = ""
    either: bool | Annotated[int, Meta(ge=0, le=5)] | None = None
    names: Annotated[dict[Annotated[str, Meta(max_length=2)], str], Meta(description="few names")] | None = None


@pytest.mark.parametrize(
    ("field", "value", "path", "shown", "expected"),
    [
        ("number", 3, "number", "3", "a number from 0 to 2"),
        ("number", True, "number", "true", "a number from 0 to 2"),
        ("number", "1", "number", '"1"', "a number from 0 to 2"),
        ("number", 10**400, "number", f"{10**59}...", "a number from 0 to 2"),
        ("whole", 65, "whole", "65", "a whole number from -1 to 64"),
        ("whole", 2.0, "whole", "2.0", "a whole number from -1 to 64"),
        ("whole", False, "whole", "false", "a whole number from -1 to 64"),
        ("flag", 1, "flag", "1", "true or false"),
        ("text", None, "text", "null", "a text"),
        ("parts", {}, "parts", "{}", "a list of at most 2 objects"),
        ("parts", [{"type": "text"}] * 3, "parts", None, "a list of at most 2 objects"),
        ("parts", ["a"], "parts.0", '"a"', "an object"),
        ("parts", [{"type": "text"}, {}], "parts.1.type", "null", "image or text"),
        ("parts", [{"type": "video"}], "parts.0.type", '"video"', "image or text"),
        ("parts", [{"type": "text", "text": "four"}], "parts.0.text", '"four"', "a text of at most 3 characters"),
        ("parts", [{"type": "\ud800"}], "parts.0.type", '"?"', "image or text"),
        ("parts", [{"type": "a - at `$.b[7]`"}], "parts.0.type", '"a - at `$.b[7]`"', "image or text"),
        ("parts", [{"type": "`"}], "parts.0.type", '"`"', "image or text"),
        ("bias", {"a": 1, "b.c": 2}, "bias.b.c", "2", "a number from -1 to 1"),
        ("bias", {"a": True}, "bias.a", "true", "a number from -1 to 1"),
        ("stop", [{"type": "text"}, 1], "stop", '[{"type": "text"}, 1]', "a text, or parts"),
        ("either", 6, "either", "6", "true or false, or a whole number from 0 to 5"),
        ("names", {"abc": "a"}, "names", '{"abc": "a"}', "few names"),
        ("names", {"a": 1}, "names", '{"a": 1}', "few names"),
    ],
)
def test_an_error_names_field_value_and_what_was_expected(
    field: str, value: Any, path: str, shown: str | None, expected: str
) -> None:
    with pytest.raises(ServeError) as caught:
        validated(Body, {"text": "a", field: value})
    assert (caught.value.status, caught.value.param, caught.value.code) == (400, path, None)
    assert caught.value.message.startswith(f"{path} is {shown or ''}")
    assert caught.value.message.endswith(f": expected {expected}")
    with pytest.raises(ServeError, match=f"^at.3.{field if path.startswith(field) else path}"):
        validated(Body, {"text": "a", field: value}, "at.3")


def test_the_type_of_an_object_chooses_its_schema() -> None:
    kinds: dict[str, type[Schema]] = {"a": Part, "b": Schema}
    assert isinstance(variant({"text": Part}, {"type": "text", "text": "x"}, "at"), Part)
    assert variant(kinds, {}, "at", default="b") == Schema()
    wrongs: tuple[Any, ...] = (None, 1, [], {}, "c", "\ud800", True)
    for kind in wrongs:
        with pytest.raises(ServeError, match=r"^at\.type is .*: expected a or b, no other$"):
            variant(kinds, {"type": kind}, "at", more=", no other")


# --- The schemas of all APIs ---


def schemas(base: type[Schema] = Schema) -> Iterator[type[Schema]]:
    for one in base.__subclasses__():
        if one.__module__.startswith("pyhexagon."):
            yield one
            yield from schemas(one)


ALL = sorted(set(schemas()), key=lambda one: one.__name__)


def example(kind: Any) -> Any:
    """Return a value of a type."""
    match kind:
        case inspect.Metadata():
            return example(kind.type)
        case inspect.UnionType():
            return example(kind.types[0])
        case inspect.StructType():
            return {field.name: example(field.type) for field in kind.fields if field.required}
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.ListType():
            return [example(kind.item_type)] if kind.min_length else []
        case inspect.StrType():
            return "a"
        case inspect.DictType():
            return {}
    return 1


def required(schema: type[Schema]) -> dict[str, Any]:
    return dict(example(inspect.type_info(schema)))


def numbers(kind: Any) -> Iterator[Any]:
    """Yield the types of numbers that a value may have."""
    if isinstance(kind, inspect.Metadata):
        yield from numbers(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from numbers(one)
    elif isinstance(kind, (inspect.IntType, inspect.FloatType)):
        yield kind


def test_all_schemas_are_tested() -> None:
    assert len(ALL) > 30
    assert {openai.ChatRequest, Options} <= set(ALL)
    assert len({one.__name__ for one in ALL}) == len(ALL), "components of the OpenAPI document have names"


@pytest.mark.parametrize("schema", ALL)
def test_a_null_is_a_missing_field(schema: type[Schema]) -> None:
    body = required(schema)
    plain = validated(schema, body)
    names = schema.__struct_fields__
    assert validated(schema, dict.fromkeys(names) | body) == plain
    assert validated(schema, {"no such field": 1, "\ud800": 2} | body) == plain
    for name in body:
        for lacking in ({**body, name: None}, {key: value for key, value in body.items() if key != name}):
            with pytest.raises(ServeError, match=f"^{name} is null: expected [^N]*$") as caught:
                validated(schema, lacking)
            assert caught.value.param == name


@pytest.mark.parametrize("schema", ALL)
def test_numbers_have_the_bounds_that_are_declared(schema: type[Schema]) -> None:
    info: Any = inspect.type_info(schema)
    for field in info.fields:
        for kind in numbers(field.type):
            if kind.ge is None:
                continue
            for value in (kind.ge, kind.le):
                assert getattr(validated(schema, {**required(schema), field.name: value}), field.name) == value
            above: tuple[Any, ...] = (kind.le + 1, math.inf, math.nan, 1 << 200, [value], {})
            for wrong in (kind.ge - 1, *above):
                with pytest.raises(ServeError, match=rf"^{field.name}\b.* is ") as caught:
                    validated(schema, {**required(schema), field.name: wrong})
                assert str(caught.value.param).partition(".")[0] == field.name


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 1 << 70) | st.floats() | st.text("the `$.[0]\ud800", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "type", "name", "id", "function", "schema"]), inner)
    ),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_value_of_any_field_is_accepted_or_named(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from([one for one in ALL if one.__struct_fields__]))
    name = data.draw(st.sampled_from(schema.__struct_fields__))
    caught = None
    try:
        validated(schema, {**required(schema), name: data.draw(VALUES)})
    except ServeError as error:
        caught = error
    if caught is not None:
        assert str(caught.param).partition(".")[0] == name
        assert caught.message.startswith(f"{caught.param} is ")
        assert "None" not in caught.message.partition(": expected ")[2]


def test_the_default_sampling_is_that_of_the_library() -> None:
    assert openai.Sampling().parameters() == {"stop": []}  # the model's file may recommend another default
    role = inspect.type_info(templates.Role)
    assert isinstance(role, inspect.LiteralType)
    assert set(role.values) == set(templates.ROLES)


# --- Bodies ---


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_body_may_have_any_encoding_of_json(encoding: str) -> None:
    assert parse(Body, '{"text": "\u00e4\U0001f600"}'.encode(encoding)).text == "\u00e4\U0001f600"


def test_bodies() -> None:
    assert parse(Body, b'{"text": "a", "text": "b"}').text == "b"  # the last of the same name
    assert parse(Body, b'{"text": "\\ud800 a", "\\udfff": 1}').text == "? a"
    assert parse(Body, b'{"text": "\\ud800 a"}').text == "\ud800 a"
    for content in (
        b"", b"{", b"null", b"[]", b'"a"', b'{"text": NaN}', b'{"number": -Infinity}', b"\xff\xfe{}", b"[" * 100_000,
        b'{"a":' * 100_000, b'{"whole": 1' + b"0" * 5000 + b"}",
    ):  # fmt: skip
        with pytest.raises(ServeError, match=r"^the body is no"):
            parse(Body, content)


@pytest.mark.parametrize("depth", [DEEP // 4, DEEP, *range(DEEP + 10, DEEP + 60, 5)])
def test_a_deep_value_is_refused_as_any_other(depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    for content in (b'{"text": "a", "number": %s}', b'{"text": "a", "parts": [{"type": "\\ud800", "text": %s}]}'):
        with pytest.raises(ServeError) as caught:
            parse(Body, content % deep)
        assert caught.value.status == 400
    inner: Any = []
    for _ in range(depth):
        inner = [inner]
    assert "expected" in invalid("a", inner, "less").message


# --- Costs ---


def test_a_chat_is_parsed_in_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            calls[frame.f_code.co_name] += 1

    class Model:
        adapters = ()
        has_vision = False

        def apply_template(self, messages: Any, **more: Any) -> str:
            sys.setprofile(None)
            assert [message["content"] for message in messages] == ["a", "bc"]
            assert [tool["function"]["name"] for tool in more["tools"]] == ["time"]
            return "prompt"

    content = json.dumps({
        "messages": [
            {"role": "system", "content": "a"},
            {"role": "user", "content": [{"type": "text", "text": one} for one in "bc"]},
        ],
        "tools": [{"type": "function", "function": {"name": "time"}}], "temperature": 0, "stop": "a", "max_tokens": 3,
    }).encode()  # fmt: skip
    model: Any = Model()
    for _ in range(2):  # msgspec inspects a schema when it is first used
        calls.clear()
        sys.setprofile(count)
        body = parse(openai.ChatRequest, content)
        requests.rendered(body, tools.tools_of(body), model, None)
    assert calls["tools_of"] == 1
    assert calls.total() <= MAX_CALLS


def test_only_the_server_needs_msgspec() -> None:
    root = Path(PACKAGE)
    users = {path.relative_to(root).parts[0] for path in root.rglob("*.py") if "msgspec" in path.read_text()}
    assert users == {"serve"}
