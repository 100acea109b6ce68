# SPDX-License-Identifier: MIT
"""The same wish in other forms: constraints in every API, choices of tools, results that are no text, documents."""

from __future__ import annotations

import json
import logging
from math import inf
from typing import Any

import pytest

from pyhexagon import LLM
from pyhexagon.serve.apis import ollama
from pyhexagon.serve.apis.anthropic import MessageRequest
from pyhexagon.serve.apis.ollama_schema import OllamaChatRequest
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.schema import parse, validated
from serve import test_clients_requests
from serve.serving import serving
from serve.test_clients_requests import CUSTOM, FUNCTION, LENIENT, SCHEMA, TALK, chat, message, prompt_of, response

context = test_clients_requests.context  # a fixture
NESTED: dict[str, Any] = {"type": "function", "function": {"name": "read", "parameters": SCHEMA}}
OTHER: dict[str, Any] = {"type": "function", "function": {"name": "write"}}
HOSTED = {"type": "web_search_20250305", "name": "web_search"}
OWN = {"name": "read", "input_schema": SCHEMA}
FORCED = [{"const": "read"}]

PATTERN = {"type": "string", "pattern": "^(?!\u00fc)[a-z]{1,2}$"}
UNENFORCED = {"type": "array", "items": PATTERN, "uniqueItems": True, "maxItems": 1}


def from_responses(context: RequestContext, **body: Any) -> ParsedRequest:
    return response(context, store=False, **body)[0]


def from_ollama(context: RequestContext, **body: Any) -> ParsedRequest:
    return ollama.chat(validated(OllamaChatRequest, {"messages": TALK} | body), context)[0]


APIS = {"chat": chat, "responses": from_responses, "messages": message, "ollama": from_ollama}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("body", "constraint"),
    [
        ({"grammar": 'root ::= "a"'}, {"grammar": 'root ::= "a"'}),
        ({"ebnf": 'root ::= "a"'}, {"grammar": 'root ::= "a"'}),
        ({"regex": "[0-9]+"}, {"grammar": "start: /[0-9]+/"}), ({"guided_choice": ["a"]}, {"grammar": 'start: "a"'}),
        ({"guided_json": SCHEMA}, {"json_schema": SCHEMA | LENIENT}),
        ({"json_schema": SCHEMA}, {"json_schema": SCHEMA | LENIENT}),
        ({"format": SCHEMA}, {"json_schema": SCHEMA | LENIENT}),
        ({"format": "json"}, {"json_schema": {"type": "object"}}),
        ({"structured_outputs": {"regex": "a"}}, {"grammar": "start: /a/"}),
        ({"response_format": {"type": "json_object"}}, {"json_schema": {"type": "object"}}),
    ],
)  # fmt: skip
def test_every_api_serves_what_constrains_a_completion(
    context: RequestContext, api: str, body: dict[str, Any], constraint: dict[str, Any]
) -> None:
    sampling = APIS[api](context, **body).sampling
    assert {name: sampling[name] for name in ("grammar", "json_schema") if name in sampling} == constraint
    with pytest.raises(ServeError, match="both a"):
        APIS[api](context, **body | {"guided_regex": "b"})


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
def test_every_api_goes_on_behind_an_end(context: RequestContext, api: str) -> None:
    ends = context.prompts.model.tokenizer.ends
    assert APIS[api](context, ignore_eos=True).sampling["logit_bias"] == dict.fromkeys(ends, -inf)
    assert "logit_bias" not in APIS[api](context).sampling


def test_anthropic_s_older_field_and_its_newer_one(context: RequestContext) -> None:
    form = {"type": "json_schema", "schema": SCHEMA}
    for body in ({"output_format": form}, {"output_config": {"format": form}, "output_format": None}):
        assert message(context, **body).sampling["json_schema"] == SCHEMA | LENIENT
    assert message(context, output_config={"effort": "low"}, guided_regex="a").sampling["grammar"] == "start: /a/"


