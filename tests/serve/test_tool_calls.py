# SPDX-License-Identifier: MIT
"""Tool calls in the formats of models: as their published templates write calls, the server finds them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import needs
import pytest
from llm.published_templates import CONVERSATIONS, render_here, templates
from llm.test_published_templates import N_TEMPLATES

from pyhexagon import LLM
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.host_model import rendered
from pyhexagon.llm.chat.tool_calls import ToolCallParser
from pyhexagon.serve.apis.openai_answers import ChatShape
from pyhexagon.serve.apis.requests import ParsedRequest
from pyhexagon.serve.apis.shape import Usage
from serve.serving import NAME

PLACE = {"type": "object", "properties": {"place": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS: dict[str, Any] = {"weather": PLACE, "time": {"type": "object"}}
CALL = '{"name": "time", "arguments": {"a": 1}}'
XML = "<function=weather>\n<parameter=place>\n7\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>"


def parsed(text: str, step: int) -> tuple[str, list[tuple[str, Any]], int]:
    """Return content, calls, and the number of calls before the end, of text that comes in steps."""
    parser = ToolCallParser(TOOLS, is_call=False)
    told, calls = "", []
    for at in range(0, len(text), step):
        told += parser.add(text[at : at + step])
        calls += parser.complete()
    n_early = len(calls)
    rest, more = parser.rest()
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
        ("<function=time><parameter=a>1</function>", "", ["time"], 0),  # complete only when nothing follows
        ("<function=time><parameter=a>1", "<function=time><parameter=a>1", [], 0),
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


# Formats of models that do not run here; gpt-oss, whose channels tests/llm/test_harmony.py reads; and templates that
# fail with these tools.
UNREAD = ("Kimi-K3", "MiniMax-M3", "GigaChat3-10B-A1.8B", "openai-gpt-oss-120b")
FAILING = ("CohereForAI-c4ai-command-r-plus-tool_use", "fireworks-ai-llama-3-firefunction-v2", "llama-cpp-deepseek-r1")
SINGLE = ("GigaChat3.1-10B-A1.8B", "meta-llama-Llama-3.")  # one call in a message


def test_calls_as_published_templates_write_them(
    monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None], llm: LLM
) -> None:
    """A template renders an earlier call in the form in which its model writes it; where it does not, the call is
    added to the message in that form."""
    needs.require("chat templates")
    render_here(monkeypatch)
    arguments = {"place": "Z\u00fc'r\"i <a> {b}, </tool_call>", "days": 2}
    user = {"role": "user", "content": "What is it?"}
    tools, n_read = CONVERSATIONS["call"]["tools"], 0
    for name, source in templates():
        if name in (*UNREAD, *FAILING):
            continue
        n_calls = 1 if name.startswith(SINGLE) else 2
        calls = [
            {"id": f"call_{at}", "function": {"name": "weather", "arguments": json.dumps(arguments)}}
            for at in range(n_calls)
        ]
        answer = {"role": "assistant", "content": "", "tool_calls": calls}
        results = [{"role": "tool", "tool_call_id": f"call_{at}", "content": "ok"} for at in range(n_calls)]

        def shown(messages: list[Any], template: str = source) -> str:
            prompt = rendered(
                "", template, llm.tokenizer, messages, tools, parse_special=True, template_kwargs=None,
                continue_final_message=False,
            )  # fmt: skip
            return prompt[prompt.rindex("What is it?") + len("What is it?") :]

        text, header = shown([user, answer, *results]), shown([user])
        text = text.removeprefix(header.partition("<think>")[0]).partition("<|eot_id|>")[0]
        content, found, _ = parsed(text, 4)
        assert found == [("weather", arguments)] * n_calls, (name, text)
        assert "days" not in content
        n_read += 1
    figure(f"the calls of {n_read} templates are read as they write them")
    assert n_read == N_TEMPLATES - len(UNREAD) - len(FAILING)


def test_a_stream_has_each_call_when_it_is_complete(llm: LLM) -> None:
    asked = ParsedRequest([[1]], 1, 9, {}, None, None, is_streamed=True, has_usage=False, tools=TOOLS)
    parts = []
    for _ in range(2):
        parts += [GenerationChunk("<tool_call>", 5, -1.0, None), GenerationChunk(CALL, 9, -1.0, None)]
        parts.append(GenerationChunk("</tool_call>", 6, -1.0, None))
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
    (whole,) = ChatShape(asked, NAME, llm.tokenizer).whole([parts], Usage(1, len(parts)))["choices"]
    assert (len(whole["message"]["tool_calls"]), whole["message"]["content"]) == (2, None)
