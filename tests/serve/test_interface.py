# SPDX-License-Identifier: MIT
"""OpenAI's API, field by field: the responses contain what the model generates."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import openai
import pytest
from llm import tiny

import pyhexagon.serve
from pyhexagon import LLM, Device
from pyhexagon.errors import HexagonError
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.tool_calls import ToolCallParser
from pyhexagon.llm.engine.sampling import log_probabilities
from pyhexagon.serve.apis.openai_answers import ChatShape
from pyhexagon.serve.apis.requests import ParsedRequest
from pyhexagon.serve.apis.shape import Usage
from serve.serving import NAME, Serving, serving

TALK: list[Any] = [{"role": "user", "content": "the"}]
NUMBER = {"type": "integer", "minimum": 10, "maximum": 99}
SCHEMA = {"type": "object", "additionalProperties": False, "required": ["a"], "properties": {"a": NUMBER}}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in ("weather", "time")
]


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm) as one:
        yield one


def test_probabilities_of_the_prompt(llm: LLM, here: Serving) -> None:
    """lm-eval sends such requests: they return the logprobs of the prompt's tokens, and generate one token."""
    ids = [1, *np.random.default_rng(3).integers(3, 300, 40).tolist()]
    rows = log_probabilities(llm.logits(ids))
    given: dict[str, Any] = {"model": NAME, "prompt": [ids, ids[:17]], "echo": True, "temperature": 0, "seed": 1}
    for n_more in (0, 1):
        made = here.client().completions.create(**given, max_tokens=n_more, logprobs=1)
        for choice, tokens in zip(made.choices, (ids, ids[:17]), strict=True):
            told: Any = choice.logprobs
            n = len(tokens)
            assert len(told.tokens) == n + n_more
            assert told.token_logprobs[0] is None
            assert told.token_logprobs[1:n] == [rows[at, token] for at, token in enumerate(tokens[1:])]
            likeliest = [max(one.values()) for one in told.top_logprobs[1:n]]
            assert likeliest == rows[: n - 1].max(axis=1).tolist()
            assert choice.text.startswith(llm.tokenizer.decode(tokens))
            assert choice.finish_reason in ("length", "stop")
        assert made.usage
        assert (made.usage.prompt_tokens, made.usage.completion_tokens) == (len(ids) + 17, 2 * n_more)
    made = here.client().completions.create(**given, max_tokens=1, logprobs=1, n=2)
    assert made.usage
    assert (made.usage.prompt_tokens, made.usage.completion_tokens) == (len(ids) + 17, 4)
    echoed = here.client().completions.create(model=NAME, prompt="the in", echo=True, max_tokens=3, temperature=0)
    assert echoed.choices[0].text == "the in" + llm.generate("the in", 3, 0).text


def test_answers_in_json(here: Serving) -> None:
    form: Any = {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}
    made = here.client().chat.completions.create(
        model=NAME, messages=TALK, response_format=form, temperature=2, seed=1, max_tokens=100
    )
    assert 10 <= json.loads(made.choices[0].message.content or "")["a"] <= 99
    form["json_schema"]["schema"] = {"type": "what"}
    with pytest.raises(openai.BadRequestError, match="the JSON schema"):
        here.client().chat.completions.create(model=NAME, messages=TALK, response_format=form)


def test_a_tool_that_must_be_called(here: Serving) -> None:
    create: Any = here.client().chat.completions.create
    forced: Any = {"type": "function", "function": {"name": "time"}}
    given: dict[str, Any] = {
        "model": NAME, "messages": TALK, "tools": TOOLS, "temperature": 2, "seed": 1, "max_tokens": 150
    }  # fmt: skip
    for choice, names in ((forced, ("time",)), ("required", ("weather", "time"))):
        made = create(**given, tool_choice=choice).choices[0]
        (call,) = made.message.tool_calls or []
        assert call.type == "function"
        assert call.function.name in names
        assert 10 <= json.loads(call.function.arguments)["a"] <= 99
        assert (made.finish_reason, made.message.content) == ("tool_calls", None)
        parts = list(create(**given, tool_choice=choice, stream=True))
        (delta,) = [one.choices[0].delta for one in parts if one.choices[0].delta.tool_calls]
        assert delta.tool_calls
        told = delta.tool_calls[0].function
        assert told
        assert (told.name, told.arguments) == (call.function.name, call.function.arguments)
        assert parts[-1].choices[0].finish_reason == "tool_calls"
    with pytest.raises(openai.BadRequestError, match="tool_choice"):
        create(**given, tool_choice={"type": "function", "function": {"name": "none"}})
    said = create(**(given | {"max_tokens": 5})).choices[0]
    assert said.message.content
    assert said.message.tool_calls is None


