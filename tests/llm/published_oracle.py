# SPDX-License-Identifier: MIT
"""Results of real llama.cpp for the tiny files of ``published.py``.

    pip install xllamacpp; PYTHONPATH=tests python -m llm.published_oracle

records them in recorded/published.json, in a process for each file: for language models the log-probabilities of the
most probable tokens after some prompts, for encoders the embedding of a text, or without
pooling those of every tenth token, for rankers the ids of a query with a
text, and the score. The files in published_divergences.json are one of each architecture without a reference of its
own, and variants: the KL divergence of llama.cpp's log-probabilities from ``reference_graph``. Existing entries
stay. test_published.py compares with them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np

from llm import llama_cpp, published
from llm.divergence import F64, divergences, of_llama_cpp
from llm.published import Header
from llm.reference_graph import GraphReference
from llm.tiny import TINY

RECORDED: Final = Path(__file__).with_name("recorded") / "published.json"
DIVERGENCES: Final = RECORDED.with_name("published_divergences.json")
N_POSITIONS: Final = 100
AFTER: Final = (8, 40, N_POSITIONS)  # numbers of tokens
N_LIKELIEST: Final = 24
PAIR: Final = "the then in a", "an in the a then"  # a query and a document
TOKENS: Final = np.random.default_rng(4).integers(5, 400, N_POSITIONS).tolist()


def understood(header: Header) -> Header:
    """Return a header that llama.cpp reads completely, for a header of which it ignores keys.

    It has other names for Ollama's bases, and reads vision tensors from separate files. It reads the YaRN keys of
    Mistral's format in the architecture mistral3, whose graph is Llama's.
    """
    names = {"rope.global.freq_base": "rope.freq_base", "rope.local.freq_base": "rope.freq_base_swa"}
    architecture = header.architecture
    if architecture == "llama" and header.get("rope.scaling.yarn_log_multiplier"):
        architecture = "mistral3"
    metadata = {}
    for name, one in header.metadata.items():
        if not name.startswith(("vision.", "mm.")):
            metadata[names.get(name, name)] = one
    return header._replace(architecture=architecture, metadata=metadata)


def _asked(path: Path) -> Any:
    """Return pairs of ids and log-probabilities for a language model; the embedding or the score for other models."""
    reader = gguf.GGUFReader(path)
    fields = reader.fields
    if any(one.name == "cls.output.weight" for one in reader.tensors):
        return _ranked(path, {name.rsplit(".", 1)[-1]: one.contents() for name, one in fields.items()})
    tokens, architecture = fields["tokenizer.ggml.tokens"].contents(), fields["general.architecture"].contents()
    causal = fields.get(f"{architecture}.attention.causal")
    embeds = published.is_encoder(architecture, is_causal=causal is None or bool(causal.contents()))
    server = llama_cpp.serve(path, "f16", embeds=embeds)
    if embeds:
        (answer,) = llama_cpp.ask(server, "/embedding", content=TOKENS)
        rows = answer["embedding"]  # without pooling, of each token
        rounded = [[round(one, 4) for one in row] for row in rows[::10]]
        return rounded if rows[1:] else rounded[0]
    body = {"n_predict": 1, "n_probs": len(tokens), "logit_bias": [[tokens.index("a"), 100.0]]}
    result = []
    for n in AFTER:
        answer = llama_cpp.ask(server, "/completion", prompt=TOKENS[:n], temperature=-1, **body)
        top = answer["completion_probabilities"][0]["top_logprobs"]
        result.append([[one["id"], round(one["logprob"], 4)] for one in top[:N_LIKELIEST]])
    return result


def has_divergence(header: Header) -> bool:
    """Return whether the divergence of a header's model is recorded: the variants of an architecture, or one model."""
    if header.architecture in TINY or header.is_encoder:
        return False
    derived = [one for one in published.derived() if one.architecture == header.architecture]
    known = [one for one in published.headers() if published.has_tensors(one)]
    first = [one for one in known if one.architecture == header.architecture][:1]
    return header in (derived or first)


def seeds(header: Header) -> range:
    """Return the seeds of the models whose divergences count: more where one model's is a matter of chance."""
    return range(1, 5 if header.architecture in ("granitemoe", "qwen3next", "granitehybrid") else 2)


def central_divergence(model: GraphReference, got: F64) -> float:
    """Return the KL divergence of log-probabilities from those of the float64 graph: the mean over all positions, for
    mixtures of experts the median.

    A near tie of a router decides by chance, which expert some positions use.
    """
    rows = divergences(model.logits(TOKENS), got)
    return float(np.median(rows) if model.config.n_experts else rows.mean())


def _divergence(path: Path) -> float:
    """Return llama.cpp's divergence."""
    tokens = gguf.GGUFReader(path).fields["tokenizer.ggml.tokens"].contents()
    got = of_llama_cpp(path, "f16", TOKENS, len(tokens), tokens.index("a"))
    return float(f"{central_divergence(GraphReference(path), got):.4e}")


def _ranked(path: Path, keys: dict[str, Any]) -> Any:
    """Return the token ids of a query with a text, including llama.cpp's special tokens, and the score of the pair."""
    server, texts = llama_cpp.serve(path, ranks=True), PAIR
    ids = [keys["bos_token_id"]] if keys["add_bos_token"] else []
    for text in texts:
        ids += llama_cpp.ask(server, "/tokenize", content=text, add_special=False)["tokens"]
        ids += [keys["eos_token_id"]] if keys.get("add_eos_token") else []
    answer = llama_cpp.ask(server, "/rerank", query=texts[0], documents=[texts[1]])
    if answer["usage"]["prompt_tokens"] != len(ids):
        raise RuntimeError(f"{answer}: expected {len(ids)} tokens")
    return {"tokens": ids, "score": round(answer["results"][0]["relevance_score"], 4)}


def _record(path: Path, option: str, models: Mapping[str, tuple[Header, int]]) -> None:
    """Add the results of models, headers with seeds by name, to a file, with the option that computes one."""
    found = json.loads(path.read_text()) if path.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (header, seed) in models.items():
            model = Path(folder) / "model.gguf"
            if name in found or not published.has_tensors(header):
                continue
            published.write(model, understood(header), seed)
            command = [sys.executable, "-m", "llm.published_oracle", option, str(model)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
            if "ANSWER " in done.stdout:
                found[name] = json.loads(done.stdout.rsplit("ANSWER ", 1)[1])
            else:
                print(name, "".join(done.stderr.splitlines(keepends=True)[-15:]), file=sys.stderr)
            lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
            path.write_text(f"{{\n{lines}\n}}\n")


def main(arguments: list[str]) -> None:
    """Run the command line."""
    if arguments:
        compute = {"--results": _asked, "--divergence": _divergence}[arguments[0]]
        print(f"\nANSWER {json.dumps(compute(Path(arguments[1])))}", flush=True)
        os._exit(0)  # the server's threads do not end by themselves
    headers = [*published.headers(), *published.derived()]
    _record(RECORDED, "--results", {header.model: (header, 1) for header in headers})
    models = {f"{one.model} {seed}": (one, seed) for one in headers if has_divergence(one) for seed in seeds(one)}
    _record(DIVERGENCES, "--divergence", models)


if __name__ == "__main__":
    main(sys.argv[1:])
