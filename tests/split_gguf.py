# SPDX-License-Identifier: MIT
"""Write split GGUF models."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np


def write_parts(folder: Path, n_parts: int = 3, **changes: int) -> Path:
    """Write a model in parts; the first has no tensors, each other one has two."""
    for number in range(n_parts):
        writer = gguf.GGUFWriter(folder / f"m-{number + 1:05}-of-{n_parts:05}.gguf", "llama")
        writer.add_uint16("split.no", changes.get(f"no{number}", number))
        writer.add_uint16("split.count", n_parts)
        writer.add_int32("split.tensors.count", changes.get("tensors", 2 * n_parts - 2))
        for letter in ("a", "b") if number else ():
            name = f"{1 if 'twin' in changes else number}.{letter}"
            writer.add_tensor(name, np.full((2, 32), number, np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
    return folder / f"m-00001-of-{n_parts:05}.gguf"
