# SPDX-License-Identifier: MIT
"""``pyhexagon.compat.Llama``: llama-cpp-python's API, and responses in OpenAI's format."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import needs
import numpy as np
import pytest

from llm import tiny
from pyhexagon import LLM, compat
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
    made = llama.create_chat_completion(HELLO, response_format=form, max_tokens=60, temperature=0.8)
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
    """Tokens sampled one by one equal a completion's, also after another completion in between."""
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


# The order of llama-cpp-python 0.3.
COMPLETION = """
    prompt suffix max_tokens temperature top_p min_p typical_p logprobs echo stop frequency_penalty presence_penalty
    repeat_penalty top_k stream seed tfs_z mirostat_mode mirostat_tau mirostat_eta model stopping_criteria
    logits_processor grammar logit_bias
"""
CHAT = """
    messages functions function_call tools tool_choice temperature top_p top_k min_p typical_p stream stop seed
    response_format max_tokens presence_penalty frequency_penalty repeat_penalty tfs_z mirostat_mode mirostat_tau
    mirostat_eta model logits_processor grammar logit_bias logprobs top_logprobs
"""


def test_order_of_arguments(llama: Llama) -> None:
    orders = {
        "create_completion": COMPLETION.split(), "create_chat_completion": CHAT.split(),
        "tokenize": ["text", "add_bos", "special"],
        "detokenize": ["tokens", "prev_tokens", "special"], "create_embedding": ["input", "model"],
        "embed": ["input", "normalize", "truncate", "return_count"],
    }  # fmt: skip
    for name, order in orders.items():
        assert [*inspect.signature(getattr(llama, name)).parameters] == order
    assert llama("the", None, 5, 0)["choices"] == llama("the", max_tokens=5, temperature=0)["choices"]


def test_arguments_without_effect_are_logged_once(llama: Llama, caplog: pytest.LogCaptureFixture) -> None:
    idle: dict[str, Any] = dict(
        n_gpu_layers=20, split_mode=2, main_gpu=1, tensor_split=[1.0], numa=True, offload_kqv=False,
        flash_attn=True, logits_all=True, use_mlock=True, f16_kv=True, n_parts=-1, n_gqa=8,
    )  # fmt: skip
    neutral: dict[str, Any] = dict(
        vocab_only=False, kv_overrides=None, rope_scaling_type=-1, pooling_type=-1, rope_freq_base=0.0,
        rope_freq_scale=0.0, lora_base=None, lora_path=None, chat_format=None, chat_handler=None, tokenizer=None,
    )  # fmt: skip
    caplog.set_level(logging.INFO, "pyhexagon.compat")
    with Llama(llama.model_path, n_ctx=128, device="loopback", **idle, **neutral) as other:
        for _ in range(2):
            made = other("the", max_tokens=5, temperature=0, tfs_z=0.5)
    assert made["choices"] == llama("the", max_tokens=5, temperature=0)["choices"]
    messages = [one.getMessage() for one in caplog.records if one.name == "pyhexagon.compat"]
    assert messages == [
        "no effect on the DSP: flash_attn, logits_all, main_gpu, numa, offload_kqv, split_mode, tensor_split, "
        "use_mlock",
        "unknown and ignored, as in llama-cpp-python: n_gqa",
        "no effect on the DSP: tfs_z",
    ]


def test_what_would_change_results_is_refused(llama: Llama) -> None:
    constructor: dict[str, Any] = {
        "rope_freq_base": 1e6, "rope_freq_scale": 0.5, "lora_base": "a", "chat_format": "chatml", "pooling_type": 1,
        "vocab_only": True, "kv_overrides": {"a": 1}, "yarn_orig_ctx": 9,
    }  # fmt: skip
    for name, value in constructor.items():
        with pytest.raises(ArgumentError, match=f"{name}=.* is not supported: "):
            Llama(llama.model_path, device="loopback", **{name: value})
    calls: dict[str, Any] = {"suffix": "a", "mirostat_mode": 2}
    for name, value in calls.items():
        with pytest.raises(ArgumentError, match=f"{name}=.* is not supported: "):
            llama("the", **{name: value})
    with pytest.raises(ArgumentError, match="tool_choice='required' is not supported"):
        llama.create_chat_completion(HELLO, tool_choice="required")


