# SPDX-License-Identifier: MIT
"""Speech models in a server: loaded on demand beside language models, on one device, which may be lost."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from conftest import Faults
from speech import whisper_files
from speech.test_whisper import SIZES, audio

from pyhexagon import ArgumentError, Device, Whisper, cli
from pyhexagon.cli import serve_models
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.loading import DeviceLoader
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from pyhexagon.speech.formats import text_of
from pyhexagon.speech.shared import SharedWhisper
from serve.serving import Serving, model, serving_of
from serve.test_models import TALK, states

CLIPS = {seed: audio(seed) for seed in (1, 2)}
COLD: dict[str, Any] = {"temperature": 0.2}  # not the ladder: a random model would climb all of it


def file_of(samples: Any) -> Any:
    file = io.BytesIO()
    soundfile.write(file, np.clip(samples, -1, 1), 16_000, format="WAV", subtype="FLOAT")
    return "a.wav", file.getvalue()


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {"a": model(folder), "ears": whisper_files.write(folder / "ggml-ears.bin", SIZES, seed=6)}


@pytest.fixture(scope="module")
def wanted(paths: dict[str, Path]) -> dict[int, str]:
    """Return what each clip gives alone."""
    with Whisper(paths["ears"], device="loopback") as whisper:
        return {seed: text_of(whisper.transcribe(clip, **COLD)[0]) for seed, clip in CLIPS.items()}


@contextmanager
def offering(paths: dict[str, Path], n_bytes: int = 1 << 40) -> Iterator[tuple[Serving, DeviceLoader]]:
    limits, metrics = Limits(n_parallel=2), Metrics()
    models = [PooledModel("a", str(paths["a"])), PooledModel("ears", str(paths["ears"]), kind="speech")]
    with Device("loopback") as device:
        loader = DeviceLoader([device], limits, metrics, n_ctx=256)
        pool = ModelPool(models, "loopback", loader, n_bytes=n_bytes, n_waiting=8)
        with pool, serving_of(Server(pool, metrics, limits=limits, keys=Keys(()), hosts=guard.LOCAL)) as one:
            yield one, loader


def transcribed(here: Serving, seed: int) -> str:
    made = here.client().audio.transcriptions.create(model="ears", file=file_of(CLIPS[seed]), **COLD)
    return str(made.text)


def test_two_transcriptions_and_a_chat_at_once(paths: dict[str, Path], wanted: dict[int, str]) -> None:
    assert len(set(wanted.values())) == 2
    with offering(paths) as (here, _), ThreadPoolExecutor(3) as pool:
        assert states(here) == {"a": "unloaded", "ears": "unloaded"}
        chat = pool.submit(here.client().chat.completions.create, model="a", messages=TALK, max_tokens=20)
        found = dict(zip(CLIPS, pool.map(lambda seed: transcribed(here, seed), CLIPS), strict=True))
        assert found == wanted
        assert chat.result().choices
        assert states(here) == {"a": "loaded", "ears": "loaded"}
        answer = here.http().post("/v1/audio/translations", files={"file": file_of(CLIPS[1])})
        assert answer.status_code == 400
        assert answer.json()["error"]["message"] == "task is 'translate', and ears knows English only"


def test_a_lost_dsp_changes_no_text(
    paths: dict[str, Path], wanted: dict[int, str], faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    with offering(paths) as (here, loader):
        here.client().completions.create(model="a", prompt="the", max_tokens=1)
        steps, tried = [0], SharedWhisper._tried

        def with_death(self: SharedWhisper, step: Any, n_deaths: int = 0) -> Any:
            steps[0] += not n_deaths
            if steps[0] == 2 and not n_deaths:
                faults.kill(loader._devices[0])
            return tried(self, step, n_deaths)

        monkeypatch.setattr(SharedWhisper, "_tried", with_death)
        assert transcribed(here, 1) == wanted[1]
        assert steps[0] > 2
        assert here.client().completions.create(model="a", prompt="the", max_tokens=1).choices


def test_models_make_room_for_each_other(paths: dict[str, Path], wanted: dict[int, str]) -> None:
    limits = Limits(n_parallel=2)
    with Device("loopback") as device:
        loader = DeviceLoader([device], limits, Metrics(), n_ctx=256)
        sizes = [loader.n_bytes(str(paths["a"])), loader.n_bytes(str(paths["ears"]), kind="speech")]
    assert sizes[1] > paths["ears"].stat().st_size / 2
    with offering(paths, max(sizes) + min(sizes) // 2) as (here, _):
        here.client().completions.create(model="a", prompt="the", max_tokens=1)
        assert transcribed(here, 2) == wanted[2]
        assert states(here) == {"a": "unloaded", "ears": "loaded"}
        here.client().completions.create(model="a", prompt="the", max_tokens=1)
        assert states(here) == {"a": "loaded", "ears": "unloaded"}


def options(words: list[str]) -> argparse.Namespace:
    return cli._parser().parse_args(["serve", "--no-config", *words])


def test_the_command_serves_files_of_whisper_cpp(paths: dict[str, Path], tmp_path: Path) -> None:
    for path in paths.values():
        (tmp_path / path.name).symlink_to(path)
    broken = tmp_path / "ggml-broken.bin"
    broken.write_bytes(paths["ears"].read_bytes()[:1000])
    given = options(["--models-dir", str(tmp_path), "--device", "loopback"])
    folder = serve_models.ModelsFolder(given.models_dir)
    with serve_models.opened(folder.models, folder, given, Limits(), Metrics()) as pool:
        assert {one.name: one.kind for one in pool.models} == {"tiny": "text", "ggml-ears": "speech"}
    one = options([str(paths["ears"]), "--alias", "ears", "--device", "loopback"])
    with serve_models.opened(one.model, None, one, Limits(), Metrics()) as pool:
        assert [(each.name, each.kind) for each in pool.models] == [("ears", "speech")]
    with pytest.raises(ArgumentError, match=r"--draft: .* is a speech model"):
        serve_models.check(str(paths["ears"]), "lookup")
