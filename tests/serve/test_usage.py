# SPDX-License-Identifier: MIT
"""What a request took: cached tokens and timings in all APIs, and errors of prompts that do not fit the context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyhexagon import LLM, Device
from serve import serving
from serve.serving import Serving

N_CTX = 128
TALK: list[Any] = [{"role": "user", "content": "the thin man and the other one " * 2}]
LONG_TALK: list[Any] = [{"role": "user", "content": "the thin man " * 100}]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    path: Path = serving.model(tmp_path_factory.mktemp("models"))
    with (
        Device("loopback") as device,
        LLM(path, N_CTX, n_sequences=4, device=device) as llm,
        serving.serving(llm) as one,
    ):
        yield one


def test_the_library_says_how_much_of_a_prompt_was_cached(here: Serving) -> None:
    llm: Any = here.loaded.model
    llm.clear_cache()
    prompt = [1, *range(5, 45)]
    first, again = (llm.generate(prompt, 3, 0) for _ in range(2))
    assert (first.cached_tokens, again.cached_tokens) == (0, len(prompt) - 1)
    assert llm.generate([*prompt[:20], 99, 98], 3, 0).cached_tokens == 20


def test_openai_s_usage_and_llama_server_s_timings(here: Serving) -> None:
    llm: Any = here.loaded.model
    llm.clear_cache()
    body: dict[str, Any] = {"messages": TALK, "max_tokens": 5, "temperature": 0, "logit_bias": {"2": -1000}}
    first = here.http().post("/v1/chat/completions", json=body).json()
    n_prompt = first["usage"]["prompt_tokens"]
    assert first["usage"]["prompt_tokens_details"] == {"cached_tokens": 0}
    assert (first["timings"]["cache_n"], first["timings"]["prompt_n"], first["timings"]["predicted_n"]) == (
        0, n_prompt, 5,
    )  # fmt: skip
    for name in ("prompt", "predicted"):
        n, ms = first["timings"][f"{name}_n"], first["timings"][f"{name}_ms"]
        assert ms > 0
        assert first["timings"][f"{name}_per_token_ms"] == pytest.approx(ms / n)
        assert first["timings"][f"{name}_per_second"] == pytest.approx(1000 * n / ms)
    again = here.http().post("/v1/chat/completions", json=body).json()
    assert again["usage"]["prompt_tokens_details"] == {"cached_tokens": n_prompt - 1}
    assert (again["timings"]["cache_n"], again["timings"]["prompt_n"]) == (n_prompt - 1, 1)
    streamed = body | {"stream": True, "stream_options": {"include_usage": True}}
    lines = here.http().post("/v1/chat/completions", json=streamed).text.split("\n\n")
    last = json.loads([line for line in lines if line.startswith("data: {")][-1].removeprefix("data: "))
    assert last["usage"] == again["usage"]
    assert last["timings"]["cache_n"] == n_prompt - 1


def test_completions_of_one_prompt_count_its_cache_once(here: Serving) -> None:
    llm: Any = here.loaded.model
    llm.clear_cache()
    body = {"prompt": [1, *range(5, 45)], "max_tokens": 3, "n": 3}
    usage = here.http().post("/v1/completions", json=body).json()["usage"]
    assert (usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]) == (41, 0)
    body["prompt"] = [[1, *range(5, 45)], [1, *range(5, 25), 99]]
    usage = here.http().post("/v1/completions", json=body).json()["usage"]
    assert (usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]) == (41 + 22, 40 + 21)
    scored = {"prompt": [1, *range(5, 45)], "max_tokens": 3, "echo": True, "logprobs": 0}
    usage = here.http().post("/v1/completions", json=scored).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] == 0  # its logprobs were computed


def test_the_other_apis_have_it_in_their_fields(here: Serving) -> None:
    llm: Any = here.loaded.model
    llm.clear_cache()
    claude: dict[str, Any] = {"messages": TALK, "max_tokens": 3}
    first, again = (here.http().post("/v1/messages", json=claude).json()["usage"] for _ in range(2))
    n_prompt = first["input_tokens"]
    assert (first["cache_read_input_tokens"], first["cache_creation_input_tokens"]) == (0, 0)
    assert (again["input_tokens"], again["cache_read_input_tokens"]) == (1, n_prompt - 1)
    lines = here.http().post("/v1/messages", json=claude | {"stream": True}).text.splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    begun, ended = (next(one for one in events if one["type"] == kind) for kind in ("message_start", "message_delta"))
    assert begun["message"]["usage"]["input_tokens"] == n_prompt  # the cache is looked up later
    assert (ended["usage"]["input_tokens"], ended["usage"]["cache_read_input_tokens"]) == (1, n_prompt - 1)
    body = {"input": TALK[0]["content"], "max_output_tokens": 3}
    used = here.http().post("/v1/responses", json=body).json()["usage"]
    assert (used["input_tokens"], used["input_tokens_details"]) == (n_prompt, {"cached_tokens": n_prompt - 1})
    native = here.http().post("/completion", json={"prompt": [1, *range(60, 90)], "n_predict": 3}).json()
    assert (native["timings"]["cache_n"], native["timings"]["predicted_n"]) == (0, 3)


def test_a_prompt_that_is_too_long_is_an_error_of_the_api(here: Serving) -> None:
    for path, body in (
        ("/v1/chat/completions", {"messages": LONG_TALK}), ("/v1/completions", {"prompt": LONG_TALK[0]["content"]}),
        ("/v1/responses", {"input": LONG_TALK[0]["content"]}), ("/completion", {"prompt": LONG_TALK[0]["content"]}),
        ("/v1/messages", {"messages": LONG_TALK, "max_tokens": 5}), ("/api/chat", {"messages": LONG_TALK}),
        ("/api/generate", {"prompt": LONG_TALK[0]["content"]}),
    ):  # fmt: skip
        answer = here.http().post(path, json=body)
        assert answer.status_code == 400, path
        error = answer.json()["error"]
        message = error if isinstance(error, str) else error["message"]
        for words in ("tokens: the model's context has 128", "serve -c N", "the model was trained for 512"):
            assert words in message, path
        if path.startswith("/v1/messages"):
            assert (answer.json()["type"], error["type"]) == ("error", "invalid_request_error")
            assert message.startswith("prompt is too long: messages has ")
        elif not path.startswith("/api"):
            assert (error["type"], error["code"]) == ("invalid_request_error", "context_length_exceeded")
            assert error["n_ctx"] == 128
            assert f"{error['n_prompt_tokens']} tokens" in message
    huge = here.http().post("/v1/completions", json={"prompt": "x" * 200_000}).json()["error"]
    assert huge["code"] == "context_length_exceeded"
    assert "prompt has at least " in huge["message"]
