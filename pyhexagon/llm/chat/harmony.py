# SPDX-License-Identifier: MIT
"""OpenAI's harmony format, which gpt-oss answers in: messages on channels, each with a header and a body.

``<|start|>assistant<|channel|>analysis<|message|>...<|end|>`` is reasoning; the channel ``final`` has the answer; a
message ``to=functions.NAME`` on ``commentary`` is a tool call, and one without a recipient is for the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from pyhexagon.llm.engine.generation import ReasoningDelta
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_START, _CHANNEL, _MESSAGE, _CONSTRAIN = "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>"
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>")
_NAMES: Final = (_START, _CHANNEL, _MESSAGE, _CONSTRAIN, *_ENDS)
_CHANNEL_OF: Final = re.compile(r"<\|channel\|>\s*(\w+)")
_RECIPIENT: Final = re.compile(r"\bto=([^\s<]+)")


class Harmony:
    """Parses the channels of a completion, token by token.

    A tool call becomes ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>`` in the content, as with Hermes
    models. An empty line separates messages of the same kind.

    Args:
        tokenizer: of a model that ``speaks`` the format.
        prompt: its tokens, which usually end inside a header.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self._names = {tokenizer.id_of(name): name for name in _NAMES}
        self._header: str | None = ""
        self._is_reasoning, self._called, self._arguments = False, "", ""
        self._has_text = [False, False]
        self._is_parted = True
        start = tokenizer.id_of(_START)
        begun = max((at for at, token in enumerate(prompt) if token == start), default=len(prompt))
        self._read(prompt[begun:])
        self._has_text, self._is_parted = [False, False], True
        self._is_closed = False

    @property
    def is_reasoning(self) -> bool:
        return self._header is None and self._is_reasoning

    def closing(self) -> list[int]:
        """End the analysis. The model chooses the next channel once, for a call; then it is the final one."""
        channel = f"{_CHANNEL}final{_MESSAGE}" if self._is_closed else ""
        self._is_closed = True
        return self._tokenizer.encode(f"{_ENDS[0]}{_START}assistant{channel}", add_special=False)

    @staticmethod
    def speaks(tokenizer: Tokenizer) -> bool:
        """Return whether a model answers in this format: its vocabulary has the format's tokens."""
        return None not in map(tokenizer.id_of, _NAMES)

    def final(self) -> list[int]:
        """Open the final channel and return its tokens, for completions that must not begin with reasoning."""
        if self._header is None or _CHANNEL in self._header:
            return []
        opened = self._tokenizer.encode(f"{_CHANNEL}final{_MESSAGE}", add_special=False)
        self._read(opened)
        return opened

    def _read(self, tokens: Sequence[int]) -> None:
        decoder = self._tokenizer.decoder()
        for token in tokens:
            self.add(token, decoder.add(token))

    def add(self, token: int, text: str) -> ReasoningDelta:
        """Process a token of the completion; ``text`` has the characters that it completes."""
        name = self._names.get(token, "")
        if name in (_START, _CHANNEL) and self._header is None:
            delta, self._header = self._end_message(), name
            return delta
        if self._header is not None:
            if name == _MESSAGE:
                self._begin(self._header)
            else:
                self._header = "" if name == _START else self._header + (text if name in _ENDS else name or text)
            return ReasoningDelta()
        if name in _ENDS:
            delta, self._header = self._end_message(), ""
            return delta
        if self._called:
            self._arguments += text
            return ReasoningDelta()
        return self._text(text)

    def rest(self, text: str) -> ReasoningDelta:
        """Finish; ``text`` has the characters left by the last tokens. A truncated tool call is returned as far as it
        goes, and so is a completion without any header."""
        if self._header is not None:
            has_none = self._header and _CHANNEL not in self._header and not any(self._has_text)
            return ReasoningDelta(self._header.removeprefix("assistant") + text) if has_none else ReasoningDelta()
        if self._called:
            self._arguments += text
            return self._end_message()
        return self._text(text)

    def _begin(self, header: str) -> None:
        channel, recipient = _CHANNEL_OF.search(header), _RECIPIENT.search(header)
        self._header, self._arguments = None, ""
        self._is_reasoning = channel is not None and channel[1] == "analysis" and recipient is None
        self._called = "" if recipient is None else recipient[1].removeprefix("functions.")
        self._is_parted = False

    def _text(self, text: str) -> ReasoningDelta:
        if not text:
            return ReasoningDelta()
        if not self._is_parted and self._has_text[self._is_reasoning]:
            text = "\n\n" + text
        self._is_parted = self._has_text[self._is_reasoning] = True
        return ReasoningDelta(reasoning=text) if self._is_reasoning else ReasoningDelta(text)

    def _end_message(self) -> ReasoningDelta:
        if not self._called:
            return ReasoningDelta()
        try:
            arguments = json.loads(self._arguments)
            call = json.dumps({"name": self._called, "arguments": arguments}, ensure_ascii=False)
        except (ValueError, RecursionError):
            call = json.dumps({"name": self._called, "arguments": self._arguments}, ensure_ascii=False)
        self._called, self._is_reasoning = "", False
        return self._text(f"<tool_call>{call}</tool_call>")
