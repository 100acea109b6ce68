# SPDX-License-Identifier: MIT
"""Repair conversations that clients send and chat templates refuse, or drop parts of, in one place before rendering.

``normalized`` brings messages into the form that the template knows: roles, arguments of calls, ids, reasoning.
``variants`` are what is tried, one after the other, where the template refuses the messages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pyhexagon.llm.chat.formats.writing import written
from pyhexagon.llm.chat.reasoning import format_of
from pyhexagon.llm.chat.templates import Message

Messages = list[dict[str, Any]]

_ID: Final = re.compile(r"[A-Za-z0-9]{9}")
_LETTERS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SHORT_IDS: Final = re.compile(r"length 9|length\s*[!=]=\s*9")
_NO_CONTENT: Final = re.compile(r"(?<!_)\bcontent['\"]?\]?\s+is\s+(?:not\s+)?none")
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_RESULTS: Final = ("tool", "function")
_BREAK: Final = "\n\n"
_MARK: Final = "\ufdd2"  # no character


def normalized(messages: Sequence[Message], template: str) -> Sequence[Message]:
    """Return messages in the form that a chat template knows. What is no message stays as it is.

    - The role "developer" becomes "system", "function" becomes "tool", unless the template names it.
    - Arguments of calls are objects: text that is no JSON object, as of a call that max_tokens cut, becomes {}.
    - An empty list of calls is dropped.
    - Ids have nine letters or digits where the template demands it; each id becomes the same one every time.
    - Reasoning has the name that the template knows; parts of the type "thinking" belong to it.
    - Parts of tool results are one text, in which "[image]" stands for an image.
    """
    if not all(isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in messages):
        return messages
    has_short_ids = _SHORT_IDS.search(template) is not None
    made: Messages = []
    pending: list[str] = []  # ids of calls without results
    for message in messages:
        each = dict(message)
        each["role"] = _role(each["role"], template)
        if "tool_calls" in each:
            calls = each.pop("tool_calls")
            if calls:
                each["tool_calls"] = [_call(call) for call in calls] if isinstance(calls, list) else calls
        if has_short_ids:
            pending = _shorten(each, pending)
        if each["role"] in _RESULTS:
            each["content"] = plain(each.get("content"))
        elif each["role"] == "assistant":
            each["content"] = "" if each.get("content") is None else each["content"]  # templates concatenate texts
            _name_reasoning(each, template)
            if not each["content"] and each.get("tool_calls") and _NO_CONTENT.search(template):
                each["content"] = None
        made.append(each)
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


def _role(role: str, template: str) -> str:
    if role == "developer" and not _quotes(template, role):
        return "system"
    return "tool" if role == "function" and _quotes(template, "tool") else role


def _quotes(template: str, word: str) -> bool:
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
    if message["role"] not in _RESULTS:
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
    texts = [message.pop(name, None) for name in _REASONING]
    texts += ["".join(_thought(part) for part in thoughts)]
    reasoning = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    if thoughts:
        message["content"] = [part for part in parts if part not in thoughts]
    if isinstance(message.get("content"), list) and all("text" in part for part in message["content"]):
        message["content"] = plain(message["content"])
    if not reasoning:
        return
    if "[THINK]" in template and _quotes(template, "thinking") and isinstance(message.get("content"), str):
        answer = [{"type": "text", "text": message["content"]}] if message["content"] else []
        message["content"] = [{"type": "thinking", "thinking": reasoning}, *answer]
        return
    known = [name for name in _REASONING if f".{name}" in template or _quotes(template, name)]
    message |= dict.fromkeys(known or _REASONING[:1], reasoning)


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
    if not all(isinstance(message, Mapping) for message in messages):
        return messages
    made = [dict(message) for message in messages]
    marks = format_of(template)
    has_reasoning = any(f".{name}" in template or _quotes(template, name) for name in _REASONING)
    for message in made:
        if message["role"] != "assistant":
            continue
        content = message.get("content") or ""
        if message.get("tool_calls") and "tool_calls" not in template:
            content = message["content"] = f"{content}{written(template, message.pop('tool_calls'))}"
        reasoning = message.get(_REASONING[0])
        splits = marks is not None and marks.end in template and ".split(" in template
        if marks is not None and isinstance(reasoning, str) and not has_reasoning and splits:
            message["content"] = f"{marks.begin}\n{reasoning}{marks.close}{content}"
    if tools and "'tools' in message" in template:
        if not made or made[0]["role"] != "system":
            made.insert(0, {"role": "system", "content": ""})
        functions = [tool.get("function", tool) for tool in tools]
        made[0] = {**made[0], "tools": json.dumps(functions, ensure_ascii=False)}
    return made


def variants(messages: Sequence[Message]) -> Iterator[Messages]:
    """Yield messages with more and more of what templates refuse changed: each time all that was changed before."""
    changed = [dict(message) for message in messages]
    if any(message.get("tool_calls") for message in messages):
        yield [_with_text_arguments(message) for message in changed]
    for change in (_merge_systems, split_calls, _merge_turns, _fold_system, _begin_with_user, _plain_calls):
        after = change(changed)
        if after != changed:
            changed = after
            yield changed
            if change is _plain_calls:
                yield _merge_turns(changed)


def rescues(messages: Sequence[Message]) -> Iterator[Messages]:
    """Yield messages with more and more of what templates drop in a form that they may render."""
    changed = [dict(message) for message in messages]
    has_user = any(message["role"] == "user" for message in changed)
    for change in (_rename_developers, _merge_systems, _plain_calls, *(() if has_user else (_fold_system,))):
        after = change(changed)
        if after != changed:
            changed = after
            yield changed


def must_have(messages: Sequence[Message], template: str) -> list[str]:
    """Return the texts that a prompt must have: of system messages, and of the results of tools if the template does
    not know them."""
    roles = {"system", "developer"} | (set() if _quotes(template, "tool") else set(_RESULTS))
    texts = [message.get("content") for message in messages if message.get("role") in roles]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


def marked(messages: Sequence[Message], texts: Sequence[str]) -> Messages:
    """Return messages with a mark in those contents that are one of some texts."""
    return [
        {**message, "content": f"{content.strip()}{_MARK}"}
        if isinstance(content := message.get("content"), str) and content.strip() in texts
        else dict(message)
        for message in messages
    ]


def first_calls(messages: Sequence[Message]) -> Messages | None:
    """Return messages of which each has its first call only; None if no message has several."""
    if not any(len(message.get("tool_calls") or ()) > 1 for message in messages):
        return None
    return [
        {**message, "tool_calls": message["tool_calls"][:1]} if message.get("tool_calls") else dict(message)
        for message in messages
    ]


def _rename_developers(messages: Messages) -> Messages:
    return [{**message, "role": "system"} if message["role"] == "developer" else message for message in messages]


def _merge_systems(messages: Messages) -> Messages:
    first = [message for message in messages if message["role"] in ("system", "developer")]
    if not first or (len(first) == 1 and messages[0] is first[0]):
        return messages
    content = _BREAK.join(filter(None, (plain(message.get("content")) for message in first)))
    return [{**first[0], "content": content}, *(message for message in messages if message not in first)]


def split_calls(messages: Messages) -> Messages:
    """Give each of several calls a message of its own, before its result."""
    made: Messages = []
    for at, message in enumerate(messages):
        calls = message.get("tool_calls") or ()
        if message["role"] in _RESULTS and made and made[-1] is message:
            continue
        if len(calls) < 2:
            if not any(message is each for each in made):
                made.append(message)
            continue
        results: Messages = []
        for result in messages[at + 1 :]:
            if result["role"] not in _RESULTS:
                break
            results.append(result)
        for number, call in enumerate(calls):
            own = {**message, "content": message.get("content") if not number else "", "tool_calls": [call]}
            made.append(own)
            called = isinstance(call, Mapping) and call.get("id")
            fitting = [each for each in results if called and each.get("tool_call_id") == called]
            fitting = fitting or results[number : number + 1]
            made += [each for each in fitting if not any(each is other for other in made)]
    return made


def _merge_turns(messages: Messages) -> Messages:
    """Join consecutive messages of the user, and of the assistant."""
    made: Messages = []
    for message in messages:
        last = made[-1] if made else None
        is_plain = not message.get("tool_calls") and message["role"] in ("user", "assistant")
        if last is not None and is_plain and last["role"] == message["role"] and not last.get("tool_calls"):
            texts = [plain(each.get("content")) for each in (last, message)]
            made[-1] = {**last, "content": _BREAK.join(text for text in texts if text)}
        else:
            made.append(message)
    return made


def _fold_system(messages: Messages) -> Messages:
    """Put the system message into the first message of the user."""
    if not messages or messages[0]["role"] not in ("system", "developer"):
        return messages
    content, rest = plain(messages[0].get("content")) or "", messages[1:]
    at = next((number for number, message in enumerate(rest) if message["role"] == "user"), None)
    if at is None:
        return [{"role": "user", "content": content}, *rest]
    text = _BREAK.join(filter(None, (content, plain(rest[at].get("content")))))
    return [*rest[:at], {**rest[at], "content": text}, *rest[at + 1 :]]


def _begin_with_user(messages: Messages) -> Messages:
    at = next((number for number, message in enumerate(messages) if message["role"] not in ("system", "developer")), 0)
    if not messages or messages[at]["role"] == "user":
        return messages
    return [*messages[:at], {"role": "user", "content": ""}, *messages[at:]]


def _plain_calls(messages: Messages) -> Messages:
    """Write calls into the assistant's text, and results into the user's, for templates that know neither."""
    made: Messages = []
    for message in messages:
        if message.get("tool_calls"):
            text = f"{message.get('content') or ''}{written('', message['tool_calls'])}"
            made.append({"role": "assistant", "content": text})
        elif message["role"] in _RESULTS:
            text = f"<tool_response>\n{message.get('content')}\n</tool_response>"
            made.append({"role": "user", "content": text})
        else:
            made.append(message)
    return made


def _with_text_arguments(message: dict[str, Any]) -> dict[str, Any]:
    """Write the arguments of calls as JSON, for templates that append them to texts."""
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            return message
        arguments = json.dumps(function.get("arguments"), ensure_ascii=False)
        calls.append({**call, "function": {**function, "arguments": arguments}})
    return {**message, "tool_calls": calls} if calls else message
