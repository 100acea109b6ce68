# SPDX-License-Identifier: MIT
"""Speculative decoding of a server: completions stay the same, and clients and metrics see the draft tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llm import tiny, tiny_qwen35

from pyhexagon import LLM, ArgumentError, Device, cli
from pyhexagon.cli import serve_models
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.loading import DeviceLoader
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from serve.serving import NAME, Serving, model, serving, serving_of

PROMPTS = ["the and the and the", "he in he in", "the", "an an an an"]
N = 24


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {
        "target": model(folder), "draft": tiny.write(folder / "draft.gguf", "llama", layers=1, width=64, seed=2),
        "qwen": tiny_qwen35.write(folder / "qwen.gguf", mtp=()),
        "vectors": tiny.write_encoder(folder / "e.gguf", "bert"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


def completions(here: Serving, name: str) -> list[str]:
    """Return the completions of all prompts, which run in one batch."""
    client = here.client()

    def complete(prompt: str) -> str:
        made = client.completions.create(
            model=name, prompt=prompt, max_tokens=N, temperature=1.1, seed=5, logit_bias={"2": -100}
        )
        return made.choices[0].text

    with ThreadPoolExecutor(len(PROMPTS)) as pool:
        return list(pool.map(complete, PROMPTS))


def draft_tokens(here: Serving, labels: str = "") -> tuple[int, int]:
    """Return the numbers of draft tokens and of accepted ones in the metrics."""
    text = here.http().get("/metrics").text
    found = [re.search(rf"^pyhexagon_{name}_total{re.escape(labels)} (\S+)$", text, re.MULTILINE)
             for name in ("draft_tokens", "accepted_draft_tokens")]  # fmt: skip
    return tuple(int(float(one[1])) for one in found if one)  # type: ignore[return-value]


@pytest.mark.parametrize(("target", "draft", "named"), [
    ("target", "lookup", "lookup"), ("target", "draft", "draft"), ("qwen", "mtp", "mtp"),
])  # fmt: skip
def test_a_batch_has_the_completions_without_draft_tokens(
    paths: dict[str, Path], device: Device, target: str, draft: str, named: str
) -> None:
    drafting = str(paths[draft]) if draft in paths else draft
    bias = {2: -100.0}
    with LLM(paths[target], 256, device=device) as llm:
        wanted = [llm.generate(one, N, 1.1, seed=5, logit_bias=bias, min_p=0.0, top_k=40).text for one in PROMPTS]
    with (
        LLM(paths[target], 256, n_sequences=4, draft_model=drafting, device=device) as llm,
        serving(llm, n_parallel=4) as here,
    ):
        n_messages = llm.work[0]
        assert completions(here, NAME) == wanted
        assert llm.work[0] > n_messages
        drafted, accepted = draft_tokens(here)
        assert drafted >= accepted > 0 if draft != "mtp" else drafted > 0
        assert here.http().get("/props").json()["draft_model"] == named
        assert here.http().get("/v1/models").json()["data"][0]["draft_model"] == named
        assert str(paths["target"].parent) not in here.http().get("/v1/models").text


def test_each_of_several_models_has_its_draft_model(paths: dict[str, Path], device: Device) -> None:
    limits, metrics = Limits(n_parallel=4), Metrics()
    models = [
        PooledModel("plain", str(paths["target"])),
        PooledModel("drafted", str(paths["target"]), draft=str(paths["draft"])),
        PooledModel("qwen", str(paths["qwen"]), draft="mtp"),
    ]
    loader = DeviceLoader([device], limits, metrics, n_ctx=256)
    alone, draft = (loader.n_bytes(str(paths[name])) for name in ("target", "draft"))
    assert loader.n_bytes(models[1].path, models[1].draft) == alone + draft
    assert loader.n_bytes(models[2].path, "mtp") > loader.n_bytes(models[2].path)
    pool = ModelPool(models, "loopback", loader, n_bytes=1 << 32, n_waiting=limits.n_waiting)
    with pool, serving_of(Server(pool, metrics, limits=limits, keys=Keys(()), hosts=guard.LOCAL)) as here:
        listed = {one["id"]: one["draft_model"] for one in here.http().get("/v1/models").json()["data"]}
        assert listed == {"plain": "", "drafted": "draft", "qwen": "mtp"}
        assert completions(here, "drafted") == completions(here, "plain")
        assert draft_tokens(here, '{model="plain"}') == (0, 0)
        drafted, accepted = draft_tokens(here, '{model="drafted"}')
        assert drafted >= accepted > 0


def test_the_option_names_a_draft_model_for_each_model() -> None:
    assert serve_models.by_model([], ["a", "b"]) == {}
    assert serve_models.by_model(["a=mtp", "b=x=1.gguf"], ["a", "b"]) == {"a": "mtp", "b": "x=1.gguf"}
    for option in ("x=1.gguf", "a=x=1.gguf"):
        assert serve_models.by_model([option], ["a"]) == {"a": "x=1.gguf"}
    for given, names in ((["lookup"], ["a", "b"]), (["c=lookup"], ["a", "b"]), (["a=", "b=mtp"], ["a", "b"]),
                         (["mtp", "lookup"], ["a"])):  # fmt: skip
        with pytest.raises(ArgumentError, match="expected NAME=MODEL"):
            serve_models.by_model(given, names)


def test_wrong_draft_models_are_refused_before_a_device_opens(
    paths: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, vectors = (str(paths[name]) for name in ("target", "draft", "vectors"))
    for arguments, told in (
        ([vectors, "--draft", "lookup"], "makes embeddings only"), ([a, "--draft", "/none.gguf"], "/none.gguf"),
        ([a, "--draft", "mtp"], "as draft model needs one"), ([a, b, "--draft", f"{NAME}=/none.gguf"], "/none.gguf"),
        ([a, vectors, "--draft", "e=lookup"], "makes embeddings only"),
        ([a, "--draft", "lookup", "--cluster"], "--draft and --cluster"),
    ):  # fmt: skip
        assert cli.main(["serve", *arguments, "--device", "none", "--port", "0"]) == 1
        assert told in capsys.readouterr().err.lower()
