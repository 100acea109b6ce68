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
