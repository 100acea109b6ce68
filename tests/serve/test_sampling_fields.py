# SPDX-License-Identifier: MIT
"""Sampling parameters of requests: each field reaches the engine in each API, and the model's file has the defaults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llm import tiny
from llm.test_recommended import OURS, recommending

from pyhexagon import LLM
from pyhexagon.llm.engine.request import Request
from serve.serving import TEMPLATE, Serving, serving

FIELDS: dict[str, Any] = {
    "temperature": 0.7, "top_k": 11, "top_p": 0.9, "min_p": 0.02, "typical_p": 0.8, "top_n_sigma": 1.5,
    "xtc_probability": 0.4, "xtc_threshold": 0.15, "dry_multiplier": 0.8, "dry_base": 1.5, "dry_allowed_length": 3,
    "dry_penalty_last_n": 40, "dry_sequence_breakers": ["\n", "."], "repeat_penalty": 1.2, "repeat_last_n": 30,
    "frequency_penalty": 0.1, "presence_penalty": 0.2,
}  # fmt: skip
OLLAMA = {*FIELDS} - {name for name in FIELDS if name.startswith(("dry", "xtc", "top_n"))}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    def edit(writer: Any) -> None:
        recommending({"temp": 1.0, "top_k": 64, "top_p": 0.9})(writer)
        writer.add_chat_template(TEMPLATE)

    path = tiny.write(tmp_path_factory.mktemp("models") / "tiny.gguf", "llama", edit=edit)
    with LLM(path, 256, n_sequences=4, device="loopback") as llm, serving(llm) as one:
        yield one


@pytest.fixture
def prepared(here: Serving, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Return the engine's requests, as they come."""
    backend, found = here.loaded.backend, list[Request]()
    prepare = backend.prepare

    def noted(request: Request) -> None:
        found.append(request)
        prepare(request)

    monkeypatch.setattr(backend, "prepare", noted)
    return found


MESSAGES = {"messages": [{"role": "user", "content": "hi"}]}
ROUTES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {**MESSAGES, "max_tokens": 1},
    "/v1/completions": {"prompt": "hi", "max_tokens": 1},
    "/v1/responses": {"input": "hi", "max_output_tokens": 1},
    "/v1/messages": {**MESSAGES, "max_tokens": 1},
}


@pytest.mark.parametrize("route", ROUTES)
def test_every_field_reaches_the_engine(here: Serving, prepared: list[Request], route: str) -> None:
    assert here.http().post(route, json={**ROUTES[route], **FIELDS}).status_code == 200
    (request,) = prepared
    assert {name: request.sampling[name] for name in FIELDS} == FIELDS


def test_ollama_s_options_reach_the_engine(here: Serving, prepared: list[Request]) -> None:
    options = {name: FIELDS[name] for name in OLLAMA} | {"num_predict": 1}
    assert here.http().post("/api/chat", json={**MESSAGES, "options": options, "stream": False}).status_code == 200
    assert {name: prepared[0].sampling[name] for name in OLLAMA} == {name: FIELDS[name] for name in OLLAMA}


@pytest.mark.parametrize("route", ROUTES)
def test_fields_that_are_missing_or_null_are_the_file_s(here: Serving, prepared: list[Request], route: str) -> None:
    assert here.http().post(route, json={**ROUTES[route], "temperature": None}).status_code == 200
    assert not FIELDS.keys() & prepared[0].sampling.keys()


def test_props_and_responses_say_what_is_used(here: Serving) -> None:
    params = here.http().get("/props").json()["default_generation_settings"]["params"]
    assert (params["temperature"], params["top_k"], params["top_p"], params["min_p"]) == (1.0, 64, 0.9, 0.05)
    assert params.keys() >= OURS.keys()
    answer = here.http().post("/v1/responses", json={"input": "hi", "max_output_tokens": 1}).json()
    assert (answer["temperature"], answer["top_p"]) == (1.0, 0.9)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("typical_p", 1.5, "a number from 0 to 1"), ("xtc_probability", -1, "a number from 0 to 1"),
        ("xtc_threshold", "x", "a number from 0 to 1"), ("top_n_sigma", 1e9, "a number from -1000 to 1000"),
        ("dry_multiplier", -1, "a number from 0 to 1000"), ("dry_base", 0.5, "a number from 1 to 1000"),
        ("dry_allowed_length", -1, "a whole number from 0"), ("dry_penalty_last_n", -2, "a whole number from -1"),
        ("dry_sequence_breakers", ["a"] * 65, "at most 64 texts"), ("repeat_last_n", -2, "a whole number from -1"),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_named(here: Serving, field: str, value: object, expected: str) -> None:
    answer = here.http().post("/v1/chat/completions", json={**MESSAGES, field: value})
    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (400, field)
    assert error["message"].startswith(f"{field} is ")
    assert f": expected {expected}" in error["message"]
