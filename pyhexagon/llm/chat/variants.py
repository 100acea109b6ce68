# SPDX-License-Identifier: MIT
"""Forms of a conversation that a chat template may take, where it refuses the messages or drops a part of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pyhexagon.llm.chat.formats.writing import written
from pyhexagon.llm.chat.repair import REASONING, RESULTS, Messages, plain, quotes
from pyhexagon.llm.chat.templates import Message

_BREAK: Final = "\n\n"
_MARK: Final = "\ufdd2"  # no character


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


def whole_tools(tools: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return tools with the fields that OpenAI's API has as optional and some templates read all the same."""
    return [_whole_tool(tool) if isinstance(tool, Mapping) else tool for tool in tools]


def _whole_tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    function = tool.get("function")
    if not isinstance(function, Mapping):
        return tool
    parameters = function.get("parameters") or {"type": "object"}
    if isinstance(parameters, Mapping):
        parameters = {"properties": {}, **parameters}
    description = function.get("description") or ""
    return {**tool, "function": {**function, "description": description, "parameters": parameters}}


def must_have(messages: Sequence[Message], template: str) -> list[str]:
    """Return the texts that a prompt must have: of system messages, and of the results of tools if the template does
    not know them."""
    roles = {"system", "developer"} | (set() if quotes(template, "tool") else set(RESULTS))
    return [
        content.strip() for message in messages
        if message["role"] in roles and isinstance(content := message.get("content"), str) and content.strip()
    ]  # fmt: skip


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


def split_texts(messages: Sequence[Message]) -> Messages:
    """Give the text of a message with calls a message of its own."""
    made: Messages = []
    for message in messages:
        if has_text_beside_calls(message):
            made.append({name: value for name, value in message.items() if name != "tool_calls"})
            rest = {name: value for name, value in message.items() if name not in REASONING}
            made.append({**rest, "content": None})
        else:
            made.append(dict(message))
    return made


def has_text_beside_calls(message: Message) -> bool:
    """Return whether a message has a text and calls."""
    content = message.get("content")
    return bool(message.get("tool_calls")) and isinstance(content, str) and bool(content.strip())


def _rename_developers(messages: Messages) -> Messages:
    return [{**message, "role": "system"} if message["role"] == "developer" else message for message in messages]


def _text(message: Message) -> str:
    content = plain(message.get("content"))
    return "" if content is None else str(content)


def _merge_systems(messages: Messages) -> Messages:
    first = [message for message in messages if message["role"] in ("system", "developer")]
    if not first or (len(first) == 1 and messages[0] is first[0]):
        return messages
    content = _BREAK.join(filter(None, map(_text, first)))
    return [{**first[0], "content": content}, *(message for message in messages if message not in first)]


def split_calls(messages: Messages) -> Messages:
    """Give each of several calls a message of its own, before its result."""
    made: Messages = []
    for at, message in enumerate(messages):
        calls = message.get("tool_calls") or ()
        if message["role"] in RESULTS and made and made[-1] is message:
            continue
        if len(calls) < 2:
            if not any(message is each for each in made):
                made.append(message)
            continue
        results: Messages = []
        for result in messages[at + 1 :]:
            if result["role"] not in RESULTS:
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
            made[-1] = {**last, "content": _BREAK.join(filter(None, map(_text, (last, message))))}
        else:
            made.append(message)
    return made


def _fold_system(messages: Messages) -> Messages:
    """Put the system message into the first message of the user."""
    if not messages or messages[0]["role"] not in ("system", "developer"):
        return messages
    content, rest = _text(messages[0]), messages[1:]
    at = next((number for number, message in enumerate(rest) if message["role"] == "user"), None)
    if at is None:
        return [{"role": "user", "content": content}, *rest]
    text = _BREAK.join(filter(None, (content, _text(rest[at]))))
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
        elif message["role"] in RESULTS:
            text = f"<tool_response>\n{message.get('content')}\n</tool_response>"
            made.append({"role": "user", "content": text})
        else:
            made.append(message)
    return made


def _with_text_arguments(message: dict[str, Any]) -> dict[str, Any]:
    """Write the arguments of calls as JSON, for templates that append them to texts."""
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function")
        if isinstance(function, Mapping):
            arguments = json.dumps(function.get("arguments"), ensure_ascii=False)
            function = {**function, "arguments": arguments}
        calls.append({**call, "function": function})
    return {**message, "tool_calls": calls} if calls else message
