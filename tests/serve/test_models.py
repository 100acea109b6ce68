# SPDX-License-Identifier: MIT
"""Several models in one server: loaded on demand, unloaded by memory and by time, used by all APIs."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import numpy as np
import ollama
import openai
import pytest
from llm import tiny
from waiting import LONG

from pyhexagon import LLM, Device, cli
from pyhexagon.cli import serve_models
from pyhexagon.errors import GGUFError
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.loading import DeviceLoader
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from serve.serving import NAME, TEMPLATE, Serving, model, serving_of
from serve.test_load import request
from serve.test_timeouts import connected

TALK: list[Any] = [{"role": "user", "content": "the"}]
COLD: dict[str, Any] = {"max_tokens": 12, "temperature": 0}
LONG_ANSWER: dict[str, Any] = {"max_tokens": 200, "temperature": 0, "logit_bias": {"2": -1000}}


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    broken = folder / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    (folder / "b").mkdir()
    return {
        "a": model(folder), "b": model(folder / "b", layers=3).rename(folder / "b/other.gguf"), "broken": broken,
        "e": tiny.write_encoder(folder / "e.gguf", "bert"),
    }  # fmt: skip


class Loader(DeviceLoader):
    """Counts loads and unloads, and can make loads wait."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.loads: list[str] = []
        self.unloads: list[str] = []
        self.may_load = threading.Event()
        self.may_load.set()

    def load(self, *given: Any) -> Any:
        self.loads.append(given[0].name)
        assert self.may_load.wait(LONG)
        loaded = super().load(*given)

        def close() -> None:
            loaded.close()
            self.unloads.append(given[0].name)

        return dataclasses.replace(loaded, close=close)


@contextmanager
def offering(paths: dict[str, Path], *names: str, n_models: float = 9, **more: Any) -> Iterator[tuple[Serving, Loader]]:
    """Serve some of the models, with memory for ``n_models`` of the size of the first one."""
    limits = Limits(n_parallel=2, **{name: more.pop(name) for name in ("n_waiting", "seconds") if name in more})
    metrics = Metrics()
    models = [PooledModel(name, str(paths[name]), frozenset({f"{name}-alias"})) for name in names]
    with Device("loopback") as device:
        loader = Loader([device], limits, metrics, n_ctx=256)
        n_bytes = int(n_models * loader.n_bytes(str(paths[names[0]])))
        pool = ModelPool(models, "loopback", loader, n_bytes=n_bytes, n_waiting=limits.n_waiting, **more)
        with pool, serving_of(Server(pool, metrics, limits=limits, keys=Keys(()), hosts=guard.LOCAL)) as one:
            yield one, loader


def states(here: Serving) -> dict[str, str]:
    listed = here.http().get("/v1/models").json()["data"]
    return {one["id"]: one["status"]["value"] for one in listed}


def until(is_so: Any) -> None:
    deadline = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_wrong_field_is_refused_before_a_model_is_loaded(paths: dict[str, Path]) -> None:
    wrongs: list[tuple[str, dict[str, Any]]] = [
        ("/v1/chat/completions", {"messages": TALK, "top_p": 2}), ("/v1/completions", {"prompt": "the", "n": 0}),
        ("/v1/messages", {"messages": TALK}), ("/api/chat", {"messages": TALK, "options": {"num_predict": "a"}}),
        ("/v1/responses", {"input": []}), ("/v1/embeddings", {"input": True}), ("/infill", {"n_predict": 1.5}),
        ("/v1/rerank", {"query": "the", "documents": []}), ("/tokenize", {"content": 1}), ("/v1/completions", {}),
    ]  # fmt: skip
    with offering(paths, "a", "b") as (here, loader):
        for path, body in wrongs:
            assert here.http().post(path, json={"model": "b", **body}).status_code == 400, path
        assert loader.loads == []
        assert set(states(here).values()) == {"unloaded"}


def ask_and_leave(here: Serving, name: str) -> None:
    """Send a request, and close the connection as soon as the request waits for the model to be loaded."""
    with connected(here) as one:
        one.sendall(request("/v1/completions", json.dumps({"model": name, "prompt": "the"}).encode()))
        until(lambda: here.server.pool.find(name).waiters)


