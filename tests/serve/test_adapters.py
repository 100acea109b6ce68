# SPDX-License-Identifier: MIT
"""LoRA adapters of a server: each is a model of its own for clients, and llama.cpp's field names several."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from llm.test_lora import pairs, write

from pyhexagon import LLM, ArgumentError
from pyhexagon.llm.engine.engine_thread import EngineThread
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.serving import pool_of
from serve.serving import NAME, Serving, model, serving

CHANGED = "blk.0.attn_q.weight", "blk.0.ffn_down.weight", "blk.1.attn_v.weight"
BODY: dict[str, Any] = {"prompt": "the and", "max_tokens": 6, "temperature": 0}


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    folder = tmp_path_factory.mktemp("model")
    path = model(folder)
    lora = {name: write(folder / f"{name}.gguf", pairs(path, CHANGED, seed)) for seed, name in enumerate("ab", 1)}
    with LLM(path, 256, n_sequences=8, device="cpu", lora=lora) as llm:
        yield llm


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, n_parallel=8) as one:
        yield one


def test_each_adapter_is_a_model_with_its_parent(here: Serving) -> None:
    records = {one["id"]: one.get("parent") for one in here.http().get("/v1/models").json()["data"]}
    assert records == {NAME: None, "a": NAME, "b": NAME}
    assert here.client().models.retrieve("b").model_dump()["parent"] == NAME
    tags = {one["name"]: one["details"]["parent_model"] for one in here.http().get("/api/tags").json()["models"]}
    assert tags == {f"{NAME}:latest": "", "a:latest": f"{NAME}:latest", "b:latest": f"{NAME}:latest"}
    listed = here.http().get("/lora-adapters").json()
    assert listed == [{"id": 0, "path": "a", "scale": 0.0}, {"id": 1, "path": "b", "scale": 0.0}]


def test_requests_for_all_models_share_a_batch(llm: LLM, here: Serving) -> None:
    names: list[str | None] = [None, "a", "b", "a", None, "b"]
    wanted = {name: llm.generate(BODY["prompt"], 6, 0, lora=name).text for name in (None, "a", "b")}
    assert len(set(wanted.values())) == 3
    client = here.client()
    with ThreadPoolExecutor(len(names)) as pool:
        made = list(pool.map(lambda name: client.completions.create(model=name or NAME, **BODY), names))
    assert [(one.model, one.choices[0].text) for one in made] == [(name or NAME, wanted[name]) for name in names]


def test_all_apis_take_the_name_of_an_adapter(llm: LLM, here: Serving) -> None:
    http, messages = here.http(), [{"role": "user", "content": "the"}]
    wanted = "".join(part.text for part in llm.chat(messages, 6, 0, lora="b"))
    assert wanted != "".join(part.text for part in llm.chat(messages, 6, 0))
    body = {"model": "b", "messages": messages, "temperature": 0, "max_tokens": 6}
    openai = http.post("/v1/chat/completions", json=body).json()
    anthropic = http.post("/v1/messages", json=body).json()
    options = {"temperature": 0, "num_predict": 6}
    ollama = http.post("/api/chat", json={**body, "model": "b:latest", "stream": False, "options": options}).json()
    assert (openai["model"], openai["choices"][0]["message"]["content"]) == ("b", wanted)
    assert (anthropic["model"], anthropic["content"][0]["text"]) == ("b", wanted)
    assert (ollama["model"], ollama["message"]["content"]) == ("b", wanted)
    echo = {"model": "b", "prompt": "the and", "max_tokens": 0, "echo": True, "logprobs": 1}
    scored = http.post("/v1/completions", json=echo).json()["choices"][0]["logprobs"]["token_logprobs"]
    wanted_scores = [part.logprob for part in llm.prompt_logprobs("the and", lora="b")]
    assert scored[1:] == wanted_scores[1:]


def test_llama_cpp_names_adapters_with_factors(llm: LLM, here: Serving) -> None:
    http = here.http()
    for field, lora in (
        ([{"id": 1, "scale": 0.5}, {"id": 0, "scale": -1}], {"a": -1.0, "b": 0.5}),
        ([{"id": 0, "scale": 1}], "a"), ([{"id": 1}], None), ([], None),
    ):  # fmt: skip
        made = http.post("/v1/completions", json=BODY | {"model": "b", "lora": field}).json()
        assert made["choices"][0]["text"] == llm.generate(BODY["prompt"], 6, 0, lora=lora).text
    for wrong, param in (
        ([{"id": 2, "scale": 1}], "lora.0.id"), ([{"scale": 1}], "lora.0.id"),
        ([{"id": 0, "scale": "x"}], "lora.0.scale"), ("a", "lora"), ([{"id": 0}] * 3, "lora"),
    ):  # fmt: skip
        answer = http.post("/v1/completions", json=BODY | {"lora": wrong})
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


ONE: dict[str, Any] = {"id": 0, "scale": 1}
HOSTILE_IDS: tuple[Any, ...] = (
    -1, 2, 1 << 31, 1 << 63, 1 << 200, -(1 << 63), 0.5, "0", "a", True, None, [], [0], {}, {"id": 0}, "",
)  # fmt: skip
HOSTILE_SCALES: tuple[Any, ...] = (1e308, -1e308, 1001, -1001, 1 << 63, 1 << 200, "1", "nan", True, [], [1], {}, "")
HOSTILE_FIELDS: tuple[Any, ...] = (
    "", "a", "../a", 0, 1 << 70, True, {}, ONE, [[]], [ONE] * 3, [ONE] * 10_000, [None], ["a"], [{}], [[ONE]], [0],
    *([{"id": one, "scale": 1}] for one in HOSTILE_IDS), *([{"id": 0, "scale": one}] for one in HOSTILE_SCALES),
    [{"path": "/etc/passwd"}], [{"scale": 1, "": 0}],
)  # fmt: skip
AS_TEXT = ('[{"id": 0, "scale": NaN}]', '[{"id": 0, "scale": Infinity}]', '[{"id": 0, "scale": 1e999}]',
           '[{"id": 0' + "0" * 5000 + ', "scale": 1}]', '[{"id": 0, "id": 9, "scale": 1}]', "[" * 50_000)  # fmt: skip


@pytest.mark.parametrize("draft", [None, "lookup", "model"])
def test_hostile_adapters_are_refused_also_beside_a_draft_model(
    llm: LLM, tmp_path_factory: pytest.TempPathFactory, draft: str | None
) -> None:
    """A draft model computes without the adapters, whatever they are; and the requests after them are as before."""
    folder, path = tmp_path_factory.mktemp("drafted"), Path(llm.path)
    lora = {name: write(folder / f"{name}.gguf", pairs(path, CHANGED, seed)) for seed, name in enumerate("ab", 1)}
    drafting = llm.path if draft == "model" else draft
    chat = {"messages": [{"role": "user", "content": "the"}], "max_tokens": 6, "temperature": 0}
    with (
        LLM(llm.path, 256, n_sequences=8, device="cpu", lora=lora, draft_model=drafting) as drafted,
        serving(drafted, n_parallel=8) as there,
    ):
        http = there.http()
        for place, body in (("/v1/completions", BODY), ("/v1/chat/completions", chat)):
            texts = [json.dumps(body | {"lora": one}) for one in HOSTILE_FIELDS]
            texts += [json.dumps(body)[:-1] + f', "lora": {one}}}' for one in AS_TEXT]
            for text in texts:
                answer = http.post(place, content=text, headers={"content-type": "application/json"})
                assert answer.status_code == 400, text[:200]
                assert answer.json()["error"]["message"]
        for name in (NAME, "a", "b"):
            field = [] if name == NAME else [{"id": "ab".index(name), "scale": 1}]
            made = [http.post("/v1/completions", json=BODY | more).json()["choices"][0]["text"]
                    for more in ({"model": name}, {"lora": field})]  # fmt: skip
            wanted = llm.generate(BODY["prompt"], 6, 0, lora=None if name == NAME else name).text
            assert made == [wanted, wanted]
        assert there.loaded.backend.counts == (0, 0)


def test_what_has_no_adapter_is_refused(llm: LLM, here: Serving) -> None:
    answer = here.http().post("/v1/completions", json=BODY | {"model": "c"})
    assert answer.status_code == 404
    assert f"there are '{NAME}', 'a', 'b'" in answer.json()["error"]["message"]
    answer = here.http().post("/v1/embeddings", json={"model": "a", "input": "the"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "model")
    assert "change completions" in answer.json()["error"]["message"]
    with pytest.raises(ArgumentError, match="adapter is called a, as the model is"):
        pool_of(llm, EngineThread(llm, n_parallel=1, n_waiting=1), Metrics(), name="a")


def test_a_model_without_adapters_refuses_the_field(tmp_path_factory: pytest.TempPathFactory) -> None:
    with LLM(model(tmp_path_factory.mktemp("model")), 256, device="cpu") as plain, serving(plain) as there:
        assert there.http().get("/lora-adapters").json() == []
        answer = there.http().post("/v1/completions", json=BODY | {"lora": [{"id": 0, "scale": 1}]})
        assert answer.status_code == 400
        assert "no adapters that requests can choose" in answer.json()["error"]["message"]
