# SPDX-License-Identifier: MIT
"""Headers as converters and publishers write them. For every supported architecture, a tiny file with all keys and
tensors of a header loads, and predicts the tokens that llama.cpp predicts; for every other one the error is one
sentence.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from llm import published
from llm.published import Header
from llm.published_oracle import (
    AFTER,
    DIVERGENCES,
    N_POSITIONS,
    PAIR,
    RECORDED,
    TOKENS,
    central_divergence,
    has_divergence,
    seeds,
)
from llm.reference_graph import GraphReference
from llm.tiny import TINY
from pyhexagon import LLM, Device, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.engine.encoder import pooled
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.config import Config

# RMS difference of the most likely tokens' log-probabilities, caused by the rounding of activations in both programs;
# distance of embeddings; difference of scores
MOST: Final = {
    "bert": 0.02, "nomic-bert": 0.02, "gpt-oss": 0.045, "qwen35": 0.06, "lfm2": 0.06, "lfm2moe": 0.1, "qwen35moe": 0.18,
    "qwen3next": 0.12, "DeepSeek V2 Lite (2024 uploads)": 0.1,  # with 26 layers
    "EXAONE 4.0 32B": 0.06,  # with 64 layers
    "command-r": 0.002, "cohere2": 0.01, "Granite 3.1 2B": 0.002, "Granite 4 (dense, vocabulary 100352)": 0.002,
    "Granite 3.1 3B A800M": 0.002, "MiniCPM 2B": 0.002, "granitehybrid": 0.005,  # with flat logits
    # llama.cpp is as far from float64
    "Granite 4.0 H Tiny: embedding_scale: logit_scale": 0.15, "Gemma 4 26B A4B": 0.07, "SmallThinker 21B A3B": 0.2,
    "spark2_5": 0.04,
    "Granite 4.0 H Micro: embedding_scale: logit_scale": 0.08, "nemotron_h": 0.1,
}  # fmt: skip
RECORD_IT: Final = "not recorded yet: pip install xllamacpp; PYTHONPATH=tests python -m llm.published_oracle"
MOST_RATIO: Final = 1.2  # of the divergences from float64, ours over llama.cpp's
RATIOS: Final = {"LFM2.5 Embedding 350M": 1.5}  # of the first token alone; of all tokens it is 1.0
MOST_OF_WITNESS: Final = 0.02  # of llama.cpp's divergence: another graph is further off
KNOWN: Final = [header for header in published.headers() if header.architecture in ARCHITECTURES]
RUN: Final = [header for header in KNOWN if header.model not in published.REFUSED]
DERIVED: Final = published.derived()
DIVERGING: Final = [header for header in (*RUN, *DERIVED) if has_divergence(header)]
_LIKE_OTHERS: Final = (  # nearly their graphs
    "internlm2", "exaone", "llama-embed", "maincoder", "seed_oss", "nemotron", "paddleocr",
)  # fmt: skip
_ENCODER: Final = "LFM2.5 ColBERT 350M"  # of an architecture whose first header is a language model's
_FIRST: Final = {header.architecture: header for header in reversed(RUN)}.values()
FIRST: Final = [published.short(header) for header in _FIRST]
# Their own tests cut the others, and encoders take a text at a time.
CUT: Final = [
    one for one in FIRST if one.architecture not in (*TINY, "qwen35") and not one.is_encoder
]
OTHER: Final[dict[type, Any]] = {bool: False, int: 7, float: 0.37, list: [9, 9, 9, 9]}  # values that are not neutral
_NO_SCALING: Final = "rope.scaling.factor", "rope.scale_linear"  # by their type of scaling, which is none
IGNORED: Final = {  # as in llama.cpp: encoders are not causal, Phi 3 has no windows, a factor replaces scale_linear,
    # the width of all shared experts is in the file
    **dict.fromkeys(
        ("bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "eurobert", "neo-bert", "llama-embed"),
        ("attention.causal",),
    ),
    **dict.fromkeys(("gemma-embedding", "gemma-embedding2"), ("attention.causal", "final_logit_softcapping")),
    "phi3": ("attention.sliding_window",), "modern-bert": ("attention.causal", *_NO_SCALING),
    **dict.fromkeys(("gpt-oss", "mistral3", "bitnet", "deepseek2"), ("rope.scale_linear",)),
    **dict.fromkeys(("ernie4_5-moe", "qwen35moe", "qwen3next", "granitehybrid"), ("expert_shared_count",)),
    **dict.fromkeys(("command-r", "cohere2", "hunyuan-dense", "nemotron"), _NO_SCALING),
    "bailingmoe2": ("expert_shared_count", *_NO_SCALING),
    "nemotron_h": tuple(name for name in published.neutral_values() if name.startswith("rope.")),  # no RoPE
}  # fmt: skip
REFUSED: Final = [header for header in published.headers() if header.architecture not in ARCHITECTURES]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    return dict(json.loads(RECORDED.read_text()))


@pytest.fixture(scope="module")
def file_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Header], Path]:
    """Return a function that returns the tiny file of a header, written once: its weights take long to quantize."""
    folder = tmp_path_factory.mktemp("published")

    @functools.cache
    def written(header: Header) -> Path:
        return published.write(folder / f"{len(list(folder.iterdir()))}.gguf", header)

    return written


def test_the_headers_are_here() -> None:
    assert len(KNOWN) + len(REFUSED) == 97 + 11
    assert len(KNOWN) - len(RUN) == len(published.REFUSED)
    assert {header.architecture for header in RUN} == set(ARCHITECTURES)


@pytest.mark.parametrize(
    "header",
    [
        header
        if (header in _FIRST and header.architecture not in _LIKE_OTHERS) or header.model == _ENCODER
        else pytest.param(header, marks=pytest.mark.long)
        for header in (*RUN, *DERIVED)
    ],
    ids=lambda header: header.model,
)
def test_a_published_header_runs_as_in_llama_cpp(
    device: Device,
    file_of: Callable[[Header], Path],
    recorded: dict[str, Any],
    figure: Callable[[str], None],
    header: Header,
) -> None:
    assert header.model in recorded, RECORD_IT
    path, wanted = file_of(header), recorded[header.model]
    with LLM(path, N_POSITIONS + 4, kv="f16", device=device) as llm:
        if isinstance(wanted, dict):
            assert llm.tokenizer.encode_pair(*PAIR) == wanted["tokens"]
            off = abs(float(llm.rerank(PAIR[0], PAIR[1:])[0]) - wanted["score"])
        elif header.is_encoder:
            model = GraphReference(path)
            pooling, width, rows = model.config.pooling, model.config.embedding_length, model.rows(TOKENS)
            if pooling is None:
                got, texts = pooled(list(llm.token_rows(TOKENS)[::10, None]), "mean", width), list(rows[::10, None])
            else:
                got, texts = llm.embed([TOKENS]), [rows]
            exact = pooled(texts, pooling or "mean", width)
            wanted = pooled(list(np.atleast_2d(wanted)[:, None]), "mean", width)
            off, ours, theirs = (_distance(*pair) for pair in ((got, wanted), (got, exact), (wanted, exact)))
            figure(f"{header.model}: {ours:.4f} from float64, {ours / theirs:.2f} times llama.cpp's distance")
            assert ours <= RATIOS.get(header.model, MOST_RATIO) * theirs
        else:
            assert llm.generate(TOKENS, 4, temperature=0).tokens
            logits = np.asarray(llm.logits(TOKENS), np.float64)
            shares = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
            pairs = [(shares[n - 1, one], value) for n, top in zip(AFTER, wanted, strict=True) for one, value in top]
            off = float(np.sqrt(np.mean([(a - b) ** 2 for a, b in pairs])))
    figure(f"{header.model}: {off:.4f} from llama.cpp")
    assert off < MOST.get(header.model, MOST.get(header.architecture, 0.035))


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the root mean square distance of embeddings, (n, width) each."""
    return float(np.sqrt(((one - other) ** 2).sum(axis=-1).mean()))