def test_models_are_chosen_by_name_in_all_apis(paths: dict[str, Path]) -> None:
    wanted = {}
    for name in ("a", "b"):
        with LLM(paths[name], 256, device="loopback") as llm:
            wanted[name] = "".join(part.text for part in llm.chat(TALK, 12, 0))
    with LLM(paths["e"], device="loopback") as llm:
        vectors = llm.embed(["the cat"])
    assert wanted["a"] != wanted["b"]
    with offering(paths, "a", "b", "e") as (here, loader), ollama.Client(here.url, timeout=LONG) as theirs:
        client = here.client()
        assert states(here) == {"a": "unloaded", "b": "unloaded", "e": "unloaded"}
        assert [one.model for one in theirs.list().models] == ["a:latest", "b:latest", "e:latest"]
        assert theirs.ps().models == []
        assert here.http().get("/tokenizer_info?model=a").json()["chat_template"] == TEMPLATE  # loads it
        for name in ("a", "b", "b-alias"):
            is_b = name[0]
            made = client.chat.completions.create(model=name, messages=TALK, **COLD)
            assert (made.model, made.choices[0].message.content) == (is_b, wanted[is_b])
            again = client.responses.create(model=name, input="the", max_output_tokens=16, temperature=0)
            assert again.output_text.startswith(wanted[is_b])
            asked = {"model": name, "messages": TALK, "max_tokens": 12, "temperature": 0}
            assert here.http().post("/v1/messages", json=asked).json()["content"][0]["text"] == wanted[is_b]
            told = theirs.chat(name, TALK, options={"temperature": 0, "num_predict": 12})
            assert (told.model, told.message.content) == (is_b, wanted[is_b])
        embedded = client.embeddings.create(model="e", input=["the cat"])
        assert np.array_equal(np.array([one.embedding for one in embedded.data], np.float32), vectors)
        assert theirs.show("e").capabilities == ["embedding"]
        assert loader.loads == ["a", "b", "e"]
        assert set(states(here).values()) == {"loaded"}
        assert [one.model for one in theirs.ps().models] == ["a:latest", "b:latest", "e:latest"]
        figures = here.http().get("/metrics").text
        for one in ('generated_tokens_total{model="b"} 1', 'up{model="e"} 1.0', 'memory_model_bytes{model="a"} '):
            assert f"pyhexagon_{one}" in figures
        assert figures.count("# TYPE pyhexagon_memory_compute_bytes") == 1
        with pytest.raises(openai.NotFoundError, match="there are 'a', 'b', 'e'"):
            client.chat.completions.create(model="other", messages=TALK)
        nameless = here.http().post("/v1/chat/completions", json={"messages": TALK})
        assert (nameless.status_code, nameless.json()["error"]["param"]) == (400, "model")
        tokens = here.http().post("/tokenize", json={"model": "b", "content": "the"}).json()["tokens"]
        text = here.http().post("/detokenize", json={"model": "b", "tokens": tokens}).json()["content"]
        assert text == "the"


