# SPDX-License-Identifier: MIT
"""Fields of requests for embeddings: dimensions, and what is cut where a text is longer than the context."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import published, tiny

from pyhexagon import LLM, Device
from pyhexagon.serve.apis.embedding import cut, shortened
from serve.serving import Serving, serving

WIDTH, N_CTX = 96, 128
LONG = "the " * 300


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    path = tiny.write_encoder(tmp_path_factory.mktemp("models") / "m.gguf", "bert")
    with Device("loopback") as device, LLM(path, device=device) as llm, serving(llm) as one:
        yield one


def vectors(here: Serving, path: str, **body: Any) -> Any:
    answer = here.http().post(path, json=body)
    assert answer.status_code == 200, answer.text
    made = answer.json()
    if isinstance(made, list):
        return np.array([one["embedding"][0] for one in made])
    return np.array(made["embeddings"] if "embeddings" in made else [one["embedding"] for one in made["data"]])


@pytest.mark.parametrize("dimensions", [1, 2, 17, 95, 96])
def test_dimensions_are_the_first_ones_of_length_one(here: Serving, dimensions: int) -> None:
    whole = vectors(here, "/v1/embeddings", input=["the", "a"])
    wanted = whole[:, :dimensions] / np.linalg.norm(whole[:, :dimensions], axis=1, keepdims=True)
    for path in ("/v1/embeddings", "/api/embed", "/embedding"):
        made = vectors(here, path, input=["the", "a"], dimensions=dimensions)
        np.testing.assert_allclose(made, wanted, atol=1e-6)
    coded = here.http().post(
        "/v1/embeddings", json={"input": "the", "dimensions": dimensions, "encoding_format": "base64"}
    )
    raw = base64.b64decode(coded.json()["data"][0]["embedding"])
    np.testing.assert_allclose(np.frombuffer(raw, "<f4"), wanted[0], atol=1e-6)


@pytest.mark.parametrize("wrong", [0, -1, 97, 1.5, "x"])
def test_other_dimensions_are_refused(here: Serving, wrong: object) -> None:
    answer = here.http().post("/v1/embeddings", json={"input": "the", "dimensions": wrong})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "dimensions"


def test_an_empty_direction_stays_zero() -> None:
    assert shortened(np.array([0, 0, 1], np.float32), 2).tolist() == [0, 0]


def test_long_texts_are_cut_where_the_api_says_so(here: Serving) -> None:
    llm: Any = here.loaded.model
    ids = llm.tokenizer.encode(LONG)
    first, last = ids[0], ids[-1]
    wanted = llm.embed([[*ids[: N_CTX - 1], last]])
    for path, body in (
        ("/api/embed", {}), ("/api/embed", {"truncate": True}), ("/v1/embeddings", {"truncate": True}),
        ("/embedding", {"truncate": True}),
    ):  # fmt: skip
        np.testing.assert_allclose(vectors(here, path, input=LONG, **body), wanted, atol=1e-6)
    assert len(vectors(here, "/api/embed", input=["a", LONG, "b"])) == 3
    one = here.http().post("/api/embeddings", json={"prompt": LONG}).json()["embedding"]
    np.testing.assert_allclose([one], wanted, atol=1e-6)
    short = llm.embed([[*ids[:31], last]])
    np.testing.assert_allclose(vectors(here, "/api/embed", input=LONG, options={"num_ctx": 32}), short, atol=1e-6)
    mixed = llm.tokenizer.encode("a " * 100 + "the " * 100)
    tail = llm.embed([[first, *mixed[-1 - 30 : -1], last]])
    text = llm.tokenizer.decode(mixed[1:-1])
    np.testing.assert_allclose(vectors(here, "/v1/embeddings", input=text, truncate_prompt_tokens=32), tail, atol=1e-6)
    assert len(vectors(here, "/v1/embeddings", input=LONG, truncate_prompt_tokens=-1)) == 1
    assert len(vectors(here, "/api/embed", input="the " * 100_000)) == 1


def test_long_texts_are_refused_elsewhere(here: Serving) -> None:
    for path, body in (
        ("/v1/embeddings", {}),
        ("/api/embed", {"truncate": False}),
        ("/v1/embeddings", {"input": ["a", LONG]}),
    ):
        answer = here.http().post(path, json={"input": LONG, **body})
        assert answer.status_code == 400
        assert f"tokens: the model's context has {N_CTX};" in answer.text


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_control_tokens_stay_at_both_ends(here: Serving, n: int) -> None:
    tokenizer: Any = here.loaded.model.tokenizer
    begin, end = tokenizer.encode("")
    tokens = [begin, *range(10, 18), end]
    assert len(cut(tokens, n, tokenizer)) == n
    if n > 2:
        assert cut(tokens, n, tokenizer) == [begin, *range(10, 8 + n), end]
        assert cut(tokens, n, tokenizer, from_start=True) == [begin, *range(20 - n, 18), end]
    assert cut(tokens[1:-1], n, tokenizer) == [*range(10, 18)][:n]
    assert cut(tokens, 20, tokenizer) == tokens


def test_llama_cpp_s_name_of_the_input(here: Serving) -> None:
    np.testing.assert_allclose(
        vectors(here, "/v1/embeddings", content="the"), vectors(here, "/embeddings", input="the"), atol=0
    )
    answer = here.http().post("/v1/embeddings", json={"model": None})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "input")


def test_embeddings_of_tokens_are_rows(tmp_path: Path) -> None:
    """ColBERT's files have no pooling type: llama.cpp's route returns a row for each token, and OpenAI's refuses."""
    path = published.write(tmp_path / "m.gguf", published.named("LFM2.5 ColBERT 350M"))
    texts = [[5, 6, 7], [8]]
    with Device("loopback") as device, LLM(path, N_CTX, device=device) as llm, serving(llm) as here:
        made = here.http().post("/embedding", json={"content": texts}).json()
        for text, one in zip(texts, made, strict=True):
            np.testing.assert_allclose(np.array(one["embedding"]), llm.token_rows(text), rtol=1e-6)
        refused = here.http().post("/v1/embeddings", json={"input": texts})
        assert (refused.status_code, "does not say how" in refused.text) == (400, True)