@pytest.mark.parametrize(
    "choice",
    [
        "required", "any", {"type": "function", "name": "read"}, {"function": {"name": "read"}}, {"name": "read"},
        {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [NESTED]}},
        {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "read"}]},
    ],
)  # fmt: skip
def test_a_choice_of_a_tool_has_many_forms(context: RequestContext, choice: Any) -> None:
    tools = [NESTED] if choice in ("required", "any") else [NESTED, OTHER]
    parsed = chat(context, tools=tools, tool_choice=choice)
    assert [call["properties"]["name"] for call in parsed.sampling["json_schema"]["anyOf"]] == FORCED
    flat = [{"type": "function", **tool["function"]} for tool in tools]
    for own in (tools, flat):  # the Responses API has the flat form, chat completions the nested one
        parsed = from_responses(context, tools=own, tool_choice=choice)
        assert [call["properties"]["name"] for call in parsed.sampling["json_schema"]["anyOf"]] == FORCED
        assert list(chat(context, tools=own).tools) == [tool["name"] for tool in flat]


def test_allowed_tools_are_those_that_may_be_called(context: RequestContext) -> None:
    choice = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [NESTED]}}
    parsed = chat(context, tools=[OTHER, NESTED], tool_choice=choice)
    assert (list(parsed.tools), parsed.is_forced) == (["read"], False)
    assert prompt_of(parsed, context).startswith("[write][read]")  # so that the prompt stays in the cache


def test_a_choice_of_a_tool_that_was_left_out_is_auto(
    context: RequestContext, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = {"type": "tool", "name": "web_search"}
    with caplog.at_level(logging.WARNING, "pyhexagon.serve"):
        parsed = message(context, tools=[HOSTED, OWN], tool_choice=chosen)
        assert (list(parsed.tools), parsed.is_forced) == (["read"], False)
        assert "web_search_20250305" in caplog.text
        assert "tool_choice is" in caplog.text
    assert not message(context, tools=[HOSTED], tool_choice={"type": "any"}).tools
    for hosted in ({"type": "web_search"}, {"type": "mcp", "server_label": "a"}):
        parsed = from_responses(context, tools=[FUNCTION, hosted], tool_choice=hosted)
        assert (list(parsed.tools), parsed.is_forced) == (["shell"], False)
    for choice in ({"type": "any"}, {"type": "tool", "name": "other"}):
        with pytest.raises(ServeError, match="tool_choice: expected"):
            message(context, tools=[OWN] if choice["type"] == "tool" else [], tool_choice=choice)
    custom = {"type": "custom", "name": "apply_patch"}
    assert from_responses(context, tools=[FUNCTION, CUSTOM], tool_choice=custom).is_forced


@pytest.mark.parametrize(
    "choice", [{}, {"type": "function"}, {"type": 1}, {"type": "allowed_tools"}, {"name": 5}, {"function": "read"}, 5]
)
def test_a_choice_of_no_form_is_refused(context: RequestContext, choice: Any) -> None:
    with pytest.raises(ServeError, match="tool_choice is"):
        chat(context, tools=[NESTED], tool_choice=choice)


def test_whole_numbers_have_a_point_in_options_too() -> None:
    """As JSON libraries without a type for whole numbers write them."""
    options = {"num_predict": 3.0, "num_ctx": 256.0, "top_k": 40.0, "seed": -1.0, "temperature": 1.0}
    made = parse(OllamaChatRequest, json.dumps({"options": options, "top_logprobs": 2.0}).encode())
    assert made.options is not None
    assert (made.options.num_predict, made.num_ctx, made.options.top_k, made.options.seed) == (3, 256, 40, -1)
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024.0}}
    asked = parse(MessageRequest, json.dumps({"messages": TALK, "max_tokens": 9.0} | thinking).encode())
    assert (asked.max_tokens, asked.thinking and asked.thinking.budget_tokens) == (9, 1024)
    with pytest.raises(ServeError, match=r"options\.top_k is 1\.5"):
        parse(OllamaChatRequest, b'{"options": {"top_k": 1.5}}')