def test_two_models_compute_at_the_same_time(paths: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits with its tenth message for that of the other."""
    both, n_sent, send = threading.Barrier(2), Counter[ModelRunner[Any]](), ModelRunner.send

    def met(runner: ModelRunner[Any], *given: Any) -> Any:
        n_sent[runner] += 1
        if n_sent[runner] == 10:
            both.wait(LONG)
        return send(runner, *given)

    with offering(paths, "a", "b") as (here, _), ThreadPoolExecutor(2) as pool:
        client = here.client()

        def read(name: str) -> str:
            return str(client.completions.create(model=name, prompt="the", **LONG_ANSWER).choices[0].text)

        with monkeypatch.context() as patch:
            patch.setattr(ModelRunner, "send", met)
            texts = list(pool.map(read, "ab"))
        assert len(n_sent) == 2
    for name, text in zip("ab", texts, strict=True):
        with LLM(paths[name], 256, device="loopback") as llm:
            assert text == llm.generate("the", 200, 0, logit_bias={2: -1000}).text


def test_a_dead_dsp_is_opened_again_for_all_models(paths: dict[str, Path], faults: Any) -> None:
    with offering(paths, "a", "b") as (here, loader), ThreadPoolExecutor(2) as pool:
        client = here.client()
        client.completions.create(model="b", prompt="the", max_tokens=1)

        def read(name: str) -> str:
            text = ""
            for number, part in enumerate(
                client.completions.create(model=name, prompt="the", stream=True, **LONG_ANSWER)
            ):
                text += part.choices[0].text
                if name == "a" and number == 5:
                    faults.kill(loader._devices[0])
            return text

        texts = list(pool.map(read, "ab"))
        figures = here.http().get("/metrics").text
        assert any(f'dsp_deaths_total{{model="{name}"}} 1.0' in figures for name in "ab")
        here.server.pool._close(here.server.pool.find("a"))
        faults.kill(loader._devices[0])
        assert client.completions.create(model="a", prompt="the", max_tokens=1).choices  # a load reopens it as well
    for name, text in zip("ab", texts, strict=True):
        with LLM(paths[name], 256, device="loopback") as llm:
            assert text == llm.generate("the", 200, 0, logit_bias={2: -1000}).text


def test_the_least_recently_used_idle_model_makes_room(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "e", "b", n_models=2.5) as (here, loader):
        client = here.client()

        def ask(name: str) -> None:
            client.completions.create(model=name, prompt="the", max_tokens=1)

        ask("a")
        client.embeddings.create(model="e", input="the")
        ask("a")
        before = here.server.pool.device
        ask("b")
        assert states(here) == {"a": "loaded", "e": "unloaded", "b": "loaded"}
        client.embeddings.create(model="e", input="the")
        assert states(here) == {"a": "unloaded", "e": "loaded", "b": "loaded"}
        assert loader.loads == ["a", "e", "b", "e"]
        assert before == "loopback"


def test_a_model_in_use_is_not_unloaded(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "b", n_models=1.6) as (here, loader), ThreadPoolExecutor(3) as pool:
        client = here.client()
        ask: Any = client.completions.create
        stream = iter(ask(model="a", prompt="the", stream=True, **LONG_ANSWER))
        text = next(stream).choices[0].text
        use = here.server.pool.take(here.server.pool.find("a"))  # that of a request which takes longer
        assert use
        other = pool.submit(ask, model="b", prompt="the", max_tokens=1)
        until(lambda: here.server.pool.find("a").is_leaving)
        later = pool.submit(ask, model="a", prompt="the", max_tokens=1)  # does not keep the other one waiting for ever
        assert here.http().get("/health").status_code == 200
        assert states(here) == {"a": "loaded", "b": "loading"}
        use.end()
        text += "".join(part.choices[0].text for part in stream)
        assert other.result().choices
        assert later.result().choices
        assert loader.loads == ["a", "b", "a"]
    with LLM(paths["a"], 256, device="loopback") as llm:
        assert text == llm.generate("the", 200, 0, logit_bias={2: -1000}).text


def test_a_load_delays_nobody_else(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "b", n_waiting=4) as (here, loader), ThreadPoolExecutor(8) as pool:
        client = here.client()
        ask: Any = client.completions.create
        ask(model="a", prompt="the", max_tokens=1)
        loader.may_load.clear()
        waiting = [pool.submit(ask, model="b", prompt="the", max_tokens=1) for _ in range(2)]
        until(lambda: len(here.server.pool.find("b").waiters) == 2)
        with pytest.raises(openai.RateLimitError) as refused:
            ask(model="b", prompt="the", max_tokens=1)
        assert refused.value.code == "queue_full"
        assert here.http().get("/health").status_code == 200
        assert ask(model="a", prompt="the", max_tokens=3).choices
        assert len(here.server.pool.find("b").waiters) == 2  # the load goes on
        loader.may_load.set()
        assert all(one.result().choices for one in waiting)
        assert loader.loads == ["a", "b"]


def test_a_client_that_leaves_gives_up_its_load(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "b", n_models=1.6, seconds=30) as (here, loader):
        assert here.client().completions.create(model="a", prompt="the", max_tokens=1).choices
        use = here.server.pool.take(here.server.pool.find("a"))
        assert use
        ask_and_leave(here, "b")
        until(lambda: states(here)["b"] == "unloaded")
        until(lambda: not here.server.pool.find("a").is_leaving)
        use.end()
        assert loader.loads == ["a"]


def test_a_model_that_nobody_waits_for_any_more_expires(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "b", keep_alive=0.2) as (here, loader):
        loader.may_load.clear()
        ask_and_leave(here, "a")
        until(lambda: not here.server.pool.find("a").waiters)
        loader.may_load.set()
        until(lambda: loader.unloads == ["a"])
        assert not here.server.pool.find("a").loaded


def test_a_load_that_fails_harms_no_other_model(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "broken", "b", n_models=1.01) as (here, _):
        client = here.client()
        assert client.completions.create(model="a", prompt="the", max_tokens=1).choices
        for name, words in (("broken", "broken cannot be loaded"), ("b", "all models together may take")):
            with pytest.raises(openai.InternalServerError, match=words) as failed:
                client.completions.create(model=name, prompt="the")
            assert (failed.value.status_code, failed.value.code) == (503, "model_load_failed")
            assert str(paths[name].parent) not in str(failed.value)
        assert states(here) == {"a": "loaded", "broken": "unloaded", "b": "unloaded"}


def test_idle_models_expire(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "b", keep_alive=0.2) as (here, _), ollama.Client(here.url, timeout=LONG) as theirs:
        client = here.client()

        def armed(name: str) -> float:
            """Return the seconds until the model's timer fires; 0: it does not."""
            timer = here.server.pool.find(name).timer
            return timer.when() - time.monotonic() if timer and not timer.cancelled() else 0

        client.completions.create(model="a", prompt="the", max_tokens=1)
        until(lambda: states(here)["a"] == "unloaded")
        cold = {"num_predict": 1}
        theirs.generate("a", "the", keep_alive=-1, options=cold)
        theirs.generate("b", "the", keep_alive="1h30m", options=cold)
        until(lambda: not armed("a"))
        until(lambda: armed("b") > 3600)
        assert states(here) == {"a": "loaded", "b": "loaded"}
        forever, hours = theirs.ps().models
        assert forever.expires_at is None
        assert hours.expires_at is not None
        assert theirs.generate("b", "", keep_alive=0).done_reason == "unload"
        until(lambda: states(here) == {"a": "loaded", "b": "unloaded"})
        with pytest.raises(ollama.ResponseError, match="keep_alive"):
            theirs.generate("b", "the", keep_alive="soon")


def test_a_longer_num_ctx_loads_the_model_again_while_nobody_uses_it(
    paths: dict[str, Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long = {"a": tiny.write(tmp_path / "long.gguf", "llama", n_ctx=1024), "b": paths["b"]}

    def ask(http: Any, n_tokens: int, num_ctx: int | None = None) -> int:
        options = {"num_predict": 1, "temperature": 0} | ({} if num_ctx is None else {"num_ctx": num_ctx})
        body = {"model": "a", "prompt": "a" * n_tokens, "raw": True, "stream": False, "options": options}
        return int(http.post("/api/generate", json=body).status_code)

    with offering(long, "a", "b", n_models=2) as (here, loader):
        http, pool = here.http(), here.server.pool
        entry = pool.find("a")
        assert [ask(http, 300), ask(http, 300, 512), ask(http, 300), ask(http, 500, 400)] == [400, 200, 200, 400]
        assert loader.loads == ["a", "a"]
        assert entry.text is not None
        assert entry.text.model.n_ctx == 512
        held = pool.take(entry)
        assert [ask(http, 600, 1024), ask(http, 300, 1024)] == [400, 200]
        assert "num_ctx is 1024: the context has 512 tokens, and the model was trained for 1024" in caplog.text
        assert held is not None
        held.end()
        assert ask(http, 600, 1 << 20) == 200  # at most what it was trained for
        assert entry.text.model.n_ctx == 1024
        assert ask(http, 600, 1 << 20) == 200
        assert loader.loads == ["a", "a", "a"]
        assert http.post("/models/unload", json={"model": "a"}).status_code == 200
        assert ask(http, 300) == 400  # the server's context again
        pool._n_bytes = loader.n_bytes(str(long["a"]))
        caplog.clear()
        assert ask(http, 300, 512) == 400
        assert "num_ctx is 512: a would need" in caplog.text
        assert ask(http, 100, 512) == 200
        assert loader.loads == ["a"] * 4


def test_memory_is_given_back(paths: dict[str, Path]) -> None:
    with Device("loopback") as device:
        loader = DeviceLoader([device], Limits(n_parallel=2), Metrics(), n_ctx=256)
        sizes = []
        for _ in range(4):
            for name in ("a", "e"):
                loaded = loader.load(PooledModel(name, str(paths[name])), lambda: None)
                assert isinstance(loaded.model, LLM)
                memory = loaded.model.memory()
                assert 0 < memory["model"] + memory["context"] <= loader.n_bytes(str(paths[name]))
                loaded.close()
            sizes.append(device.info().memory_bytes)
        assert sizes[1] == sizes[3]
        with pytest.raises(GGUFError):
            loader.load(PooledModel("broken", str(paths["broken"])), lambda: None)
        assert device.info().memory_bytes == sizes[3]


def test_the_command_serves_a_folder(paths: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "pyhexagon", "serve", "--device", "cpu", "--port", "0", "--json"]
    folder = ["--models-dir", str(paths["e"].parent)]
    with subprocess.Popen([*command, *folder, "--alias", "fast=e"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            told = ""
            while not told.endswith("}\n"):
                told += process.stdout.readline()
            facts = json.loads(told)
            assert facts["models"] == ["other", "e", NAME]
            with httpx2.Client(base_url=facts["url"], timeout=LONG) as http:
                assert http.post("/v1/embeddings", json={"model": "fast", "input": "the"}).json()["model"] == "e"
        finally:
            process.terminate()
        assert process.wait(LONG) == 0
    assert "broken.gguf is not served" in capfd.readouterr().err
    a, b, e = (str(paths[name]) for name in "abe")
    for arguments, words in (
        ([], "no model"), ([a, a], "two models are called tiny"), ([a, e, "--alias", "fast"], "expected a new name"),
        ([a, e, "--alias", "e=tiny"], "expected a new name"), ([a, e, "--cluster"], "a cluster serves one model"),
        ([b, "--models-dir", str(paths["b"].parent)], "two models are called other"),
        (["--models-dir", str(paths["e"].parent / "none")], "no GGUF file"),
    ):  # fmt: skip
        assert cli.main(["serve", *arguments, "--device", "cpu", "--port", "0"]) == 1
        assert words in capfd.readouterr().err


def test_a_model_that_comes_later_is_served(paths: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    with TemporaryDirectory() as at:
        folder = Path(at)
        shutil.copy(paths["a"], folder / "first.gguf")
        found = serve_models.ModelsFolder(folder)
        assert found.models == [str(folder / "first.gguf")]
        options = argparse.Namespace(
            device="loopback", transport=None, power=None, latency=None, no_profile=False, cluster=None, lora=[],
            draft=[], mmproj=[], no_mmproj=False, chat_template_file=[], alias=["alias=first"], memory_budget=None,
            mmproj_weights="file", keep_alive=-1, c=256, kv=None, b=16,
        )  # fmt: skip
        limits, metrics = Limits(n_parallel=2), Metrics()
        with (
            serve_models.opened(found.models, found, options, limits, metrics) as pool,
            serving_of(Server(pool, metrics, limits=limits, keys=Keys(()), hosts=guard.LOCAL)) as here,
            ollama.Client(here.url, timeout=LONG) as theirs,
        ):
            client, http = here.client(), here.http()
            assert client.completions.create(model="first", prompt="the", max_tokens=1).choices
            (first,) = (one.loaded for one in pool.models if one.loaded)
            assert isinstance(first.model, LLM)
            assert first.model._core._n_batch == 16
            with pytest.raises(openai.NotFoundError, match="it is 'first'"):
                client.completions.create(model="later", prompt="the")
            whole = paths["b"].read_bytes()
            (folder / "later.gguf").write_bytes(whole[: len(whole) // 2])  # a copy that is not complete
            for _ in range(2):
                assert set(states(here)) == {"first"}
            (folder / "later.gguf").write_bytes(whole)
            assert client.completions.create(model="later", prompt="the", max_tokens=1).choices
            assert states(here) == {"first": "loaded", "later": "loaded"}
            shutil.copy(paths["e"], folder / "vectors.gguf")
            assert http.get("/props?model=vectors").json()["model_alias"] == "vectors"
            shutil.copy(paths["e"], folder / "alias.gguf")
            (folder / "sub").mkdir()
            shutil.copy(paths["e"], folder / "sub/third.gguf")
            assert [one.model for one in theirs.list().models] == [
                "first:latest", "later:latest", "vectors:latest", "third:latest"
            ]  # fmt: skip
            assert theirs.show("third").capabilities == ["embedding"]
            assert [one.model for one in theirs.ps().models] == ["first:latest", "later:latest"]
            assert here.server.pool.default() == ""
    told = capsys.readouterr().err
    assert told.count("later.gguf is not served") == 1
    assert told.count("alias.gguf is not served: another model is called alias") == 1


def test_models_are_loaded_and_unloaded_by_name(paths: dict[str, Path]) -> None:
    with offering(paths, "a", "b") as (here, loader):
        http = here.http()
        assert http.post("/models/load", json={"model": "b"}).json() == {"success": True}
        assert (loader.loads, states(here)["b"]) == (["b"], "loaded")
        assert http.post("/models/unload", json={"model": "b-alias"}).json() == {"success": True}
        assert (loader.unloads, states(here)["b"]) == (["b"], "unloaded")
        for body, status, words in (
            ({"model": "b"}, 400, "b is not loaded"), ({"model": "no"}, 404, "no model 'no'"),
            ({}, 400, "model is missing"),
        ):  # fmt: skip
            refused = http.post("/models/unload", json=body)
            assert (refused.status_code, words in refused.json()["error"]["message"]) == (status, True)
        assert http.post("/models/load", json={"model": "no"}).status_code == 404
        assert http.post("/models/load", json={"model": "a"}).json() == {"success": True}
        use = here.server.pool.take(here.server.pool.find("a"))
        assert use
        busy = http.post("/models/unload", json={"model": "a"})
        assert (busy.status_code, busy.json()["error"]["code"], states(here)["a"]) == (409, "model_in_use", "loaded")
        use.end()
        assert http.post("/models/unload", json={"model": "a"}).json() == {"success": True}
