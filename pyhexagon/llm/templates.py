# SPDX-License-Identifier: MIT
"""Chat templates: from messages to the text that a model was trained to answer.

A template comes with the model and is a program of a stranger's. It runs in Jinja's sandbox, with the extensions that
transformers gives it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

from pyhexagon.errors import ArgumentError, UnsupportedError

Message = Mapping[str, Any]


class ChatTemplate:
    """A template of Jinja.

    Args:
        source: as a file has it.
        **names: texts that it may use, such as ``bos_token``.

    Raises:
        ArgumentError: it is no template.
        UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
    """

    def __init__(self, source: str, **names: str) -> None:
        try:
            import jinja2
            from jinja2.ext import loopcontrols
            from jinja2.sandbox import ImmutableSandboxedEnvironment
        except ImportError:
            raise UnsupportedError(
                "chat templates need the package jinja2", hint="pip install 'pyhexagon[llm]'"
            ) from None
        self._problems = jinja2.TemplateError
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.filters["tojson"] = _to_json
        environment.globals.update(raise_exception=_refuse, strftime_now=_now, **names)
        try:
            self._template = environment.from_string(source)
        except jinja2.TemplateError as problem:
            raise ArgumentError(f"the chat template: {problem}") from None

    def render(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **more: object,
    ) -> str:
        """The text of a conversation.

        Args:
            messages: each with a "role" and "content", as OpenAI's interface has them.
            tools: what the model may call, as JSON schemas.
            add_generation_prompt: whether the text ends where the answer begins.
            **more: what this template also knows, ``enable_thinking`` for example.

        Raises:
            ArgumentError: the template refuses them, or fails.
        """
        for message in messages:
            if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
                raise ArgumentError(f"a message is {message!r}: expected {{'role': ..., 'content': ...}}")
        try:
            return self._template.render(
                messages=messages, tools=tools, add_generation_prompt=add_generation_prompt, **more
            )
        except (self._problems, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as problem:
            raise ArgumentError(f"the chat template does not take these messages: {problem}") from None


def _to_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: object) -> NoReturn:
    raise ValueError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)
