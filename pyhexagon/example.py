# SPDX-License-Identifier: MIT
"""A small GGUF file with real quantized tensors, for experiments."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import gguf
import numpy as np

from pyhexagon import files

N, K = 1024, 512

TENSORS: Final = {
    "token_embd.weight": gguf.GGMLQuantizationType.F16,
    "blk.0.attn_q.weight": gguf.GGMLQuantizationType.Q8_0,
    "blk.0.ffn_up.weight": gguf.GGMLQuantizationType.Q4_0,
    "blk.0.ffn_gate_inp.weight": gguf.GGMLQuantizationType.F32,
}


def write(path: Path) -> int:
    """Write the file, always with the same bytes, and return its size in bytes.
        HexagonError: the file cannot be written.
    Raises:
        HexagonError: the file cannot be written.
    """
    files.check(path)
    rng = np.random.default_rng(0)
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "example.gguf"
        writer = gguf.GGUFWriter(whole, "llama")
        writer.add_name("pyhexagon example")
        for name, dtype in TENSORS.items():
            weights = rng.standard_normal((N, K), dtype=np.float32) / np.sqrt(np.float32(K))
            writer.add_tensor(name, gguf.quantize(weights, dtype), raw_dtype=dtype)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        content = whole.read_bytes()
    files.save(path, lambda file: file.writelines([content]))
    return len(content)