@pytest.mark.long
@pytest.mark.parametrize("header", DIVERGING, ids=lambda header: header.model)
def test_divergences_from_float64_are_at_most_a_fifth_above_those_of_llama_cpp(
    device: Device, tmp_path: Path, figure: Callable[[str], None], header: Header
) -> None:
    recorded, ours = json.loads(DIVERGENCES.read_text()), 0.0
    assert f"{header.model} 1" in recorded, RECORD_IT
    theirs = [float(recorded[f"{header.model} {seed}"]) for seed in seeds(header)]
    for seed in seeds(header):
        path = published.write(tmp_path / "model.gguf", header, seed)
        with LLM(path, N_POSITIONS, kv="f16", device=device) as llm:
            ours += central_divergence(GraphReference(path), np.asarray(llm.logits(TOKENS), np.float64))
    ratio = ours / sum(theirs)
    figure(f"{header.model}: KL {ours / len(theirs):.1e} from float64, {ratio:.2f} times llama.cpp's")
    assert max(theirs) < MOST_OF_WITNESS, "llama.cpp computes another graph"
    assert ratio <= MOST_RATIO


@pytest.mark.parametrize(
    "header",
    # Gemma 3n takes a third of the time of all.
    [
        pytest.param(header, marks=pytest.mark.long) if header.architecture in ("gemma3n", *_LIKE_OTHERS) else header
        for header in CUT
    ],
    ids=lambda header: header.architecture,
)
def test_cuts_and_batches_change_no_bit(
    device: Device, file_of: Callable[[Header], Path], header: Header
) -> None:
    texts = [TOKENS[:70], TOKENS[70:], TOKENS[90:], TOKENS[40:52]]
    with LLM(file_of(header), N_POSITIONS, n_sequences=len(texts), device=device) as llm:
        whole = llm.logits(texts[0])
        for n in (1, 7, 65):
            llm._core.clear_cache()
            assert np.array_equal(llm._core.logits(TOKENS[:n]), whole[n - 1])
            assert np.array_equal(llm._core.logits(TOKENS[: n + 1]), whole[n])
        llm._core.clear_cache()
        together, later = llm._core.logits_of(texts), llm._core.logits_of([[*text, 7] for text in texts])
        llm._core.clear_cache()
        for text, first, second in zip(texts, together, later, strict=True):
            assert np.array_equal(llm._core.logits(text), first)
            assert np.array_equal(llm._core.logits([*text, 7]), second)