@pytest.mark.parametrize("result", [{"a": 1}, [{"a": 1}], ["a", 2], 5, True, [1.5]])
def test_a_result_that_is_no_text_is_json(context: RequestContext, result: Any) -> None:
    parsed = chat(context, messages=[*TALK, {"role": "tool", "tool_call_id": "c", "content": result}])
    assert prompt_of(parsed, context) == f"<user>hi<tool>{json.dumps(result)}"
    if isinstance(result, dict):
        use = {"type": "tool_use", "id": "c", "name": "read", "input": {}}
        told = {"type": "tool_result", "tool_use_id": "c", "content": result}
        talk = [*TALK, {"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
        assert prompt_of(message(context, messages=talk), context).endswith('<tool>{"a": 1}')
        items = [*TALK, {"type": "function_call_output", "call_id": "c", "output": result}]
        assert prompt_of(from_responses(context, input=items), context).endswith('<tool>{"a": 1}')


def test_items_lack_what_they_need_not_have(context: RequestContext) -> None:
    items = [
        *TALK, {"type": "message", "role": "assistant", "content": None},
        {"type": "function_call", "id": "fc", "name": "shell", "arguments": {"a": 1}},
        {"type": "function_call_output", "call_id": "fc", "output": None},
    ]  # fmt: skip
    parsed = from_responses(context, input=items, max_output_tokens=-1)
    assert prompt_of(parsed, context) == "<user>hi<assistant>(shell{'a': 1})<tool>"
    assert parsed.max_tokens is None


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"source": {"type": "text", "media_type": "text/plain", "data": "words"}}, "words\n"),
        ({"title": "T", "source": {"type": "content", "content": [{"type": "text", "text": "words"}]}}, "T\nwords\n"),
        ({"source": {"type": "content", "content": "words"}}, "words\n"),
        ({"type": "search_result", "title": "T", "source": "https://a", "content": [{"type": "text", "text": "words"}]},
         "T\nwords\n"),
        ({"source": {"type": "base64", "media_type": "application/pdf", "data": "AA=="}}, "[document]"),
        ({"source": {"type": "url", "url": "https://a"}}, "[document]"), ({"source": None}, "[document]"),
        ({"source": {"type": "content", "content": [{"type": "image"}, 5]}}, "[document]"),
    ],
)  # fmt: skip
def test_documents_of_text_are_read(context: RequestContext, part: dict[str, Any], text: str) -> None:
    content = [{"type": "document"} | part, {"type": "text", "text": "sum up"}]
    parsed = message(context, messages=[{"role": "user", "content": content}])
    assert prompt_of(parsed, context) == f"<user>{text}sum up"


def test_a_header_names_what_of_a_schema_is_ignored(llm: LLM) -> None:
    schema = {"type": "object", "properties": {"a": UNENFORCED}, "required": ["a"], "additionalProperties": False}
    tool = {"type": "function", "function": {"name": "read", "parameters": schema}}
    form: dict[str, Any] = {"type": "json_schema", "json_schema": {"schema": schema}}
    body: dict[str, Any] = {"messages": TALK, "max_tokens": 3}
    with serving(llm) as here:
        http = here.http()
        for more in ({"response_format": form}, {"tools": [tool], "tool_choice": "required"}):
            for stream in (False, True):
                answer = http.post("/v1/chat/completions", json=body | more | {"stream": stream})
                assert answer.status_code == 200
                first, second = answer.headers["warning"].split(", 299 ")
                assert first.startswith('299 pyhexagon "the pattern ')
                assert "looks around" in first
                assert "uniqueItems" in second
        form["json_schema"]["strict"] = True
        assert http.post("/v1/chat/completions", json=body | {"response_format": form}).status_code == 400
        assert "warning" not in http.post("/v1/chat/completions", json=body).headers
