# SPDX-License-Identifier: MIT
"""Processes that die in the middle of an image: the DSP's, and the one that decodes. The server goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from llm import vision_files
from llm.test_vision_chat import write
from waiting import LONG

from pyhexagon import LLM, Device, workers
from pyhexagon.llm.vision.encoder import ImageEncoder
from serve.serving import NAME, Serving, serving
from serve.test_images import OTHER, PICTURE, part_of

PICTURES = [PICTURE, OTHER, vision_files.picture(60, 20, seed=9)]


def body(at: int, n: int = 6) -> dict[str, Any]:
    content = [part_of(PICTURES[at]), {"type": "text", "text": "an he"}]
    return {"messages": [{"role": "user", "content": content}], "max_tokens": n, "temperature": 0}


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    text, mmproj = write(tmp_path_factory.mktemp("model"), "internvl")
    with Device("loopback") as device, LLM(text, 256, mmproj=mmproj, n_sequences=4, device=device) as llm:
        yield llm


@pytest.fixture
def wanted(seeing: LLM) -> list[str]:
    """Return the answers about the pictures, of which none is cached any more."""
    answers = ["".join(part.text for part in seeing.chat(body(at)["messages"], 6, 0)) for at in range(len(PICTURES))]
    forget(seeing)
    return answers


def forget(llm: LLM) -> None:
    llm.clear_cache()
    assert llm._vision is not None
    llm._vision._kept.clear()


def answer(here: Serving, at: int) -> str:
    done = here.http().post("/v1/chat/completions", json=body(at))
    assert done.status_code == 200, done.text
    return str(done.json()["choices"][0]["message"]["content"])


@contextmanager
def killing(monkeypatch: pytest.MonkeyPatch, faults: Any, llm: LLM, n: int) -> Iterator[None]:
    """Let the DSP die in the first ``n`` tiles that it computes."""
    embed, left = ImageEncoder.embed, n

    def deadly(encoder: ImageEncoder, tile: Any) -> Any:
        nonlocal left
        if left:
            left -= 1
            faults.kill(llm.device)
        return embed(encoder, tile)

    with monkeypatch.context() as patch:
        patch.setattr(ImageEncoder, "embed", deadly)
        yield
        assert left == 0


@pytest.mark.parametrize("n_deaths", [1, 2])
def test_an_image_is_computed_again_after_the_dsp_died(
    seeing: LLM, wanted: list[str], faults: Any, monkeypatch: pytest.MonkeyPatch, n_deaths: int
) -> None:
    with serving(seeing) as here:
        assert answer(here, 0) == wanted[0]
        used = seeing.memory()
        forget(seeing)
        with killing(monkeypatch, faults, seeing, n_deaths):
            assert answer(here, 0) == wanted[0]
        assert f"pyhexagon_dsp_deaths_total {n_deaths}.0" in here.http().get("/metrics").text
        forget(seeing)
        assert answer(here, 0) == wanted[0]
        assert all(size <= used[name] for name, size in seeing.memory().items())  # nothing is left of the lost session


def test_an_image_that_the_dsp_dies_of_is_an_error_and_the_server_goes_on(
    seeing: LLM, wanted: list[str], faults: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(seeing) as here:
        with killing(monkeypatch, faults, seeing, 3):
            refused = here.http().post("/v1/chat/completions", json=body(0))
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "device_lost")
        assert "the DSP died 3 times while this was computed" in refused.json()["error"]["message"]
        assert [answer(here, at) for at in range(3)] == wanted


def test_answers_go_on_while_images_are_computed_again(
    seeing: LLM, wanted: list[str], faults: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The DSP dies in a tile while texts and other images are on their way: no answer changes."""
    plain = seeing.generate("the he in the an", 60, 1.5, seed=1).text
    with serving(seeing, n_parallel=4) as here, ThreadPoolExecutor(4) as pool:
        client, begun = here.client(), threading.Event()

        def text() -> str:
            made = ""
            stream = client.completions.create(
                model=NAME, prompt="the he in the an", max_tokens=60, temperature=1.5, seed=1, stream=True,
            )  # fmt: skip
            for part in stream:
                made += part.choices[0].text
                begun.set()
            return made

        going = pool.submit(text)
        assert begun.wait(LONG)
        with killing(monkeypatch, faults, seeing, 2):
            answers = list(pool.map(lambda at: answer(here, at), range(3)))
        assert answers == wanted
        assert going.result() == plain


def test_a_long_text_does_not_wait_for_an_image(
    seeing: LLM, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    embed, begun, may_go_on = ImageEncoder.embed, threading.Event(), threading.Event()

    def held(encoder: ImageEncoder, tile: Any) -> Any:
        begun.set()
        assert may_go_on.wait(LONG)
        return embed(encoder, tile)

    def ask(client: str, given: dict[str, Any]) -> Any:
        return here.http().post("/v1/chat/completions", json=given, headers={"authorization": f"Bearer {client}"})

    monkeypatch.setattr(ImageEncoder, "embed", held)
    image = body(0)
    image["user"] = "x" * (1 << 15)
    long_text = {"messages": [{"role": "user", "content": "he"}], "user": "x" * (1 << 15), "max_tokens": 1}
    with serving(seeing, ("one", "two")) as here, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, "one", image)
        assert begun.wait(LONG)
        counted = here.http().post(
            "/v1/chat/completions/input_tokens", json=long_text, headers={"authorization": "Bearer two"}
        )
        assert counted.status_code == 200
        may_go_on.set()
        assert waiting.result().json()["choices"][0]["message"]["content"] == wanted[0]


def test_a_decoder_that_is_killed(seeing: LLM, wanted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Used ones are replaced; a new one that dies is an error of this request only."""
    ask, n_left = workers._Worker.ask, 0

    def killed(worker: workers._Worker, value: str) -> Any:
        nonlocal n_left
        if n_left and "decoding.py" in worker.setup:
            n_left -= 1
            worker.kill()
        return ask(worker, value)

    monkeypatch.setattr(workers._Worker, "ask", killed)
    with serving(seeing) as here:
        assert answer(here, 0) == wanted[0]
        forget(seeing)
        n_left = 1
        assert answer(here, 0) == wanted[0]
        n_left = 2
        refused = here.http().post("/v1/chat/completions", json=body(0))
        assert (refused.status_code, n_left) == (400, 0)
        assert "a picture cannot be decoded: Killed" in refused.json()["error"]["message"]
        assert answer(here, 0) == wanted[0]
