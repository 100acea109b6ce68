# SPDX-License-Identifier: MIT
"""Completions that a grammar restricts."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM
from pyhexagon.errors import ArgumentError


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    path = tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama")
    with LLM(path, 256, device="loopback") as llm:
        yield llm


@pytest.mark.parametrize("seed", range(3))
def test_a_random_model_answers_as_the_grammar_wants(llm: LLM, seed: int) -> None:
    made = llm.generate("the", 60, 2.0, seed=seed, grammar='root ::= ("in" | "an") " the"+\n')
    assert made.finish_reason in ("stop", "length")
    assert made.text.startswith(("in the", "an the"))
    assert set(made.text[2:].split()) == {"the"}
    schema = {
        "type": "object", "additionalProperties": False, "required": ["a"],
        "properties": {"a": {"type": "integer", "minimum": 10, "maximum": 99}},
    }  # fmt: skip
    made = llm.generate("the", 100, 2.0, seed=seed, json_schema=schema)
    assert made.finish_reason == "stop"
    assert 10 <= json.loads(made.text)["a"] <= 99


def chain_of_references(n: int) -> dict[str, Any]:
    """Return a schema that refers to itself n times."""
    definitions: dict[str, Any] = {str(number): {"$ref": f"#/$defs/{number + 1}"} for number in range(n - 1)}
    return {"$defs": {**definitions, str(n - 1): {"type": "null"}}, "$ref": "#/$defs/0"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"grammar": "root ::= ((("}, "the grammar: "),
        ({"grammar": ""}, "the grammar: No 'root' rule found"),
        ({"grammar": 'other ::= "a"'}, "the grammar: No 'root' rule found"),
        ({"grammar": "root ::= other"}, "the grammar: Rule 'other' not found"),
        ({"grammar": "root ::= " + "(" * 20_000}, "the grammar: it is nested too deeply"),
        ({"grammar": "root ::= " + " | ".join(f'"{n}"' for n in range(20_000))}, "characters: expected 65536 at most"),
        ({"json_schema": "{"}, "the JSON schema: "),
        ({"json_schema": {"type": "what"}}, "the JSON schema: Invalid type"),
        ({"json_schema": {"uniqueItems": True}}, "the JSON schema: Unimplemented keys"),
        ({"json_schema": {"pattern": "^(?!a)b"}}, "regex parse error: look-around"),
        ({"json_schema": {"enum": ["a" * (512 << 10)]}}, "characters: expected 524288 at most"),
        ({"json_schema": chain_of_references(1001)}, "references: expected 1000 at most"),
        ({"grammar": "root ::= [a]", "json_schema": {}}, "either a grammar or a JSON schema"),
    ],
)
def test_what_is_no_grammar(llm: LLM, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        llm.stream("the", 4, **given)


def test_schemas_of_many_tools_and_long_chains_of_references_compile(llm: LLM) -> None:
    parameters = {f"p{number}": {"type": "string", "description": "word " * 50} for number in range(8)}
    tools = [{"type": "object", "properties": {"name": {"const": f"t{n}"}, **parameters}} for n in range(128)]
    assert len(json.dumps(tools)) > 256 << 10
    llm.stream("the", 4, json_schema={"anyOf": tools})
    llm.stream("the", 4, json_schema=chain_of_references(990))


def test_what_a_lenient_schema_cannot_enforce_is_ignored_and_named(llm: LLM, caplog: pytest.LogCaptureFixture) -> None:
    schema = {"type": "array", "uniqueItems": True, "minItems": 3, "x-guidance": {"lenient": True}}
    schema["items"] = {"type": "string", "format": "uri-reference"}
    with caplog.at_level(logging.WARNING, "pyhexagon.llm"):
        made = llm.generate("the", 20, json_schema=schema, sampler=_LikesSpaces(llm))
    assert "uniqueItems" in caplog.text
    assert "uri-reference" in caplog.text
    assert made.text.count("\n") <= 2  # white space has a limit all the same


class _LikesSpaces:
    """A sampler that chooses white space as long as the grammar allows it."""

    def __init__(self, llm: LLM) -> None:
        names = {token: llm.tokenizer.token_bytes(token) for token in range(llm.tokenizer.n_tokens)}
        self._spaces = [token for token, name in names.items() if name and not name.strip(b" \n\t")]
        self._others = [token for token, name in names.items() if token not in self._spaces]

    def __call__(self, logits: Any) -> int:
        for tokens in (self._spaces, self._others):
            allowed = [token for token in tokens if logits[token] > -np.inf]
            if allowed:
                return allowed[0]
        raise AssertionError("nothing is allowed")


def test_white_space_in_json_is_bounded(llm: LLM) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
    made = llm.generate("the", 400, sampler=_LikesSpaces(llm), json_schema=schema | {"additionalProperties": False})
    assert json.loads(made.text) in ({"a": True}, {"a": False})
    assert max(map(len, re.findall(r"\s+", made.text))) <= 22


def test_streams_with_grammars_take_turns(llm: LLM) -> None:
    grammars = ('root ::= "in the"', 'root ::= "an the"')
    streams = [llm.stream("he", 20, 1.5, seed=1, grammar=one) for one in grammars]
    columns = [[part.text if part else "" for part in parts] for parts in zip_longest(*streams)]
    assert ["".join(column) for column in zip(*columns, strict=True)] == ["in the", "an the"]


@pytest.mark.parametrize("pattern", ["^(?=.*[0-9])x+$", "^(?!y)x+$", "(?<=y)x", "(?<!y)x", "^(x)\\1$", "(?<n>x)\\k<n>"])
def test_patterns_that_no_automaton_matches_are_ignored_in_lenient_schemas(llm: LLM, pattern: str) -> None:
    """The rest of the schema holds, and so does a constant that looks like a pattern."""
    own = {"type": "string", "pattern": pattern, "maxLength": 2}
    schema = {
        "type": "object", "properties": {"a": own, "b": {"const": {"pattern": pattern}}}, "required": ["a", "b"],
        "additionalProperties": False,
    }  # fmt: skip
    with pytest.raises(ArgumentError, match="regex parse error"):
        llm.generate("the", 1, json_schema={**schema, "properties": {"a": own}, "required": ["a"]})
    made = llm.generate("the", 200, 2.0, seed=1, json_schema={**schema, "x-guidance": {"lenient": True}})
    value = json.loads(made.text)
    assert value["b"] == {"pattern": pattern}
    assert len(value["a"]) <= 2
