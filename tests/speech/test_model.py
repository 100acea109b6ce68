# SPDX-License-Identifier: MIT
"""Whisper's encoder and decoder on the engine: against float64, equal bits in any batch and on every engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType

from pyhexagon import Device, DeviceLostError
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.speech.alignment import alignment_heads
from pyhexagon.speech.attention import CrossAttention
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.hyper_parameters import HyperParameters
from pyhexagon.speech.model import WhisperModel
from speech import whisper_files
from speech.reference_model import ReferenceModel

F32 = npt.NDArray[np.float32]

SIZES: Final = replace(
    whisper_files.sized(128, 2),
    n_audio_ctx=70,
    n_text_ctx=80,
    n_mels=16,
    ftype=whisper_files.FTYPES[GGMLQuantizationType.F16],
)
START: Final = [50257, 50362]
NMSE: Final = {("file", "f16"): 2e-6, ("q8_0", "q8_0"): 2e-3}  # of logits; 6e-7 and 5e-4 were measured


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> WhisperFile:
    return WhisperFile(whisper_files.write(tmp_path_factory.mktemp("whisper") / "tiny.bin", SIZES, seed=3))


def spectrum(seed: int, sizes: HyperParameters = SIZES) -> F32:
    return np.random.default_rng(seed).standard_normal((2 * sizes.n_audio_ctx, sizes.n_mels), dtype=np.float32)


@contextmanager
def opened(
    device: Device, file: WhisperFile, *, weights: WeightType = "file", kv: str = "f16", n_windows: int = 2
) -> Iterator[WhisperModel]:
    model = WhisperModel(
        device,
        file,
        weights=weights,
        kv=kv,
        n_sequences=4,
        n_windows=n_windows,
        lock=threading.Lock(),
        check=lambda: None,
    )
    try:
        yield model
    finally:
        model.close()


def passes_of(
    model: WhisperModel, windows: dict[int, EncoderInput], texts: list[tuple[int, list[int]]]
) -> list[ForwardPass]:
    """Return a pass for each text (number of its window, tokens after the start)."""
    return [model.engine.forward([*START, *tokens], encoder_input=windows[number]) for number, tokens in texts]


TEXTS: Final = [(1, [11, 12, 13]), (2, [14]), (1, [11, 9]), (3, [15, 16])]


def nmse(found: npt.ArrayLike, wanted: npt.ArrayLike) -> float:
    a, b = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    assert a.shape == b.shape
    return float(((a - b) ** 2).sum() / (b**2).sum())


@pytest.mark.parametrize(("weights", "kv", "n_ctx"), [("file", "f16", 70), ("file", "f16", 33), ("q8_0", "q8_0", 64)])
def test_logits_and_encodings_are_those_of_float64(tmp_path: Path, weights: WeightType, kv: str, n_ctx: int) -> None:
    sizes = replace(SIZES, n_audio_ctx=n_ctx)
    own = WhisperFile(whisper_files.write(tmp_path / "tiny.bin", sizes, seed=n_ctx))
    reference, limit = ReferenceModel(own), NMSE[weights, kv]
    with Device("cpu") as device, opened(device, own, weights=weights, kv=kv, n_windows=3) as model:
        windows = {number: EncoderInput(spectrum(number, sizes)) for number in (1, 2, 3)}
        encoded = {number: reference.encode(window.features) for number, window in windows.items()}
        pages = np.arange(model.model.config.encoder.n_pages if model.model.config.encoder else 0, dtype=np.int32)
        assert nmse(model.encoder.hidden(windows[1].features, pages), encoded[1]) < limit
        passes = passes_of(model, windows, TEXTS)
        model.engine.finish_all(passes)
        for forward, (number, _) in zip(passes, TEXTS, strict=True):
            assert nmse(forward.logits, reference.decode(forward.tokens, encoded[number])[-1]) < limit


def test_bits_do_not_depend_on_batch_or_order_or_number_of_encodings(file: WhisperFile) -> None:
    with Device("cpu") as device:
        logits = []
        for n_windows in (1, 2, 3):  # with fewer than three, encodings are evicted and computed again
            with opened(device, file, n_windows=n_windows) as model:
                windows = {number: EncoderInput(spectrum(number)) for number in (1, 2, 3)}
                passes = passes_of(model, windows, TEXTS)
                model.engine.finish_all(passes if n_windows < 3 else passes[::-1])
                if n_windows == 3:
                    assert model.engine.core.runner.n_messages == 1, "streams did not share a message"
                logits.append([forward.logits for forward in passes])
        with opened(device, file) as model:
            windows = {number: EncoderInput(spectrum(number)) for number in (1, 2, 3)}
            for alone in (passes := passes_of(model, windows, TEXTS)):
                model.engine.finish(alone)
            assert model.encoder_cache.n_encoded == 3, "an encoding was not kept"
            logits.append([forward.logits for forward in passes])
    for others in logits[1:]:
        for a, b in zip(logits[0], others, strict=True):
            assert np.array_equal(a, b)


def test_every_engine_gives_the_same_bits(file: WhisperFile, engine: str) -> None:
    texts = [(1, [11, 12]), (2, [14])]
    found = []
    for name, threads in (("cpu", 2), (engine, 3)):
        with Device(name, threads=threads) as device, opened(device, file, weights="q8_0", kv="q8_0") as model:
            windows = {number: EncoderInput(spectrum(number)) for number in (1, 2)}
            passes = passes_of(model, windows, texts)
            model.engine.finish_all(passes)
            found.append([forward.logits for forward in passes])
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)


def test_a_killed_dsp_costs_no_bit(file: WhisperFile, faults: Faults) -> None:
    with Device("loopback") as device, opened(device, file) as model:
        window = EncoderInput(spectrum(1))
        tokens = [*START, 11, 12]
        first = model.engine.forward(tokens, encoder_input=window)
        model.engine.finish(first)
        faults.kill(device)
        again = model.engine.forward([*tokens, 13], encoder_input=window)
        with pytest.raises(DeviceLostError):
            model.engine.finish(again)
        device.reopen()
        model.engine.finish(again)
        assert model.encoder_cache.n_encoded == 2
        with Device("cpu") as other, opened(other, file) as whole:
            wanted = whole.engine.forward([*tokens, 13], encoder_input=EncoderInput(spectrum(1)))
            whole.engine.finish(wanted)
            assert np.array_equal(again.logits, wanted.logits)


@pytest.mark.parametrize("n_tokens", [1, 33])
def test_attention_to_audio_is_that_of_float64(file: WhisperFile, n_tokens: int) -> None:
    reference, window = ReferenceModel(file), EncoderInput(spectrum(1), keeps_keys=True)
    tokens = [50257, *range(100, 99 + n_tokens)]
    reference.decode(tokens, reference.encode(window.features))
    wanted = [reference.attention[f"decoder.blocks.{layer}.cross_attn"][head] for layer, head in alignment_heads(SIZES)]
    with Device("cpu") as device, opened(device, file) as model:
        attention = CrossAttention(model)
        weights = attention.weights(window, tokens)
        assert nmse(weights, wanted) < 1e-5  # 5e-7 was measured
        assert model.encoder_cache.n_encoded == 1
        others = [EncoderInput(spectrum(number)) for number in (2, 3)]
        model.engine.finish_all([model.engine.forward(START, encoder_input=other) for other in others])
        np.testing.assert_array_equal(attention.weights(window, tokens), weights)  # encoded again
        assert model.encoder_cache.n_encoded == 4
        attention.close()


def test_beams_share_their_prefix(file: WhisperFile) -> None:
    with Device("cpu") as device, opened(device, file) as model:
        window, core = EncoderInput(spectrum(1)), model.engine.core
        model.engine.finish(model.engine.forward([*START, 11], encoder_input=window))
        before = core.runner.n_messages
        beams = [model.engine.forward([*START, 11, token], is_beam=True, encoder_input=window) for token in (5, 6, 7)]
        model.engine.finish_all(beams)
        assert core.runner.n_messages == before + 1, "a beam computed its prefix again"
        alone = model.engine.forward([*START, 11, 6], encoder_input=EncoderInput(spectrum(1)))
        model.engine.finish(alone)
        assert np.array_equal(alone.logits, beams[1].logits)


def test_memory_is_freed(file: WhisperFile) -> None:
    with Device("cpu") as device:
        with opened(device, file) as model:
            model.engine.finish(model.engine.forward(START, encoder_input=EncoderInput(spectrum(1))))
            tensors = [*model.model.weights.tensors(), *model.encoder.tensors(), *model.engine.tensors()]
            assert not any(tensor.closed for tensor in tensors)
        assert all(tensor.closed for tensor in tensors)


def test_a_model_over_several_sessions_gives_the_same_bits(file: WhisperFile, faults: Faults) -> None:
    found, n_sessions = [], []
    for limit in (None, 15 << 20):
        if limit is not None:
            faults.set("map_limit", limit)
        with Device("loopback") as device, opened(device, file) as model:
            passes = passes_of(model, {number: EncoderInput(spectrum(number)) for number in (1, 2, 3)}, TEXTS)
            model.engine.finish_all(passes)
            found.append([forward.logits for forward in passes])
            n_sessions.append(len(device._sessions))
    assert n_sessions[0] == 1 < n_sessions[1]
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)
