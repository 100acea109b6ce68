# SPDX-License-Identifier: MIT
"""A chat template that a user gives in place of the one in the model's file."""

from __future__ import annotations

import os
from typing import Final

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat.templates import ChatTemplate, RefusedMessagesError

_MOST_BYTES: Final = 1 << 20
_QUESTION: Final = {"role": "user", "content": "Hello"}
_SYSTEM: Final = {"role": "system", "content": "Be brief."}


def given_template(given: str | os.PathLike[str], **names: str) -> str:
    """Return the text of a chat template, after a look at what it makes of a question.

    Args:
        given: the template, written for Jinja (a text with a brace), or the path of a file that has it.
        **names: strings that it may use, such as ``bos_token``.

    Raises:
        ArgumentError: the file cannot be read, or is no template; or the template takes no question.
    """
    where = "the chat template"
    if isinstance(given, str) and "{" in given:
        text = given
    else:
        path = os.fspath(given)
        where, text = f"the chat template in {path}", _content(path)
        if "{" not in text:
            raise ArgumentError(f"{path} is no chat template: there is no {{{{ ... }}}} in it")
    template = ChatTemplate(text, **names)
    try:
        template.render([_QUESTION])
    except RefusedMessagesError as problem:
        try:
            template.render([_SYSTEM, _QUESTION])  # some need a system prompt
        except RefusedMessagesError:
            raise ArgumentError(f"{where}: {problem}") from None
    return text


def _content(path: str) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ArgumentError(f"{path} has more than {_MOST_BYTES >> 20} MiB: it is no chat template")
        return content.decode()
    except OSError as problem:
        raise ArgumentError(f"the chat template {path} cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError:
        raise ArgumentError(f"{path} is not UTF-8: it is no chat template") from None
