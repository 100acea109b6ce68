# SPDX-License-Identifier: MIT
"""OpenAI's harmony format, in which gpt-oss answers: messages on channels, each with a header and a body.

``<|start|>assistant<|channel|>analysis<|message|>...<|end|>`` is what the model thinks; on the channel ``final`` is the
answer; a message ``to=functions.NAME`` on ``commentary`` calls a tool, and one without a recipient is for the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from pyhexagon.llm.tokenizer import Tokenizer

_START, _CHANNEL, _MESSAGE, _CONSTRAIN = "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>"
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>")
_NAMES: Final = (_START, _CHANNEL, _MESSAGE, _CONSTRAIN, *_ENDS)
_CHANNEL_OF: Final = re.compile(r"<\|channel\|>\s*(\w+)")
_RECIPIENT: Final = re.compile(r"\bto=([^\s<]+)")


class Said(NamedTuple):
    """What a token adds: to the answer, and to what the model thinks."""

    content: str = ""
    reasoning: str = ""


class Harmony:
    """Takes the channels of an answer apart, token by token.

    A call becomes ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>`` in the content, as Hermes models do.
    Messages of the same kind are parted by an empty line.

    Args:
        tokenizer: of a model that ``speaks`` it.
        prompt: its tokens, which end within a header as a rule.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self._names = {tokenizer.id_of(name): name for name in _NAMES}
        self._header: str | None = ""
        self._is_reasoning, self._called, self._arguments = False, "", ""
        self._has_said = [False, False]
        self._is_parted = True
        start = tokenizer.id_of(_START)
        begun = max((at for at, token in enumerate(prompt) if token == start), default=len(prompt))
        decoder = tokenizer.decoder()
        for token in prompt[begun:]:
            self.add(token, decoder.add(token))
        self._has_said, self._is_parted = [False, False], True

    @staticmethod
    def speaks(tokenizer: Tokenizer) -> bool:
        """Whether a model answers in this format: its vocabulary has the tokens."""
        return all(tokenizer.id_of(name) is not None for name in _NAMES)

    def final(self) -> list[int]:
        """The tokens that open the final channel, where the answer must not begin with what the model thinks."""
        if self._header is None or _CHANNEL in self._header:
            return []
        opened = self._tokenizer.encode(f"{_CHANNEL}final{_MESSAGE}", add_special=False)
        decoder = self._tokenizer.decoder()
        for token in opened:
            self.add(token, decoder.add(token))
        return opened

    def add(self, token: int, text: str) -> Said:
        """What a token of the answer adds; text: the characters that it completes."""
        name = self._names.get(token, "")
        if name in (_START, _CHANNEL) and self._header is None:
            said, self._header = self._ended(), name
            return said
        if self._header is not None:
            if name == _MESSAGE:
                self._begin(self._header)
            else:
                self._header = "" if name == _START else self._header + (text if name in _ENDS else name or text)
            return Said()
        if name in _ENDS:
            said, self._header = self._ended(), ""
            return said
        if self._called:
            self._arguments += text
            return Said()
        return self._said(text)

    def rest(self, text: str) -> Said:
        """At the end; text: what the last tokens left. A call that was cut is given as far as it came, and so is an
        answer without any header."""
        if self._header is not None:
            has_none = self._header and _CHANNEL not in self._header and not any(self._has_said)
            return Said(self._header.removeprefix("assistant") + text) if has_none else Said()
        if self._called:
            self._arguments += text
            return self._ended()
        return self._said(text)

    def _begin(self, header: str) -> None:
        channel, recipient = _CHANNEL_OF.search(header), _RECIPIENT.search(header)
        self._header, self._arguments = None, ""
        self._is_reasoning = channel is not None and channel[1] == "analysis" and recipient is None
        self._called = "" if recipient is None else recipient[1].removeprefix("functions.")
        self._is_parted = False

    def _said(self, text: str) -> Said:
        if not text:
            return Said()
        if not self._is_parted and self._has_said[self._is_reasoning]:
            text = "\n\n" + text
        self._is_parted = self._has_said[self._is_reasoning] = True
        return Said(reasoning=text) if self._is_reasoning else Said(text)

    def _ended(self) -> Said:
        if not self._called:
            return Said()
        try:
            arguments = json.loads(self._arguments)
        except ValueError:
            arguments = self._arguments
        call = json.dumps({"name": self._called, "arguments": arguments}, ensure_ascii=False)
        self._called, self._is_reasoning = "", False
        return self._said(f"<tool_call>{call}</tool_call>")
