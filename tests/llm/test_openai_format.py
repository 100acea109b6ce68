# SPDX-License-Identifier: MIT
"""``pyhexagon.llm.chat.openai_format``: OpenAI's client library accepts the objects and knows all of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from openai.types import Completion, CreateEmbeddingResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from llm import tiny
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm import GenerationChunk, Tokenizer
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record

CHUNKS = [
    GenerationChunk("", 5, -1.0, None, reasoning="Hm"),
    GenerationChunk("Y", 6, -0.5, None, top_logprobs=((6, -0.5), (7, -2.0)), reasoning="m"),
    GenerationChunk("es", 300, -0.25, "stop"),
]
CALL: Record = {"id": "call_1", "type": "function", "function": {"name": "time", "arguments": "{}"}}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tokenizer]:
    path: Path = tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama")
    with GGUFFile(path) as file:
        yield Tokenizer(file)


def accepted(kind: type[BaseModel], record: Record) -> None:
    """Check that a client's class has every field of a record, and that it reads the same values back."""
    read = kind.model_validate(record, strict=True).model_dump(exclude_unset=True)
    assert read == record
    unknown = {name for name, _ in _fields(read)} - _KNOWN - {name for name, _ in _fields(kind.model_json_schema())}
    assert unknown == set()


_KNOWN = {"reasoning_content"}  # not OpenAI's; DeepSeek, llama.cpp and vLLM have it


def _fields(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield name, part
            yield from _fields(part)
    elif isinstance(value, list):
        for part in value:
            yield from _fields(part)


def test_chat_completions(tokenizer: Tokenizer) -> None:
    content, reasoning = openai_format.text(CHUNKS), openai_format.reasoning(CHUNKS)
    assert (content, reasoning) == ("Yes", "Hmm")
    logprobs = openai_format.chat_logprobs(CHUNKS, tokenizer)
    assert [entry["token"].encode() for entry in logprobs["content"]] == [
        bytes(entry["bytes"]) for entry in logprobs["content"]
    ]
    assert [len(entry["top_logprobs"]) for entry in logprobs["content"]] == [0, 2, 0]
    for message, reason in (
        (openai_format.message(content, reasoning), "stop"),
        (openai_format.message(None, "", [CALL]), "tool_calls"),
    ):
        choices = [openai_format.choice(0, {"message": message}, logprobs, reason)]
        whole = openai_format.head("chatcmpl-1", "tiny") | {"object": "chat.completion", "choices": choices}
        accepted(ChatCompletion, whole | {"usage": openai_format.usage(3, 2)})


def test_chunks_of_a_chat_add_up_to_its_message(tokenizer: Tokenizer) -> None:
    head = openai_format.head("chatcmpl-1", "tiny") | {"object": "chat.completion.chunk"}
    deltas = [openai_format.delta(chunk.text, chunk.reasoning) for chunk in CHUNKS]
    assert deltas == [{"reasoning_content": "Hm"}, {"reasoning_content": "m", "content": "Y"}, {"content": "es"}]
    accepted(ChatCompletionChunk, head | {"choices": [openai_format.delta_choice(0, deltas[1], None)]})
    calls = openai_format.delta("", "", [CALL, CALL])
    assert [call["index"] for call in calls["tool_calls"]] == [0, 1]
    assert "index" not in CALL
    logprobs = openai_format.chat_logprobs(CHUNKS[1:2], tokenizer)
    accepted(ChatCompletionChunk, head | {
        "choices": [openai_format.choice(1, {"delta": calls}, logprobs, "tool_calls")]
    })  # fmt: skip


def test_text_completions_and_embeddings() -> None:
    choices = [openai_format.choice(0, {"text": openai_format.text(CHUNKS)}, None, "length")]
    whole = openai_format.head("cmpl-1", "tiny") | {"object": "text_completion", "choices": choices}
    accepted(Completion, whole | {"usage": openai_format.usage(3, 2)})
    assert openai_format.usage(3, 2) == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    embeddings = openai_format.embedding_list([[0.5, 1.0], [2.0, 0.0]], "tiny", 7)
    accepted(CreateEmbeddingResponse, embeddings)
    assert embeddings["usage"] == {"prompt_tokens": 7, "total_tokens": 7}
