# SPDX-License-Identifier: MIT
"""Repair conversations that clients send and chat templates refuse, or drop parts of, in one place before rendering.

``normalized`` brings messages into the form that the template knows: roles, arguments of calls, ids, reasoning.
``completed`` adds what the template does not write. variants.py has what is tried where it refuses the messages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat.formats.writing import written
from pyhexagon.llm.chat.reasoning import format_of
from pyhexagon.llm.chat.templates import Message

Messages = list[dict[str, Any]]

_ID: Final = re.compile(r"[A-Za-z0-9]{9}")
_LETTERS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SHORT_IDS: Final = re.compile(r"length 9|length\s*[!=]=\s*9")
_NO_CONTENT: Final = re.compile(r"(?<!_)\bcontent['\"]?\]?\s+is\s+(?:not\s+)?none")
REASONING: Final = ("reasoning_content", "reasoning", "thinking")
RESULTS: Final = ("tool", "function")


def normalized(messages: Sequence[Message], template: str) -> Sequence[Message]:
    """Return messages (``check_messages``) in the form that a chat template knows.

    - The role "developer" becomes "system", "function" becomes "tool", unless the template names it.
    - Arguments of calls are objects: text that is no JSON object, as of a call that max_tokens cut, becomes {}.
    - An empty list of calls is dropped.
    - Ids have nine letters or digits where the template demands it; each id becomes the same one every time.
    - Reasoning has the name that the template knows; parts of the type "thinking" belong to it.
    - Parts that are texts are one text; so are those of tool results, in which "[image]" stands for an image.
    - Results are in the order of their calls: most templates write no ids, and clients send what was ready first.

    Raises:
        ArgumentError: the calls of a message are no list of objects.
    """
    has_short_ids = _SHORT_IDS.search(template) is not None
    made: Messages = []
    pending: list[str] = []  # ids of calls without results
    n_results = 0
    for message in messages:
        each = dict(message)
        each["role"] = _role(each["role"], template)
        if "tool_calls" in each:
            calls = each.pop("tool_calls")
            if calls and not (isinstance(calls, list) and all(isinstance(call, Mapping) for call in calls)):
                raise ArgumentError(f"the tool_calls of a message are {described(calls)}: expected a list of objects")
            if calls:
                each["tool_calls"] = [_call(call) for call in calls]
        if has_short_ids:
            pending = _shorten(each, pending)
        if each["role"] in RESULTS:
            n_results += 1
            each["content"] = plain(each.get("content"))
        elif each["role"] == "assistant":
            each["content"] = "" if each.get("content") is None else each["content"]  # templates concatenate texts
            _name_reasoning(each, template)
            if not each["content"] and each.get("tool_calls") and _NO_CONTENT.search(template):
                each["content"] = None
        elif isinstance(each.get("content"), list) and all(_is_text(part) for part in each["content"]):
            each["content"] = plain(each["content"])
        made.append(each)
    return _in_order_of_calls(made) if n_results > 1 else made


def _in_order_of_calls(messages: Messages) -> Messages:
    """Return messages in which the results of a message's calls are in the order of these, unless ids do not tell."""
    made: Messages = []
    ids: list[Any] = []  # of the calls before
    for is_result, group in groupby(messages, lambda message: message["role"] in RESULTS):
        run = list(group)
        if is_result and all(each.get("tool_call_id") in ids for each in run):
            places = [ids.index(each.get("tool_call_id")) for each in run]
            run = [each for _, each in sorted(zip(places, run, strict=True), key=lambda pair: pair[0])]
        made += run
        ids = [call.get("id") for call in run[-1].get("tool_calls") or ()]
    return made


