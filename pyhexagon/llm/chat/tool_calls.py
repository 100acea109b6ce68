# SPDX-License-Identifier: MIT
"""Find tool calls in a completion, in the formats that models were trained on:

- Hermes, Qwen: ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``; harmony's calls arrive in this form.
- Qwen3-Coder: ``<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>``
- Mistral: ``[TOOL_CALLS][{"name": ..., "arguments": {...}}]``, ``[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}``
- Llama 3: ``{"name": ..., "parameters": {...}}``, several of them separated by semicolons, also after
  ``<|python_tag|>``.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any, Final

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.stopping import Stop
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_HERMES, _END_HERMES = "<tool_call>", "</tool_call>"
_FUNCTION, _END_FUNCTION = "<function=", "</function>"
_PARAMETER, _END_PARAMETER = "<parameter=", "</parameter>"
_MISTRAL, _LLAMA = "[TOOL_CALLS]", "<|python_tag|>"
_BEGINS: Final = (_HERMES, _FUNCTION, _MISTRAL, _LLAMA)
_MARKS: Final = (_HERMES, _END_HERMES, _MISTRAL, "[CALL_ID]", "[ARGS]", _LLAMA)  # may be control tokens
_HEAD: Final = re.compile(r"\s*([\w.-]{1,256})\s*(?:\[CALL_ID\]\s*(\w{1,64})\s*)?(?:\[ARGS\])?\s*(?=\{)")
_BETWEEN: Final = re.compile(r"[\s;,]*")
_DECODER: Final = json.JSONDecoder()

Schemas = Mapping[str, Mapping[str, Any]]


def marks_of(tokenizer: Tokenizer) -> dict[int, str]:
    """Return the names of the control tokens that mark tool calls, by token: they have no text."""
    ids = {tokenizer.id_of(name): name for name in _MARKS}
    return {token: name for token, name in ids.items() if token is not None and token in tokenizer.control}


class Talk:
    """Split a completion into content and tool calls, incrementally. An invalid call is content.

    Args:
        schemas: of the tools' parameters, by name.
        is_call: whether the whole completion is a tool call.
    """

    def __init__(self, schemas: Schemas, *, is_call: bool) -> None:
        self._schemas, self._is_call = schemas, is_call
        self._stop = Stop(_BEGINS)
        self._text = ""
        self._n_told = 0  # characters that were returned as content
        self._n_called = 0  # characters at the beginning that hold calls that were returned, and what is before them
        self._is_invalid = False

    def add(self, text: str) -> str:
        """Append text of the completion and return the content that is certain to be no tool call."""
        self._text += text
        if self._is_call or self._stop.is_found:
            return ""
        self._n_called += len(self._stop.add(text))
        said = self._text[: self._n_called]
        if not self._stop.is_found and said.lstrip()[:1] in ("", "{"):
            return ""
        told, self._n_told = said[self._n_told :], len(said)
        return told

    def complete(self) -> list[Record]:
        """Return the calls that have become complete since the last time."""
        calls: list[Record] = []
        while self._stop.is_found and not self._is_invalid:
            start = len(self._text) - len(self._text[self._n_called :].lstrip())
            end_mark = _END_HERMES if self._text.startswith(_HERMES, start) else _END_FUNCTION
            end = self._text.find(end_mark, start)
            if not self._text.startswith((_HERMES, _FUNCTION), start) or end < 0:
                break
            found = self._block(self._text[start:end])
            if found is None:
                self._is_invalid = True
                break
            calls.append(found)
            self._n_called = end + len(end_mark)
        return calls

    def rest(self) -> tuple[str, list[Record]]:
        """Return the remaining content and the remaining tool calls, at the end of the completion."""
        has_called = self._stop.is_found and self._n_called > self._n_told
        calls = self.complete()
        has_called = has_called or bool(calls)
        rest = self._text[self._n_called if self._stop.is_found else self._n_told :]
        found = [] if self._is_invalid or (self._n_told and not self._stop.is_found) else self._parsed(rest)
        if found:
            return "", calls + found
        return ("" if has_called and not rest.strip() else rest), calls

    def _parsed(self, text: str) -> list[Record] | None:
        """Return the calls of a text that has nothing else; None if one of them is invalid."""
        begun = text.lstrip()
        if self._stop.is_found and begun.startswith((_HERMES, _FUNCTION)):  # it ends without its mark
            call = self._block(begun)
            return None if call is None else [call]
        if self._stop.is_found and begun.startswith(_MISTRAL):
            found: list[Record] = []
            for part in begun.split(_MISTRAL)[1:]:
                calls = self._of_mistral(part)
                if calls is None:
                    return None
                found += calls
            return found
        return self._of_json(begun.removeprefix(_LLAMA))

    def _of_mistral(self, text: str) -> list[Record] | None:
        head = _HEAD.match(text)
        if head is None:
            return self._of_json(text)
        try:
            arguments, _ = _DECODER.raw_decode(text, head.end())
        except (ValueError, RecursionError):
            return None
        call = self._call({"name": head[1], "arguments": arguments, "id": head[2]})
        return None if call is None else [call]

    def _of_json(self, text: str) -> list[Record] | None:
        """Return the calls of JSON objects, or of a list of them."""
        values: list[Any] = []
        at = _between(text, 0)
        try:
            while at < len(text):
                value, at = _DECODER.raw_decode(text, at)
                values += value if isinstance(value, list) else [value]
                at = _between(text, at)
        except (ValueError, RecursionError):
            return None
        calls = [self._call(value) for value in values]
        found = [call for call in calls if call is not None]
        return found if len(found) == len(calls) else None

    def _block(self, text: str) -> Record | None:
        """Return the call of a text that begins with a mark of Hermes or Qwen3-Coder."""
        text = text.removeprefix(_HERMES).strip()
        if not text.startswith(_FUNCTION):
            calls = self._of_json(text)
            return calls[0] if calls and len(calls) == 1 else None
        name, is_closed, body = text[len(_FUNCTION) :].partition(">")
        body = body.partition(_END_FUNCTION)[0].strip()
        if not is_closed:
            return None
        if not body.startswith(_PARAMETER):
            calls = self._of_json(f'{{"name": {json.dumps(name)}, "arguments": {body or "{}"}}}')
            return calls[0] if calls and len(calls) == 1 else None
        types = self._schemas.get(name, {}).get("properties")
        arguments: Record = {}
        while body:
            key, is_closed, body = body.removeprefix(_PARAMETER).partition(">")
            value, is_ended, body = body.partition(_END_PARAMETER)
            if not (is_closed and is_ended):
                return None
            schema = types.get(key) if isinstance(types, Mapping) else None
            arguments[key] = _typed(value.removeprefix("\n").removesuffix("\n"), schema)
            body = body.lstrip()
            if body and not body.startswith(_PARAMETER):
                return None
        return self._call({"name": name, "arguments": arguments})

    def _call(self, call: Any) -> Record | None:
        if not isinstance(call, dict) or not isinstance(call.get("name"), str) or call["name"] not in self._schemas:
            return None
        arguments = call.get("arguments", call.get("parameters", {}))
        function = {"name": call["name"], "arguments": json.dumps(arguments, ensure_ascii=False)}
        own = call.get("id")  # templates of Mistral accept their own ids only
        name = own if isinstance(own, str) and own.isalnum() and len(own) <= 64 else f"call_{uuid.uuid4().hex[:24]}"
        return {"id": name, "type": "function", "function": function}


def _between(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return at if found is None else found.end()


def _typed(text: str, schema: Any) -> Any:
    """Return a parameter's value: a text, unless its schema says something else."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
