# SPDX-License-Identifier: MIT
"""OpenAI's response objects, built from generated chunks for ``pyhexagon.serve`` and ``pyhexagon.compat``.

A field that the two packages fill in differently, as llama-cpp-python differs from OpenAI, is built by the package: the
form of ids, "logprobs" of text completions, and the fields of the first chunk of a stream.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

from pyhexagon.llm.engine.generation import GenerationChunk
from pyhexagon.llm.tokens.tokenizer import Tokenizer

Record = dict[str, Any]

_TEXT: Final[attrgetter[str]] = attrgetter("text")
_REASONING: Final[attrgetter[str]] = attrgetter("reasoning")


def head(response_id: str, model: str) -> Record:
    """Return the fields with which every response and every stream chunk begins, except its "object"."""
    return {"id": response_id, "created": int(time.time()), "model": model}


def usage(n_prompt: int, n_completion: int) -> Record:
    """Return the "usage" object for the numbers of prompt and completion tokens."""
    return {"prompt_tokens": n_prompt, "completion_tokens": n_completion, "total_tokens": n_prompt + n_completion}


def text(chunks: Iterable[GenerationChunk]) -> str:
    """Return the text of several chunks, without reasoning content."""
    return "".join(map(_TEXT, chunks))


def reasoning(chunks: Iterable[GenerationChunk]) -> str:
    """Return the reasoning content of several chunks."""
    return "".join(map(_REASONING, chunks))


# --- Choices ---


def choice(index: int, content: Record, logprobs: Record | None, finish_reason: str | None) -> Record:
    """Return a choice.

    Args:
        index: of the completion in its response.
        content: the field that holds the completion: "text", "message" or "delta".
        logprobs: the "logprobs" object; None if the request does not ask for it.
        finish_reason: None in all chunks of a stream except the last one.
    """
    return {"index": index, **content, "logprobs": logprobs, "finish_reason": finish_reason}


def delta_choice(index: int, delta: Record, finish_reason: str | None) -> Record:
    """Return the choice of a chat's stream chunk, without the field "logprobs"."""
    return {"index": index, "delta": delta, "finish_reason": finish_reason}


def message(content: str | None, reasoning_content: str, tool_calls: Sequence[Record] = ()) -> Record:
    """Return the assistant's "message" of a chat completion; fields that would be empty are missing, but "content"."""
    record: Record = {"role": "assistant", "content": content}
    record |= {"tool_calls": list(tool_calls)} if tool_calls else {}
    return record | ({"reasoning_content": reasoning_content} if reasoning_content else {})


def delta(content: str, reasoning_content: str, tool_calls: Sequence[Record] = (), first_call: int = 0) -> Record:
    """Return the "delta" of a chat's stream chunk; fields that would be empty are missing.

    Args:
        tool_calls: as of ``message``; their "index" fields are added here.
        first_call: index of the first of them.
    """
    record: Record = {"reasoning_content": reasoning_content} if reasoning_content else {}
    record |= {"content": content} if content else {}
    if tool_calls:
        record["tool_calls"] = [call | {"index": index} for index, call in enumerate(tool_calls, first_call)]
    return record


def chat_logprobs(chunks: Iterable[GenerationChunk], tokenizer: Tokenizer) -> Record:
    """Return the "logprobs" object of a chat's choice: each token with its top log-probabilities."""

    def entry(token: int, logprob: float) -> Record:
        content = tokenizer.token_bytes(token, special=True)
        return {"token": content.decode("utf-8", "replace"), "logprob": logprob, "bytes": list(content)}

    return {"content": [
        entry(chunk.token, chunk.logprob) | {"top_logprobs": [entry(*top) for top in chunk.top_logprobs]}
        for chunk in chunks
    ]}  # fmt: skip


# --- Embeddings ---


def embedding_list(embeddings: Iterable[object], model: str, n_tokens: int) -> Record:
    """Return the response to a request for embeddings.

    Args:
        embeddings: of the inputs, in the encoding that the request asks for.
        n_tokens: number of tokens of all inputs.
    """
    data = [
        {"object": "embedding", "index": index, "embedding": embedding} for index, embedding in enumerate(embeddings)
    ]
    counts = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
    return {"object": "list", "model": model, "data": data, "usage": counts}
