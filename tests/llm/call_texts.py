# SPDX-License-Identifier: MIT
"""Calls as models of each family write them, with the tools that they call."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from pyhexagon.llm.chat.tool_calls import ToolCallParser

TOOLS: Final[dict[str, Any]] = {
    "read": {
        "type": "object",
        "properties": {
            "path": {"type": "string"}, "n": {"type": "integer"}, "all": {"type": "boolean"},
            "more": {"type": "object"}, "part": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "mode": {"$ref": "#/$defs/Mode"},
        },
        "required": ["path"],
        "$defs": {"Mode": {"enum": ["r", "1"]}},
    },
    "now": {"type": "object"},
}  # fmt: skip
A: Final = ("read", {"path": "a"})
_DEEPSEEK: Final = (
    "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>{}<\uff5ctool\u2581call\u2581end\uff5c>"
    "<\uff5ctool\u2581calls\u2581end\uff5c>"
)
_SEP: Final = "<\uff5ctool\u2581sep\uff5c>"
_DSML: Final = "\uff5cDSML\uff5c"

# A call of read(path="a") in each family's format, by the architectures of docs/llm.md and their models.
FAMILIES: Final = {
    "qwen2, qwen3, exaone4, granite 4: Hermes":
        '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
    "qwen35, qwen3next, nemotron 3: Qwen3-Coder":
        "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
    "llama: Mistral's list": '[TOOL_CALLS][{"name": "read", "arguments": {"path": "a"}, "id": "abcdefghi"}]',
    "mistral3": '[TOOL_CALLS]read[ARGS]{"path": "a"}',
    "mistral3, Small 3.2": '[TOOL_CALLS]read[CALL_ID]abcdefghi[ARGS]{"path": "a"}',
    "llama: Llama 3.1": '{"name": "read", "parameters": {"path": "a"}}',
    "llama: Llama 3.1, tools of the environment": '<|python_tag|>{"name": "read", "parameters": {"path": "a"}}',
    "llama: Llama 3.2, pythonic": '[read(path="a")]',
    "llama: Functionary 3.1": '<function=read>{"path": "a"}</function>',
    "llama: Functionary 3.2": '>>>read\n{"path": "a"}',
    "lfm2, lfm2moe": '<|tool_call_start|>[read(path="a")]<|tool_call_end|>',
    "lfm2, JSON": '<|tool_call_start|>[{"name": "read", "arguments": {"path": "a"}}]<|tool_call_end|>',
    "gemma4": '<|tool_call>call:read{path:<|"|>a<|"|>}<tool_call|>',
    "gemma3, gemma3n: JSON in a fence": '```json\n{"name": "read", "parameters": {"path": "a"}}\n```',
    "gemma3: tool_code": '```tool_code\n[read(path="a")]\n```',
    "granite 3": '<|tool_call|>[{"name": "read", "arguments": {"path": "a"}}]',
    "phi3: Phi 4 mini": '<|tool_call|>[{"name": "read", "arguments": {"path": "a"}}]<|/tool_call|>',
    "glm4moe: GLM 4.5, 4.6": "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
    "glm4moe: GLM 4.7": "<tool_call>read<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>",
    "k2-horizon": "<ifm|tool_calls>\n<ifm|tool_call>read\n<ifm|arg_key>path</ifm|arg_key>\n"
        "<ifm|arg_value>a</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
    "k2-horizon, JSON":
        '<ifm|tool_calls><ifm|tool_call>{"name": "read", "arguments": {"path": "a"}}</ifm|tool_call></ifm|tool_calls>',
    "glm4": 'read\n{"path": "a"}',
    "nemotron_h": '<TOOLCALL>[{"name": "read", "arguments": {"path": "a"}}]</TOOLCALL>',
    "olmo2: OLMo 3": '<function_calls>\nread(path="a")\n</function_calls>',
    "nemotron: Nemotron Mini": '<toolcall> {"name": "read", "arguments": {"path": "a"}} </toolcall>',
    "internlm2": '<|action_start|><|plugin|>\n{"name": "read", "parameters": {"path": "a"}}<|action_end|>',
    "hunyuan-dense": '<tool_calls>\n<tool_call>read\n```json\n{"path": "a"}\n```\n</tool_call>\n</tool_calls>',
    "ernie4_5": '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>\n',
    "ernie4_5, older": '<tool_call>read\n```json\n{"path": "a"}\n```\n</tool_call>',
    "smollm3": '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>',
    "minicpm, minicpm3": '<|tool_call_start|>\n```python\nread(path="a")\n```\n<|tool_call_end|>',
    "MiniCPM 5": '<function name="read"><param name="path">a</param></function>',
    "deepseek2: R1": _DEEPSEEK.format(f'function{_SEP}read\n```json\n{{"path": "a"}}\n```'),
    "deepseek2: V3.1": _DEEPSEEK.format(f'read{_SEP}{{"path": "a"}}'),
    "deepseek2: V3.2":
        f'<{_DSML}function_calls>\n<{_DSML}invoke name="read">\n<{_DSML}parameter name="path" string="true">a'
        f"</{_DSML}parameter>\n</{_DSML}invoke>\n</{_DSML}function_calls>",
    "command-r": 'Action: ```json\n[\n    {"tool_name": "read", "parameters": {"path": "a"}}\n]```',
    "cohere2":
        '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "read", "parameters": {"path": "a"}}\n]'
        "<|END_ACTION|>",
    "seed-oss":
        "<seed:tool_call>\n<function=read>\n<parameter=path>a</parameter>\n</function>\n</seed:tool_call>",
    "gpt-oss, as harmony.py gives it": '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>',
    "Apertus": '<|tools_prefix|>[{"read": {"path": "a"}}]<|tools_suffix|>',
    "Kimi K2":
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a"}'
        "<|tool_call_end|><|tool_calls_section_end|>",
    "MiniMax M2":
        '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n'
        "</minimax:tool_call>",
    "Solar": '<|tool_call:begin|>id1<|tool_call:name|>read<|tool_call:args|>{"path": "a"}<|tool_call:end|>',
    "Hunyuan 3":
        "<tool_calls:opensource>\n<tool_call:opensource>read<tool_sep:opensource>\n<arg_key:opensource>path"
        "</arg_key:opensource>\n<arg_value:opensource>a</arg_value:opensource>\n</tool_call:opensource>\n"
        "</tool_calls:opensource>",
    "GigaChat": '<|function_call|>{"name": "read", "arguments": {"path": "a"}}',
    "Apriel": '<tool_calls>[{"name": "read", "arguments": {"path": "a"}}]</tool_calls>',
}  # fmt: skip


def parsed(text: str, cuts: Iterable[int] = (), *, is_call: bool = False) -> tuple[str, list[tuple[str, Any]], int]:
    """Return content, calls, and the number of calls before the end, of text that comes in chunks.

    Args:
        cuts: the places between the chunks, in their order.
    """
    parser = ToolCallParser(TOOLS, is_call=is_call)
    content, calls, at = "", [], 0
    for cut in (*cuts, len(text)):
        content += parser.add(text[at:cut])
        calls += parser.complete()
        at = cut
    n_early = len(calls)
    rest, more = parser.rest()
    found = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls + more]
    return content + rest, found, n_early
