# SPDX-License-Identifier: MIT
"""Servers with several models of which some take images: options, loading, eviction, limits of bodies."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import ollama
import pytest
from llm import vision_files
from llm.test_vision_chat import write
from waiting import LONG

from pyhexagon import LLM, ArgumentError, Device, cli
from pyhexagon.cli import serve_models
from pyhexagon.llm.files.weight_types import WEIGHT_TYPES, WeightType
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import BODY_BYTES, IMAGES_BODY_BYTES, Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.loading import DeviceLoader
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from pyhexagon.serve.serving import serve
from serve.serving import Serving, model, serving_of
from serve.test_images import PICTURE, part_of

MESSAGES: list[Any] = [{"role": "user", "content": [part_of(PICTURE), {"type": "text", "text": "an"}]}]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return models, by name: in subfolders with their mmproj files, of which one is another model's."""
    folder = tmp_path_factory.mktemp("models")
    found = {"blind": model(folder).rename(folder / "blind.gguf")}
    for name, kind in (("one", "internvl"), ("two", "gemma3"), ("wrong", "internvl")):
        (at := folder / name).mkdir()
        text, mmproj = write(at, kind)
        found[name], found[f"mmproj-{name}"] = text.rename(at / f"{name}.gguf"), mmproj.rename(at / "mmproj-x.gguf")
    vision_files.write(found["mmproj-wrong"], "internvl", projection=96)
    return found


@contextmanager
def offering(
    paths: dict[str, Path], *names: str, mmproj_weights: WeightType = "file", **more: Any
) -> Iterator[tuple[Serving, DeviceLoader]]:
    """Serve some of the models, with memory for the largest one."""
    limits, metrics = Limits(n_parallel=2), Metrics()
    models = [PooledModel(name, str(paths[name]), mmproj=str(paths.get(f"mmproj-{name}", ""))) for name in names]
    with Device("cpu") as device:
        loader = DeviceLoader([device], limits, metrics, n_ctx=256, mmproj_weights=mmproj_weights)
        sizes = [loader.n_bytes(one.path, mmproj=one.mmproj) for one in models]
        pool = ModelPool(models, "cpu", loader, n_bytes=max(sizes), n_waiting=limits.n_waiting, **more)
        with pool, serving_of(Server(pool, metrics, limits=limits, keys=Keys(()), hosts=guard.LOCAL)) as one:
            yield one, loader


def test_models_with_images_take_turns_in_memory(paths: dict[str, Path]) -> None:
    wanted = {}
    with Device("cpu") as device:
        for name in ("one", "two"):
            with LLM(paths[name], 256, mmproj=paths[f"mmproj-{name}"], n_sequences=2, device=device) as llm:
                wanted[name] = "".join(part.text for part in llm.chat(MESSAGES, 6, 0))
            with LLM(paths[name], 256, device=device) as llm:
                assert "".join(part.text for part in llm.chat(told_of_images(), 6, 0)) != wanted[name]
    with offering(paths, "one", "two", "blind") as (here, loader), ollama.Client(here.url, timeout=LONG) as theirs:
        for name, inputs in (("one", ["text", "image"]), ("two", ["text", "image"]), ("blind", ["text"])):
            listed = here.http().get(f"/v1/models/{name}").json()  # before it is loaded
            assert listed["architecture"] == {"input_modalities": inputs, "output_modalities": ["text"]}
            assert ("vision" in (theirs.show(name).capabilities or ())) is ("image" in inputs)
        assert loader.n_bytes(str(paths["one"]), mmproj=str(paths["mmproj-one"])) > loader.n_bytes(str(paths["one"]))
        n_bytes: dict[str, list[int]] = {}
        for name in ("one", "two", "one", "blind", "one", "two"):
            made = here.client().chat.completions.create(model=name, messages=MESSAGES, max_tokens=6, temperature=0)
            props = here.http().get(f"/props?model={name}").json()
            assert props["modalities"] == {"vision": name != "blind", "audio": False}
            types = props["mmproj"]["types"] if name != "blind" else {}
            assert types.keys() == ({"F16"} if types else set())
            if name in wanted:
                assert made.choices[0].message.content == wanted[name]
            assert [one.name for one in here.server.pool.models if one.loaded] == [name]
            n_bytes.setdefault(name, []).append(loader._devices[0].info().memory_bytes)
        assert n_bytes["one"][1] == n_bytes["one"][2]  # nothing is left of unloaded encoders


def test_all_models_get_the_same_types_of_weights(paths: dict[str, Path]) -> None:
    with offering(paths, "one", "blind", mmproj_weights="q8_0") as (here, loader):
        made = here.client().chat.completions.create(model="one", messages=MESSAGES, max_tokens=6, temperature=0)
        types = {"Q8_0": 14, "F16": 1}
        wanted = {"weights": "q8_0", "types": types, "quantized": 14}
        assert here.http().get("/props?model=one").json()["mmproj"] == wanted
        assert "mmproj" not in here.http().get("/props?model=blind").json()
        floats = DeviceLoader(loader._devices, Limits(n_parallel=2), Metrics(), n_ctx=256)
        smaller, larger = (
            one.n_bytes(str(paths["one"]), mmproj=str(paths["mmproj-one"])) for one in (loader, floats)
        )
    assert smaller < larger
    options: Any = {"mmproj": paths["mmproj-one"], "mmproj_weights": "q8_0", "n_sequences": 2, "device": "cpu"}
    with LLM(paths["one"], 256, **options) as llm:
        assert made.choices[0].message.content == "".join(part.text for part in llm.chat(MESSAGES, 6, 0))


