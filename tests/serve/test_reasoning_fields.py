# SPDX-License-Identifier: MIT
"""What requests of all APIs say about reasoning: effort, budget, and the reasoning of earlier messages."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import gguf
import pytest
from llm import tiny

from pyhexagon.llm.chat.host_model import ModelWords
from pyhexagon.serve.apis import anthropic, ollama, requests, responses
from pyhexagon.serve.apis.ollama_schema import OllamaChatRequest
from pyhexagon.serve.apis.openai_schema import ChatRequest
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.http.schema import validated
from pyhexagon.serve.models.pooled_model import Prompts

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.reasoning_content }}{{ m.content }}{% for c in m.tool_calls or [] %}"
    "({{ c.function.name }}){% endfor %}{% endfor %}{{ '<think>' if enable_thinking else '<think></think>' }}"
)
MESSAGES: list[Any] = [{"role": "user", "content": "hi"}]
CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}


def context_of(folder: Any, template: str) -> RequestContext:
    def with_template(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(template)

    path = tiny.write(folder / "m.gguf", "llama", edit=with_template)
    return RequestContext(Prompts(ModelWords(path, 4096)), "m", "")


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> RequestContext:
    return context_of(tmp_path_factory.mktemp("model"), TEMPLATE)


Parse = Callable[[dict[str, Any], RequestContext], ParsedRequest]


def chat(body: dict[str, Any], context: RequestContext) -> ParsedRequest:
    return requests.chat(validated(ChatRequest, {"messages": MESSAGES} | body), context.prompts)


def messages(body: dict[str, Any], context: RequestContext) -> ParsedRequest:
    request = {"messages": MESSAGES, "max_tokens": 9} | body
    return anthropic.generation(validated(anthropic.MessageRequest, request), context)[0]


def response(body: dict[str, Any], context: RequestContext) -> ParsedRequest:
    request = validated(responses.ResponseRequest, {"input": "hi"} | body)
    return responses.generation(request, context, ResponseStore())[0]


def ollama_chat(body: dict[str, Any], context: RequestContext) -> ParsedRequest:
    return ollama.chat(validated(OllamaChatRequest, {"messages": MESSAGES} | body), context)[0]


def prompt_of(made: ParsedRequest, context: RequestContext) -> str:
    return context.prompts.model.tokenizer.decode(made.prompts[0]).strip()


@pytest.mark.parametrize(
    ("parse", "body", "budget"),
    [
        *((chat, {name: 7}, 7) for name in (
            "thinking_budget_tokens", "reasoning_budget", "thinking_budget", "thinking_token_budget",
            "max_thinking_tokens", "budget_tokens",
        )),
        (chat, {}, None), (chat, {"reasoning_budget": -1}, None), (chat, {"reasoning": {"max_tokens": 7}}, 7),
        (chat, {"thinking": {"type": "enabled", "budget_tokens": 7}}, 7),
        (messages, {"thinking": {"type": "enabled", "budget_tokens": 2048}}, 2048),
        (messages, {"thinking": {"type": "adaptive"}}, None), (messages, {"thinking": {"type": "disabled"}}, None),
    ],
)  # fmt: skip
def test_budgets_have_many_names(
    parse: Parse, body: dict[str, Any], budget: int | None, context: RequestContext
) -> None:
    assert parse(body, context).sampling["reasoning_budget"] == budget


@pytest.mark.parametrize("value", ["7", 1.5, -2, True])
def test_a_budget_is_a_whole_number(value: Any, context: RequestContext) -> None:
    with pytest.raises(ServeError, match="expected a whole number from -1"):
        chat({"reasoning_budget": value}, context)


@pytest.mark.parametrize(
    ("parse", "body", "is_on"),
    [
        (chat, {"reasoning_effort": "none"}, False), (chat, {"reasoning_effort": "low"}, True),
        (chat, {"reasoning_effort": "medium"}, True), (chat, {"reasoning_effort": "high"}, True),
        (chat, {"reasoning_budget": 0}, False), (chat, {"reasoning_effort": "high", "reasoning_budget": 0}, False),
        (chat, {"reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": False}}, False),
        (chat, {"reasoning": {"effort": "none"}}, False), (chat, {"reasoning": {"enabled": False}}, False),
        (chat, {"thinking": {"type": "disabled"}}, False), (chat, {"reasoning": {"effort": "high"}}, True),
        (response, {"reasoning": {"effort": "none"}}, False), (response, {"reasoning": {"effort": "medium"}}, True),
        (messages, {"thinking": {"type": "disabled"}}, False), (messages, {"thinking": {"type": "enabled"}}, True),
        (messages, {}, False), (messages, {"output_config": {"effort": "high"}}, False),
        (messages, {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}, True),
        (ollama_chat, {"think": False}, False), (ollama_chat, {"think": True}, True),
        (ollama_chat, {"think": "none"}, False), (ollama_chat, {"think": "max"}, True),
    ],
)  # fmt: skip
def test_efforts_switch_reasoning_on_and_off(
    parse: Parse, body: dict[str, Any], is_on: bool, context: RequestContext
) -> None:
    assert prompt_of(parse(body, context), context).endswith("<think>") == is_on


def test_reasoning_of_earlier_messages_reaches_the_template(context: RequestContext) -> None:
    thought = {"role": "assistant", "content": "Yes", "reasoning": "Hm "}
    block = {"type": "thinking", "thinking": "Hm ", "signature": "x"}
    blocks = {"role": "assistant", "content": [block, {"type": "redacted_thinking"}, {"type": "text", "text": "Yes"}]}
    item = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm "}]}
    summary = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm "}]}
    answer = {"role": "assistant", "content": "Yes"}
    user = {"role": "user", "content": "go"}
    for parse, body in (
        (chat, {"messages": [*MESSAGES, thought, user]}), (chat, {"messages": [*MESSAGES, blocks, user]}),
        (messages, {"messages": [*MESSAGES, blocks, user]}), (response, {"input": [*MESSAGES, item, answer, user]}),
        (response, {"input": [*MESSAGES, summary, answer, user]}),
        (ollama_chat, {"messages": [*MESSAGES, {**answer, "thinking": "Hm "}, user]}),
    ):  # fmt: skip
        assert "<assistant>Hm Yes<user>go" in prompt_of(parse(body, context), context)
    result = {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_image", "image_url": "x"}]}
    prompt = prompt_of(response({"input": [*MESSAGES, item, CALL, result]}, context), context)
    assert "<assistant>Hm (f)<tool>[image]" in prompt


def test_images_in_results_of_tools_are_named(context: RequestContext) -> None:
    parts = [{"type": "text", "text": "see "}, {"type": "image", "source": {"type": "base64", "data": ""}}]
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": parts}]}
    assert "<tool>see [image]" in prompt_of(messages({"messages": [*MESSAGES, use, result]}, context), context)
    tool = {"role": "tool", "tool_call_id": "t", "content": [*parts[:1], {"type": "image_url", "image_url": {}}]}
    assert "<tool>see [image]" in prompt_of(chat({"messages": [*MESSAGES, tool]}, context), context)
    seen = {"role": "tool", "content": "see ", "images": ["aGk="]}
    assert "<tool>see [image]" in prompt_of(ollama_chat({"messages": [*MESSAGES, seen]}, context), context)


def test_names_of_marks_are_text_where_tools_are_given(context: RequestContext) -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    assert chat({"tools": [tool]}, context).sampling["visible_tokens"] == []  # this vocabulary has none
    assert "visible_tokens" not in chat({}, context).sampling


def test_the_log_says_that_no_format_is_known(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    from pyhexagon.serve.http.metrics import Metrics
    from pyhexagon.serve.models.pooled_model import LoadedModel

    for name, template, n_warnings in (("a", TEMPLATE, 1), ("b", TEMPLATE + "{# <tool_call> #}", 0)):
        (tmp_path / name).mkdir()
        context = context_of(tmp_path / name, template)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "pyhexagon.serve"):
            LoadedModel(context.prompts.model, None, Metrics(), context.prompts)  # type: ignore[arg-type]
        assert len(caplog.messages) == n_warnings
        assert all("no known format of tool calls" in message for message in caplog.messages)
