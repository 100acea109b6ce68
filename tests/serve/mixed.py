# SPDX-License-Identifier: MIT
"""Mixed requests: chats, streams, tool calls, embeddings, and clients that disconnect."""

from __future__ import annotations

from typing import Any

import httpx2

from serve.serving import NAME

WORDS = ("the", "and", "he", "in", "er", "an", "th")
TOOL = {"type": "function", "function": {"name": "f", "parameters": {
    "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False,
}}}  # fmt: skip


def bodies(number: int) -> tuple[str, dict[str, Any]]:
    """Return the path and the body of a request; five kinds take turns, and no prompt comes twice in a row."""
    text = " ".join(WORDS[number // 7**digit % 7] for digit in range(4 + number % 9))
    chat: dict[str, Any] = {"model": NAME, "messages": [{"role": "user", "content": text}], "max_tokens": 8}
    chat |= {"seed": number, "temperature": 1.5}
    kinds: list[dict[str, Any]] = [{}, {"stream": True}, {"tools": [TOOL], "tool_choice": "required"}]
    if number % 5 < 3:
        return "/v1/chat/completions", chat | kinds[number % 5]
    if number % 5 == 3:
        return "/v1/embeddings", {"model": "e", "input": [text, "the"]}
    return "/v1/chat/completions", chat | {"stream": True, "max_tokens": 200, "logit_bias": {"2": -100}}


async def send(http: httpx2.AsyncClient, number: int) -> None:
    """Send a request; the client of every fifth one disconnects after the first line."""
    path, body = bodies(number)
    async with http.stream("POST", path, json=body) as answer:
        assert answer.status_code == 200, await answer.aread()
        if number % 5 == 4:
            await anext(answer.aiter_lines())
        else:
            await answer.aread()
