# SPDX-License-Identifier: MIT
"""Write docs/tables/ladder.csv: what published models need on a board, and estimates of their speed.

    .venv/bin/python -m benchmarks.ladder_table             # all models
    .venv/bin/python -m benchmarks.ladder_table llama:1B    # of these shapes; other lines stay unchanged

Memory is the plan of headers without data. The estimate is for a token with 2,048 tokens of context. Packets of matmuls
come from docs/tables/products.csv; those of other ops are linear in the number of layers, and are counted under QEMU in
models of few layers and a small vocabulary. An op takes the longer of its packets and its bytes; unlike in
benchmarks.timeline, nothing misses the caches.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any, Final

from gguf import GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.bench import model, random_model, silicon_estimate
from pyhexagon.bench.mixes import MIXES
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.files.weights import EMBEDDING, OUTPUT, is_on_host, is_vector
from pyhexagon.llm.memory import longest_context, planned, planned_sessions

TABLES: Final = Path(__file__).resolve().parents[1] / "docs/tables"
TABLE: Final = TABLES / "ladder.csv"
MODELS: Final = {
    "gemma3:270M": "Gemma 3 270M", "qwen3:0.6B": "Qwen3 0.6B", "gemma3:1B": "Gemma 3 1B", "llama:1B": "Llama 3.2 1B",
    "qwen3:1.7B": "Qwen3 1.7B", "smollm3:3B": "SmolLM3 3B", "llama:3B": "Llama 3.2 3B", "phi3:3.8B": "Phi 4 mini",
    "qwen3:4B": "Qwen3 4B", "gemma3:4B": "Gemma 3 4B", "llama:8B": "Llama 3.1 8B", "qwen3:8B": "Qwen3 8B",
    "gpt-oss:20B": "gpt-oss 20B", "qwen3moe:30B": "Qwen3 30B A3B",
}  # fmt: skip
ONLY: Final = {"gpt-oss:20B": ("Q8_0", "Q4_K_M")}  # mixes that are published; its experts are MXFP4 in all of them
SESSION_BYTES: Final = 3584 << 20  # assumed, as the loopback does: no interface reports it
HOST: Final = 1 << 30  # bytes that the system and Python take
BOARDS: Final = (6, 8, 12, 16)  # GiB
CONTEXTS: Final = (2048, 8192)
DEPTH: Final = CONTEXTS[0]
FEW_TOKENS: Final = 512  # vocabulary of the models whose ops are counted
WINDOW_PATTERNS: Final = {"gemma3": 6, "gpt-oss": 2, "smollm3": 4}  # layers after which the kinds of layers repeat
COLUMNS: Final = (
    "shape", "model", "mix", "file_bytes", "sessions", "weight_bytes", *(f"kv_bytes_{n}" for n in CONTEXTS),
    "compute_bytes", *(f"context_{size}_gib" for size in BOARDS), "token_bytes",
    *(f"tokens_per_second_{case}" for case in silicon_estimate.CASES),
)  # fmt: skip

Costs = dict[str, dict[str, float]]  # "packets_max_thread" and "bytes" by kind of op


def counted(shape: str) -> Costs:
    """Return the cost of a token's other ops than matmuls, extrapolated from two models with few layers."""
    full = random_model.SHAPES[shape]
    few = WINDOW_PATTERNS.get(shape.partition(":")[0], 1)
    found = []
    for layers in (few, 2 * few):
        random_model.SHAPES[shape] = full._replace(layers=layers, vocabulary=FEW_TOKENS)
        cases = model.ModelCases([], [1], [DEPTH], 0, is_computed=False)
        (record,) = model.run(
            cases, lambda: random_model.opened(shape), shape,
            threads=[4], device="loopback:qemu", transport=None, starting=lambda _: None,
        )  # fmt: skip
        found.append(record["by_kind"])
    random_model.SHAPES[shape] = full
    scale = full.layers / few - 1
    return {
        kind: {cost: one[cost] + (found[1][kind][cost] - one[cost]) * scale for cost in ("packets_max_thread", "bytes")}
        for kind, one in found[0].items()
        if not kind.startswith("mul_mat")
    }


def packet_rates() -> dict[str, float]:
    """Return the busiest thread's packets per weight of a matmul with one row and four threads, by type."""
    with (TABLES / "products.csv").open(encoding="ascii", newline="") as file:
        return {
            row["type"]: float(row["packets_max_thread"]) / (4096 * 4096)
            for row in csv.DictReader(file)
            if (row["n"], row["k"], row["m"], row["threads"]) == ("4096", "4096", "1", "4")
        }


def matmuls(file: GGUFFile, config: Config, names: Iterable[str], rates: Mapping[str, float]) -> dict[str, float]:
    """Return the cost of a token's matmuls."""
    costs = defaultdict[str, float](float)
    names = list(names)
    for name in names:
        info = file.info(name)
        is_lookup = name == EMBEDDING and OUTPUT in names
        if is_lookup or is_on_host(name) or is_vector(name, info.shape):
            continue
        part = config.n_experts_used / config.n_experts if len(info.shape) == 3 else 1.0
        costs["packets_max_thread"] += part * prod(info.shape) * rates[info.type_name]
        costs["bytes"] += part * prod(info.shape[:-2]) * tile_bytes(info.gguf_type, info.shape)
    return dict(costs)


def seconds(costs: Costs, n_messages: int, assumed: silicon_estimate.Assumptions) -> float:
    """Return the time of a token."""
    a_packet = assumed.cycles_per_packet / assumed.cycles_per_second
    ops = (max(one["packets_max_thread"] * a_packet, one["bytes"] / assumed.bytes_per_second) for one in costs.values())
    return sum(ops) + n_messages * assumed.message_seconds


def tile_bytes(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> int:
    return quants.tile_bytes(dtype, *shape[-2:])


def line(shape: str, mix: str, other: Costs) -> dict[str, Any]:
    with random_model.opened(shape, mix) as file:
        can_run = config, names = checked(file)
        plans = [planned(file, can_run, n_ctx) for n_ctx in CONTEXTS]
        sessions = planned_sessions(file, can_run, CONTEXTS[-1], SESSION_BYTES)
        costs = other | {"mul_mat": matmuls(file, config, names, packet_rates())}
        speeds = silicon_estimate.assumptions()
        longest = {size: longest_context(plans[0], config, (size << 30) - HOST) for size in BOARDS}
        return {
            "shape": shape, "model": MODELS[shape], "mix": mix, "file_bytes": Path(file.path).stat().st_size,
            "sessions": len(sessions), "weight_bytes": plans[0].model,
            **{f"kv_bytes_{n_ctx}": plan.context for n_ctx, plan in zip(CONTEXTS, plans, strict=True)},
            "compute_bytes": plans[0].compute, **{f"context_{size}_gib": longest[size] for size in BOARDS},
            "token_bytes": round(sum(one["bytes"] for one in costs.values())),
            **{f"tokens_per_second_{case}": f"{1 / seconds(costs, len(sessions), one):.1f}"
               for case, one in speeds.items()},
        }  # fmt: skip


def main(shapes: list[str]) -> None:
    table: list[dict[str, Any]] = []
    if TABLE.exists():
        with TABLE.open(encoding="ascii", newline="") as file:
            table = list(csv.DictReader(file))
    for shape in shapes or MODELS:
        other = counted(shape)
        table = [row for row in table if row["shape"] != shape]
        table += [line(shape, mix, other) for mix in ONLY.get(shape, MIXES)]
        table.sort(key=lambda row: [*MODELS].index(row["shape"]))
        with TABLE.open("w", encoding="ascii", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
        print(shape, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
