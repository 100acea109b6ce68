# SPDX-License-Identifier: MIT
"""GGUF files: files of the gguf package are read back, broken files are described. Parts: test_gguf_parts.py."""

import contextlib
import copy
import gc
import os
import struct
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon.errors import ArgumentError, ClosedError, GGUFError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile, UnknownTensorError

MUTATIONS = 2000
HEADER_BYTES = 24  # magic, version, counts


def write_model(path: Path) -> Path:
    """Write a small file with metadata of every kind and tensors of several types and ranks."""
    rng = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("a test")
    writer.add_token_list([f"token {i}" for i in range(50)])
    writer.add_token_scores([0.5] * 50)
    writer.add_bool("test.flag", True)
    writer.add_float64("test.double", 2.5)
    writer.add_array("test.numbers", [1, 2, 3])
    for i, dtype in enumerate((*weights.TYPES, Q.Q8_K)):
        w = rng.standard_normal((5 + i, 256), dtype=np.float32)
        data: npt.NDArray[Any] = weights.quantize(w, dtype) if dtype != Q.Q8_K else np.zeros((5 + i, 292), np.uint8)
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
    """Return a file with one tensor, correct unless arguments change it."""
    head = header(1, 0) + tensor(**what)  # type: ignore[arg-type]
    return head + bytes(-len(head) % 32 + data_bytes)


def read(path: Path, content: bytes) -> dict[str, bytes]:
    """Return every tensor of a file with this content."""
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
            assert info.gguf_type == want.tensor_type
            assert info.type_name == want.tensor_type.name
            assert info.n_bytes == want.n_bytes == raw.nbytes
            assert raw.ndim == 2
            assert raw.tobytes() == want.data.tobytes()
            assert not raw.flags.writeable
            if len(info.shape) == 2:
                assert len(raw) == info.shape[0]


def test_a_file_is_a_mapping_of_its_tensors(model: Path) -> None:
    with GGUFFile(model) as file:
        assert isinstance(file, Mapping)
        assert list(file) == list(file.keys()) == file.names()
        assert len(file) == len(file.names())
        for name in file:
            assert name in file
            assert file[name] == file.info(name)
        assert dict(file)["norm.weight"].shape == (64,)
        assert file.get("none") is None
        for none in ("none", 3, None):
            assert none not in file
        assert file
        with pytest.raises(KeyError, match="none of the"):
            file["none"]
        for no_name in (None, 3, b"norm.weight"):
            with pytest.raises(ArgumentError, match="expected a string"):
                file.info(no_name)  # type: ignore[arg-type]
        with GGUFFile(model) as other:
            assert file != other
            assert len({file, other}) == 2
    uses: list[Callable[[], object]] = [
        lambda: list(file), lambda: len(file), lambda: "norm.weight" in file, lambda: file.metadata["x"]
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ClosedError):
            use()


def test_metadata_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "metadata.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    scalars = {
        "uint8": 200, "int8": -3, "uint16": 60_000, "int16": -300, "uint32": 1 << 31, "int32": -(1 << 31),
        "float32": 0.5, "bool": True, "string": "sch\xf6n", "uint64": 1 << 63, "int64": -(1 << 63), "float64": 0.1,
    }  # fmt: skip
    for kind, value in scalars.items():
        getattr(writer, f"add_{kind}")(f"a.{kind}", value)
    writer.add_array("a.texts", ["one", "", "three"])
    writer.add_array("a.numbers", [1, -2, 3])
    writer.add_array("a.flags", [True, False])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with GGUFFile(path) as file:
        metadata = file.metadata
        for kind, value in scalars.items():
            assert metadata[f"a.{kind}"] == value
            assert type(metadata[f"a.{kind}"]) is type(value)
        assert metadata["general.architecture"] == "llama"
        assert metadata["a.texts"] == ["one", "", "three"]
        np.testing.assert_array_equal(np.asarray(metadata["a.numbers"]), [1, -2, 3])
        flags = metadata["a.flags"]
        assert isinstance(flags, np.ndarray)
        assert (flags.dtype, flags.tolist()) == (np.dtype(bool), [True, False])
        assert set(metadata) == {key for key in gguf.GGUFReader(path).fields if not key.startswith("GGUF.")}
        assert len(metadata) == len(list(metadata))
        assert "a.texts" in metadata
        assert metadata.get("none") is None
    with pytest.raises(ClosedError):
        metadata["a.texts"]


def test_metadata_that_is_no_text_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(header(0, 2) + string(b"k") + struct.pack("<I", 8) + string(b"a\xff")
                     + string(b"flag") + struct.pack("<IB", 7, 2))  # fmt: skip
    with GGUFFile(path) as file:
        assert dict(file.metadata) == {"k": "a\ufffd", "flag": True}


