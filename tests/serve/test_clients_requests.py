# SPDX-License-Identifier: MIT
"""Requests as agents and other servers' clients send them: what the server cannot do is left out or named, and what
constrains a completion is never ignored."""

from __future__ import annotations

import json
import logging
from math import inf
from pathlib import Path
from typing import Any

import gguf
import pytest
from llm import tiny

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.host_model import ModelWords
from pyhexagon.serve.apis import anthropic, requests, responses
from pyhexagon.serve.apis.openai_schema import ChatRequest, CompletionRequest
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.apis.shape import Usage
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.schema import parse, validated
from pyhexagon.serve.models.pooled_model import Prompts

TEMPLATE = (
    "{% for tool in tools or [] %}[{{ tool.function.name }}]{% endfor %}"
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}"
    "{% for c in m.tool_calls or [] %}({{ c.function.name }}{{ c.function.arguments }}){% endfor %}{% endfor %}"
)
TALK: list[Any] = [{"role": "user", "content": "hi"}]
FUNCTION = {"type": "function", "name": "shell", "parameters": {"type": "object"}}
CUSTOM = {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}}
LENIENT = {"x-guidance": {"lenient": True}}


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> RequestContext:
    def with_template(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(TEMPLATE)

    path: Path = tiny.write(tmp_path_factory.mktemp("model") / "m.gguf", "llama", edit=with_template)
    return RequestContext(Prompts(ModelWords(path, 4096)), "m", "")


def chat(context: RequestContext, **body: Any) -> ParsedRequest:
    return requests.chat(parse(ChatRequest, json.dumps({"messages": TALK} | body).encode()), context.prompts)


def response(context: RequestContext, **body: Any) -> tuple[ParsedRequest, Any]:
    return responses.generation(validated(responses.ResponseRequest, {"input": "hi"} | body), context, ResponseStore())


def message(context: RequestContext, **body: Any) -> ParsedRequest:
    body = {"messages": TALK, "max_tokens": 9} | body
    return anthropic.generation(validated(anthropic.MessageRequest, body), context)[0]


def prompt_of(parsed: ParsedRequest, context: RequestContext) -> str:
    return context.prompts.model.tokenizer.decode(parsed.prompts[0]).strip()


def test_tools_of_other_servers_are_left_out_and_named_in_the_log(
    context: RequestContext, caplog: pytest.LogCaptureFixture
) -> None:
    hosted = [{"type": kind} for kind in ("web_search", "image_generation", "local_shell", "mcp", "code_interpreter")]
    namespace = {"type": "namespace", "name": "mcp__x", "tools": [FUNCTION | {"name": "inner"}]}
    with caplog.at_level(logging.WARNING, "pyhexagon.serve"):
        parsed, _ = response(context, tools=[FUNCTION, *hosted, namespace, CUSTOM], truncation="auto")
    assert prompt_of(parsed, context).startswith("[shell][inner][apply_patch]<user>hi")
    assert all(tool["type"] in caplog.text for tool in hosted)
    tool = {"type": "web_search_20250305", "name": "web_search"}
    own = {"name": "read", "input_schema": {"type": "object"}}
    assert prompt_of(message(context, tools=[tool, own]), context).startswith("[read]<user>")
    assert prompt_of(chat(context, tools=[{"type": "browser"}]), context) == "<user>hi"
    assert prompt_of(response(context, tools=hosted)[0], context) == "<user>hi"


def test_a_custom_tool_takes_and_gives_a_text(context: RequestContext) -> None:
    call = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** x"}
    result = {"type": "custom_tool_call_output", "call_id": "c", "output": "done"}
    parsed, shape = response(context, tools=[FUNCTION, CUSTOM], input=[*TALK, call, result], store=False)
    assert "(apply_patch{'input': '*** x'})<tool>done" in prompt_of(parsed, context)
    text = json.dumps({"name": "apply_patch", "arguments": {"input": "*** y"}})
    chunk = GenerationChunk(f"<tool_call>{text}</tool_call>", 5, -1.0, "stop")
    (item,) = shape.whole([[chunk]], Usage(1, 1))["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", "*** y")
    _, shape = response(context, tools=[FUNCTION, CUSTOM], store=False)
    events = shape.step(0, [chunk]).decode()
    assert "event: response.custom_tool_call_input.done" in events
    assert "function_call_arguments" not in events


def test_calls_name_the_namespace_of_their_tool(context: RequestContext) -> None:
    """Codex knows the tools of its MCP servers and of its sub-agents by namespace and name."""
    search = {"type": "function", "name": "search"}
    tools = [
        FUNCTION, {"type": "namespace", "name": "agents", "tools": [{"type": "function", "name": "spawn"}, CUSTOM]},
        {"type": "namespace", "name": "mcp__a", "tools": [search, {"type": "image"}, 5]},
        {"type": "namespace", "name": "mcp__b", "tools": [search]},
    ]  # fmt: skip
    earlier = [
        {"type": "function_call", "call_id": "c", "name": "search", "namespace": "mcp__b", "arguments": "{}"},
        {"type": "function_call", "call_id": "d", "name": "gone", "namespace": "mcp__c", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "e", "name": "apply_patch", "namespace": "agents", "input": "x"},
    ]
    parsed, shape = response(context, tools=tools, input=[*TALK, *earlier], store=False)
    names = ["shell", "spawn", "apply_patch", "mcp__a__search", "mcp__b__search"]
    assert list(parsed.tools) == names
    text = "(mcp__b__search{})(gone{})(apply_patch{'input': 'x'})"
    assert prompt_of(parsed, context) == "".join(f"[{name}]" for name in names) + f"<user>hi<assistant>{text}"
    calls = "".join(f'<tool_call>{{"name": "{name}", "arguments": {{"input": "y"}}}}</tool_call>' for name in names)
    chunk = GenerationChunk(calls, 5, -1.0, "stop")
    made = shape.whole([[chunk]], Usage(1, 1))["output"]
    assert [(item["type"], item["name"], item.get("namespace")) for item in made] == [
        ("function_call", "shell", None), ("function_call", "spawn", "agents"),
        ("custom_tool_call", "apply_patch", "agents"), ("function_call", "search", "mcp__a"),
        ("function_call", "search", "mcp__b"),
    ]  # fmt: skip
    _, shape = response(context, tools=tools, store=False)
    lines = shape.step(0, [chunk]).decode().splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    for kind in ("added", "done"):
        items = [event["item"] for event in events if event["type"] == f"response.output_item.{kind}"]
        assert [item.get("namespace") for item in items] == [None, "agents", "agents", "mcp__a", "mcp__b"]


def test_items_and_parts_that_the_model_cannot_read_are_left_out_or_named(context: RequestContext) -> None:
    items = [
        {"type": "item_reference", "id": "m"}, {"type": "web_search_call", "status": "completed"},
        {"role": "user", "content": [{"type": "input_text", "text": "see "}, {"type": "input_image", "image_url": ""}]},
    ]  # fmt: skip
    assert prompt_of(response(context, input=items)[0], context) == "<user>see [image]"
    image = {"type": "image", "source": {"type": "base64", "data": ""}}
    blocks = [{"type": "text", "text": "see "}, image, {"type": "document", "source": {}}]
    talk = [{"role": "user", "content": blocks}, {"role": "system", "content": "b"}]
    told = message(context, system="a", messages=talk)
    assert "see [image][document]" in prompt_of(told, context)
    parts = [*TALK, {"role": "system", "content": [{"type": "text", "text": "b"}]}]  # Claude Code's first request
    assert prompt_of(message(context, messages=parts), context) == "<user>hi<system>b"
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    talk = [*TALK, {"role": "assistant", "content": [search, {"type": "text", "text": "yes"}]}, *TALK]
    assert "<assistant>[server_tool_use]yes<user>hi" in prompt_of(message(context, messages=talk), context)
    for content, expected in (
        ([{"type": "input_text", "text": "hi"}], "hi"), ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"type": "image_url", "image_url": {"url": "data:,"}}], "[image]"),
        ([{"type": "input_audio", "input_audio": {}}], "[audio]"),
    ):  # fmt: skip
        assert prompt_of(chat(context, messages=[{"role": "user", "content": content}]), context) == f"<user>{expected}"
    result = [*TALK, {"role": "tool", "tool_call_id": "c", "content": {"a": 1}}]
    assert '<tool>{"a": 1}' in prompt_of(chat(context, messages=result), context)


