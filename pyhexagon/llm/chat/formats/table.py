# SPDX-License-Identifier: MIT
"""The formats of tool calls: a row has the marks of a format, and what a chat template that uses it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pyhexagon.llm.chat.formats.named_calls import INNER


@dataclass(frozen=True)
class CallFormat:
    """A format of tool calls. The grammar between its marks follows from the text (bodies.py).

    Attributes:
        name: as ``/props`` has it.
        begin: mark before a call or several; empty: the whole answer is calls.
        ends: marks behind them; none: they end with the answer.
        signs: a chat template that has one of these texts uses the format.
    """

    name: str
    begin: str
    ends: tuple[str, ...]
    signs: tuple[str, ...]


_BAR: Final = "\uff5c"
_DEEPSEEK: Final = f"<{_BAR}tool\u2581calls\u2581begin{_BAR}>", f"<{_BAR}tool\u2581calls\u2581end{_BAR}>"
_DEEPSEEK_CALL: Final = f"<{_BAR}tool\u2581call\u2581begin{_BAR}>", f"<{_BAR}tool\u2581call\u2581end{_BAR}>"
_DSML: Final = f"{_BAR}DSML{_BAR}"

# The first row with a sign in the template is the format of the model: more particular signs come first.
FORMATS: Final = (
    CallFormat("harmony", "", (), ("<|channel|>",)),  # chat/harmony.py turns its calls into those of Hermes
    CallFormat("gemma4", "<|tool_call>", ("<tool_call|>",), ("<tool_call|>",)),
    CallFormat("seed-oss", "<seed:tool_call>", ("</seed:tool_call>",), ("<seed:tool_call>",)),
    CallFormat("minicpm", "<|tool_call_start|>", ("<|tool_call_end|>",), ("<|tool_call_start|>\n```python",)),
    CallFormat(
        "lfm2",
        "<|tool_call_start|>",
        ("<|tool_call_end|>",),
        ("<|tool_call_start|>", "<|tool_list_start|>", "List of tools: ["),
    ),
    CallFormat("k2-horizon", "<ifm|tool_calls>", ("</ifm|tool_calls>",), ("<ifm|tool_calls>",)),
    CallFormat("k2-horizon", "<ifm|tool_call>", ("</ifm|tool_call>",), ()),
    CallFormat("nemotron-mini", "<toolcall>", ("</toolcall>",), ("<toolcall>",)),
    CallFormat("internlm2", "<|action_start|><|plugin|>", ("<|action_end|>",), ("<|action_start|>",)),
    CallFormat("nemotron", "<TOOLCALL>", ("</TOOLCALL>",), ("<TOOLCALL>",)),
    CallFormat("deepseek", _DEEPSEEK[0], _DEEPSEEK[1:], (_DEEPSEEK[0], _DEEPSEEK_CALL[0])),
    CallFormat("deepseek", _DEEPSEEK_CALL[0], _DEEPSEEK_CALL[1:], ()),
    CallFormat("deepseek-dsml", f"<{_DSML}function_calls>", (f"</{_DSML}function_calls>",), (_DSML,)),
    CallFormat("deepseek-dsml", f"<{_DSML}tool_calls>", (f"</{_DSML}tool_calls>",), ()),
    CallFormat("minimax", "<minimax:tool_call>", ("</minimax:tool_call>",), ("<minimax:tool_call>",)),
    CallFormat(
        "kimi", "<|tool_calls_section_begin|>", ("<|tool_calls_section_end|>",), ("<|tool_calls_section_begin|>",)
    ),
    CallFormat("kimi", "<|tool_call_begin|>", ("<|tool_call_end|>",), ()),
    CallFormat("solar", "<|tool_call:begin|>", ("<|tool_call:end|>",), ("<|tool_call:begin|>",)),
    CallFormat("apertus", "<|tools_prefix|>", ("<|tools_suffix|>",), ("<|tools_prefix|>",)),
    CallFormat("command-r", "<|START_ACTION|>", ("<|END_ACTION|>",), ("<|START_ACTION|>", "Action: ```json")),
    CallFormat(
        "hunyuan", "<tool_calls:opensource>", ("</tool_calls:opensource>",), ("<tool_call:opensource>", "<tool_sep")
    ),
    CallFormat("hunyuan", "<tool_call:opensource>", ("</tool_call:opensource>",), ()),
    CallFormat("glm", "<tool_call>", ("</tool_call>",), ("<arg_key>",)),
    CallFormat("muse", "<atem:function_calls>", ("</atem:function_calls>",), ("<atem:function_calls>",)),
    CallFormat("olmo3", "<function_calls>", ("</function_calls>",), ("<function_calls>",)),
    CallFormat("minicpm5", "<function name=", (), ("<function name=",)),
    CallFormat("minimax", "<invoke name=", (), ()),
    CallFormat("qwen3-coder", "<function=", (), ("<parameter=",)),
    CallFormat("functionary", "<function=", (), ("<function=",)),
    CallFormat("functionary-v3.2", ">>>", (), (">>>all",)),
    CallFormat("mistral", "[TOOL_CALLS]", (), ("[TOOL_CALLS]", "[AVAILABLE_TOOLS]")),
    CallFormat("gigachat", "<|function_call|>", (), ("<|function_call|>", "function call<|role_sep|>")),
    CallFormat("granite", "<|tool_call|>", (), ("<|tool_call|>",)),
    CallFormat("phi4", "<|tool_call|>", (), ("<|tool|>", "<|/tool|>")),
    CallFormat("list", "<tool_calls>", ("</tool_calls>",), ("<tool_calls>[", "<tool_calls>\\n{", "<tool_calls>\n{")),
    CallFormat("hunyuan", "<tool_calls>", ("</tool_calls>",), ("<tool_calls>",)),
    CallFormat("hermes", "<tool_call>", ("</tool_call>",), ("<tool_call>",)),
    CallFormat("llama3", "<|python_tag|>", (), ("<|python_tag|>", '"parameters": dictionary of argument name')),
    CallFormat("glm4", "", (), ("<|observation|>",)),
)
CODE: Final = "```tool_code\n"
FENCES: Final = ("```json\n", CODE, "```tool_call\n", "```\n")
BY_BEGIN: Final = {row.begin: row for row in reversed(FORMATS) if row.begin}
_STRAY: Final = ("<|/tool_call|>", "<|eom|>", "<|calls|>")
ENDS: Final = tuple(sorted({*(end for row in FORMATS for end in row.ends), *_STRAY}))
_PAIRS: Final = [f"<{begin}arg_{kind}>" for begin in ("", "/", "ifm|", "/ifm|") for kind in ("key", "value")]
MARKS: Final = tuple(dict.fromkeys((
    *BY_BEGIN, *ENDS, *INNER, *_PAIRS, '<|"|>', "<|tool_calls|>",
    "<|action_start|>", "<|plugin|>",
)))  # fmt: skip


def detected(template: str | None) -> str:
    """Return the name of the format that a chat template uses; empty if it uses none that is known."""
    if template is None:
        return ""
    return next((row.name for row in FORMATS if any(sign in template for sign in row.signs)), "")
