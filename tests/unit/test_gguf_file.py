# SPDX-License-Identifier: MIT
"""GGUF files: what the gguf package writes is read back, what is broken is named."""

import copy
import gc
import os
import struct
import time
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon.errors import ClosedError, GGUFError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile, UnknownTensorError

MUTATIONS = 2000
HEADER_BYTES = 24  # magic, version, counts


def write_model(path: Path) -> Path:
    """A small file with metadata of every kind and tensors of several types and ranks."""
    rng = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("a test")
    writer.add_token_list([f"token {i}" for i in range(50)])
    writer.add_token_scores([0.5] * 50)
    writer.add_bool("test.flag", True)
    writer.add_float64("test.double", 2.5)
    writer.add_array("test.numbers", [1, 2, 3])
    for i, dtype in enumerate((*weights.TYPES, Q.TQ2_0)):
        w = rng.standard_normal((5 + i, 256), dtype=np.float32)
        data: npt.NDArray[Any] = weights.quantize(w, dtype)
        if dtype in (Q.F32, Q.F16):
            data = data.view(np.float32 if dtype == Q.F32 else np.float16)
        writer.add_tensor(f"blk.{i}.{dtype.name.lower()}.weight", data, raw_dtype=dtype)
    writer.add_tensor("norm.weight", np.ones(64, np.float32))
    writer.add_tensor("experts.weight", rng.standard_normal((3, 4, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("gguf") / "model.gguf")


def header(n_tensors: int, n_pairs: int, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_pairs)


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def tensor(name: bytes = b"w", dims: tuple[int, ...] = (32,), dtype: int = 0, offset: int = 0) -> bytes:
    return string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, dtype, offset)


def one_tensor(data_bytes: int = 128, **what: object) -> bytes:
    """A file with one tensor, correct unless told otherwise."""
    head = header(1, 0) + tensor(**what)  # type: ignore[arg-type]
    return head + bytes(-len(head) % 32 + data_bytes)


def read(path: Path, content: bytes) -> dict[str, bytes]:
    """Every tensor of a file with this content."""
    path.write_bytes(content)
    with GGUFFile(path) as file:
        return {name: file.raw(name).tobytes() for name in file.names()}


def refused(path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(GGUFError, match=reason) as caught:
        read(path, content)
    assert str(path) in str(caught.value)


def test_names_shapes_types_and_bytes_are_those_of_the_gguf_package(model: Path) -> None:
    reader = gguf.GGUFReader(model)
    with GGUFFile(model) as file:
        assert file.names() == [tensor.name for tensor in reader.tensors]
        for want in reader.tensors:
            info, raw = file.info(want.name), file.raw(want.name)
            assert info.shape == tuple(want.shape.tolist())[::-1]
            assert info.dtype == want.tensor_type
            assert info.type_name == want.tensor_type.name
            assert info.n_bytes == want.n_bytes == raw.nbytes
            assert raw.ndim == 2
            assert raw.tobytes() == want.data.tobytes()
            assert not raw.flags.writeable
            if len(info.shape) == 2:
                assert len(raw) == info.shape[0]


def test_a_file_says_what_the_dsp_can_take_and_why_not(model: Path) -> None:
    with GGUFFile(model) as file:
        assert {name: file.info(name).unsupported for name in file.names() if not file.info(name).supported} == {
            "blk.16.tq2_0.weight": "type TQ2_0",
            "norm.weight": "1-dimensional, a weight has 2 dimensions or more",
        }
        assert file.raw("norm.weight").shape == (1, 256)
        assert file.raw("experts.weight").shape == (12, 128)


def test_an_unknown_tensor_is_refused_with_near_names(model: Path) -> None:
    with GGUFFile(model) as file:
        for ask in (file.info, file.raw):
            with pytest.raises(UnknownTensorError, match=r"'blk.9.q4_k'.*near names are.* blk.9.q4_k.weight"):
                ask("blk.9.q4_k")
        with pytest.raises(KeyError, match="none of the 19 tensors"):
            file.info("?")
        with pytest.raises(GGUFError):
            file.info("")


def mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_close_unmaps_and_may_be_called_twice(model: Path) -> None:
    file = GGUFFile(model)
    assert mapped(model)
    assert "9 tensors" in repr(file)
    file.close()
    file.close()
    assert file.closed
    assert not mapped(model)
    assert "closed" in repr(file)
    for use in (file.names, lambda: file.info("norm.weight"), lambda: file.raw("norm.weight"), file.__enter__):
        with pytest.raises(ClosedError, match="closed"):
            use()


def test_an_array_keeps_its_bytes_after_close_and_unmaps_with_its_end(model: Path) -> None:
    with GGUFFile(model) as file:
        raw = file.raw("norm.weight")
    assert (raw.view(np.float32) == 1).all()
    assert mapped(model)
    del raw
    gc.collect()
    assert not mapped(model)


def test_a_file_is_not_copied(model: Path) -> None:
    with GGUFFile(model) as file:
        with pytest.raises(UnsupportedError, match="open the file again"):
            copy.copy(file)
        assert file.names()


def test_a_forgotten_file_warns_and_unmaps(model: Path) -> None:
    with pytest.warns(ResourceWarning, match="not closed"):
        GGUFFile(model)
    assert not mapped(model)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(GGUFError, match=r"absent.gguf: No such file"):
        GGUFFile(tmp_path / "absent.gguf")
    with pytest.raises(GGUFError, match="not a regular file"):
        GGUFFile(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GGUFError, match="not a regular file"):
        GGUFFile(tmp_path / "pipe")
    refused(tmp_path / "f", b"", "empty")
    refused(tmp_path / "f", b"GG", "not a GGUF file")
    refused(tmp_path / "f", b"PK\3\4" + bytes(100), "not a GGUF file")
    with pytest.raises(GGUFError):
        GGUFFile("null\0byte")


def test_other_versions_and_byte_orders_are_named(tmp_path: Path) -> None:
    assert read(tmp_path / "f", header(0, 0, 2)) == read(tmp_path / "f", header(0, 0, 3)) == {}
    refused(tmp_path / "f", header(0, 0, 1), "version 1")
    refused(tmp_path / "f", header(0, 0, 4), "version 4")
    refused(tmp_path / "f", b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian")


def test_a_file_cut_anywhere_is_refused(model: Path, tmp_path: Path) -> None:
    content = model.read_bytes()
    with GGUFFile(model) as file:
        infos = [file.info(name) for name in file.names()]
    data_at, end = infos[0].offset, max(info.offset + info.n_bytes for info in infos)
    for cut in (*range(1, data_at + 1), *range(data_at, end, 501), end - 1):
        refused(tmp_path / "cut", content[:cut], "truncated|not a GGUF file")
    assert len(read(tmp_path / "cut", content[:end])) == len(infos)


@pytest.mark.parametrize("count", [10**6, 1 << 32, 1 << 40, (1 << 64) - 1])
def test_corrupt_counts_are_found_at_once(tmp_path: Path, count: int) -> None:
    path = tmp_path / "f"
    started = time.monotonic()
    refused(path, header(count, 0) + bytes(1000), "tensors do not fit")
    refused(path, header(0, count) + bytes(1000), "metadata entries do not fit")
    refused(path, header(0, 1) + struct.pack("<Q", count) + bytes(100), "metadata key .* takes")
    refused(path, header(0, 1) + string(b"k") + struct.pack("<IQ", 8, count) + bytes(100), "'k' .* takes")
    for kind, reason in ((0, "'k' .* takes"), (12, "'k' .* takes"), (8, "of 'k' do not fit"), (9, "value type 9")):
        refused(path, header(0, 1) + string(b"k") + struct.pack("<IIQ", 9, kind, count) + bytes(100), reason)
    refused(path, one_tensor(dims=(32, count)), "would end at byte")
    refused(path, one_tensor(dims=(count - count % 32,)), "would end at byte")
    refused(path, one_tensor(offset=count // 32 * 32), "would end at byte")
    assert time.monotonic() - started < 1


def test_an_array_of_millions_of_strings_is_refused(tmp_path: Path) -> None:
    content = header(0, 1) + string(b"k") + struct.pack("<IIQ", 9, 8, 5_000_000) + bytes(40_000_000)
    refused(tmp_path / "f", content, "5000000 strings")


def test_corrupt_tensors_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert read(path, one_tensor()) == {"w": bytes(128)}
    refused(path, one_tensor(127), "would end at byte")
    refused(path, one_tensor(dims=()), "0 dimensions")
    refused(path, one_tensor(dims=(1,) * 5), "5 dimensions")
    refused(path, one_tensor(dims=(32, 0)), "empty")
    refused(path, one_tensor(dims=(33,), dtype=int(Q.Q4_0)), "rows of 33")
    refused(path, one_tensor(dtype=5), "type 5")
    refused(path, one_tensor(dtype=1 << 31), "type 2147483648")
    refused(path, one_tensor(offset=1), "no multiple of 32")
    refused(path, one_tensor(name=b"\xff"), "not UTF-8")
    refused(path, header(2, 0) + 2 * tensor() + bytes(400), "two tensors")


def test_corrupt_metadata_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f"
    pair = string(b"k") + struct.pack("<IB", 7, 1)
    assert read(path, header(0, 1) + pair) == {}
    refused(path, header(0, 2) + pair + pair, "two metadata entries")
    refused(path, header(0, 1) + string(b"k") + struct.pack("<II", 13, 1), "value type 13")
    alignment = string(b"general.alignment")
    for value in (0, 3, 33):
        refused(path, header(0, 1) + alignment + struct.pack("<II", 4, value), "power of two")
    refused(path, header(0, 1) + alignment + struct.pack("<IQ", 10, 32), "power of two")


def test_another_alignment_is_followed(tmp_path: Path) -> None:
    head = header(1, 1) + string(b"general.alignment") + struct.pack("<II", 4, 256) + tensor(dims=(4,))
    data = np.arange(4, dtype=np.float32).tobytes()
    assert read(tmp_path / "f", head + bytes(-len(head) % 256) + data) == {"w": data}


def test_mutated_files_are_read_or_refused_within_a_second(model: Path, tmp_path: Path) -> None:
    original = model.read_bytes()
    with GGUFFile(model) as file:
        headers_end = min(file.info(name).offset for name in file.names())
    rng = np.random.default_rng(1)
    values = np.array([0, 1, 2, 8, 9, 0x7F, 0x80, 0xFF], np.uint8)
    n_read = 0
    for case in range(MUTATIONS):
        content = bytearray(original)
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(HEADER_BYTES if rng.random() < 0.5 else headers_end))
            kind = rng.integers(4)
            if kind == 0:
                content[at] = int(rng.choice(values))
            elif kind == 1:
                content[at : at + 8] = int(rng.integers(0, 1 << 63)).to_bytes(8, "little")
            elif kind == 2:
                del content[at : at + int(rng.integers(1, 20))]
            else:
                content[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 20)), np.uint8))
        started = time.monotonic()
        try:
            read(tmp_path / "mutated", bytes(content))
            n_read += 1
        except GGUFError:
            pass
        assert time.monotonic() - started < 1, f"mutation {case} took too long"
    assert 0 < n_read < MUTATIONS
