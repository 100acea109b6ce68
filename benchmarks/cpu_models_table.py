# SPDX-License-Identifier: MIT
"""Write docs/tables/cpu_models.csv: whole models on the CPU beside llama.cpp's best build for it, in turns.

    npm install @node-llama-cpp/linux-x64
    .venv/bin/python -m benchmarks.cpu_models_table 1 "Gemma 3 270M Q4_K_M=gemma-3-270m-q4_k_m.gguf"
    .venv/bin/python -m benchmarks.cpu_models_table 2 "1B Q4_0=random" "1B Q4_K_M=random"    # two threads
    .venv/bin/python -m benchmarks.tables                                                    # renders the table

"random" stands for Llama 3.2 1B's shapes with random weights; the last word of the name is the mix of types. Figures
are medians of the rounds. Other work on the machine changes CPU time less than the clock's.
Lines of other models and numbers of threads stay unchanged.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter

from pyhexagon.bench import against, random_model
from pyhexagon.process import locate

TABLE: Final = Path(__file__).resolve().parents[1] / "docs/tables/cpu_models.csv"
SIZES: Final = {"n_prompt": 128, "n_gen": 24, "rounds": 5}
COLUMNS: Final = (
    "model", "threads", "test", "level", "tokens_per_second", "ratio", "cpu_milliseconds", "cpu_ratio", "llama_cpp",
    "load",
)  # fmt: skip


def write_random(path: Path, mix: str) -> None:
    """Write a model that llama.cpp loads, too: it wants a vocabulary."""
    with random_model.opened("llama:1B", mix) as file:
        writer = GGUFWriter(path, "llama")
        for key, value in file.metadata.items():
            if isinstance(value, int):
                writer.add_uint32(key, value)
            elif isinstance(value, float):
                writer.add_float32(key, value)
        n_tokens = file.info("token_embd.weight").shape[0]
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("llama-bpe")
        writer.add_token_list([f"t{number}" for number in range(n_tokens)])
        writer.add_token_types([1] * n_tokens)
        writer.add_token_merges(["t 1"])
        for name in file:
            info, raw = file.info(name), np.frombuffer(file.raw(name), np.uint8)
            if info.gguf_type == GGMLQuantizationType.F32:
                writer.add_tensor(name, raw.view(np.float32).reshape(info.shape))
                continue
            block, block_bytes = GGML_QUANT_SIZES[info.gguf_type]
            rows = raw.reshape(*info.shape[:-1], info.shape[-1] // block * block_bytes)
            writer.add_tensor(name, rows, raw_dtype=info.gguf_type)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def lines(model: str, path: str, threads: int) -> list[dict[str, Any]]:
    """Measure a model; return a line for prefill and one for decode."""
    given: dict[str, Any] = {**SIZES, "threads": threads, "device": "cpu", "transport": None}
    records = against.run(path, **given, starting=lambda _: None, done=lambda: None)
    return [
        {
            "model": model, "threads": threads, "test": record["test"], "level": locate.cpu_level(),
            "tokens_per_second": f"{record['tokens_per_second']:.1f}", "ratio": f"{record['ratio']:.2f}",
            "cpu_milliseconds": f"{record['cpu_seconds_token'] * 1e3:.2f}", "cpu_ratio": f"{record['cpu_ratio']:.2f}",
            "llama_cpp": record["llama_cpp"], "load": record["load"],
        }
        for record in records
    ]  # fmt: skip


def main(threads: int, models: list[str]) -> None:
    for model in models:
        name, _, path = model.rpartition("=")
        with tempfile.TemporaryDirectory() as folder:
            if path == "random":
                path = f"{folder}/random.gguf"
                write_random(Path(path), name.split()[-1])
            found = lines(name, path, threads)
        table: list[dict[str, Any]] = []
        if TABLE.exists():
            with TABLE.open(encoding="utf-8", newline="") as file:
                table += csv.DictReader(file)
        table = [row for row in table if (row["model"], row["threads"], row["level"]) != (
            name, str(threads), found[0]["level"]
        )]  # fmt: skip
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows([*table, *found])
        print(name, *(f"{row['test']}: {row['cpu_ratio']}" for row in found), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
