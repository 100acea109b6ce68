# SPDX-License-Identifier: MIT
"""GGUF files for tests: a small model, and headers byte by byte."""

import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon.errors import GGUFError
from pyhexagon.gguf.file import GGUFFile


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
