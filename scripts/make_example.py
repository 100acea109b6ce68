# SPDX-License-Identifier: MIT
"""Writes a small GGUF file with a tensor of each type that the gguf package can quantize and the DSP can take."""

import sys
from pathlib import Path

import gguf
import numpy as np

N, K = 1024, 512

TENSORS = {
    "token_embd.weight": gguf.GGMLQuantizationType.F16,
    "blk.0.attn_q.weight": gguf.GGMLQuantizationType.Q8_0,
    "blk.0.ffn_up.weight": gguf.GGMLQuantizationType.Q4_0,
    "blk.0.ffn_gate_inp.weight": gguf.GGMLQuantizationType.F32,
}


def main(path: Path) -> None:
    rng = np.random.default_rng(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("pyhexagon example")
    for name, dtype in TENSORS.items():
        weights = rng.standard_normal((N, K), dtype=np.float32) / np.sqrt(np.float32(K))
        writer.add_tensor(name, gguf.quantize(weights, dtype), raw_dtype=dtype)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"wrote {path} ({path.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
