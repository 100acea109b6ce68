# SPDX-License-Identifier: MIT
"""The OpenAPI document has all routes and all fields, and real answers fit its schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from llm import tiny

from pyhexagon import LLM, Device
from pyhexagon.serve.apis import service
from pyhexagon.serve.apis.openapi import Operation
from pyhexagon.serve.http.schema import Schema, parse
from serve.serving import Serving, serving

TALK: list[Any] = [{"role": "user", "content": "the"}]
FEW = {"max_tokens": 2}
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/v1/completions"): {"prompt": "the", **FEW},
    ("POST", "/v1/chat/completions"): {"messages": TALK, **FEW},
    ("POST", "/chat/completions"): {"messages": TALK, **FEW},
    ("POST", "/v1/chat/completions/input_tokens"): {"messages": TALK},
    ("POST", "/completion"): {"prompt": "the", "n_predict": 2},
    ("POST", "/completions"): {"prompt": ["the", "a"], "n_predict": 2},
    ("POST", "/models/load"): {"model": "tiny"},
    ("POST", "/models/unload"): {"model": "tiny"},
    ("POST", "/tokenize"): {"content": "the"},
    ("POST", "/detokenize"): {"tokens": [270]},
    ("POST", "/apply-template"): {"messages": TALK},
    ("POST", "/infill"): {"input_prefix": "the", "n_predict": 2},
    ("POST", "/v1/responses"): {"input": "the", "max_output_tokens": 2},
    ("POST", "/v1/responses/input_tokens"): {"input": "the"},
    ("POST", "/v1/messages"): {"messages": TALK, **FEW},
    ("POST", "/v1/messages/count_tokens"): {"messages": TALK},
    ("POST", "/api/chat"): {"model": "tiny", "messages": TALK, "stream": False, "options": {"num_predict": 2}},
    ("POST", "/api/generate"): {"prompt": "the", "stream": False, "options": {"num_predict": 2}},
    ("POST", "/api/show"): {"model": "tiny"},
    ("POST", "/api/pull"): {"model": "tiny"},
    ("POST", "/markdown"): {"text": "*a*"},
    ("POST", "/v1/embeddings"): {"input": "the"},
    ("POST", "/embedding"): {"content": "the"},
    ("POST", "/embeddings"): {"input": ["the", "a"]},
    ("POST", "/api/embed"): {"input": ["the"]},
    ("POST", "/api/embeddings"): {"prompt": "the"},
    ("POST", "/v1/rerank"): {"query": "the", "documents": ["a", "b"]},
    ("POST", "/rerank"): {"query": "the", "documents": ["a", "b"]},
    ("POST", "/v1/reranking"): {"query": "the", "documents": ["a", "b"]},
    ("POST", "/reranking"): {"query": "the", "documents": ["a", "b"]},
}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    llm.tokenizer.fill_in |= {"fim_pre": 290, "fim_suf": 291, "fim_mid": 292}
    with serving(llm) as one:
        yield one


@pytest.fixture(scope="module")
def document(here: Serving) -> dict[str, Any]:
    found: dict[str, Any] = here.http().get("/openapi.json").json()
    return found


def schema_of(document: dict[str, Any], method: str, path: str, status: int) -> dict[str, Any]:
    answers = document["paths"][path][method.lower()]["responses"]
    found: dict[str, Any] = answers["200" if status < 400 else "default"]["content"]["application/json"]["schema"]
    return found | {"components": document["components"]}  # to which it refers


@pytest.fixture(scope="module")
def operations(here: Serving) -> dict[tuple[str, str], Operation]:
    app: Any = here.server.app
    return {(route.method, route.path.replace(":path", "")): route for route in app._app.routes}


def test_every_route_is_described(operations: dict[tuple[str, str], Operation], document: dict[str, Any]) -> None:
    assert set(operations) == {(m.upper(), path) for path, methods in document["paths"].items() for m in methods}
    forms = {("POST", f"/v1/audio/{name}") for name in ("transcriptions", "translations")}  # test_transcriptions.py
    assert {key for key, one in operations.items() if one.request is not None} == set(BODIES) | forms
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_real_answers_fit_their_schemas(
    here: Serving,
    document: dict[str, Any],
    operations: dict[tuple[str, str], Operation],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def check(http: Any, method: str, path: str, at: str = "") -> Any:
        answer = http.request(method, at or path, json=BODIES.get((method, path)))
        assert answer.status_code == 200, (path, answer.text)
        if operations[method, path].response is not None:
            Draft202012Validator(schema_of(document, method, path, 200)).validate(answer.json())
            return answer.json()
        return None

    http = here.http()
    embeds = {path for _, path in operations if path.endswith(("embeddings", "embed", "embedding"))}
    ranks = {path for _, path in operations if path.endswith(("rerank", "reranking"))}
    forms = {path for (_, path), one in operations.items() if one.body != "application/json"}
    apart = {"/v1/responses", "/models/unload"}  # one model stays loaded: tests/serve/test_models.py
    kept = check(http, "POST", "/v1/responses")["id"]
    for method, path in sorted(operations, key=lambda one: one[0] != "GET"):
        if path not in embeds | ranks | forms and (method, path) not in {("POST", one) for one in apart}:
            check(http, method, path, path.replace("{name}", "tiny" if "models" in path else kept))
    folder = tmp_path_factory.mktemp("model")
    few: list[tuple[set[str], dict[str, Any]]] = [(embeds, {}), (ranks, {"pooling": None, "labels": 1})]
    for paths, more in few:
        file = tiny.write_encoder(folder / "m.gguf", "bert", **more)
        with Device("loopback") as device, LLM(file, device=device) as llm, serving(llm) as there:
            for path in paths:
                check(there.http(), "POST", path)


def test_bodies_are_parsed_by_the_schema_of_the_document(
    here: Serving, operations: dict[tuple[str, str], Operation], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[type[Schema]] = []

    def noted(schema: type[Schema], content: bytes) -> Schema:
        parsed.append(schema)
        return parse(schema, content)

    monkeypatch.setattr(service, "parse", noted)
    for (method, path), body in BODIES.items():
        here.http().request(method, path, json=body)
        assert parsed == [operations[method, path].request], path
        parsed.clear()


SLOW = {"max_tokens", "max_completion_tokens", "max_output_tokens", "n_predict", "options", "n", "best_of"}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 70) | st.floats(-2, 2) | st.text("the a\ud800", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "type"]), inner),
    max_leaves=4,
)


@given(st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_values_of_the_fields_get_an_answer_of_the_schema(
    here: Serving,
    document: dict[str, Any],
    operations: dict[tuple[str, str], Operation],
    data: st.DataObject,
) -> None:
    method, path = data.draw(st.sampled_from(sorted(BODIES)))
    operation = operations[method, path]
    assert operation.request is not None
    body = dict(BODIES[method, path])
    names = sorted(set(operation.request.__struct_fields__) - SLOW)
    for name in data.draw(st.lists(st.sampled_from(names), max_size=3)):
        body[name] = data.draw(VALUES)
    content = json.dumps(body).encode()
    answer = here.http().request(method, path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code < 500, answer.text
    if answer.headers["content-type"].startswith("application/json"):
        Draft202012Validator(schema_of(document, method, path, answer.status_code)).validate(answer.json())
    else:
        assert answer.headers["content-type"].startswith(operation.stream)