@pytest.mark.parametrize(
    ("text", "said", "called"),
    [
        ("Hello <b> there", "Hello <b> there", []),
        ('Look: <tool_call>\n{"name": "time", "arguments": {"a": 1}}\n</tool_call>', "Look: ", ['{"a": 1}']),
        ('<tool_call>{"name":"time"}</tool_call><tool_call>{"name":"time"}</tool_call>', "", ["{}", "{}"]),
        (' {"name": "time", "parameters": {"a": 2}}', "", ['{"a": 2}']),
        ('{"name": "other", "parameters": {"a": 2}}', '{"name": "other", "parameters": {"a": 2}}', []),
        ("<tool_call>{oh", "<tool_call>{oh", []),
        ("a <tool_", "a <tool_", []),
    ],
)
def test_calls_in_what_a_model_says(text: str, said: str, called: list[str]) -> None:
    for step in (1, 3, len(text)):
        talk = ToolCallParser({"time": {}}, is_call=False)
        told = "".join(talk.add(text[at : at + step]) for at in range(0, len(text), step))
        rest, calls = talk.rest()
        assert told + rest == said
        assert [call["function"]["arguments"] for call in calls] == called


def test_texts_and_tokens(llm: LLM, here: Serving) -> None:
    http = here.http()
    ids = llm.tokenizer.encode("the and", add_special=False)
    plain = {"tokens": ids, "count": len(ids), "max_model_len": llm.n_ctx}
    begun = plain | {"tokens": [1, *ids], "count": len(ids) + 1}
    asked: list[tuple[dict[str, object], dict[str, object]]] = [
        ({"content": "the and"}, plain), ({"content": "the and", "add_special": True}, begun),
        ({"prompt": "the and"}, begun), ({"prompt": "the and", "add_special_tokens": False}, plain),  # vLLM's
        ({"prompt": "</s>", "add_special_tokens": False}, plain | {"tokens": [2], "count": 1}),
    ]  # fmt: skip
    for body, answer in asked:
        assert http.post("/tokenize", json=body).json() == answer
    assert "content is null" in http.post("/tokenize", json={}).text
    assert http.post("/detokenize", json={"tokens": ids}).json() == {"content": "the and", "prompt": "the and"}
    info = http.get("/tokenizer_info").json()
    template = llm.chat_template
    assert info == {
        "tokenizer_class": "GGUF", "model_max_length": llm.n_ctx, "bos_token": "<s>", "eos_token": "</s>",
        "chat_template": template,
    }  # fmt: skip
    assert http.get("/props").json()["chat_template"] == template
    assert http.get("/tokenizer_info?model=other").status_code == 404
    talk = {"messages": [{"role": "user", "content": [{"type": "text", "text": "the"}]}]}
    assert http.post("/apply-template", json=talk).json() == {"prompt": llm.apply_template(TALK)}
    lone = b'{"prompt": "\\ud800 the", "max_tokens": 1, "echo": true}'
    headers = {"content-type": "application/json"}
    assert http.post("/v1/completions", content=lone, headers=headers).status_code == 200


def test_names_of_control_tokens_in_messages_are_text(llm: LLM, here: Serving) -> None:
    messages = [{"role": "user", "content": "the</s><s>and"}]
    lengths = {}
    for parse_special in (False, True):
        body = {"messages": messages, "max_tokens": 1, "parse_special": parse_special}
        answer = here.http().post("/v1/chat/completions", json=body).json()
        lengths[parse_special] = answer["usage"]["prompt_tokens"]
    text = llm.apply_template(messages)
    assert lengths == {parse: len(llm.tokenizer.encode(text, special=parse, add_special=False)) for parse in lengths}
    assert lengths[False] > lengths[True]


def test_what_a_model_thinks_is_told_apart(llm: LLM) -> None:
    asked = ParsedRequest([[1]], 1, 9, {}, None, None, is_streamed=False, has_usage=False)
    parts = [GenerationChunk("", 5, -1.0, None, reasoning="Hm"), GenerationChunk("Yes", 6, -1.0, "stop")]
    shape = ChatShape(asked, NAME, llm.tokenizer)
    (choice,) = shape.whole([parts], Usage(1, 2))["choices"]
    assert choice["message"] == {"role": "assistant", "content": "Yes", "reasoning_content": "Hm"}
    events = b"".join(shape.step(0, [part]) for part in parts).splitlines()
    deltas = [json.loads(line[len("data: ") :])["choices"][0]["delta"] for line in events if line]
    assert deltas[1:] == [{"reasoning_content": "Hm"}, {"content": "Yes"}]


def test_a_call_and_its_result_go_back_to_the_model(here: Serving) -> None:
    """Clients send a tool call without content, and its arguments as a JSON string."""
    calls = [{"id": "call_1", "type": "function", "function": {"name": "time", "arguments": '{"a": 12}'}}]
    talk = [*TALK, {"role": "assistant", "content": None, "tool_calls": calls}]
    talk.append({"role": "tool", "tool_call_id": "call_1", "content": "noon"})
    prompt = here.http().post("/apply-template", json={"messages": talk}).json()["prompt"]
    assert prompt == "u the\na \ntime of 12\nt noon\na "
    given: dict[str, Any] = {"model": NAME, "messages": talk, "tools": TOOLS, "max_tokens": 2}
    assert here.client().chat.completions.create(**given).choices[0].message.role == "assistant"
    wrongs: list[Any] = ["calls", [1], {}]
    for wrong in wrongs:
        given["messages"] = [*TALK, {"role": "assistant", "tool_calls": wrong}]
        with pytest.raises(openai.BadRequestError, match="tool_calls"):
            here.client().chat.completions.create(**given)
    strange: list[Any] = [[{}], [{"function": 1}], [{"function": {"name": "time", "arguments": "{oh"}}]]
    for odd in strange:
        talk[1] = {"role": "assistant", "content": None, "tool_calls": odd}
        assert here.http().post("/apply-template", json={"messages": talk}).status_code in (200, 400)


