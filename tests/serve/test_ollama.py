# SPDX-License-Identifier: MIT
"""Ollama's API, with its client: the same answers as OpenAI's API gives."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import ollama
import pytest
from llm import tiny
from waiting import LONG

from pyhexagon import LLM, Device
from pyhexagon.llm import GenerationChunk
from pyhexagon.serve.apis.ollama_answers import OllamaShape
from pyhexagon.serve.apis.requests import ParsedRequest, RequestContext
from pyhexagon.serve.apis.shape import Usage
from pyhexagon.serve.http.errors import ServeError
from pyhexagon.serve.models.pooled_model import ModelUse, Prompts
from pyhexagon.version import VERSION
from serve.serving import NAME, TEMPLATE, Serving, serving
from serve.test_connections import until

TALK: list[Any] = [{"role": "user", "content": "the"}]
NUMBER = {"type": "integer", "minimum": 10, "maximum": 99}
SCHEMA = {"type": "object", "additionalProperties": False, "required": ["a"], "properties": {"a": NUMBER}}
COLD = {"temperature": 0, "num_predict": 12}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


@pytest.fixture
def client(here: Serving) -> Iterator[ollama.Client]:
    with ollama.Client(here.url, timeout=LONG) as client:
        yield client


def test_chats(llm: LLM, client: ollama.Client) -> None:
    wanted = "".join(part.text for part in llm.chat(TALK, 12, 0))
    made = client.chat(NAME, TALK, options=COLD)
    assert (made.message.role, made.message.content, made.done_reason) == ("assistant", wanted, "length")
    parts = list(client.chat(f"{NAME}:latest", TALK, options=COLD, stream=True))
    assert "".join(part.message.content or "" for part in parts) == wanted
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    last = parts[-1]
    assert (last.done_reason, last.eval_count, last.prompt_eval_count) == ("length", 12, made.prompt_eval_count)
    assert last.prompt_eval_duration
    assert last.eval_duration
    assert last.total_duration
    assert last.total_duration >= last.prompt_eval_duration + last.eval_duration - 1
    for one in (made, last):
        assert one.prompt_eval_duration
        assert one.eval_duration
        assert one.total_duration
        assert one.eval_duration > one.total_duration / 20, "11 of its 12 tokens come after the first one"
        assert one.load_duration == 0
        assert abs(one.total_duration - one.prompt_eval_duration - one.eval_duration) <= 2


def test_durations_begin_with_the_loading_of_the_model() -> None:
    asked = ParsedRequest([[1]], 1, 2, {}, None, None, is_streamed=False, has_usage=False)
    shape = OllamaShape(asked, RequestContext(cast(Any, None), NAME, "", loading=2.0), "message")
    shape._began -= 10
    record = shape.whole([[GenerationChunk("a", 1, 0.0, "stop")]], Usage(1, 1, generation_seconds=0.5))
    seconds = {name.partition("_d")[0]: value / 1e9 for name, value in record.items() if name.endswith("duration")}
    assert seconds["load"] == 2
    assert 9.5 <= seconds["prompt_eval"] < 10.5
    assert seconds["eval"] == 0.5
    assert seconds["total"] == pytest.approx(seconds["load"] + seconds["prompt_eval"] + seconds["eval"], abs=1e-6)


def test_texts(llm: LLM, client: ollama.Client) -> None:
    made = client.generate(NAME, "the", system="thin", options=COLD)
    talk: list[Any] = [{"role": "system", "content": "thin"}, *TALK]
    assert made.response == "".join(part.text for part in llm.chat(talk, 12, 0))
    assert client.generate(NAME, "the", raw=True, options=COLD).response == llm.generate("the", 12, 0).text
    stopped = client.generate(NAME, "the", raw=True, options={**COLD, "stop": [llm.generate("the", 12, 0).text[4:7]]})
    assert stopped.done_reason == "stop"
    assert client.generate(NAME, "").done_reason == "load"
    assert client.chat(NAME, []).done_reason == "load"


@pytest.mark.parametrize("more", [{}, {"raw": True}, {"system": "a"}, {"stream": False}, {"raw": True, "prompt": ""}])
def test_every_request_sets_how_long_the_model_stays(
    here: Serving, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    uses: list[ModelUse[Any]] = []
    pool = here.server.pool

    def given_back(use: ModelUse[Any], give_back: Callable[[ModelUse[Any]], None] = pool._give_back) -> None:
        uses.append(use)
        give_back(use)

    monkeypatch.setattr(pool, "_give_back", given_back)
    for path, own in (("generate", {"prompt": "the"}), ("chat", {"messages": TALK})):
        body: dict[str, Any] = {**own, "model": NAME, "options": {"num_predict": 1}, **more}
        for keep_alive, seconds in ((0, 0.0), ("2m", 120.0), (-1, math.inf), ("-1s", math.inf)):
            uses.clear()
            assert here.http().post(f"/api/{path}", json=body | {"keep_alive": keep_alive}).status_code == 200
            until(lambda: uses)  # a moment after the response
            assert [use.keep_alive for use in uses] == [seconds]
        refused: tuple[Any, ...] = ("soon", [], {}, "1y", True)
        for wrong in refused:
            assert here.http().post(f"/api/{path}", json=body | {"keep_alive": wrong}).status_code == 400


def test_a_form_for_the_answer(client: ollama.Client) -> None:
    made = client.chat(NAME, TALK, format=SCHEMA, options={"num_predict": 100})
    assert 10 <= json.loads(made.message.content or "")["a"] <= 99
    assert made.done_reason == "stop"
    assert isinstance(json.loads(client.generate(NAME, "the", format="json", options={"seed": 1}).response or ""), dict)


def test_tool_calls_and_reasoning_are_fields_of_the_message(llm: LLM) -> None:
    asked = ParsedRequest(
        [[1]], 1, 9, {}, None, None, is_streamed=False, has_usage=False, tools={"time": {}}
    )  # fmt: skip
    call = '<tool_call>{"name": "time", "arguments": {"a": 12}}</tool_call>'
    parts = [
        GenerationChunk("", 5, -1.0, None, reasoning="Hm"), GenerationChunk("Look: ", 6, -1.0, None),
        GenerationChunk(call, 7, -1.0, "stop"),
    ]  # fmt: skip
    asking = RequestContext(Prompts(llm), NAME, "")
    whole = ollama.ChatResponse(**OllamaShape(asked, asking, "message").whole([parts], Usage(4, 3)))
    assert (whole.message.thinking, whole.message.content) == ("Hm", "Look: ")
    assert [one.function.arguments for one in whole.message.tool_calls or ()] == [{"a": 12}]
    shape = OllamaShape(asked, asking, "message")
    lines = b"".join(shape.step(0, [part]) for part in parts) + shape.end(Usage(4, 3))
    messages = [ollama.ChatResponse(**json.loads(line)).message for line in lines.splitlines()]
    assert [(one.thinking, one.content, len(one.tool_calls or ())) for one in messages] == [
        ("Hm", "", 0), (None, "Look: ", 0), (None, "", 1), (None, "", 0)
    ]  # fmt: skip
    assert json.loads(shape.failed(ServeError(503, "gone"))) == {"error": "gone"}


def test_the_model_is_described(llm: LLM, client: ollama.Client) -> None:
    (listed,) = client.list().models
    (running,) = client.ps().models
    assert (listed.model, listed.digest) == (f"{NAME}:latest", running.digest)
    assert listed.details
    assert (listed.details.family, listed.details.format) == ("llama", "gguf")
    shown = client.show(NAME)
    assert (shown.template, shown.capabilities) == (TEMPLATE, ["completion"])
    assert shown.modelinfo
    assert shown.modelinfo["general.architecture"] == "llama"
    assert shown.modelinfo["llama.context_length"] >= llm.n_ctx
    assert client.pull(NAME).status == "success"


def test_embeddings(tmp_path_factory: pytest.TempPathFactory, client: ollama.Client) -> None:
    path = tiny.write_encoder(tmp_path_factory.mktemp("model") / "m.gguf", "bert")
    texts = ["the cat", "a"]
    with (
        Device("loopback") as device, LLM(path, device=device) as llm, serving(llm) as there,
        ollama.Client(there.url, timeout=LONG) as embedder,
    ):  # fmt: skip
        made = embedder.embed(NAME, texts)
        assert np.array_equal(np.array(made.embeddings, np.float32), llm.embed(texts))
        for text in texts:  # the route of older clients
            one = embedder.embeddings(NAME, text, keep_alive="5m").embedding
            assert np.array_equal(np.array(one, np.float32), llm.embed([text])[0])
        wrong = there.http().post("/api/embeddings", json={"model": NAME, "prompt": 3})
        assert (wrong.status_code, "prompt" in wrong.json()["error"]) == (400, True)
        assert embedder.show(NAME).capabilities == ["embedding"]
    with pytest.raises(ollama.ResponseError, match="embeddings"):
        client.embed(NAME, "the")
    with pytest.raises(ollama.ResponseError, match="embeddings"):
        client.embeddings(NAME, "the")


def test_what_is_wrong_is_told(here: Serving, client: ollama.Client) -> None:
    assert here.http().get("/api/version").json() == {"version": VERSION}
    wrongs: list[tuple[str, dict[str, Any], int, str]] = [
        ("chat", {"model": "other", "messages": TALK}, 404, "no model 'other'"),
        ("chat", {"messages": [{"role": "what", "content": "the"}]}, 400, "role"),
        ("chat", {"messages": [{"role": "user", "content": "the", "images": "aGk="}]}, 400, "images"),
        ("chat", {"messages": TALK, "options": {"temperature": -2}}, 400, "temperature"),
        ("chat", {"messages": TALK, "format": "xml"}, 400, "format"),
        ("generate", {"prompt": "the", "suffix": "end"}, 400, "no fill-in-the-middle tokens"),
        ("show", {"model": "other"}, 404, "no model 'other'"),
        ("pull", {"model": "other"}, 404, "no model 'other'"),
    ]
    for route, body, status, words in wrongs:
        answer = here.http().post(f"/api/{route}", json=body)
        assert (answer.status_code, list(answer.json())) == (status, ["error"])
        assert words in answer.json()["error"]


def test_log_probabilities(llm: LLM, here: Serving) -> None:
    options = {"num_predict": 4, "temperature": 0}
    ids = llm.tokenizer.encode("the thin")
    wanted = llm.generate(ids, 4, 0, top_logprobs=2)
    body: dict[str, Any] = {"prompt": "the thin", "raw": True, "options": options, "logprobs": True, "top_logprobs": 2}
    made = here.http().post("/api/generate", json=body | {"stream": False}).json()
    assert [one["logprob"] for one in made["logprobs"]] == pytest.approx(wanted.logprobs, abs=1e-5)
    assert all(len(one["top_logprobs"]) == 2 for one in made["logprobs"])
    assert {"token", "logprob", "bytes"} <= made["logprobs"][0].keys()
    lines = here.http().post("/api/generate", json=body).text.splitlines()
    streamed = [one for line in lines for one in json.loads(line).get("logprobs", ())]
    assert streamed == made["logprobs"]
    chat = here.http().post("/api/chat", json={"messages": TALK, "options": options, "logprobs": True, "stream": False})
    assert [len(one["top_logprobs"]) for one in chat.json()["logprobs"]] == [0] * 4
    assert "logprobs" not in here.http().post("/api/generate", json=body | {"logprobs": False, "stream": False}).json()


def test_a_shorter_context_and_conversations_that_are_cut_to_it(
    llm: LLM, here: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    def prompt_of(messages: list[Any]) -> int:
        return len(llm.tokenizer.encode(llm.apply_template(messages), add_special=False))

    system: Any = {"role": "system", "content": "thin"}
    turns: list[Any] = [
        {"role": role, "content": f"the {number} man " * 4} for number in range(6) for role in ("user", "assistant")
    ]
    talk = [system, *turns, {"role": "user", "content": "the"}]
    kept = [system, *turns[-4:], talk[-1]]
    num_ctx = prompt_of(kept) + 5
    assert prompt_of([system, *turns[-6:], talk[-1]]) >= num_ctx
    body: dict[str, Any] = {"messages": talk, "stream": False, "options": {"num_ctx": num_ctx, "temperature": 0}}
    body["options"] |= {"num_predict": 50}
    answer = here.http().post("/api/chat", json=body).json()
    assert answer["prompt_eval_count"] == prompt_of(kept)
    assert answer["eval_count"] <= 5
    assert "oldest 8 messages are left out" in caplog.text
    refused = here.http().post("/api/chat", json=body | {"truncate": False})
    assert (refused.status_code, f"context has {num_ctx}" in refused.json()["error"]) == (400, True)
    alone = here.http().post("/api/chat", json=body | {"messages": [talk[1]], "options": {"num_ctx": 9}})
    assert alone.status_code == 400
    here.http().post("/api/chat", json={"messages": TALK, "stream": False, "options": {"num_ctx": 99999}})
    assert "num_ctx is 99999: the context has 256 tokens" in caplog.text


def test_typical_sampling_and_the_window_of_penalties_are_options(here: Serving) -> None:
    for name, value in (("typical_p", 2), ("repeat_last_n", -2), ("num_ctx", 0)):
        answer = here.http().post("/api/chat", json={"messages": TALK, "options": {name: value}})
        assert (answer.status_code, f"options.{name} is" in answer.json()["error"]) == (400, True)