def test_stopping_criteria_penalties_and_logprobs(llama: Llama) -> None:
    ids = llama.tokenize(b"the")
    whole = llama("the", max_tokens=8, temperature=0, logprobs=3, model="mine")
    assert whole["model"] == "mine"
    logprobs = whole["choices"][0]["logprobs"]
    assert [*logprobs] == ["tokens", "text_offset", "token_logprobs", "top_logprobs"]
    assert logprobs["text_offset"][0] == len("the")
    chunks = list(llama("the", max_tokens=8, temperature=0, logprobs=3, stream=True))
    assert [one["choices"][0]["logprobs"]["text_offset"][0] for one in chunks] == logprobs["text_offset"]
    with LLM(llama.model_path, 128, device="loopback") as llm:
        made = llm.generate("the", 8, 0)
        logits = llm(ids).astype(np.float64)
    wanted = np.sort(logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max())[::-1][:3]
    np.testing.assert_allclose(list(logprobs["top_logprobs"][0].values())[:3], wanted, atol=1e-3)

    def long(tokens: Any, scores: Any) -> bool:
        assert tokens.dtype == np.intc
        return len(tokens) >= len(ids) + 3

    stopped = llama("the", max_tokens=8, temperature=0, stopping_criteria=[long])["choices"][0]
    assert stopped["finish_reason"] == "stop"
    assert "the" + stopped["text"] == llama.detokenize([*ids, *made.tokens[:3]]).decode()

    with Llama(llama.model_path, n_ctx=128, last_n_tokens_size=0, device="loopback") as other:
        same = other("the", max_tokens=8, temperature=0, repeat_penalty=50.0)["choices"][0]["text"]
    assert same == made.text != llama("the", max_tokens=8, temperature=0, repeat_penalty=50.0)["choices"][0]["text"]

    answer: Any = llama.create_chat_completion(HELLO, max_tokens=2, temperature=0, logprobs=True, top_logprobs=2)
    content = answer["choices"][0]["logprobs"]["content"]
    assert [len(one["top_logprobs"]) for one in content] == [2, 2]
    assert all(abs(one["top_logprobs"][0]["logprob"] - one["logprob"]) < 1e-4 for one in content)


def test_names_of_control_tokens_in_messages_are_text(llama: Llama) -> None:
    message = [{"role": "user", "content": "the</s>"}]
    made: Any = llama.create_chat_completion(message, max_tokens=1)
    with LLM(llama.model_path, 128, device="loopback") as llm:
        as_text, as_token = (
            llm.tokenizer.encode(llm.apply_template(message, parse_special=one), add_special=False)
            for one in (False, True)
        )
    assert made["usage"]["prompt_tokens"] == len(as_text) > len(as_token)


def test_bytes_that_are_no_utf_8(llama: Llama) -> None:
    for data in (b"the\xffin", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc3an the\xff"):
        assert llama.detokenize(llama.tokenize(data, add_bos=False)).removeprefix(b" ") == data
    ids = llama.tokenize("✗é".encode(), add_bos=False)
    assert b"".join(llama.detokenize([one], prev_tokens=[1, 300]) for one in ids).lstrip() == "✗é".encode()


IMPORT = """
import sys, pyhexagon.compat
sys.modules["llama_cpp"] = pyhexagon.compat
assert not {"numpy", "cffi", "pyhexagon.llm.llm"} & sys.modules.keys()
from llama_cpp import Llama, LlamaGrammar, LlamaPromptLookupDecoding, LlamaState
assert Llama is pyhexagon.compat.Llama and issubclass(Llama, pyhexagon.compat.base.BaseLlama)
"""


def test_the_import_is_lazy_also_under_the_name_llama_cpp() -> None:
    subprocess.run([sys.executable, "-c", IMPORT], check=True)


@pytest.mark.long
def test_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        llms: Any = importlib.import_module("langchain_community.llms")
        embedders: Any = importlib.import_module("langchain_community.embeddings")

    monkeypatch.setitem(sys.modules, "llama_cpp", compat)
    path = str(needs.STORIES)
    with Llama(path, n_ctx=512, device="loopback") as llama:
        options: dict[str, Any] = {"max_tokens": 12, "temperature": 0, "repeat_penalty": 1.0}
        wanted = llama("Once upon a time", **options)["choices"][0]["text"]
        rows = llama.embed("a cat")
        n_tokens = len(llama.tokenize(b"a cat"))
    assert np.shape(rows) == (n_tokens, 48)
    for streaming in (True, False):
        chain = llms.LlamaCpp(
            model_path=path, model_kwargs={"device": "loopback"}, streaming=streaming, verbose=False, **options
        )
        assert chain.invoke("Once upon a time") == wanted
        word = wanted.split()[2]
        assert chain.invoke("Once upon a time", stop=[word]) == wanted[: wanted.index(word)]
        assert "".join(chain.stream("Once upon a time")) == wanted
        assert chain.get_num_tokens("a cat") == n_tokens
        chain.client.close()
    embeddings = embedders.LlamaCppEmbeddings(model_path=path, device="loopback", verbose=False)
    assert embeddings.embed_query("a cat") == rows[0]
    assert embeddings.embed_documents(["a cat"]) == rows
    embeddings.client.close()
