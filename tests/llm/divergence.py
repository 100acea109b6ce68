# SPDX-License-Identifier: MIT
"""KL divergence of tiny models' log-probabilities from a float64 pass, and that of llama.cpp's.

    pip install xllamacpp; PYTHONPATH=tests python -m llm.divergence

records the latter in recorded/divergences.json, for each model and type of KV cache, in a process each;
tests/llm/test_divergence.py checks the ratio. Existing entries stay.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from llm import llama_cpp, tiny
from llm.reference import Reference

F64 = npt.NDArray[np.float64]

RECORDED: Final = Path(__file__).with_name("recorded") / "divergences.json"
KINDS: Final = ("f16", "q8_0", "q4_0")
TYPES: Final = (Type.Q4_0, Type.Q8_0)
MIXTURES: Final = ("qwen3moe", "gpt-oss")
K_QUANTS: Final = {"llama": Type.Q4_K, "qwen3": Type.Q6_K, "smollm3": Type.Q6_K, "gemma3": Type.Q4_K}
CASES: Final = [
    *((architecture, TYPES[at % 2], 64) for at, architecture in enumerate(tiny.TINY)),
    *((architecture, weights, 64) for architecture, weights in K_QUANTS.items()),
    ("gemma3", Type.Q4_0, 256),
]  # architecture, type of the weights, size of a head
N_POSITIONS: Final = 100
TOKENS: Final = [1, *np.random.default_rng(4).integers(3, tiny.N_TOKENS, N_POSITIONS - 1).tolist()]


class Tiny(NamedTuple):
    """A model of ``tiny.write`` with heads of size 64 or 256, the sizes whose cached keys and values llama.cpp rotates.
    """

    architecture: str
    weights: Type
    head: int
    seed: int

    def __str__(self) -> str:
        heads = "" if self.head == 64 else f" heads of {self.head}"
        return f"{self.architecture} {self.weights.name}{heads} {self.seed}"

    def write(self, path: Path) -> Path:
        more = {**tiny.TINY[self.architecture], "head": self.head, "heads": 4, "kv_heads": 2}
        more["width"] = 512 if self.weights in K_QUANTS.values() else 256
        return tiny.write(path, self.architecture, weights=self.weights, seed=self.seed, **more)


def seeds(architecture: str, kind: str) -> range:
    """Return the seeds of the models.

    Near ties of a router make the mean over few mixtures of experts a matter of chance: Qwen 3's with Q8_0 is 1.34
    times llama.cpp's over 8 seeds, and 1.22, 1.06 and 1.19 over 16, 24 and 32.
    """
    return range(1, 33 if (architecture, kind) == ("qwen3moe", "q8_0") else 9 if architecture in MIXTURES else 3)


def divergences(exact: F64, got: F64) -> F64:
    """Return KL(exact || got) of each row of logits or log-probabilities."""
    p, q = (rows - np.logaddexp.reduce(rows, axis=-1, keepdims=True) for rows in (exact, got))
    return np.asarray((np.exp(p) * (p - q)).sum(axis=-1))


def divergence(exact: F64, got: F64) -> float:
    """Return the mean of KL(exact || got) over rows of logits or log-probabilities."""
    return float(divergences(exact, got).mean())


def of_llama_cpp(path: Path, kind: str, tokens: Sequence[int], n_tokens: int, letter: int) -> F64:
    """Return llama.cpp's log-probabilities. ``letter`` is a token that llama.cpp is made to generate, because it does
    not return the probabilities of an incomplete character.
    """
    server, rows = llama_cpp.serve(path, kind), []
    body = {"n_predict": 1, "n_probs": n_tokens, "cache_prompt": True, "logit_bias": [[letter, 100.0]]}
    for end in range(1, len(tokens) + 1):
        answer = llama_cpp.ask(server, "/completion", prompt=tokens[:end], temperature=-1, **body)
        row = np.full(n_tokens, -np.inf)
        for one in answer["completion_probabilities"][0]["top_logprobs"]:
            row[one["id"]] = one["logprob"]
        rows.append(row)
    return np.stack(rows)


def main(arguments: list[str]) -> None:
    """Run the command line."""
    if arguments[:1] == ["--one"]:
        name, kind = arguments[1:]
        got = of_llama_cpp(Path(name), kind, TOKENS, tiny.N_TOKENS, tiny.SPM.index("a"))
        print(f"\nKL {divergence(Reference(name).logits(TOKENS), got):.4e}", flush=True)
        os._exit(0)  # the server's threads never end
    found = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for model in (Tiny(*case, seed) for case in CASES for seed in seeds(case[0], "q8_0")):
            path = model.write(Path(folder) / "model.gguf")
            for kind in KINDS:
                if model.seed in seeds(model.architecture, kind) and f"{model} {kind}" not in found:
                    command = [sys.executable, "-m", "llm.divergence", "--one", str(path), kind]
                    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
                    found[f"{model} {kind}"] = float(done.stdout.rsplit("KL ", 1)[1].split()[0])
            lines = ",\n".join(f" {json.dumps(name)}: {value:.4e}" for name, value in sorted(found.items()))
            RECORDED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
