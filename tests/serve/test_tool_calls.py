# SPDX-License-Identifier: MIT
"""Tool calls in the formats of models: as their published templates write calls, the server finds them."""

from __future__ import annotations

import json
from typing import Any

import needs
import pytest
from llm.published_templates import CONVERSATIONS, NAMES, templates

from pyhexagon import LLM
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.templates import ChatTemplate
from pyhexagon.llm.chat.tool_calls import Talk
from pyhexagon.serve.apis.openai_answers import ChatShape
from pyhexagon.serve.apis.requests import ParsedRequest
from serve.serving import NAME

PLACE = {"type": "object", "properties": {"place": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS: dict[str, Any] = {"weather": PLACE, "time": {"type": "object"}}
CALL = '{"name": "time", "arguments": {"a": 1}}'
XML = "<function=weather>\n<parameter=place>\n7\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>"


def parsed(text: str, step: int) -> tuple[str, list[tuple[str, Any]], int]:
    """Return content, calls, and the number of calls before the end, of text that comes in steps."""
    talk = Talk(TOOLS, is_call=False)
    told, calls = "", []
    for at in range(0, len(text), step):
        told += talk.add(text[at : at + step])
        calls += talk.complete()
    n_early = len(calls)
    rest, more = talk.rest()
    found = [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in calls + more]
    return told + rest, found, n_early


@pytest.mark.parametrize(
    ("text", "said", "called", "n_early"),
    [
        (f"Look: <tool_call>{CALL}</tool_call>\n<tool_call>\n{CALL}\n</tool_call>\n", "Look: ", ["time"] * 2, 2),
        (f"<tool_call>{CALL}</tool_call><tool_call>{CALL}", "", ["time"] * 2, 1),
        (f"<tool_call>{CALL}</tool_call><tool_call>{{oh</tool_call>", "<tool_call>{oh</tool_call>", ["time"], 1),
        (f"I look.\n<tool_call>\n{XML}\n</tool_call>", "I look.\n", ["weather"], 1),
        (f"{XML}\n{XML}", "", ["weather"] * 2, 2),
        ("<function=time></function>", "", ["time"], 1),
        ('<function=time>{"a": 1}</function>', "", ["time"], 1),
        ("<function=other></function>", "<function=other></function>", [], 0),
        ("<function=time><parameter=a>1</function>", "<function=time><parameter=a>1</function>", [], 0),
        (f"[TOOL_CALLS][{CALL}, {CALL}]", "", ["time"] * 2, 0),
        ('[TOOL_CALLS]time[CALL_ID]abc[ARGS]{"a": 1}[TOOL_CALLS]time{}', "", ["time"] * 2, 0),
        ("[TOOL_CALLS]time[ARGS]{oh", "[TOOL_CALLS]time[ARGS]{oh", [], 0),
        ("[TOOL_CALLS]", "[TOOL_CALLS]", [], 0),
        (f"<|python_tag|>{CALL}; {CALL}", "", ["time"] * 2, 0),
        ('<|python_tag|>print("a")', '<|python_tag|>print("a")', [], 0),
        (f"{CALL};{CALL}", "", ["time"] * 2, 0),
        (f"{CALL} or not", f"{CALL} or not", [], 0),
        (f'{CALL};{{"name": "other", "arguments": {{}}}}', f'{CALL};{{"name": "other", "arguments": {{}}}}', [], 0),
        ('{"name": ["time"]}', '{"name": ["time"]}', [], 0),
        ("{}", "{}", [], 0),
        (" ", " ", [], 0),
        ("a < b [TOOL", "a < b [TOOL", [], 0),
    ],
)
def test_calls_in_all_formats(text: str, said: str, called: list[str], n_early: int) -> None:
    for step in (1, 3, len(text)):
        content, calls, early = parsed(text, step)
        assert (content, [name for name, _ in calls]) == (said, called)
        assert early == n_early


def test_values_have_the_types_of_their_schemas() -> None:
    _, calls, _ = parsed(f"<tool_call>\n{XML}\n</tool_call>", 5)
    assert calls == [("weather", {"place": "7", "days": 2})]
    _, calls, _ = parsed("<function=time>\n<parameter=a>\n[1]\n</parameter>\n<parameter=b>\nno\n</parameter>", 5)
    assert calls == [("time", {"a": [1], "b": "no"})]


SPOKEN = (
    "Mistral-Small-3.2-24B-Instruct-2506", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "Qwen-Qwen2.5-7B-Instruct",
    "Qwen-Qwen3-0.6B", "Qwen3-Coder", "Qwen3.5-4B", "meta-llama-Llama-3.1-8B-Instruct",
    "meta-llama-Llama-3.2-3B-Instruct", "meta-llama-Llama-3.3-70B-Instruct", "mistralai-Mistral-Nemo-Instruct-2407",
    "mistralai-Ministral-3-14B-Reasoning-2512", "unsloth-mistral-Devstral-Small-2507",
)  # fmt: skip


def test_calls_as_published_templates_write_them() -> None:
    """A template renders an earlier call in the form in which its model writes one."""
    needs.require("chat templates")
    texts = dict(templates())
    given = CONVERSATIONS["call"]
    for name in SPOKEN:
        template = ChatTemplate(texts[name], **{key: NAMES[key] for key in ("bos_token", "eos_token")})
        render: Any = template.render
        before = render(given["messages"][:1], tools=given["tools"])
        after = render(given["messages"][:2], tools=given["tools"], add_generation_prompt=False)
        answer = after[len(before) if after.startswith(before) else after.rindex("rich?") + len("rich?") :]
        for end in ("<|eot_id|>", "<|im_end|>", "</s>"):
            answer = answer.partition(end)[0] if end in answer[8:] else answer
        for prefix in ("[/INST]", "<|im_start|>assistant", "<think>\n\n</think>", "</think>"):
            answer = answer.strip().removeprefix(prefix)
        content, calls, _ = parsed(answer, 4)
        assert calls == [("weather", {"place": "Z\u00fcrich", "days": 2})], (name, answer)
        assert not content.strip(), name


def test_a_stream_has_each_call_when_it_is_complete(llm: LLM) -> None:
    marks = {5: "<tool_call>", 6: "</tool_call>"}
    asked = ParsedRequest(
        [[1]], 1, 9, {}, None, None, is_streamed=True, has_usage=False, tools=TOOLS, marks=marks
    )  # fmt: skip
    parts = []
    for _ in range(2):
        parts += [GenerationChunk("", 5, -1.0, None), GenerationChunk(CALL, 9, -1.0, None)]
        parts.append(GenerationChunk("", 6, -1.0, None))
    parts.append(GenerationChunk("", 2, -1.0, "stop"))
    shape = ChatShape(asked, NAME, llm.tokenizer)
    steps = [shape.step(0, [part]) for part in parts]
    assert [b"tool_calls" in step for step in steps] == [False, False, True, False, False, True, True]
    events = [json.loads(line[len("data: ") :]) for line in b"".join(steps).splitlines() if line]
    choices = [event["choices"][0] for event in events]
    calls = [call for choice in choices for call in choice["delta"].get("tool_calls", ())]
    assert [call["index"] for call in calls] == [0, 1]
    assert len({call["id"] for call in calls}) == 2
    assert choices[-1]["finish_reason"] == "tool_calls"
    (whole,) = ChatShape(asked, NAME, llm.tokenizer).whole([parts], 1, len(parts))["choices"]
    assert (len(whole["message"]["tool_calls"]), whole["message"]["content"]) == (2, None)