def test_stop_texts_biases_and_grammars(llm: LLM, here: Serving) -> None:
    client = here.client()
    whole = llm.generate("the", 20, 0).text
    stop = whole[4:7]
    made = client.completions.create(model=NAME, prompt="the", max_tokens=20, temperature=0, stop=stop).choices[0]
    assert (made.text, made.finish_reason) == (whole[: whole.index(stop)], "stop")
    made = client.completions.create(model=NAME, prompt="the", max_tokens=3, logit_bias={"270": 1000}).choices[0]
    assert made.text.strip() == 3 * llm.tokenizer.decode([270])
    extra = {"grammar": 'root ::= "in the"'}
    made = client.completions.create(model=NAME, prompt="the", max_tokens=30, extra_body=extra).choices[0]
    assert made.text == "in the"
    for grammar, words in {
        "": "No 'root' rule",
        'other ::= "a"': "No 'root' rule",
        "root ::= other": "not found",
    }.items():
        with pytest.raises(openai.BadRequestError, match=words):
            client.completions.create(model=NAME, prompt="the", max_tokens=3, extra_body={"grammar": grammar})


def test_embeddings(tmp_path_factory: pytest.TempPathFactory, here: Serving) -> None:
    path = tiny.write_encoder(tmp_path_factory.mktemp("model") / "m.gguf", "bert")
    texts = [f"the cat {'a' * n}" for n in range(20)]
    with Device("loopback") as device, LLM(path, device=device) as llm:
        wanted = llm.embed(texts)
        with serving(llm) as there:
            client = there.client()
            made = client.embeddings.create(model=NAME, input=texts)  # in base64, the client's default
            assert np.array_equal(np.array([one.embedding for one in made.data], np.float32), wanted)
            made = client.embeddings.create(model=NAME, input=texts[3], encoding_format="float")
            assert np.array_equal(np.array(made.data[0].embedding, np.float32), wanted[3])
            with pytest.raises(openai.BadRequestError, match="makes embeddings only"):
                client.completions.create(model=NAME, prompt="a")
            assert "pyhexagon_up 1.0" in there.http().get("/metrics").text
    with pytest.raises(openai.BadRequestError, match="embeddings"):
        here.client().embeddings.create(model=NAME, input="the")


def test_reranking(tmp_path_factory: pytest.TempPathFactory, here: Serving) -> None:
    path = tiny.write_encoder(tmp_path_factory.mktemp("model") / "m.gguf", "bert", pooling=None, labels=1)
    texts = [f"the cat {'a' * n}" for n in range(20)]
    with Device("loopback") as device, LLM(path, device=device) as llm, serving(llm) as there:
        scores = llm.rerank("the", texts)
        body: dict[str, Any] = {"model": NAME, "query": "the", "documents": texts, "top_n": 5}
        answer = there.http().post("/v1/rerank", json=body | {"return_documents": True}).json()
        results = answer["results"]
        assert [one["index"] for one in results] == np.argsort(-scores, kind="stable")[:5].tolist()
        assert [one["relevance_score"] for one in results] == [float(scores[one["index"]]) for one in results]
        assert [one["document"]["text"] for one in results] == [texts[one["index"]] for one in results]
        assert answer["usage"]["prompt_tokens"] == sum(len(llm.tokenizer.encode_pair("the", text)) for text in texts)
        parts = {"query": "the", "documents": [{"text": text} for text in texts]}
        whole = there.http().post("/rerank", json=parts).json()["results"]
        assert (whole[:5], len(whole)) == ([{k: one[k] for k in ("index", "relevance_score")} for one in results], 20)
        wrongs: list[dict[str, Any]] = [{"documents": []}, {"documents": [1]}, {"top_n": 0}]
        for wrong in (*wrongs, {"documents": ["a" * 99999]}):
            assert there.http().post("/v1/rerank", json=body | wrong).status_code == 400
    refused = here.http().post("/v1/rerank", json={"query": "the", "documents": ["a"]})
    assert "no reranker" in refused.json()["error"]["message"]


def test_serve_is_one_call_from_python(llm: LLM) -> None:
    """``serve`` takes a model, a host and a port. ``pyhexagon serve`` calls it, and other tests run that command as a
    process.
    """
    parameters = inspect.signature(pyhexagon.serve.serve).parameters
    assert list(parameters)[:3] == ["llm", "host", "port"]
    with pytest.raises(HexagonError, match="cannot listen to 203"):
        pyhexagon.serve.serve(llm, "203.0.113.7", 0)
