# SPDX-License-Identifier: MIT
"""``pyhexagon.compat.Llama``: llama-cpp-python's names, OpenAI's shapes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM
from pyhexagon.compat import Llama, LlamaGrammar, LlamaPromptLookupDecoding
from pyhexagon.errors import ArgumentError

HELLO = [{"role": "user", "content": "the"}]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template("{% for m in messages %}{{ m.content }}{% endfor %} and")

    path = tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama", edit=edit)
    with Llama(path, n_ctx=128, seed=1, n_gpu_layers=-1, verbose=False, device="loopback") as llama:
        yield llama


def test_completions(llama: Llama) -> None:
    whole = llama("the", max_tokens=5, temperature=0, logprobs=1)
    with LLM(llama.model_path, 128, device="loopback") as llm:
        made = llm.generate("the", 5, 0)
    assert whole["object"] == "text_completion"
    (choice,) = whole["choices"]
    assert (choice["text"], choice["finish_reason"], choice["index"]) == (made.text, made.finish_reason, 0)
    assert choice["logprobs"]["token_logprobs"] == list(made.logprobs)
    n = len(made.prompt_tokens)
    assert whole["usage"] == {"prompt_tokens": n, "completion_tokens": 5, "total_tokens": n + 5}
    chunks = list(llama("the", max_tokens=5, temperature=0, stream=True))
    assert "".join(chunk["choices"][0]["text"] for chunk in chunks) == made.text
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * 4 + ["length"]
    assert llama("the", max_tokens=2, temperature=0, echo=True)["choices"][0]["text"].startswith("the")
    same = [llama("the", max_tokens=5, temperature=2)["choices"][0]["text"] for _ in range(2)]
    assert same[0] == same[1]  # the seed is the object's


def test_chats(llama: Llama) -> None:
    whole = llama.create_chat_completion(HELLO, max_tokens=4, temperature=0)
    assert isinstance(whole, dict)
    (choice,) = whole["choices"]
    assert choice["message"]["role"] == "assistant"
    chunks: list[Any] = list(llama.create_chat_completion(HELLO, max_tokens=4, temperature=0, stream=True))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0] == {"role": "assistant"}
    assert "".join(delta.get("content", "") for delta in deltas) == choice["message"]["content"]
    schema = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "additionalProperties": False}
    form = {"type": "json_object", "schema": schema}
    made = llama.create_chat_completion(HELLO, response_format=form, max_tokens=60)
    assert isinstance(made, dict)
    assert json.loads(made["choices"][0]["message"]["content"])["a"] in (1, 2)
    with pytest.raises(ArgumentError, match="its type is text or json_object"):
        llama.create_chat_completion(HELLO, response_format={"type": "xml"})


def test_grammars_and_processors(llama: Llama, tmp_path: Path) -> None:
    text = 'root ::= "is" | "an"'
    (tmp_path / "g").write_text(text)
    for grammar in (LlamaGrammar.from_string(text), LlamaGrammar.from_file(tmp_path / "g")):
        assert llama("the", max_tokens=9, grammar=grammar)["choices"][0]["text"] in ("is", "an")
    schema = LlamaGrammar.from_json_schema('{"enum": [true]}')
    whole: Any = llama.create_chat_completion(HELLO, max_tokens=20, grammar=schema)
    assert json.loads(whole["choices"][0]["message"]["content"]) is True
    with pytest.raises(ArgumentError, match="either a grammar or a response_format"):
        llama.create_chat_completion(HELLO, grammar=schema, response_format={"type": "json_object"})

    def only(tokens: Any, scores: Any) -> Any:
        assert tokens.dtype == np.intc
        return np.where(np.arange(len(scores)) == tokens[-1], scores, -np.inf)

    last = llama.tokenize(b"the")[-1]
    made = llama("the", max_tokens=3, logits_processor=[only])["choices"][0]["text"]
    assert made == llama.detokenize([last, last, last, last]).decode()[-len(made) :]


def test_tokens(llama: Llama) -> None:
    ids = llama.tokenize("the é".encode())
    assert ids[0] == llama.token_bos() == 1
    assert llama.detokenize(ids) == "the é".encode()
    assert llama.tokenize(b"the", add_bos=False) == llama.tokenize(b"the")[1:]
    assert (llama.n_ctx(), llama.n_vocab(), llama.token_eos()) == (128, tiny.N_TOKENS, 2)


def test_token_by_token(llama: Llama) -> None:
    """What is drawn by hand is what a completion has, also after another text came between."""
    with pytest.raises(ArgumentError, match="the text is empty"):
        llama.sample()
    wanted = llama("the", max_tokens=6, temperature=0)["choices"][0]["text"]
    ids = llama.tokenize(b"the")
    made = list(itertools.islice(llama.generate(ids, temp=0), 6))
    assert llama.detokenize([*ids, *made]).decode() == "the" + wanted
    assert llama.input_ids.tolist() == [*ids, *made[:-1]]
    assert np.argmax(llama.eval_logits) == made[-1]

    state = llama.save_state()
    assert llama.n_tokens == len(ids) + 5
    llama.reset()
    with pytest.raises(ArgumentError):
        llama.eval([llama.n_vocab()])
    assert (llama.n_tokens, llama.eval_logits) == (0, [])
    llama("in", max_tokens=4, temperature=0)
    llama.load_state(state)
    llama.eval(made[-1:])
    longer = llama("the", max_tokens=7, temperature=0)["choices"][0]["text"]
    assert llama.detokenize([*llama.input_ids.tolist(), llama.sample(temp=0)]).decode() == "the" + longer

    def at_most_9(tokens: Any, scores: Any) -> bool:
        assert scores.shape == (llama.n_vocab(),)
        return len(tokens) >= 9

    n = llama.n_tokens
    assert len(list(llama.generate([ids[-1]], reset=False, stopping_criteria=[at_most_9], temp=0))) == 9 - n - 1
    told = llama.generate(ids, temp=0)
    assert (next(told), told.send([5, 6])) == (made[0], llama.sample(temp=0))
    assert llama.input_ids.tolist() == [*ids, made[0], 5, 6]

    def drawn() -> list[int]:
        llama.set_seed(7)
        return list(itertools.islice(llama.generate(ids, temp=5, top_k=0, min_p=0), 8))

    assert drawn() == drawn()
    llama.set_seed(1)


def test_embeddings(tmp_path: Path) -> None:
    path = tiny.write_encoder(tmp_path / "m.gguf", "bert")
    with LLM(path, device="loopback") as llm:
        wanted = llm.embed(["the cat", "a"]).tolist()
        n_tokens = sum(len(llm.tokenizer.encode(text)) for text in ("the cat", "a"))
    with Llama(path, n_ctx=0, embedding=True, device="loopback") as llama:
        assert llama.embed(["the cat", "a"]) == wanted
        assert llama.embed("the cat") == wanted[0]
        made = llama.create_embedding(["the cat", "a"])
        assert [one["embedding"] for one in made["data"]] == wanted
        assert [one["index"] for one in made["data"]] == [0, 1]
        assert made["usage"] == {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
        assert llama.create_embedding("a")["data"][0]["embedding"] == wanted[1]


def test_kinds_of_cache_and_seeds(llama: Llama) -> None:
    with Llama(llama.model_path, n_ctx=128, type_k=1, type_v=1, seed=-1, device="loopback") as other:
        with LLM(llama.model_path, 128, kv="f16", device="loopback") as llm:
            made = llm.generate("the and he", 8, 0)
        assert other("the and he", max_tokens=8, temperature=0)["choices"][0]["text"] == made.text
        several = {other("the", max_tokens=8, temperature=5, top_k=0)["choices"][0]["text"] for _ in range(5)}
        assert len(several) > 1  # the seed is a new one each time
    for type_k, type_v in ((1, None), (1, 8), (7, 7)):
        with pytest.raises(ArgumentError, match="type_k is"):
            Llama(llama.model_path, type_k=type_k, type_v=type_v, device="loopback")


def test_prompt_lookup_changes_no_answer(llama: Llama) -> None:
    text = "the and he the and he the and"
    draft = LlamaPromptLookupDecoding(num_pred_tokens=3)
    assert list(draft([5, 6, 7, 5, 6], 3)) == [7, 5, 6]
    with Llama(llama.model_path, n_ctx=128, draft_model=draft, device="loopback") as other:
        for options in ({"temperature": 0}, {"seed": 3}):
            here, there = (one(text, max_tokens=12, **options) for one in (llama, other))
            assert here["choices"] == there["choices"]
        answers: list[Any] = [one.create_chat_completion(HELLO, max_tokens=5, temperature=0) for one in (llama, other)]
        assert answers[0]["choices"] == answers[1]["choices"]
