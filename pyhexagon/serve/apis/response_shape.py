# SPDX-License-Identifier: MIT
"""The responses and stream events of ``/v1/responses``."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from typing import Any, Final

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.response_store import ResponseStore
from pyhexagon.serve.apis.response_tools import ResponseTools, text_of
from pyhexagon.serve.apis.shape import EVENT_STREAM, PING, Turn, Usage, event
from pyhexagon.serve.http.errors import ServeError

_PARTS: Final = {"message": "output_text", "reasoning": "reasoning_text"}  # types of content by types of items
_PREFIXES: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}


class ResponseShape:
    """Builds a response: its items of the types reasoning, message, function_call and custom_tool_call.

    Args:
        echoed: fields of the request that the response repeats.
        messages: of the conversation before the response, without instructions.
        store: remembers the response, if the request asks for it.
        tools: of the request.
    """

    media_type = EVENT_STREAM
    ping = PING

    def __init__(
        self,
        parsed: ParsedRequest,
        context: RequestContext,
        echoed: Record,
        messages: list[Record],
        *,
        store: ResponseStore,
        tools: ResponseTools,
    ) -> None:
        self._tools = tools
        self._messages, self._store, self._client = messages, store, context.client
        self._turn = Turn(parsed)
        self._n_events, self._n_reasoning, self._is_cut = 0, 0, False
        self._output: list[Record] = []
        self._is_open = False  # whether the last item still grows
        self._calls: list[Record] = []
        self._head: Record = {
            "id": f"resp_{uuid.uuid4().hex}", "object": "response", "created_at": int(time.time()),
            "model": context.model, "error": None, "incomplete_details": None, "usage": None, **echoed,
        }  # fmt: skip

    def begin(self, n_prompt: int) -> bytes:
        response = {"response": self._head | {"status": "in_progress", "output": []}}
        return self._event("response.created", response) + self._event("response.in_progress", response)

    def step(self, index: int, parts: Sequence[GenerationChunk]) -> bytes:
        delta = self._turn.add(parts)
        self._n_reasoning += sum(bool(part.reasoning) for part in parts)
        self._is_cut = delta.finish_reason == "length"
        events = self._delta("reasoning", delta.reasoning) + self._delta("message", delta.text)
        self._calls += delta.tool_calls
        for call in delta.tool_calls:
            events += self._call(call)
        return events

    def end(self, usage: Usage) -> bytes:
        events = self._closed()
        response = self._finished(usage)
        return events + self._event(f"response.{response['status']}", {"response": response})

    def failed(self, error: ServeError) -> bytes:
        events = self._closed()
        problem = {"code": "server_error", "message": error.message}
        response = self._head | {"status": "failed", "error": problem, "output": self._output}
        return events + self._event("response.failed", {"response": response})

    def whole(self, parts: Sequence[Sequence[GenerationChunk]], usage: Usage) -> Record:
        self.step(0, parts[0])
        self._closed()
        return self._finished(usage)

    def _finished(self, usage: Usage) -> Record:
        """Return the response, and remember it."""
        status = {"status": "incomplete" if self._is_cut else "completed"}
        more = {"incomplete_details": {"reason": "max_output_tokens"}} if self._is_cut else {}
        response: Record = self._head | status | more | {"output": self._output}
        response["usage"] = usage.responses(self._n_reasoning)
        if response["store"]:
            message: Record = {"role": "assistant", "content": self._text()}
            message |= {"reasoning_content": thoughts} if (thoughts := self._text("reasoning")) else {}
            message |= {"tool_calls": self._calls} if self._calls else {}
            response["store"] = self._store.add(self._client, response, [*self._messages, message])
        return response

    def _text(self, kind: str = "message") -> str:
        return "".join(item["content"][0]["text"] for item in self._output if item["type"] == kind)

    # --- Items ---

    def _delta(self, kind: str, text: str) -> bytes:
        """Add text to the last item, or to a new one if that is of another type."""
        if not text:
            return b""
        events = b""
        if not self._is_open or self._output[-1]["type"] != kind:
            events = self._closed() + self._begun(kind)
        part = self._output[-1]["content"][0]
        part["text"] += text
        more: Record = {"logprobs": []} if kind == "message" else {}
        return events + self._event(f"response.{part['type']}.delta", self._place(0) | {"delta": text} | more)

    def _begun(self, kind: str) -> bytes:
        part: Record = {"type": _PARTS[kind], "text": ""}
        part |= {"annotations": [], "logprobs": []} if kind == "message" else {}
        fields: Record = {"role": "assistant"} if kind == "message" else {"summary": []}
        events = self._added(kind, fields | {"content": []})
        events += self._event("response.content_part.added", self._place(0) | {"part": part})
        self._output[-1]["content"] = [part]
        self._is_open = True
        return events

    def _closed(self) -> bytes:
        """End the last item, if it still grows."""
        if not self._is_open:
            return b""
        self._is_open = False
        part = self._output[-1]["content"][0]
        more: Record = {"logprobs": []} if part["type"] == "output_text" else {}
        events = self._event(f"response.{part['type']}.done", self._place(0) | {"text": part["text"]} | more)
        return events + self._event("response.content_part.done", self._place(0) | {"part": part}) + self._done()

    def _call(self, call: Record) -> bytes:
        """Add a function call."""
        kind, field, text = "function_call", "arguments", call["function"]["arguments"]
        tool = self._tools.called[call["function"]["name"]]
        if tool.is_custom:
            kind, field, text = "custom_tool_call", "input", text_of(text)
        events = self._closed()
        named = {"name": tool.name} | ({} if tool.namespace is None else {"namespace": tool.namespace})
        events += self._added(kind, {"call_id": call["id"], **named, field: ""})
        self._output[-1] |= {field: text}
        event = f"response.{kind}_{field}"
        events += self._event(f"{event}.delta", self._place() | {"delta": text})
        events += self._event(f"{event}.done", self._place() | {field: text, "name": tool.name})
        return events + self._done()

    def _added(self, kind: str, fields: Record) -> bytes:
        item = {"id": f"{_PREFIXES[kind]}_{uuid.uuid4().hex}", "type": kind, "status": "in_progress", **fields}
        self._output.append(item)
        return self._event("response.output_item.added", {"output_index": len(self._output) - 1, "item": dict(item)})

    def _done(self) -> bytes:
        item = self._output[-1]
        item["status"] = "incomplete" if self._is_cut else "completed"
        return self._event("response.output_item.done", {"output_index": len(self._output) - 1, "item": item})

    def _place(self, content_index: int | None = None) -> dict[str, Any]:
        """Return the fields of an event that name the last item, and its content."""
        place = {"item_id": self._output[-1]["id"], "output_index": len(self._output) - 1}
        return place if content_index is None else place | {"content_index": content_index}

    def _event(self, kind: str, record: Record) -> bytes:
        self._n_events += 1
        return event({"type": kind, "sequence_number": self._n_events - 1, **record}, kind)
