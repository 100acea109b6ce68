# SPDX-License-Identifier: MIT
"""Chat templates: from messages to the text that a model was trained to answer.

A template comes with the model and is a program of a stranger's. It runs in Jinja's sandbox, which keeps it from files
and from Python's own objects, and in a process with limits, as no sandbox ends a loop or a sum of a billion steps.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pyhexagon import extras
from pyhexagon.errors import ArgumentError

Message = Mapping[str, Any]
ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")  # OpenAI's
_PROGRAM: Final = str(Path(__file__).with_name("rendering.py"))
_CPU_SECONDS: Final = 5  # an ordinary template takes a tenth of one, most of it Python's own start
_BYTES: Final = 512 << 20


class ChatTemplate:
    """A template of Jinja.

    Args:
        source: as a file has it.
        **names: texts that it may use, such as ``bos_token``.

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
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **more: object,
    ) -> str:
        """The text of a conversation.

        Args:
            messages: each with a "role", one of ``ROLES``, and "content", as OpenAI's interface has them.
            tools: what the model may call, as JSON schemas.
            add_generation_prompt: whether the text ends where the answer begins.
            **more: what this template also knows, ``enable_thinking`` for example.

        Raises:
            ArgumentError: it is no template, or only the name of one; it refuses the messages, or fails; it takes more
                than 5 seconds of CPU time or 512 MiB; or JSON cannot express what is given.
        """
        if "{" not in self._source:  # old files of Mistral's format and RWKV's: it would be the whole prompt
            raise ArgumentError(
                f"the model's file names a chat template, {self._source[:60]!r}, and does not contain it"
            )
        for message in messages:
            if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
                raise ArgumentError(f"a message is {message!r}: expected {{'role': ..., 'content': ...}}")
            if message["role"] not in ROLES:
                raise ArgumentError(f"the role of a message is {message['role']!r}: expected {', '.join(ROLES)}")
        values = {"messages": messages, "tools": tools, "add_generation_prompt": add_generation_prompt, **more}
        given = {"source": self._source, "names": self._names, "values": values, "path": sys.path,
                 "seconds": _CPU_SECONDS, "bytes": _BYTES}  # fmt: skip
        try:
            request = json.dumps(given, default=_as_json)
        except (TypeError, ValueError) as problem:
            raise ArgumentError(f"what the chat template is given: {problem}") from None
        done = subprocess.run(
            [sys.executable, "-I", _PROGRAM], input=request.encode(), capture_output=True, check=False, env={}
        )
        if done.returncode:
            raise ArgumentError(f"the chat template does not end well: {_reason(done)}")
        answer = json.loads(done.stdout)
        if "text" not in answer:
            raise ArgumentError(f"the chat template does not take these messages: {answer['problem']}")
        return str(answer["text"])


def neutral(value: Any, marked: Callable[[str], str]) -> Any:
    """What a template is given, with each text in it ``marked``, but for the roles."""
    if isinstance(value, str):
        return marked(value)
    if isinstance(value, Mapping):
        return {key: one if key == "role" else neutral(one, marked) for key, one in value.items()}
    return [neutral(one, marked) for one in value] if isinstance(value, (list, tuple)) else value


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON has nothing like {value!r}")


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode == -signal.SIGXCPU:
        return f"it takes more than {_CPU_SECONDS} seconds of CPU time"
    if done.returncode < 0:
        return signal.strsignal(-done.returncode) or f"signal {-done.returncode}"
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"