def _config(path: Path, header: Header, **more: Any) -> Config | None:
    """Return the configuration of a header with further keys; None if it is rejected."""
    with GGUFFile(published.write(path, header, is_hollow=True, **more)) as file:
        try:
            return checked(file)[0]
        except UnsupportedError:
            return None


@pytest.mark.parametrize("header", FIRST, ids=lambda header: header.architecture)
def test_neutral_values_change_nothing_and_no_other_value_is_ignored(tmp_path: Path, header: Header) -> None:
    path, plain, ignored = tmp_path / "model.gguf", _config(tmp_path / "plain.gguf", header), []
    neutral = published.neutral_values()
    del neutral["attention.sliding_window_pattern"]  # says nothing without a window: test_config.py
    absent = {name: values for name, values in neutral.items() if header.get(name) is None}
    for at in (0, -1):  # no key has more than two
        together = {name: values[at] for name, values in absent.items()}
        if _config(path, header, **together) != plain:
            changing = [one for one in together.items() if _config(path, header, **dict([one])) != plain]
            pytest.fail(f"the configuration is another with {changing or together}")
    for name, values in neutral.items():
        if _config(path, header, **{name: OTHER[type(values[0])]}) == plain:
            ignored.append(name)
    assert tuple(ignored) == IGNORED.get(header.architecture, ())


@pytest.mark.parametrize("header", REFUSED, ids=lambda header: header.model)
def test_a_published_header_of_another_architecture_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: Header
) -> None:
    monkeypatch.setattr(GGUFFile, "raw", lambda *_: pytest.fail("a weight was read"))
    path = published.write(tmp_path / "model.gguf", header)
    with pytest.raises(UnsupportedError) as error:
        LLM(path, device="loopback")
    text = str(error.value)
    assert f"its architecture is '{header.architecture}'; supported are {', '.join(ARCHITECTURES)}" in text
    assert "\n" not in text


@pytest.mark.parametrize("header", [one for one in KNOWN if one not in RUN], ids=lambda header: header.model)
def test_an_unsupported_model_of_a_supported_architecture_is_refused(tmp_path: Path, header: Header) -> None:
    with pytest.raises(UnsupportedError, match=published.REFUSED[header.model]):
        LLM(published.write(tmp_path / "model.gguf", header), device="loopback")