def told_of_images() -> list[dict[str, Any]]:
    return [{"role": "user", "content": "[image]an"}]


def test_the_option_names_an_mmproj_file_for_each_model() -> None:
    assert serve_models.mmprojs(["a=x.gguf", "b=y=1.gguf"], ["a", "b"]) == {"a": "x.gguf", "b": "y=1.gguf"}
    assert serve_models.mmprojs(["x.gguf"], ["a"]) == {"a": "x.gguf"}
    with pytest.raises(ArgumentError, match=r"--mmproj is x\.gguf: expected NAME=FILE, once for each of a, b"):
        serve_models.mmprojs(["x.gguf"], ["a", "b"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("{one} {two} --mmproj {mmproj-one}", "expected NAME=FILE, once for each of one, two"),
        ("{one} {two} --mmproj one={mmproj-wrong}", "makes embeddings of 96, the language model's have 128"),
        ("{one} {two} --mmproj two={two}", "its architecture is 'gemma3': an mmproj file's is 'clip'"),
        ("{one} --mmproj {mmproj-one} --mmproj {mmproj-one}", "expected NAME=FILE, once for each of one"),
        ("{one} --mmproj {mmproj-one} --cluster", "boards of a cluster get tokens, and no board encodes images"),
    ],
)
def test_what_cannot_be_is_refused_before_a_device_opens(
    paths: dict[str, Path], capsys: pytest.CaptureFixture[str], options: str, message: str
) -> None:
    words = [word.format(**paths) for word in options.split()]
    assert cli.main(["serve", *words, "--port", "0", "--device", "none-such"]) == 1
    assert message in capsys.readouterr().err


def test_a_subfolder_of_models_has_its_mmproj_file(paths: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """As in llama.cpp's folders of models; a file that is another model's leaves that model without images."""
    folder = serve_models.ModelsFolder(paths["blind"].parent)
    options = argparse.Namespace(
        device="cpu", alias=[], chat_template_file=[], draft=[], mmproj=[f"two={paths['mmproj-two']}"],
        no_mmproj=False, mmproj_weights="q8_0", lora=[], cluster=None, c=256, kv=None,
        b=64, keep_alive=-1.0, memory_budget=None, transport=None, power=None, latency=None, no_profile=False,
    )  # fmt: skip
    with serve_models.opened(folder.models, folder, options, Limits(), Metrics()) as pool:
        found = {one.name: one.mmproj for one in pool.models}
        size = pool._planned(next(one for one in pool.models if one.name == "two"), 0)
    assert found == {
        "blind": "", "one": str(paths["mmproj-one"]), "two": str(paths["mmproj-two"]), "wrong": "",
    }  # fmt: skip
    assert "mmproj-x.gguf is not served" in capsys.readouterr().err
    with Device("cpu") as device:
        smaller, larger = (
            DeviceLoader([device], Limits(), Metrics(), n_ctx=256, mmproj_weights=weights).n_bytes(
                str(paths["two"]), mmproj=str(paths["mmproj-two"])
            )
            for weights in reversed(WEIGHT_TYPES)
        )
    assert size == smaller < larger


@pytest.mark.parametrize(
    ("options", "n_bytes"),
    [
        ("{one} --mmproj {mmproj-one}", IMAGES_BODY_BYTES),
        ("{one} {two} --mmproj two={mmproj-two}", IMAGES_BODY_BYTES),
        ("--models-dir {folder}", IMAGES_BODY_BYTES),
        ("{one} {two}", BODY_BYTES),
        ("{one} --mmproj {mmproj-one} --max-body 100", 100 << 10),
    ],
)
def test_the_limit_of_a_request_suits_the_models(
    paths: dict[str, Path], monkeypatch: pytest.MonkeyPatch, options: str, n_bytes: int
) -> None:
    limits: list[int] = []

    def serve(*_: Any, **given: Any) -> None:
        limits.append(given["limits"].body_bytes)

    monkeypatch.setattr("pyhexagon.serve.serving.serve", serve)
    words = [word.format(**paths, folder=paths["blind"].parent) for word in options.split()]
    assert cli.main(["serve", *words, "--port", "0", "--device", "cpu", "-c", "64"]) == 0
    assert limits == [n_bytes]


def test_a_photo_fits_into_a_request(
    paths: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (1300, 1300, 3), np.uint8)
    body = {"messages": [{"role": "user", "content": [part_of(noise)]}], "max_tokens": 1}

    def run(server: Server, *_: Any) -> None:
        with serving_of(server) as here:
            statuses.append(here.http().post("/v1/chat/completions", json=body).status_code)

    monkeypatch.setattr("pyhexagon.serve.server.run", run)
    statuses: list[int] = []
    with Device("cpu") as device:
        for mmproj in (paths["mmproj-one"], None):
            with LLM(paths["one"], 512, mmproj=mmproj, n_sequences=4, device=device) as llm:
                serve(llm, port=0)
    assert statuses == [200, 413]
