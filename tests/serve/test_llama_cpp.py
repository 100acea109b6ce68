# SPDX-License-Identifier: MIT
"""Routes of llama.cpp's server: /props, /slots, /infill."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pyhexagon import LLM
from serve.serving import NAME, Serving, serving

FIM = {"fim_pre": 290, "fim_suf": 291, "fim_mid": 292}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


def test_props_and_slots(llm: LLM, here: Serving) -> None:
    props = here.http().get("/props").json()
    assert (props["total_slots"], props["model_alias"], props["is_sleeping"]) == (4, NAME, False)
    assert props["default_generation_settings"]["n_ctx"] == llm.n_ctx
    assert props["default_generation_settings"]["params"]["top_k"] == 40
    assert (props["bos_token"], props["eos_token"]) == ("<s>", "</s>")
    assert (props["tool_call_format"], props["reasoning_format"]) == (None, None)  # of this template
    assert llm.path not in json.dumps(props)
    slots = here.http().get("/slots").json()
    assert slots == [{"id": one, "n_ctx": llm.n_ctx, "is_processing": False} for one in range(4)]
    assert here.http().get("/props?model=other").status_code == 404


def test_infill(llm: LLM, here: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    def tokens(text: str) -> list[int]:
        return llm.tokenizer.encode(text, special=False, add_special=False)

    refused = here.http().post("/infill", json={"input_prefix": "the"})
    assert "no fill-in-the-middle tokens" in refused.json()["error"]["message"]
    monkeypatch.setattr(llm.tokenizer, "fill_in", FIM)
    pre, suf, mid = FIM.values()
    body: dict[str, Any] = {
        "input_prefix": "the </s>", "input_suffix": " and", "prompt": "he", "n_predict": 6, "temperature": 0
    }  # fmt: skip
    ids = [1, pre, *tokens("the </s>"), suf, *tokens(" and"), mid, *tokens("he")]
    assert 2 not in ids  # names of control tokens in code are text
    wanted = llm.generate(ids, 6, 0).text
    whole = here.http().post("/infill", json=body).json()
    assert (whole["content"], whole["tokens_predicted"], whole["tokens_evaluated"]) == (wanted, 6, len(ids))
    assert (whole["stop"], whole["stop_type"], whole["model"]) == (True, "limit", NAME)
    lines = here.http().post("/infill", json=body | {"stream": True}).text.split("\n\n")
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line]
    assert "".join(one["content"] for one in events) == wanted
    assert [one["stop"] for one in events] == [False] * 6 + [True]
    stop = wanted[2:5]
    stopped = here.http().post("/infill", json=body | {"stop": [stop]}).json()
    assert (stopped["stop_type"], stopped["stopping_word"]) == ("word", stop)


def test_a_suffix_of_the_other_apis(llm: LLM, here: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    http, body = here.http(), {"prompt": "the </s>", "suffix": " and", "max_tokens": 6, "temperature": 0}
    refused = http.post("/v1/completions", json=body)
    assert (refused.status_code, "no fill-in-the-middle tokens" in refused.text) == (400, True)
    monkeypatch.setattr(llm.tokenizer, "fill_in", FIM)
    gap = {"input_prefix": "the </s>", "input_suffix": " and", "n_predict": 6, "temperature": 0}
    wanted = http.post("/infill", json=gap).json()["content"]
    both = http.post("/v1/completions", json=body | {"prompt": ["the </s>", ""]}).json()["choices"]
    assert both[0]["text"] == wanted
    assert both[1]["text"] == http.post("/infill", json=gap | {"input_prefix": ""}).json()["content"]
    for ends, prompt in (({"num_predict": 6, "temperature": 0}, "the </s>"), ({"num_predict": 1}, "")):
        ollama = {"prompt": prompt, "suffix": " and", "stream": False, "options": ends}
        made = http.post("/api/generate", json=ollama).json()
        assert made["done"]
        assert made["response"] == wanted or not prompt
    for wrong, words in (({"prompt": [1, 2]}, "with a suffix a text"), ({"echo": True}, "echo")):
        answer = http.post("/v1/completions", json=body | wrong)
        assert (answer.status_code, words in answer.json()["error"]["message"]) == (400, True)


def test_long_texts_keep_what_is_near_the_gap(llm: LLM, here: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm.tokenizer, "fill_in", FIM | {"fim_sep": 293})
    body: dict[str, Any] = {"input_prefix": "the and he" * 100, "input_suffix": "in er" * 100, "n_predict": 8}
    body["input_extra"] = [{"filename": "a.py", "text": "thin " * 100}]
    whole = here.http().post("/infill", json=body)
    assert whole.json()["tokens_evaluated"] == llm.n_ctx - 8
    short = here.http().post("/infill", json=body | {"input_prefix": "the", "input_suffix": "", "input_extra": []})
    assert short.json()["tokens_evaluated"] < 10
    small = [{"filename": "a.py", "text": "thin"}, {"filename": "b.py", "text": "in"}]
    some = here.http().post("/infill", json=body | {"input_prefix": "the", "input_suffix": "", "input_extra": small})
    assert 10 < some.json()["tokens_evaluated"] < llm.n_ctx - 8
    wrong = here.http().post("/infill", json=body | {"input_extra": [{"text": 1}]})
    assert wrong.status_code == 400


def test_completions_of_llama_cpp_s_form(llm: LLM, here: Serving) -> None:
    ids = llm.tokenizer.encode("the thin")
    wanted = llm.generate(ids, 6, 0)
    body: dict[str, Any] = {"prompt": "the thin", "n_predict": 6, "temperature": 0}
    for path in ("/completion", "/completions"):
        made = here.http().post(path, json=body).json()
        assert (made["content"], made["stop"], made["stop_type"]) == (wanted.text, True, "limit")
        assert (made["tokens_predicted"], made["tokens_evaluated"], made["tokens"]) == (6, len(ids), [])
    made = here.http().post("/completion", json=body | {"return_tokens": True, "n_probs": 2}).json()
    assert made["tokens"] == list(wanted.tokens)
    probabilities = made["completion_probabilities"]
    assert [one["logprob"] for one in probabilities] == pytest.approx(wanted.logprobs, abs=1e-5)
    assert all(len(one["top_logprobs"]) == 2 for one in probabilities)
    lines = here.http().post("/completion", json=body | {"stream": True}).text.split("\n\n")
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line]
    assert "".join(one["content"] for one in events) == wanted.text
    assert [one["stop"] for one in events] == [False] * (len(events) - 1) + [True]
    assert [one["tokens_predicted"] for one in events[:-1]] == [*range(1, len(events))]
    mixed = here.http().post("/completion", json=body | {"prompt": [*ids[:2], "thin"]}).json()
    assert mixed["tokens_evaluated"] == 2 + len(llm.tokenizer.encode("thin", add_special=False))
    several = here.http().post("/completion", json=body | {"prompt": ["the thin", ids, "a"]}).json()
    assert [one["index"] for one in several] == [0, 1, 2]
    assert [one["content"] for one in several[:2]] == [wanted.text] * 2
    read = here.http().post("/completion", json=body | {"n_predict": 0}).json()
    assert (read["content"], read["tokens_predicted"], read["stop_type"]) == ("", 0, "limit")
    stop = wanted.text[2:5]
    stopped = here.http().post("/completion", json=body | {"stop": [stop], "max_tokens": 6}).json()
    assert (stopped["stop_type"], stopped["stopping_word"]) == ("word", stop)


def test_ignore_eos_bans_the_tokens_that_end_a_text(llm: LLM, here: Serving) -> None:
    end = min(llm.tokenizer.ends)
    body: dict[str, Any] = {"prompt": "the", "n_predict": 4, "temperature": 0, "logit_bias": [[end, 1000]]}
    assert here.http().post("/completion", json=body).json()["tokens_predicted"] == 1
    made = here.http().post("/completion", json=body | {"ignore_eos": True, "return_tokens": True}).json()
    assert (made["tokens_predicted"], end in made["tokens"]) == (4, False)


def test_tokens_of_a_conversation_are_counted(llm: LLM, here: Serving) -> None:
    messages = [{"role": "user", "content": "the thin"}]
    n = len(llm.tokenizer.encode(llm.apply_template(messages), add_special=False))
    counted = here.http().post("/v1/chat/completions/input_tokens", json={"messages": messages}).json()
    assert counted["input_tokens"] == n
    counted = here.http().post("/v1/responses/input_tokens", json={"input": "the thin"}).json()
    assert counted["input_tokens"] == n


def test_the_only_model_stays_loaded(here: Serving) -> None:
    assert here.http().post("/models/load", json={"model": NAME}).json() == {"success": True}
    refused = here.http().post("/models/unload", json={"model": NAME})
    assert (refused.status_code, "stays loaded" in refused.json()["error"]["message"]) == (400, True)


def test_a_bias_for_a_text_is_one_for_its_tokens(llm: LLM, here: Serving) -> None:
    (token,) = llm.tokenizer.encode("man", add_special=False)[-1:]
    body: dict[str, Any] = {"prompt": "the", "n_predict": 2, "temperature": 0, "return_tokens": True}
    made = here.http().post("/completion", json=body | {"logit_bias": [[token, 1000]]}).json()
    assert made["tokens"] == [token, token]
    banned = here.http().post("/completion", json=body | {"logit_bias": [[token, 500], ["man", False]]}).json()
    assert token not in banned["tokens"]