def test_a_file_says_what_the_dsp_can_take_and_why_not(model: Path) -> None:
    with GGUFFile(model) as file:
        assert {name: file.info(name).unsupported for name in file.names() if not file.info(name).supported} == {
            "blk.19.q8_k.weight": "type Q8_K",
            "norm.weight": "1-dimensional, a weight has 2 dimensions or more",
        }
        assert file.raw("norm.weight").shape == (1, 256)
        assert file.raw("experts.weight").shape == (12, 128)


def test_an_unknown_tensor_is_refused_with_near_names(model: Path) -> None:
    with GGUFFile(model) as file:
        for ask in (file.info, file.raw):
            with pytest.raises(UnknownTensorError, match=r"'blk.9.q4_k'.*near names are.* blk.9.q4_k.weight"):
                ask("blk.9.q4_k")
        with pytest.raises(KeyError, match="none of the 22 tensors"):
            file.info("?")
        with pytest.raises(GGUFError):
            file.info("")


def mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_close_unmaps_and_may_be_called_twice(model: Path) -> None:
    file = GGUFFile(model)
    assert mapped(model)
    assert "22 tensors" in repr(file)
    assert "'general.architecture'" in repr(file.metadata)
    file.close()
    file.close()
    assert file.closed
    assert not mapped(model)
    assert "closed" in repr(file)
    assert "closed" in repr(file.metadata)
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
    started = time.process_time()
    refused(path, header(count, 0) + bytes(1000), "tensors do not fit")
    refused(path, header(0, count) + bytes(1000), "metadata entries do not fit")
    refused(path, header(0, 1) + struct.pack("<Q", count) + bytes(100), "metadata key .* takes")
    refused(path, header(0, 1) + string(b"k") + struct.pack("<IQ", 8, count) + bytes(100), "'k' .* takes")
    for kind, reason in ((0, "'k' .* takes"), (12, "'k' .* takes"), (8, "of 'k' do not fit"), (9, "value type 9")):
        refused(path, header(0, 1) + string(b"k") + struct.pack("<IIQ", 9, kind, count) + bytes(100), reason)
    refused(path, one_tensor(dims=(32, count)), "would end at byte")
    refused(path, one_tensor(dims=(count - count % 32,)), "would end at byte")
    refused(path, one_tensor(offset=count // 32 * 32), "would end at byte")
    assert time.process_time() - started < 1


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
    refused(path, one_tensor(offset=1), "not a multiple of 32")
    refused(path, one_tensor(name=b"\xff"), "not UTF-8")
    refused(path, header(2, 0) + 2 * tensor() + bytes(400), "two tensors")


def test_tensors_may_touch_but_not_overlap(tmp_path: Path) -> None:
    def two(first: int, second: int, dims: tuple[int, ...] = (8,)) -> bytes:
        head = header(2, 0) + tensor(b"one", dims, offset=first) + tensor(b"other", dims, offset=second)
        return head + bytes(-len(head) % 32) + bytes(range(64)) + bytes(64)

    path = tmp_path / "f"
    assert read(path, two(0, 32)) == {"one": bytes(range(32)), "other": bytes(range(32, 64))}
    assert read(path, two(32, 0)) == {"one": bytes(range(32, 64)), "other": bytes(range(32))}
    for first, second in ((0, 0), (32, 64), (64, 32)):
        refused(
            path, two(first, second, (9,) if first else (8,)), "'one' and 'other' overlap|'other' and 'one' overlap"
        )


def test_names_have_a_limit(tmp_path: Path) -> None:
    path, longest = tmp_path / "f", b"n" * (1 << 16)
    assert read(path, header(0, 1) + string(longest) + struct.pack("<IB", 7, 1)) == {}
    assert read(path, one_tensor(name=longest)) == {longest.decode(): bytes(128)}
    reason = "has 65537 bytes; it may have 65536"
    refused(path, one_tensor(name=longest + b"n"), reason)
    refused(path, header(0, 1) + string(longest + b"n") + struct.pack("<IB", 7, 1), reason)


@pytest.mark.parametrize("letter", ["n", "\0", "\N{GRINNING FACE}", "\N{VARIATION SELECTOR-17}"])
def test_messages_are_short_whatever_the_names(tmp_path: Path, letter: str) -> None:
    path, name = tmp_path / "f", (letter * (1 << 16)).encode()[: 1 << 16]
    for content in (
        one_tensor(127, name=name),
        one_tensor(name=name, dims=(1 << 63, 1 << 63, 1 << 63, 1 << 63)),
        one_tensor(name=name, dims=()),
        one_tensor(name=name, dtype=5),
        one_tensor(name=name)[: -200 - len(name) % 7],
        header(2, 0) + 2 * tensor(name) + bytes(400),
        header(2, 0) + tensor(name) + tensor(name[:-4]) + bytes(400),
        header(0, 1) + string(name) + struct.pack("<II", 13, 1),
        header(0, 1) + string(name) + struct.pack("<IIQ", 9, 8, 1 << 40),
        header(0, 2) + 2 * (string(name) + struct.pack("<IB", 7, 1)),
    ):
        with pytest.raises(GGUFError) as caught:
            read(path, content)
        assert len(str(caught.value).removeprefix(f"{path}: ")) <= 200
    path.write_bytes(one_tensor(name=name))
    with GGUFFile(path) as file, pytest.raises(UnknownTensorError) as caught:
        file.info(name.decode()[1:])
    assert len(str(caught.value).removeprefix(f"{path}: ")) <= 200


def sparse(path: Path, size: int, *parts: tuple[int, bytes]) -> Path:
    """Write a sparse file of zeros with these parts, each at its offset."""
    with path.open("wb") as file:
        file.truncate(size)
        for at, part in parts:
            file.seek(at)
            file.write(part)
    return path


def traced(path: Path) -> int:
    """Return the peak memory of opening a file."""
    tracemalloc.start()
    try:
        with contextlib.suppress(GGUFError):
            GGUFFile(path).close()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def quickly(path: Path, reason: str) -> None:
    """Assert that the file is refused at once, and without much memory."""
    started = time.process_time()
    with pytest.raises(GGUFError, match=reason):
        GGUFFile(path)
    assert time.process_time() - started < 1
    assert traced(path) < 4 << 20


def test_sparse_files_are_refused_at_once(tmp_path: Path) -> None:
    path, much, long = tmp_path / "f", 1 << 40, struct.pack("<Q", 256 << 20)
    quickly(sparse(path, 300 << 20, (0, header(1, 0) + long)), "has 268435456 bytes")
    quickly(sparse(path, 300 << 20, (0, header(0, 1) + long)), "has 268435456 bytes")
    quickly(sparse(path, much), "not a GGUF file")
    quickly(sparse(path, much, (0, header(1 << 30, 0))), "0 dimensions")
    quickly(sparse(path, much, (0, header(0, 1 << 30))), "a file may have 65536")
    quickly(sparse(path, much, (0, header(0, 60_000))), "two metadata entries are called ''")
    strings = header(0, 1) + string(b"k") + struct.pack("<IIQ", 9, 8, 1 << 32)
    quickly(sparse(path, much, (0, strings)), "4294967296 strings")


def test_a_huge_file_is_read(tmp_path: Path) -> None:
    """A terabyte whose last bytes are its tensor, after metadata that ends half-way."""
    size, half = 1 << 40, 1 << 39
    skipped = header(1, 1) + string(b"k") + struct.pack("<IIQ", 9, 0, half)
    for offset, ends_inside in ((half // 2, True), (half, False)):
        head = tensor(dims=(half // 64, 4), offset=offset)
        path = sparse(tmp_path / "f", size, (0, skipped), (len(skipped) + half, head))
        if not ends_inside:
            quickly(path, "would end at byte")
            continue
        with GGUFFile(path) as file:
            assert file.info("w").n_bytes == half // 4
            assert file.raw("w").shape == (4, half // 16)


def test_headers_cost_little_time_and_memory(tmp_path: Path, figure: Callable[[str], None]) -> None:
    """As many tensors as fit, in another order than the file's, and as many keys and strings as are allowed."""
    n, path = 60_000, tmp_path / "f"
    places = np.random.default_rng(0).permutation(n).tolist()
    pairs = b"".join(string(f"{i:x}".encode()) + struct.pack("<IB", 7, 1) for i in range((1 << 16) - 1))
    strings = string(b"k") + struct.pack("<IIQ", 9, 8, n) + bytes(8 * n)
    tensors = b"".join(tensor(f"{i:x}".encode(), (1,), offset=32 * at) for i, at in enumerate(places))
    content = header(n, 1 << 16) + pairs + strings + tensors
    sparse(path, len(content) + 32 * (n + 1), (0, content))
    with GGUFFile(path) as file:
        assert file.info("beef").offset % 32 == 0
    peak = traced(path)
    assert peak <= 2 * len(content)  # and the pages of the file itself
    times = []
    for _ in range(3):
        started = time.process_time()
        GGUFFile(path).close()
        times.append(time.process_time() - started)
    rate = len(content) / min(times) / 1e6
    figure(f"GGUF headers: {rate:.0f} MB/s, {peak / len(content):.1f} bytes of memory a byte, {n:,} tensors")
    assert rate > 10  # 20 and more on an idle machine


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
        opened: GGUFFile | None = None
        started = time.process_time()
        (tmp_path / "mutated").write_bytes(content)
        with contextlib.suppress(GGUFError):
            opened = GGUFFile(tmp_path / "mutated")
            n_read += 1
        assert time.process_time() - started < 1, f"mutation {case} took too long"
        if opened:
            with opened:  # files accepted on opening are accepted later
                assert all(len(opened.raw(name)) for name in opened.names())
                assert len(dict(opened.metadata)) == len(opened.metadata)
    assert 0 < n_read < MUTATIONS
