# SPDX-License-Identifier: MIT
"""The server with the clients of frameworks: langchain-openai, and litellm where it is installed."""

from __future__ import annotations

import importlib
import json
import socket
import warnings
from collections.abc import Iterator
from typing import Any

import needs
import numpy as np
import pytest
from llm import tiny
from pydantic import SecretStr

from pyhexagon import LLM, Device
from serve.serving import NAME, Serving, serving

KEY = SecretStr("none")
TALK: list[Any] = [{"role": "system", "content": "thin"}, {"role": "user", "content": "the"}]
COLD: dict[str, Any] = {"temperature": 0, "max_tokens": 12}
NUMBER = {"type": "integer", "minimum": 10, "maximum": 99}
SCHEMA = {
    "title": "number", "description": "A number.", "type": "object", "properties": {"a": NUMBER}, "required": ["a"],
    "additionalProperties": False,
}  # fmt: skip
TOOL = {"type": "function", "function": {"name": "number", "description": "A number.", "parameters": SCHEMA}}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


@pytest.fixture(scope="module")
def said(llm: LLM) -> str:
    """The completion of TALK."""
    return "".join(part.text for part in llm.chat(TALK, 12, 0))


def langchain(here: Serving, **more: Any) -> Any:
    """Return langchain-openai's chat model, without retries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        from langchain_openai import ChatOpenAI

        given = COLD | more
        return ChatOpenAI(model=NAME, base_url=f"{here.url}/v1", api_key=KEY, max_retries=0, **given)


def test_langchain_chats(here: Serving, said: str) -> None:
    chat = langchain(here, stream_usage=True)
    made = chat.invoke(TALK)
    assert (made.content, made.response_metadata["finish_reason"]) == (said, "length")
    parts = list(chat.stream(TALK))
    assert len(parts) > 2
    assert "".join(part.content for part in parts) == said
    usages = [part.usage_metadata for part in parts if part.usage_metadata]
    assert usages == [made.usage_metadata]
    assert made.usage_metadata["output_tokens"] == 12


@pytest.mark.parametrize("is_streamed", [False, True])
def test_langchain_calls_tools(here: Serving, is_streamed: bool) -> None:
    bound = langchain(here, max_tokens=100).bind_tools([TOOL], tool_choice="number")
    if is_streamed:
        first, *others = bound.stream(TALK)
        made = sum(others, first)
    else:
        made = bound.invoke(TALK)
    (call,) = made.tool_calls
    assert call["name"] == "number"
    assert 10 <= call["args"]["a"] <= 99
    result = {"role": "tool", "tool_call_id": call["id"], "content": "12"}
    assert langchain(here).invoke([*TALK, made, result]).content


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_langchain_has_structured_output(here: Serving, method: str) -> None:
    # With a temperature, a free JSON object ends before the limit on tokens.
    chat = langchain(here, max_tokens=100, temperature=0.8, seed=1)
    made = chat.with_structured_output(SCHEMA, method=method).invoke(TALK)
    assert isinstance(made, dict)
    assert method == "json_mode" or 10 <= made["a"] <= 99


def test_langchain_embeds(tmp_path_factory: pytest.TempPathFactory) -> None:
    from langchain_openai import OpenAIEmbeddings

    path = tiny.write_encoder(tmp_path_factory.mktemp("model") / "m.gguf", "bert")
    texts = ["the cat", "a"]
    with Device("loopback") as device, LLM(path, device=device) as llm, serving(llm) as there:
        # Its check of the length downloads OpenAI's vocabulary and sends token ids of this vocabulary.
        embeddings: Any = OpenAIEmbeddings(
            model=NAME, base_url=f"{there.url}/v1", api_key=KEY, check_embedding_ctx_length=False, max_retries=0
        )
        wanted = llm.embed(texts)
        assert np.array_equal(np.array(embeddings.embed_documents(texts), np.float32), wanted)
        assert np.array_equal(np.array(embeddings.embed_query(texts[1]), np.float32), wanted[1])


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The package litellm, which looks up no address but the server's."""
    needs.require("litellm")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it downloads prices when it is imported
    hosts = set()
    look_up = socket.getaddrinfo

    def noted(host: Any, *args: Any, **more: Any) -> Any:
        hosts.add(host)
        return look_up(host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        module: Any = importlib.import_module("litellm")
        module.telemetry = False
        yield module
    assert hosts <= {"127.0.0.1"}


def test_litellm(litellm: Any, here: Serving, said: str) -> None:
    given: dict[str, Any] = {
        "model": f"openai/{NAME}", "api_base": f"{here.url}/v1", "api_key": "none", "max_retries": 0, "messages": TALK
    }  # fmt: skip
    made = litellm.completion(**given, **COLD)
    assert (made.choices[0].message.content, made.choices[0].finish_reason) == (said, "length")
    assert made.usage.completion_tokens == 12
    parts = list(litellm.completion(**given, **COLD, stream=True, stream_options={"include_usage": True}))
    assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == said
    assert parts[-1].usage.completion_tokens == 12
    tools = {"tools": [TOOL], "tool_choice": "required", "temperature": 0, "max_tokens": 100}
    (call,) = litellm.completion(**given, **tools).choices[0].message.tool_calls
    assert call.function.name == "number"
    assert 10 <= json.loads(call.function.arguments)["a"] <= 99
    chunks = list(litellm.completion(**given, **tools, stream=True))
    (again,) = litellm.stream_chunk_builder(chunks).choices[0].message.tool_calls
    assert again.function == call.function
    with pytest.raises(litellm.NotFoundError, match="there is no model 'other'"):
        litellm.completion(**given | {"model": "openai/other"})
