# SPDX-License-Identifier: MIT
"""The requests that Open WebUI (its routers openai.py, ollama.py and tasks.py) sends, in the order of a first visit: a
connection is checked, models are listed, a chat is streamed, then it gets a title, tags and follow-up questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx2
import numpy as np
import pytest
from llm import tiny

from pyhexagon import LLM, Device
from serve.serving import NAME, Serving, serving

KEY = "correct-horse"
TALK: list[Any] = [
    {"role": "system", "content": "thin"}, {"role": "user", "content": "the"}, {"role": "assistant", "content": "in"},
    {"role": "user", "content": [{"type": "text", "text": "he"}]},
]  # fmt: skip
PLAIN: list[Any] = [*TALK[:-1], {"role": "user", "content": "he"}]
TASKS = ["title of the thin", "and in the er", "er in"]
USER = {
    "X-OpenWebUI-User-Name": "An%20Er", "X-OpenWebUI-User-Id": "7f0c", "X-OpenWebUI-User-Email": "an@example.org",
    "X-OpenWebUI-User-Role": "admin", "X-OpenWebUI-Chat-Id": "c41d",
}  # fmt: skip
PARAMS: dict[str, Any] = {"temperature": 0, "top_p": 0.9, "frequency_penalty": 0, "seed": 3, "stop": ["qqq"]}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, (KEY,)) as one:
        yield one


def webui(here: Serving, **more: str) -> httpx2.Client:
    """Return a client with Open WebUI's headers."""
    return here.http(headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **USER, **more})


def completion(llm: LLM, messages: list[Any], n: int) -> str:
    return "".join(part.text for part in llm.chat(messages, n, 0))


def test_an_openai_connection(llm: LLM, here: Serving) -> None:
    client = webui(here)
    for _ in ("the connection is checked", "models are listed"):
        listed = client.get("/v1/models").json()
        assert (listed["object"], [one["id"] for one in listed["data"]]) == ("list", [NAME])
    body = {
        "model": NAME, "messages": TALK, "stream": True, "stream_options": {"include_usage": True}, "max_tokens": 12,
        "logit_bias": {}, **PARAMS,
    }  # fmt: skip
    answer = client.post("/v1/chat/completions", content=json.dumps(body))
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in answer.text.split("\n") if line]
    assert lines[-1] == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == completion(llm, PLAIN, 12)
    assert chunks[-1]["usage"]["completion_tokens"] == 12
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]][-1] == "length"
    for task in TASKS:  # title, tags and follow-up questions are chats of one message
        body = {
            "model": NAME, "messages": [{"role": "user", "content": task}], "stream": False,
            "max_completion_tokens": 9, "temperature": 0,
        }  # fmt: skip
        made = client.post("/v1/chat/completions", content=json.dumps(body)).json()
        assert made["choices"][0]["message"]["content"] == completion(llm, body["messages"], 9)
    body["messages"] = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]
    made = client.post("/v1/chat/completions", content=json.dumps(body)).json()
    assert made["choices"][0]["message"]["content"] == completion(llm, [{"role": "user", "content": "[image]"}], 9)
    refused = webui(here, Authorization="Bearer wrong").get("/v1/models")
    assert (refused.status_code, "error" in refused.json()) == (401, True)


def test_an_ollama_connection(llm: LLM, here: Serving) -> None:
    client = webui(here)
    version = client.get("/api/version").json()["version"]
    assert len([int(part) for part in version.split(".")]) == 3  # it compares versions of numbers only
    (model,) = client.get("/api/tags").json()["models"]
    assert model["model"] == model["name"] == f"{NAME}:latest"
    (loaded,) = client.get("/api/ps").json()["models"]
    assert loaded["name"] == model["name"]
    if "expires_at" in loaded:
        assert datetime.fromisoformat(loaded["expires_at"]).timestamp() > 0
    body = {
        "model": model["model"], "messages": PLAIN, "stream": True,
        "options": PARAMS | {"num_predict": 12, "num_ctx": 128, "num_keep": 24},
    }  # fmt: skip
    answer = client.post("/api/chat", content=json.dumps(body))
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert "".join(line["message"]["content"] for line in lines) == completion(llm, PLAIN, 12)
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    last = lines[-1]
    assert (last["done_reason"], last["eval_count"]) == ("length", 12)
    for name in ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration", "prompt_eval_count"):
        assert isinstance(last[name], int)  # it computes tokens per second
    for task in TASKS:
        body = {
            "model": model["model"], "messages": [{"role": "user", "content": task}], "stream": False,
            "options": {"num_predict": 9, "temperature": 0},
        }  # fmt: skip
        made = client.post("/api/chat", content=json.dumps(body)).json()
        assert made["message"]["content"] == completion(llm, body["messages"], 9)
    pulled = client.post("/api/pull", content=json.dumps({"model": model["model"], "insecure": True}))
    assert [json.loads(line)["status"] for line in pulled.text.splitlines()][-1] == "success"
    refused = client.post("/api/chat", content=json.dumps(body | {"model": "other:latest"}))
    assert (refused.status_code, "no model" in refused.json()["error"]) == (404, True)
    unload = {"model": model["model"], "keep_alive": 0, "prompt": ""}
    unloaded = client.post("/api/generate", content=json.dumps(unload))
    assert json.loads(unloaded.text.splitlines()[-1])["done"]


def test_embeddings_of_documents(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tiny.write_encoder(tmp_path_factory.mktemp("model") / "m.gguf", "bert")
    texts = ["the cat", "a"]
    with Device("loopback") as device, LLM(path, device=device) as llm, serving(llm, (KEY,)) as there:
        client = webui(there)
        made = client.post("/v1/embeddings", content=json.dumps({"input": texts, "model": NAME})).json()
        wanted = llm.embed(texts)
        assert np.array_equal(np.array([one["embedding"] for one in made["data"]], np.float32), wanted)
        body = {"input": texts, "model": f"{NAME}:latest", "truncate": True}
        made = client.post("/api/embed", content=json.dumps(body)).json()
        assert np.array_equal(np.array(made["embeddings"], np.float32), wanted)