@pytest.mark.parametrize("content", [[{"text": "hi"}], [{"type": "text"}], [{"type": 1, "text": "a"}], [1], 5])
def test_a_part_says_what_it_is(context: RequestContext, content: Any) -> None:
    with pytest.raises(ServeError, match=r"messages\.0") as error:
        chat(context, messages=[{"role": "user", "content": content}])
    assert error.value.status == 400


def test_values_as_other_servers_take_them(context: RequestContext) -> None:
    for body, limit in (
        ({"max_tokens": -1}, None), ({"max_tokens": 0}, None), ({"max_tokens": 2.0}, 2), ({"n_predict": -1}, None),
        ({"max_completion_tokens": -1, "max_tokens": 3}, None), ({"max_completion_tokens": 5, "max_tokens": 3}, 5),
        ({"n_predict": 4}, 4), ({}, None),
    ):  # fmt: skip
        assert chat(context, **body).max_tokens == limit
    text = requests.completion(validated(CompletionRequest, {"prompt": "a", "max_tokens": -1}), context.prompts)
    assert text.max_tokens is None
    parsed = chat(
        context, temperature=-1, top_k=-1, stop=["", "x"], repetition_penalty=1.5, n=1.0, seed=1.0, logprobs=3,
        logit_bias=[[5, -100], [6, False]],
    )  # fmt: skip
    sampling = parsed.sampling
    assert (sampling["temperature"], sampling["top_k"], sampling["stop"]) == (0, 0, ["x"])
    assert (sampling["repeat_penalty"], parsed.n, parsed.seed, parsed.top_logprobs) == (1.5, 1, 1, 3)
    assert sampling["logit_bias"] == {5: -100, 6: -inf}
    assert chat(context, stop="").sampling["stop"] == []
    assert len(chat(context, stop=[f"x{number}" for number in range(17)]).sampling["stop"]) == 17


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("body", "constraint"),
    [
        ({"json_schema": SCHEMA}, {"json_schema": SCHEMA | LENIENT}),
        ({"format": SCHEMA}, {"json_schema": SCHEMA | LENIENT}),
        ({"format": "json"}, {"json_schema": {"type": "object"}}),
        ({"guided_json": SCHEMA}, {"json_schema": SCHEMA | LENIENT}),
        ({"guided_json": json.dumps(SCHEMA)}, {"json_schema": SCHEMA | LENIENT}),
        ({"guided_choice": ["yes", 'n"o']}, {"grammar": 'start: "yes" | "n\\"o"'}),
        ({"guided_regex": "a/b"}, {"grammar": "start: /a\\/b/"}),
        ({"guided_grammar": 'root ::= "a"'}, {"grammar": 'root ::= "a"'}),
        ({"structured_outputs": {"json": SCHEMA}}, {"json_schema": SCHEMA | LENIENT}),
        ({"structured_outputs": {"choice": ["a"]}}, {"grammar": 'start: "a"'}),
        ({"structured_outputs": {"regex": "[0-9]+"}}, {"grammar": "start: /[0-9]+/"}),
        ({"response_format": {"type": "json_schema", "schema": SCHEMA}}, {"json_schema": SCHEMA | LENIENT}),
        ({"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA, "strict": True}}},
         {"json_schema": SCHEMA}),
        ({"response_format": {"type": "json_object"}}, {"json_schema": {"type": "object"}}),
    ],
)  # fmt: skip
def test_what_constrains_a_completion_has_many_names(
    context: RequestContext, body: dict[str, Any], constraint: dict[str, Any]
) -> None:
    sampling = chat(context, **body).sampling
    assert {name: sampling[name] for name in ("grammar", "json_schema") if name in sampling} == constraint
    with pytest.raises(ServeError, match="both a"):
        chat(context, **body | {"guided_choice": ["a"], "json_schema": SCHEMA})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"guided_json": "{"}, "a JSON schema"), ({"guided_choice": []}, "guided_choice"),
        ({"structured_outputs": {"structural_tag": "x"}}, "does not support"), ({"format": "xml"}, "format"),
        ({"guided_regex": 5}, "guided_regex"),
    ],
)  # fmt: skip
def test_a_constraint_that_cannot_be_served_is_refused(
    context: RequestContext, body: dict[str, Any], words: str
) -> None:
    with pytest.raises(ServeError, match=words):
        chat(context, **body)


def test_a_prompt_that_is_too_long_names_the_flag(context: RequestContext) -> None:
    with pytest.raises(ServeError, match=r"the model's context has 4096.*serve -c N") as error:
        chat(context, messages=[{"role": "user", "content": "a b c " * 3000}])
    assert error.value.code == "context_length_exceeded"
    assert "the model was trained for 512" in error.value.message