def plain(content: Any) -> Any:
    """Return the text of content that is a list of parts; "[image]" stands for an image, "[file]" for others."""
    if not isinstance(content, list):
        return content
    return "".join(_part(part) for part in content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    kind = str(part.get("type", ""))
    return "[image]" if "image" in kind else f"[{kind.removeprefix('input_') or 'part'}]"


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


def _role(role: str, template: str) -> str:
    if role == "developer" and not quotes(template, role):
        return "system"
    return "tool" if role == "function" and quotes(template, "tool") else role


@lru_cache(256)
def quotes(template: str, word: str) -> bool:
    """Whether a template has a word as a string."""
    return f"'{word}'" in template or f'"{word}"' in template


def _call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return call
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            arguments = {}
    arguments = dict(arguments) if isinstance(arguments, Mapping) else {}
    return {**call, "type": "function", "function": {**function, "arguments": arguments}}


def _shorten(message: dict[str, Any], pending: list[str]) -> list[str]:
    """Set ids of nine letters; return those of calls that wait for results. A result without an id gets the first."""
    if message.get("tool_calls"):
        calls = [call for call in message["tool_calls"] if isinstance(call, dict)]
        for number, call in enumerate(calls):
            call["id"] = _short(str(call.get("id") or f"{number} {json.dumps(call.get('function'), default=str)}"))
        return [call["id"] for call in calls]
    if message["role"] not in RESULTS:
        return pending
    given = message.get("tool_call_id")
    message["tool_call_id"] = _short(str(given)) if given else pending[0] if pending else _short("")
    return [call_id for call_id in pending if call_id != message["tool_call_id"]]


def _short(call_id: str) -> str:
    if _ID.fullmatch(call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(9))


def _name_reasoning(message: dict[str, Any], template: str) -> None:
    """Give the reasoning of a message all names that the template knows."""
    content = message.get("content")
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    thoughts = [part for part in parts if part.get("type") in ("thinking", "reasoning")]
    texts = [message.pop(name, None) for name in REASONING]
    texts += ["".join(_thought(part) for part in thoughts)]
    reasoning = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    if thoughts:
        message["content"] = [part for part in parts if part not in thoughts]
    if isinstance(message.get("content"), list) and all("text" in part for part in message["content"]):
        message["content"] = plain(message["content"])
    if not reasoning:
        return
    if "[THINK]" in template and quotes(template, "thinking") and isinstance(message.get("content"), str):
        answer = [{"type": "text", "text": message["content"]}] if message["content"] else []
        message["content"] = [{"type": "thinking", "thinking": reasoning}, *answer]
        return
    message |= dict.fromkeys(_reasoning_names(template) or REASONING[:1], reasoning)


@lru_cache(16)
def _reasoning_names(template: str) -> tuple[str, ...]:
    """Return the names of reasoning that a template knows."""
    return tuple(name for name in REASONING if f".{name}" in template or quotes(template, name))


def _thought(part: Mapping[str, Any]) -> str:
    text = part.get("thinking", part.get("text", ""))
    return plain(text) if isinstance(text, (str, list)) else ""


def completed(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] | None, template: str
) -> Sequence[Message]:
    """Return messages with what the template does not write itself: calls in the model's format, reasoning within its
    marks, and the tools where the template reads them from the system message. Names of special tokens in the
    messages are marked by then, so that they stay text.
    """
    made: Messages = list(map(dict, messages))
    marks = format_of(template)
    has_reasoning = bool(_reasoning_names(template))
    for message in made:
        if message["role"] != "assistant":
            continue
        content = message.get("content") or ""
        if message.get("tool_calls") and "tool_calls" not in template:
            content = message["content"] = f"{content}{written(template, message.pop('tool_calls'))}"
        reasoning = message.get(REASONING[0])
        splits = marks is not None and marks.end in template and ".split(" in template
        if marks is not None and isinstance(reasoning, str) and not has_reasoning and splits:
            message["content"] = f"{marks.begin}\n{reasoning}{marks.close}{content}"
    if tools and "'tools' in message" in template:
        if not made or made[0]["role"] != "system":
            made.insert(0, {"role": "system", "content": ""})
        functions = [tool.get("function", tool) for tool in tools]
        made[0] = {**made[0], "tools": json.dumps(functions, ensure_ascii=False)}
    return made
