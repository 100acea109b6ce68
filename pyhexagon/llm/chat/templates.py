# SPDX-License-Identifier: MIT
"""Chat templates: from messages to the prompt that a model was trained on.

A template comes with the model and is an untrusted program. It runs in Jinja's sandbox, which keeps it from files and
from Python's own objects, and in a worker process with limits (pyhexagon/workers), as no sandbox ends an endless
loop.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pyhexagon import extras, workers
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.tokens.special_tokens import MARK

Message = Mapping[str, Any]
_PROGRAM: Final = Path(__file__).with_name("rendering.py")
_CPU_SECONDS: Final = 5  # for a text; the first one of a worker includes the compiler's
_BYTES: Final = 512 << 20
_REASONING: Final = "<think>"
_END_OF_TEXT: Final = "\ufdd1"  # no character
_FIELDS: Final = frozenset({"role", "content", "name", "tool_calls", "tool_call_id"})  # of messages
Role = Literal["system", "developer", "user", "assistant", "tool", "function"]  # OpenAI's
ROLES: Final[tuple[str, ...]] = get_args(Role)


class RefusedMessagesError(ArgumentError):
    """A chat template does not take these messages."""


class ChatTemplate:
    """A chat template, written for Jinja.

    Args:
        source: the template, as a GGUF file has it.
        **names: strings that it may use, such as ``bos_token``.

    Raises:
        UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
    """

    def __init__(self, source: str, **names: str) -> None:
        if importlib.util.find_spec("jinja2") is None:
            raise extras.missing("chat templates", "jinja2", "llm")
        self._source, self._names = source, names

    def render(
        self,
        messages: Sequence[Message],
        /,  # no name of a variable is taken
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **more: object,
    ) -> str:
        """Return the prompt of a conversation.

        Args:
            messages: each with a "role", one of ``ROLES``, and "content", as in OpenAI's API.
            tools: the functions that the model may call, as JSON schemas.
            add_generation_prompt: whether the prompt ends where the assistant's message begins.
            **more: other variables of this template, ``enable_thinking`` for example.

        Raises:
            RefusedMessagesError: the template refuses the messages or fails.
            ArgumentError: the template is only the name of one; it takes more than 5 seconds of CPU time or 512 MiB; or
                JSON cannot express an argument.
        """
        if "{" not in self._source:  # old files of Mistral's format and RWKV's: it would be the whole prompt
            raise ArgumentError(
                f"the model's file names a chat template, {self._source[:60]!r}, and does not contain it"
            )
        check_messages(messages)
        values = {"messages": messages, "tools": tools, "add_generation_prompt": add_generation_prompt, **more}
        try:
            request = json.dumps(values, default=_as_json)
        except (TypeError, ValueError) as problem:
            raise ArgumentError(f"the chat template's variables are no JSON: {problem}") from None
        setup = {"source": self._source, "names": self._names}
        try:
            answer = workers.ask(_PROGRAM, setup, request, cpu_seconds=_CPU_SECONDS, max_bytes=_BYTES)
        except workers.WorkerEnded as reason:
            raise ArgumentError(f"the chat template does not end well: {reason}") from None
        if "text" not in answer:
            raise RefusedMessagesError(f"the chat template does not take these messages: {answer['problem']}")
        return str(answer["text"])

    def render_open(
        self, messages: Sequence[Message], /, *, tools: Sequence[Mapping[str, Any]] | None = None, **more: object
    ) -> str:
        """Return the prompt that ends with the content of the last message, which the completion continues.

        Args:
            messages, tools, **more: as for ``render``.

        Raises:
            ArgumentError: as ``render``; the last message is no text of the assistant, or begins with reasoning; or
                the template changes the text.
        """
        last = messages[-1] if messages else {}
        text = last.get("content")
        if last.get("role") != "assistant" or last.get("tool_calls") or not isinstance(text, str) or not text.strip():
            raise ArgumentError("only a last message of the assistant with a text, without tool calls, is continued")
        if text.replace(MARK, "").lstrip().startswith(_REASONING):
            raise ArgumentError("a message that begins with its reasoning is not continued: expected reasoning_content")
        opened = [*messages[:-1], {**last, "content": text + _END_OF_TEXT}]
        before, *after = self.render(opened, tools=tools, add_generation_prompt=False, **more).split(_END_OF_TEXT)
        text = text.lstrip()  # as many templates do
        if len(after) != 1 or not before.endswith(text) or before.removesuffix(text).rstrip().endswith(_REASONING):
            raise ArgumentError("the chat template cannot continue a message of the assistant: it changes the text")
        return before


@lru_cache(16)
def chat_template(source: str, names: tuple[tuple[str, str], ...]) -> ChatTemplate:
    """Return a chat template; the one from before for the same source and names."""
    return ChatTemplate(source, **dict(names))


def check_messages(messages: Sequence[Message]) -> None:
    """Check that each message is an object with a role of ``ROLES``.

    Raises:
        ArgumentError: one is not.
    """
    for message in messages:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise ArgumentError(f"a message is {message!r}: expected {{'role': ..., 'content': ...}}")
        if message["role"] not in ROLES:
            raise ArgumentError(f"the role of a message is {message['role']!r}: expected {', '.join(ROLES)}")


def neutral_messages(messages: Sequence[Message], marked: Callable[[str], str]) -> Sequence[Message]:
    """Return messages with every string ``marked``, except the names of their fields in OpenAI's API, and their roles,
    which are of ``ROLES``."""
    return [
        {
            name if name in _FIELDS else neutral(name, marked): value if name == "role" else neutral(value, marked)
            for name, value in message.items()
        }
        for message in messages
    ]


def neutral(value: Any, marked: Callable[[str], str]) -> Any:
    """Return the values of a template with every string ``marked``, names of fields as well."""
    if isinstance(value, str):
        return marked(value)
    if isinstance(value, Mapping):
        return {neutral(key, marked): neutral(item, marked) for key, item in value.items()}
    return [neutral(item, marked) for item in value] if isinstance(value, (list, tuple)) else value


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON has nothing like {value!r}")
