# SPDX-License-Identifier: MIT
"""Anthropic's Messages API, with its client: the same answers as OpenAI's chat completions give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm import GenerationChunk
from pyhexagon.serve.apis.anthropic import MessageShape
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.shape import Usage
from pyhexagon.serve.models.pooled_model import Prompts
from serve.serving import NAME, Serving, serving

TALK: list[Any] = [{"role": "user", "content": "the"}]
SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["a"],
    "properties": {"a": {"type": "integer", "minimum": 10, "maximum": 99}},
}  # fmt: skip
TOOLS: list[Any] = [{"name": name, "input_schema": SCHEMA} for name in ("weather", "time")]
# Its newest client has no temperature, which the API still has.
COLD: dict[str, Any] = {"model": NAME, "max_tokens": 12, "extra_body": {"temperature": 0}}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


@pytest.fixture
def client(here: Serving) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=here.url, api_key="none", max_retries=0, timeout=LONG) as client:
        yield client


def wanted(llm: LLM, messages: list[Any]) -> str:
    return "".join(part.text for part in llm.chat(messages, 12, 0))


def test_a_message_and_its_stream(llm: LLM, client: anthropic.Anthropic) -> None:
    text = wanted(llm, [{"role": "system", "content": "thin"}, *TALK])
    made = client.messages.create(**COLD, messages=TALK, system="thin")
    assert [block.model_dump(exclude_none=True) for block in made.content] == [{"type": "text", "text": text}]
    assert (made.role, made.stop_reason, made.stop_sequence) == ("assistant", "max_tokens", None)
    with client.messages.stream(**COLD, messages=TALK, system=[{"type": "text", "text": "thin"}]) as stream:
        assert "".join(stream.text_stream) == text
        last = stream.get_final_message()
    assert (last.content[0].text, last.stop_reason, last.usage.output_tokens) == (text, "max_tokens", 12)  # type: ignore[union-attr]
    counted = client.messages.count_tokens(model=NAME, messages=TALK, system="thin")
    # The same number everywhere: count_tokens, a whole response, and the first event of a stream.
    for usage in (made.usage, last.usage):
        assert counted.input_tokens == usage.input_tokens + (usage.cache_read_input_tokens or 0)


def test_blocks_and_the_beginning_of_an_answer(llm: LLM, client: anthropic.Anthropic) -> None:
    blocks: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "th"}, {"type": "text", "text": "e"}]}]
    made = client.messages.create(**COLD, messages=blocks)
    assert made.content[0].text == wanted(llm, TALK)
    begun = llm.tokenizer.encode(llm.apply_template(TALK) + "in", add_special=False)
    made = client.messages.create(**COLD, messages=[*TALK, {"role": "assistant", "content": "in"}])
    assert made.content[0].text == llm.generate(begun, 12, 0).text


def test_a_stop_sequence_is_named(llm: LLM, client: anthropic.Anthropic) -> None:
    text = wanted(llm, TALK)
    stop = text[4:7]
    made = client.messages.create(**COLD, messages=TALK, stop_sequences=["absent", stop])
    assert (made.stop_reason, made.stop_sequence) == ("stop_sequence", stop)
    assert made.content[0].text == text[: text.index(stop)]


def test_tools_are_called_and_answered(client: anthropic.Anthropic) -> None:
    given: dict[str, Any] = {"model": NAME, "max_tokens": 150, "tools": TOOLS}
    given["tool_choice"] = {"type": "tool", "name": "time"}
    made = client.messages.create(**given, messages=TALK)
    (call,) = made.content
    assert call.type == "tool_use"
    assert (made.stop_reason, call.name) == ("tool_use", "time")
    with client.messages.stream(**given, messages=TALK) as stream:
        last = stream.get_final_message()
    (again,) = last.content
    assert again.type == "tool_use"
    assert (last.stop_reason, again.name) == ("tool_use", "time")
    assert all(10 <= int(str(one["a"])) <= 99 for one in (call.input, again.input))
    result: Any = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": "noon"}]}
    talk: list[Any] = [*TALK, {"role": "assistant", "content": made.content}, {"role": "user", "content": [result]}]
    after = client.messages.count_tokens(model=NAME, messages=talk, tools=TOOLS)
    assert after.input_tokens > made.usage.input_tokens


def test_the_model_sees_that_a_tool_failed(client: anthropic.Anthropic) -> None:
    use: Any = {"type": "tool_use", "id": "a", "name": "time", "input": {}}
    calls: list[Any] = [*TALK, {"role": "assistant", "content": [use]}]
    counts = []
    for is_error, text in ((False, "no such zone"), (True, "no such zone"), (True, "Error: no such zone"), (True, "")):
        result: Any = {"type": "tool_result", "tool_use_id": "a", "content": text, "is_error": is_error}
        talk: list[Any] = [*calls, {"role": "user", "content": [result]}]
        counts.append(client.messages.count_tokens(model=NAME, messages=talk).input_tokens)
    plain, failed, said, empty = counts
    assert plain < failed == said > empty


def test_a_later_system_message_leaves_the_cached_prefix(client: anthropic.Anthropic) -> None:
    """The template takes it where it is: all before it comes from the cache."""
    first: list[Any] = [{"role": "user", "content": "the thin then " * 6}]
    client.messages.create(**COLD, messages=first, system="thin")
    begun = client.messages.count_tokens(model=NAME, messages=first, system="thin").input_tokens
    later: list[Any] = [*first, {"role": "assistant", "content": "in"}, {"role": "system", "content": "then"}, *TALK]
    usage = client.messages.create(**COLD, messages=later, system="thin").usage
    assert (usage.cache_read_input_tokens or 0) >= begun - begun % 64 - 2


def test_an_answer_in_json(client: anthropic.Anthropic) -> None:
    config: Any = {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}
    made = client.messages.create(model=NAME, max_tokens=100, messages=TALK, output_config=config)
    assert 10 <= json.loads(made.content[0].text)["a"] <= 99  # type: ignore[union-attr]


def test_reasoning_is_a_block_of_its_own(llm: LLM) -> None:
    asked = ParsedRequest([[1]], 1, 9, {}, None, None, is_streamed=False, has_usage=False)
    parts = [GenerationChunk("", 5, -1.0, None, reasoning="Hm"), GenerationChunk("Yes", 6, -1.0, "length")]
    asking = RequestContext(Prompts(llm), NAME, "")
    made = MessageShape(asked, asking).whole([parts], Usage(1, 2))
    assert made["content"] == [
        {"type": "thinking", "thinking": "Hm", "signature": ""}, {"type": "text", "text": "Yes"},
    ]  # fmt: skip
    shape = MessageShape(asked, asking)
    told = b"".join(shape.step(0, [part]) for part in parts) + shape.end(Usage(1, 2))
    names = [line[len("event: ") :] for line in told.decode().splitlines() if line.startswith("event: ")]
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert names == [*block, *block, "message_delta", "message_stop"]


def test_what_is_wrong_is_told_in_the_form_of_the_api(here: Serving, client: anthropic.Anthropic) -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "frog", "content": "the"}]}, "role"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]}, "text"),
        ({"messages": TALK, "tool_choice": {"type": "any"}}, "tool_choice"),
        ({"messages": TALK, "extra_body": {"temperature": -2}}, "temperature"),
    ]
    for given, words in wrongs:
        with pytest.raises(anthropic.BadRequestError, match=words) as caught:
            client.messages.create(**(COLD | given))
        assert caught.value.body["type"] == "error"  # type: ignore[index]
    with pytest.raises(anthropic.NotFoundError):
        client.messages.create(**(COLD | {"model": "other", "messages": TALK}))
    asked = here.http().post("/v1/messages", json={"messages": TALK, "model": NAME})
    assert asked.status_code == 400
    assert "max_tokens" in asked.json()["error"]["message"]


def test_its_key(llm: LLM) -> None:
    key = "correct-horse-battery"
    with serving(llm, (key,)) as here:
        for one, error in ((key, None), ("wrong-horse-battery", anthropic.AuthenticationError)):
            with anthropic.Anthropic(base_url=here.url, api_key=one, max_retries=0, timeout=LONG) as client:
                if error is None:
                    assert client.messages.create(**COLD, messages=TALK).role == "assistant"
                else:
                    with pytest.raises(error):
                        client.messages.create(**COLD, messages=TALK)
