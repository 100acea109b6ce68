# SPDX-License-Identifier: MIT
"""Whisper files of every type are read; damaged ones are refused by a message that names the field.

100 mutations by default; 20,000 take ten minutes:

    PYHEXAGON_MUTATIONS=20000 python -m pytest tests/speech/test_ggml_file.py
"""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import gguf
import numpy as np
import pytest
import weights
from effort import counted
from gguf import GGMLQuantizationType as Q

from pyhexagon.errors import GGUFError, HexagonError
from pyhexagon.gguf.file import GGUFFile, UnknownTensorError
from pyhexagon.speech.ggml_file import WhisperFile, WhisperFileError
from pyhexagon.speech.hyper_parameters import HyperParameters
from speech import whisper_files
from speech.whisper_files import ENGLISH, FTYPES, MULTILINGUAL, TINY, V3

N_MUTATIONS: Final = int(os.environ.get("PYHEXAGON_MUTATIONS", "100"))
FIELDS: Final = [field.name for field in fields(HyperParameters)]
WORDS: Final = (0, 1, 2, 7, 255, 2000, 1 << 16, 1 << 20, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
MATRIX: Final = "decoder.token_embedding.weight"


@pytest.fixture(scope="module")
def parts() -> list[bytes]:
    """The parts of a sound file: header, filters, vocabulary, tensors."""
    return whisper_files.parts(TINY, whisper_files.random_tensors(TINY, np.random.default_rng(0)))


@contextmanager
def opened(path: Path, content: bytes) -> Iterator[WhisperFile]:
    path.write_bytes(content)
    yield WhisperFile(path)


def refused(path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(WhisperFileError, match=reason) as caught, opened(path, content):
        pass
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 400


LONG: Final = (Q.Q2_K, Q.Q3_K, Q.Q5_K)
FILES: Final = [
    *((dtype, ENGLISH) for dtype in FTYPES if dtype not in LONG), (Q.F16, MULTILINGUAL), (Q.Q5_0, V3),
    *(pytest.param(dtype, ENGLISH, marks=pytest.mark.long) for dtype in LONG),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "n_vocab"), FILES, ids=lambda value: getattr(value, "name", str(value)))
def test_a_file_of_each_type_is_read_as_it_was_written(tmp_path: Path, dtype: Q, n_vocab: int) -> None:
    block = gguf.GGML_QUANT_SIZES[dtype][0]
    of = replace(whisper_files.sized(max(32, block), 1), n_vocab=n_vocab, ftype=FTYPES[dtype])
    tensors = whisper_files.random_tensors(of, np.random.default_rng(1))
    with opened(tmp_path / "w.bin", b"".join(whisper_files.parts(of, tensors))) as file:
        assert file.hyper_parameters == of
        assert file.tokens == whisper_files.texts(n_vocab)
        assert file.filters.tobytes() == whisper_files.filters(of.n_mels)[8:]
        assert file.filters.shape == (of.n_mels, 201)
        assert file.names() == list(tensors)
        for name, values in tensors.items():
            info, raw = file.info(name), file.tensor(name)
            assert (info.name, info.shape, info.n_bytes) == (name, values.shape, raw.nbytes)
            is_matrix = name.endswith("weight") and values.ndim > 1
            conv = Q.F32 if dtype == Q.F32 else Q.F16
            assert info.gguf_type == (Q.F32 if not is_matrix else conv if values.ndim == 3 else dtype)
            assert raw.shape == (values.size // values.shape[-1], raw.shape[1])
            wanted = values.astype(np.float16) if info.gguf_type == Q.F16 else values
            if info.gguf_type in (Q.F32, Q.F16):
                assert raw.tobytes() == wanted.tobytes()
            else:
                rows = values.reshape(len(raw), -1)
                np.testing.assert_array_equal(raw, weights.quantize(rows, dtype))
            np.testing.assert_array_equal(file.rows(name)(len(raw) // 2, len(raw)), raw[len(raw) // 2 :])
        assert file.info(MATRIX).supported
        assert not file.info("encoder.ln_post.bias").supported


def test_facts_that_follow_from_the_vocabulary() -> None:
    for n_vocab, is_multilingual, n_texts in ((ENGLISH, False, 50256), (MULTILINGUAL, True, 50257), (V3, True, 50257)):
        of = replace(TINY, n_vocab=n_vocab)
        assert (of.is_multilingual, of.n_texts, of.problem()) == (is_multilingual, n_texts, "")


def test_the_texts_of_special_tokens_may_be_in_the_file(parts: list[bytes], tmp_path: Path) -> None:
    texts = whisper_files.texts(ENGLISH) + [b"<|%d|>" % number for number in range(1608)]
    assert len(texts) == ENGLISH
    with opened(tmp_path / "w.bin", b"".join([*parts[:2], whisper_files.vocabulary(texts), *parts[3:]])) as file:
        assert file.tokens == texts


def test_tensors_may_have_any_order(parts: list[bytes], tmp_path: Path) -> None:
    with opened(tmp_path / "w.bin", b"".join([*parts[:3], *parts[:2:-1]])) as file:
        assert sorted(file.names()) == sorted(whisper_files.shapes(TINY))


def test_a_file_is_found_to_be_another_kind(tmp_path: Path, parts: list[bytes]) -> None:
    path = tmp_path / "w.bin"
    for content, kind in (
        (b"GGUF" + bytes(100), "a GGUF file; pyhexagon chat"),
        (b"PK\3\4" + bytes(300), "a ZIP archive"),
        (b"<html>", "a web page"),
        (b"lmg", "it starts with b'lmg'"),
        (b"RIFF" + bytes(40), "it starts with b'RIFF'"),
    ):
        refused(path, content, f"not a model of whisper.cpp: {kind}")
    refused(path, b"", "empty")
    refused(path, whisper_files.header(replace(TINY, n_vocab=32000)) + bytes(100), "n_vocab is 32000: .*51864")
    with pytest.raises(WhisperFileError, match="No such file"):
        WhisperFile(tmp_path / "absent.bin")
    with pytest.raises(WhisperFileError, match="not a regular file"):
        WhisperFile(tmp_path)
    path.write_bytes(b"".join(parts))
    with pytest.raises(GGUFError, match=r"not a GGUF file: a speech model of whisper.cpp; pyhexagon transcribe"):
        GGUFFile(path)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [0, -1, 1 << 30, -(1 << 31)])
def test_each_hyper_parameter_has_bounds(parts: list[bytes], tmp_path: Path, field: str, value: int) -> None:
    if field == "ftype" and value == 0:
        value = 4  # 0 is F32
    of = replace(TINY, **{field: value})
    refused(tmp_path / "w.bin", b"".join([whisper_files.header(of), *parts[1:]]), rf"{field} is {value}\b")
    assert of.problem()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"n_audio_state": 33}, "n_audio_state is 33: expected a multiple of n_audio_head, 2"),
        ({"n_text_state": 64}, "n_text_state is 64: expected n_audio_state, 32"),
        ({"n_mels": 9}, r"mel filters are \(8, 201\): expected \(9, 201\)"),
        ({"n_audio_ctx": 25}, r"encoder.positional_embedding has the shape \(24, 32\): expected \(25, 32\)"),
        ({"n_text_ctx": 15}, r"decoder.positional_embedding has the shape \(16, 32\): expected \(15, 32\)"),
        ({"n_audio_layer": 2}, "truncated: it ends after 50 of 65 tensors, without encoder.blocks.1"),
        ({"n_text_layer": 2}, "truncated: it ends after 50 of 74 tensors, without decoder.blocks.1"),
        ({"ftype": 1}, r"the type 8: expected 1 \(F16\)"),
        ({"ftype": 7}, "Q8_0 of version 0, .* quantize it with a newer whisper.cpp"),
        ({"ftype": 1002}, "Q4_0 of version 1"),
        ({"ftype": 8}, "Q5_0 of version 0"),
        ({"ftype": 3007}, "ftype is 3007: corrupt or unknown"),
        ({"ftype": 2012}, r"the type 8: expected 12 \(Q4_K\)"),
    ],
)
def test_a_hyper_parameter_that_contradicts_the_file_is_named(
    parts: list[bytes], tmp_path: Path, changed: dict[str, int], reason: str
) -> None:
    refused(tmp_path / "w.bin", b"".join([whisper_files.header(replace(TINY, **changed)), *parts[1:]]), reason)


