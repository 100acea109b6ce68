# SPDX-License-Identifier: MIT
"""A model whose layers are partitioned over several devices of one process: it has the same bits as on one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import tiny, tiny_qwen35

from pyhexagon import Device
from pyhexagon.errors import DeviceLostError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.local_pipeline import LocalPipeline
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import BatchShape, Stage
from pyhexagon.llm.graph.step import Result

N_CTX = 256
RNG = np.random.default_rng(5)
LONG = [1, *RNG.integers(3, tiny.N_TOKENS, 199).tolist()]
TEXTS = [[1, *RNG.integers(3, tiny.N_TOKENS, n).tolist()] for n in (3, 70, 9, 17)]
CASES = {"llama": {}, "gemma3": {"layers": 7}, "gpt-oss": {}, "qwen35": {}}


@pytest.fixture(scope="module", params=CASES)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "model.gguf"
    if request.param == "qwen35":
        return tiny_qwen35.write(file, layers=8)
    return tiny.write(file, request.param, **{"layers": 4, **tiny.TINY[request.param], **CASES[request.param]})


@contextmanager
def chained(path: Path, ends: list[int]) -> Iterator[EngineCore[Any]]:
    """Return a model whose stages end before these layers, each on a device of its own."""
    with ExitStack() as stack:
        file = stack.enter_context(GGUFFile(path))
        can_run, stages = checked(file), list[Stage]()
        for first, end in zip([0, *ends[:-1]], ends, strict=True):
            device = stack.enter_context(Device("loopback", max_sessions=1))
            stages.append(Stage(Model(device, file, can_run, layers=range(first, end)), N_CTX, n_sequences=4))
        names = [name for stage in stages for name in stage.model.weights.names]
        assert len(set(names)) == len(names) or "output.weight" not in file  # each stage loads only its own tensors
        core = EngineCore(LocalPipeline(stages, N_CTX, n_sequences=4))
        stack.callback(core.close)
        yield core


def answers(context: EngineCore[Any]) -> list[Any]:
    """Return logits of long and short sequences, alone and together, and of forked sequences."""
    results: list[Any] = [context.logits(LONG), *context.logits_of(TEXTS)]
    results += [context.logits([*TEXTS[1][:40], *more]) for more in (TEXTS[0], TEXTS[2])]
    results += list(context.all_logits(TEXTS[1]))
    requests = [ForwardPass([*text, 5], n_top=3) for text in TEXTS]
    while not all(one.is_done for one in requests):
        context.step(requests)
    results += [array for one in requests for array in (one.top.ids, one.top.logits)]
    return results


@pytest.fixture(scope="module")
def wanted(path: Path) -> list[Any]:
    with GGUFFile(path) as file, Device("loopback") as device:
        return answers(EngineCore(Stage(Model(device, file, checked(file)), N_CTX, n_sequences=4)))


@pytest.mark.parametrize("cut", ["uneven", "three"])
def test_stages_give_the_bits_of_one_device(path: Path, wanted: list[Any], cut: str) -> None:
    with GGUFFile(path) as file:
        config = checked(file)[0]
    n = config.n_layers
    attentive = [index for index in range(n) if not config.is_recurrent(index)]
    ends = {
        "halves": [(n + 1) // 2, n],
        "uneven": [attentive[-2] + 1, n],
        "three": [*(attentive[i] + 1 for i in (0, -2)), n],
    }
    with chained(path, sorted(set(ends[cut]))) as context:
        got = answers(context)
    assert all(np.array_equal(one, other) for one, other in zip(got, wanted, strict=True))


def test_pieces_of_a_prompt_follow_each_other(tmp_path: Path) -> None:
    """As many prefill chunks are in flight as there are stages."""
    with chained(tiny.write(tmp_path / "m.gguf", "llama", layers=3), [1, 2, 3]) as context:
        request = ForwardPass(LONG)
        context.step([request])
        assert [len(message.forwards) for message in context.runner.in_flight] == [1, 1]  # and one was answered
        assert not request.is_done
        context.clear_cache()
        requests = [ForwardPass(text) for text in ([1, 2], [1, 3], [1, 4])]
        context.step(requests)
        assert sum(one.is_done for one in requests) == 0  # the message was the long request's
        while not all(one.is_done for one in requests):
            context.step(requests)


def test_a_stage_that_fails_makes_texts_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chained(tiny.write(tmp_path / "m.gguf", "llama"), [1, 2]) as context:
        wanted = context.logits(LONG)
        context.clear_cache()
        run, calls = Stage.run, list[int]()

        def fails(stage: Stage, *given: Any) -> Any:
            calls.append(1)
            if len(calls) == 6:
                raise DeviceLostError("gone")
            return run(stage, *given)

        monkeypatch.setattr(Stage, "run", fails)
        request = ForwardPass(LONG)
        with pytest.raises(DeviceLostError):
            context.logits(LONG)
        assert context.stages.cache.free_pages == 16
        while not request.is_done:
            context.step([request])
        assert np.array_equal(request.logits, wanted)


def test_what_lies_on_several_devices_is_not_saved(tmp_path: Path) -> None:
    with chained(tiny.write(tmp_path / "m.gguf", "llama"), [1, 2]) as context, pytest.raises(UnsupportedError):
        context.save([1, 2, 3])


def test_what_is_computed_has_its_memory_before(path: Path) -> None:
    """After ``reserve``, messages of all shapes share an arena that is as large as the largest one needs."""
    with GGUFFile(path) as file, Device("loopback") as device:
        stage = Stage(Model(device, file, checked(file)), N_CTX, n_sequences=6)
        stage.reserve()
        before = set(device._memory.buffers())
        for n_rows, n_texts, n_top in product((1, 2, 4, 8, 16, 32, 64), (1, 2, 4, 8), (0, 1, 40, 64)):
            if n_rows == n_texts or (n_rows > n_texts and (n_texts == 1 or stage.states is None)):
                result: Result = "top" if n_top else "wanted"
                stage.program(BatchShape(n_rows, n_texts, n_texts, 0, result, min(n_top, stage.n_tokens)))
                stage.program(BatchShape(n_rows, n_texts, n_texts, 0, "nothing", 0))
        assert set(device._memory.buffers()) == before
        stage.close()
