# SPDX-License-Identifier: MIT
"""Damaged and hostile GGUF files: refused at once, with little memory, by a message that names the defect.

At once: few lines of Python run, and few bytes are read.
"""

import contextlib
import os
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from effort import counted
from gguf import GGMLQuantizationType as Q
from gguf_bytes import header, one_tensor, read, refused, string, tensor, write_model

from pyhexagon.errors import GGUFError
from pyhexagon.gguf.file import GGUFFile, UnknownTensorError

MUTATIONS = 2000
HEADER_BYTES = 24  # magic, version, counts


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("gguf") / "model.gguf")


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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n", "a pointer of Git LFS; git lfs pull"),
        (b"\n  <!DOCTYPE html>\n<html>", "a web page"),
        (b"<html lang=en>", "a web page"),
        (struct.pack("<Q", 80) + b'{"__metadata__":{}}', "safetensors; .*convert_hf_to_gguf.py"),
        (b"PK\3\4" + bytes(300), "a ZIP archive, as PyTorch writes; .*convert_hf_to_gguf.py"),
        (b"\x1f\x8b\x08" + bytes(60), "compressed with gzip"),
        (b"tjgg" + bytes(60), "an old format of llama.cpp"),
        (b'{"architectures": []}', "JSON"),
        (b"FROM ./model.gguf\n", "a Modelfile"),
        (b"\x7fELF" + bytes(60), r"it starts with b'\\x7fELF'"),
        (b"GG", "it starts with b'GG'"),
    ],
)
def test_other_kinds_of_files_are_named(tmp_path: Path, content: bytes, words: str) -> None:
    refused(tmp_path / "f", content, f"not a GGUF file: {words}")


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
    with counted(50_000, 20_000):
        refused(path, header(count, 0) + bytes(1000), "tensors do not fit")
        refused(path, header(0, count) + bytes(1000), "metadata entries do not fit")
        refused(path, header(0, 1) + struct.pack("<Q", count) + bytes(100), "metadata key .* takes")
        refused(path, header(0, 1) + string(b"k") + struct.pack("<IQ", 8, count) + bytes(100), "'k' .* takes")
        for kind, reason in ((0, "'k' .* takes"), (12, "'k' .* takes"), (8, "of 'k' do not fit"), (9, "value type 9")):
            refused(path, header(0, 1) + string(b"k") + struct.pack("<IIQ", 9, kind, count) + bytes(100), reason)
        refused(path, one_tensor(dims=(32, count)), "would end at byte")
        refused(path, one_tensor(dims=(count - count % 32,)), "would end at byte")
        refused(path, one_tensor(offset=count // 32 * 32), "would end at byte")


def test_entries_are_counted_with_the_bytes_that_they_need_at_least(tmp_path: Path) -> None:
    refused(tmp_path / "f", header(60, 0) + bytes(100), "60 tensors do not fit into the 100 bytes")


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
    with pytest.raises(GGUFError, match=reason), counted(1_500_000, 2 << 20):
        GGUFFile(path)
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


def test_headers_cost_little_work_and_memory(tmp_path: Path, figure: Callable[[str], None]) -> None:
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
    with counted(15 * (2 * n + (1 << 16)), len(content) + (1 << 18)) as effort:  # each byte once, in chunks
        GGUFFile(path).close()
    lines = effort.lines / (2 * n + (1 << 16))
    figure(f"GGUF headers: {lines:.1f} lines of Python an entry, {peak / len(content):.1f} bytes of memory a byte")


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


def test_mutated_files_are_read_or_refused_at_once(model: Path, tmp_path: Path, seed: int) -> None:
    original = model.read_bytes()
    with GGUFFile(model) as file:
        headers_end = min(file.info(name).offset for name in file.names())
    rng = np.random.default_rng(seed)
    values = np.array([0, 1, 2, 8, 9, 0x7F, 0x80, 0xFF], np.uint8)
    n_read = 0
    for _ in range(MUTATIONS):
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
        (tmp_path / "mutated").write_bytes(content)
        with contextlib.suppress(GGUFError), counted(10_000, len(content)):
            opened = GGUFFile(tmp_path / "mutated")
            n_read += 1
        if opened:
            with opened:  # files accepted on opening are accepted later
                assert all(len(opened.raw(name)) for name in opened.names())
                assert len(dict(opened.metadata)) == len(opened.metadata)
    assert 0 < n_read < MUTATIONS