def test_a_type_that_does_not_fit_the_width_is_named(tmp_path: Path, parts: list[bytes]) -> None:
    of = replace(TINY, ftype=FTYPES[Q.Q4_K])
    header = whisper_files.tensor_header(MATRIX.encode(), (ENGLISH, 32), int(Q.Q4_K))
    content = b"".join([whisper_files.header(of), *parts[1:3], header])
    refused(tmp_path / "w.bin", content, r"Q4_K tensor decoder.token_embedding.weight has rows of 32, not n \* 256")


def test_filters_and_tokens_are_checked(parts: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "w.bin"

    def with_part(number: int, part: bytes) -> bytes:
        return b"".join([*parts[:number], part, *parts[number + 1 :]])

    bins = r"mel filters are \(8, 200\): expected \(8, 201\)"
    refused(path, with_part(1, whisper_files.filters(8, 200)), bins)
    for number in (np.inf, np.nan):
        damaged = parts[1][:1000] + np.float32(number).tobytes() + parts[1][1004:]
        refused(path, with_part(1, damaged), "infinite numbers or NaN")
    for count in (0, -1, 50255, ENGLISH + 1, 0x7FFFFFFF):
        refused(path, with_part(2, struct.pack("<i", count) + parts[2][4:]), f"has {count} tokens: expected 50256 to")
    for length in (1025, 0x7FFFFFFF):
        refused(
            path,
            with_part(2, parts[2][:4] + struct.pack("<i", length)),
            f"token 0 at byte .* has {length} bytes: expected at most 1024",
        )
    refused(
        path, b"".join(parts[:2]) + parts[2][: 4 + 255 * 5], "truncated or corrupt: token 255 at byte .* and 0 are left"
    )


def test_tensors_are_checked(parts: list[bytes], tmp_path: Path) -> None:
    path, before = tmp_path / "w.bin", b"".join(parts[:-1])
    name, shape = b"decoder.token_embedding.weight", (ENGLISH, 32)
    assert parts[-1].startswith(whisper_files.tensor_header(name, shape, 8))

    def last(name: bytes = name, shape: tuple[int, ...] = shape, dtype: int = 8) -> bytes:
        return before + whisper_files.tensor_header(name, shape, dtype)

    refused(path, last(), "truncated or corrupt: the tensor decoder.token_embedding.weight at byte .* takes 1763376")
    refused(path, last(name=b"decoder.token_embedding.bias"), "'decoder.token_embedding.bias' .* none of a whisper")
    refused(
        path, last(name=b"decoder.ln.weight", shape=(32,), dtype=0) + bytes(128), "two tensors .* decoder.ln.weight"
    )
    refused(path, last(name=b"\xff" * 9), "is none of a whisper")
    refused(path, last(name=b"n" * 129), "a name of 129 bytes")
    refused(path, last(shape=()), "0 dimensions")
    refused(path, last(shape=(1,) * 5), "5 dimensions")
    refused(path, last(shape=(ENGLISH, 64)), r"the shape \(51864, 64\): expected \(51864, 32\)")
    refused(path, last(shape=(32, ENGLISH)), r"the shape \(32, 51864\)")
    refused(path, last(shape=(2, ENGLISH, 32)), r"the shape \(2, 51864, 32\)")
    refused(path, last(dtype=5), r"the type 5: expected 8 \(Q8_0\)")
    refused(path, last(dtype=-1), "the type -1")
    refused(path, b"".join(parts) + b"\0", "1 bytes follow the last of 50 tensors")
    with opened(path, before + whisper_files.tensor_header(name, (1, 1, *shape), 8) + bytes(1763376)) as file:
        assert file.info(MATRIX).shape == shape


def test_a_file_cut_anywhere_is_refused(parts: list[bytes], tmp_path: Path) -> None:
    content = b"".join(parts)
    headers_end = len(content) - sum(map(len, parts[3:]))
    cuts = {*range(1, 60), *range(60, headers_end, 200_009), *range(headers_end - 3, headers_end + 3)}
    at = headers_end
    for part in parts[3:6]:
        cuts |= {at - 1, at, at + 1, at + 11, at + 13, at + len(part) // 2}
        at += len(part)
    for cut in sorted({*cuts, len(content) - 1}):
        refused(tmp_path / "w.bin", content[:cut], "truncated|not a model|it ends after")


def test_a_claimed_size_costs_no_memory_or_work(tmp_path: Path) -> None:
    """A sparse terabyte whose header claims the largest model is refused without reading it."""
    most = {"n_audio_state": 1 << 14, "n_text_state": 1 << 14, "n_audio_layer": 128, "n_text_layer": 128, "n_mels": 512}
    path = tmp_path / "w.bin"
    with path.open("wb") as file:
        file.truncate(1 << 40)
        file.write(whisper_files.header(replace(TINY, **most, n_text_ctx=1 << 14)))
        file.write(struct.pack("<2i", 512, 201))
    with pytest.raises(WhisperFileError, match="has 0 tokens"), counted(20_000, 1 << 20):
        WhisperFile(path)


def test_opening_reads_headers_only(parts: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    path.write_bytes(b"".join(parts))
    n_head = sum(map(len, parts[:3]))
    with counted(8 * len(whisper_files.texts(ENGLISH)), n_head + 70_000 + 2048 * len(parts)):
        WhisperFile(path)


def test_a_file_that_is_truncated_while_open_is_an_error(parts: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    with opened(path, b"".join(parts)) as file:
        os.truncate(path, 1000)
        with pytest.raises(WhisperFileError, match="truncated while it was read"):
            file.tensor(MATRIX)


def test_unknown_names(parts: list[bytes], tmp_path: Path) -> None:
    with opened(tmp_path / "w.bin", b"".join(parts)) as file:
        assert "50 tensors" in repr(file)
        for ask in (file.info, file.rows, file.tensor):
            with pytest.raises(UnknownTensorError, match="none of the 50 tensors is 'encoder'"):
                ask("encoder")


def mutated(content: bytes, fields: list[int], chance: random.Random) -> bytes:
    """Return a file with a few words, bytes or bits of its headers changed."""
    result = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at, kind = chance.choice(fields), chance.random()
        if kind < 0.4:
            result[at : at + 4] = chance.choice(WORDS).to_bytes(4, "little")
        elif kind < 0.6:
            result[at + chance.randrange(4)] ^= 1 << chance.randrange(8)
        elif kind < 0.8:
            result[at + chance.randrange(4)] = chance.randrange(256)
        elif kind < 0.9:
            del result[at : at + chance.randrange(1, 20)]
        else:
            result[at:at] = chance.randbytes(chance.randrange(1, 20))
    return bytes(result)


def test_mutated_headers_are_read_or_refused(parts: list[bytes], tmp_path: Path, seed: int) -> None:
    content, chance, path = b"".join(parts), random.Random(seed), tmp_path / "w.bin"
    starts = [sum(map(len, parts[:number])) for number in range(len(parts))]
    words = [*range(0, 48, 4)] * 10 + [starts[1], starts[1] + 4, starts[1] + 500] * 10 + [starts[2]] * 10
    words += [starts[2] + chance.randrange(len(parts[2]) - 4) for _ in range(100)]
    words += [start + chance.randrange(20) for start in starts[3:] for _ in range(5)]
    n_read = 0
    for _ in range(N_MUTATIONS):
        path.write_bytes(mutated(content, words, chance))
        with suppress(HexagonError):
            file = WhisperFile(path)
            n_read += 1
            assert sum(file.info(name).n_bytes for name in file.names()) < len(content)
            assert all(len(file.tensor(name)) for name in file.names())
            assert len(file.tokens) <= file.hyper_parameters.n_vocab
    assert 0 < n_read < N_MUTATIONS
