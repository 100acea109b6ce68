# SPDX-License-Identifier: MIT
"""OpenAI's Responses API, with its client: the same answers as those of chat completions, and remembered responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from pyhexagon import LLM
from pyhexagon.llm import GenerationChunk
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.response_shape import ResponseShape
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.apis.response_tools import tools_of
from pyhexagon.serve.apis.shape import Usage
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.models.pooled_model import Prompts
from serve.serving import NAME, Serving, serving

TALK: list[Any] = [{"role": "user", "content": "the"}]
NUMBER = {"type": "integer", "minimum": 10, "maximum": 99}
SCHEMA = {"type": "object", "additionalProperties": False, "required": ["a"], "properties": {"a": NUMBER}}
TOOLS: list[Any] = [{"type": "function", "name": name, "parameters": SCHEMA} for name in ("weather", "time")]
COLD: dict[str, Any] = {"model": NAME, "max_output_tokens": 12, "temperature": 0}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


def wanted(llm: LLM, messages: list[Any]) -> str:
    return "".join(part.text for part in llm.chat(messages, 12, 0))


def test_a_response_and_its_stream(llm: LLM, here: Serving) -> None:
    text = wanted(llm, [{"role": "system", "content": "thin"}, *TALK])
    client = here.client()
    made = client.responses.create(**COLD, input="the", instructions="thin")
    assert (made.output_text, made.status, made.usage.output_tokens if made.usage else 0) == (text, "incomplete", 12)
    assert made.incomplete_details
    assert made.incomplete_details.reason == "max_output_tokens"
    events: list[Any] = list(client.responses.create(**COLD, input="the", instructions="thin", stream=True))
    assert events[-1].response.output_text == text
    assert "".join(one.delta for one in events if one.type == "response.output_text.delta") == text
    assert [one.sequence_number for one in events] == list(range(len(events)))
    names = [one.type for one in events if not one.type.endswith(".delta")]
    assert names == [f"response.{name}" for name in (
        "created", "in_progress", "output_item.added", "content_part.added", "output_text.done", "content_part.done",
        "output_item.done", "incomplete",
    )]  # fmt: skip


def test_a_response_is_continued_and_forgotten(llm: LLM, here: Serving) -> None:
    client = here.client()
    parts: Any = [{"role": "user", "content": [{"type": "input_text", "text": "the"}]}]
    first = client.responses.create(**COLD, input=parts)
    second = client.responses.create(**COLD, input="in", previous_response_id=first.id)
    talk = [*TALK, {"role": "assistant", "content": first.output_text}, {"role": "user", "content": "in"}]
    assert second.output_text == wanted(llm, talk)
    assert client.responses.retrieve(first.id).output_text == first.output_text
    client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.create(**COLD, input="in", previous_response_id=first.id)
    unstored = client.responses.create(**COLD, input="the", store=False)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(unstored.id)


def test_functions_are_called_and_answered(llm: LLM, here: Serving) -> None:
    client = here.client()
    given: dict[str, Any] = {"model": NAME, "tools": TOOLS, "max_output_tokens": 150}
    forced: Any = {"type": "function", "name": "time"}
    made = client.responses.create(**given, input="the", tool_choice=forced)
    (call,) = made.output
    assert call.type == "function_call"
    assert (made.status, call.name, call.status) == ("completed", "time", "completed")
    assert 10 <= json.loads(call.arguments)["a"] <= 99
    with client.responses.stream(**given, input="the", tool_choice=forced) as stream:
        (again,) = stream.get_final_response().output
    assert again.type == "function_call"
    assert 10 <= json.loads(again.arguments)["a"] <= 99
    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "noon"}
    after = client.responses.create(**COLD, input=[result], previous_response_id=made.id)
    sent: Any = {"id": call.call_id, "type": "function", "function": {"name": "time", "arguments": call.arguments}}
    talk = [*TALK, {"role": "assistant", "content": "", "tool_calls": [sent]}]
    talk.append({"role": "tool", "tool_call_id": call.call_id, "content": "noon"})
    body = {"model": NAME, "messages": talk, "max_tokens": 12, "temperature": 0}
    asked = here.http().post("/v1/chat/completions", json=body).json()
    assert after.output_text == asked["choices"][0]["message"]["content"]
    # The same conversation without stored state: the client sends the function call itself.
    item: Any = {"type": "function_call", "call_id": call.call_id, "name": "time", "arguments": call.arguments}
    alone = client.responses.create(**COLD, input=[*TALK, item, result])
    assert alone.output_text == after.output_text


def test_an_answer_in_json(here: Serving) -> None:
    form: Any = {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}}
    made = here.client().responses.create(model=NAME, input="the", text=form, max_output_tokens=100)
    assert 10 <= json.loads(made.output_text)["a"] <= 99


def test_reasoning_is_an_item_of_its_own(llm: LLM) -> None:
    asked = ParsedRequest([[1]], 1, 9, {}, None, None, is_streamed=False, has_usage=False)
    parts = [GenerationChunk("", 5, -1.0, None, reasoning="Hm"), GenerationChunk("Yes", 6, -1.0, "stop")]

    def shape() -> ResponseShape:
        context = RequestContext(Prompts(llm), NAME, "")
        return ResponseShape(asked, context, {"store": False}, [], store=ResponseStore(), tools=tools_of(None))

    made = shape().whole([parts], Usage(1, 2))
    assert [(item["type"], item["content"][0]["text"]) for item in made["output"]] == [
        ("reasoning", "Hm"), ("message", "Yes"),
    ]  # fmt: skip
    assert made["usage"]["output_tokens_details"] == {"reasoning_tokens": 1}
    one = shape()
    told = one.begin(1) + b"".join(one.step(0, [part]) for part in parts) + one.failed(ServeError(503, "gone"))
    last = json.loads(told.decode().splitlines()[-2].removeprefix("data: "))
    assert (last["type"], last["response"]["status"]) == ("response.failed", "failed")
    assert last["response"]["error"]["message"] == "gone"


def test_what_is_wrong_is_told(here: Serving) -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"input": []}, "input"), ({"input": [{"type": "item_reference", "id": "a"}]}, "input"),
        ({"input": [{"role": "user", "content": [{"type": "input_text"}]}]}, "content"),
        ({"input": "the", "background": True}, "background"), ({"input": "the", "truncation": "some"}, "truncation"),
        ({"input": "the", "tools": [{"type": "function"}]}, "tools.0.name"),
        ({"input": "the", "top_p": 2}, "top_p"),
    ]  # fmt: skip
    pairs: list[Any] = [
        [], [[]] * 9, "a", {"a": 1}, {"a": None}, {"a": {}}, {"a": "b" * 513}, {"a" * 65: "b"},
        {str(number): "b" for number in range(17)},
    ]  # fmt: skip
    wrongs += [({"input": "the", "metadata": one}, "metadata") for one in pairs]
    for given, words in wrongs:
        with pytest.raises(openai.BadRequestError, match=words):
            here.client().responses.create(model=NAME, **given)
