# SPDX-License-Identifier: MIT
"""Results of real llama.cpp for the story model of scripts/train_stories.py, recorded/stories.gguf.

    pip install xllamacpp; PYTHONPATH=tests python -m llm.stories_oracle

records, for the model that is there: in recorded/stories.json the token ids of hard_strings.json; in
recorded/stories_completions.json the model's SHA-256 and greedy completions of some prompts, by type of KV cache; in
recorded/stories_divergence.json a story, drawn at temperature 1 from a float64 pass, and the KL divergence of
llama.cpp's log-probabilities from that pass.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import needs
import numpy as np

from llm import llama_cpp
from llm.divergence import divergence, of_llama_cpp
from llm.reference import Reference

IDS: Final = Path(needs.STORIES).with_suffix(".json")
COMPLETIONS: Final = IDS.with_name("stories_completions.json")
DIVERGENCE: Final = IDS.with_name("stories_divergence.json")
KINDS: Final = ("f16", "q8_0")
# llama.cpp's completions are the same with both types of cache: a near tie, of which rounding decides, would show here.
PROMPTS: Final = (
    "",
    "Nora was a brave girl who lived",
    "Pip was a small mouse who lived behind a red barn.",
    "Once there was a happy cat. Her name was Luna, and she",
    "Once upon a time, there was a clever fox named Otto. He lived in the woods and loved to sing songs. "
    "One night, Otto",
    "Ben was a small boy who lived on a farm. Every day, he liked to count the stars. One morning, Ben had a big cake.",
)
N_TOKENS: Final = 64
N_STORY: Final = 240


def sha256() -> str:
    """Return the SHA-256 of the model's file."""
    return hashlib.sha256(needs.STORIES.read_bytes()).hexdigest()


def _completion(server: Any, prompt: str) -> dict[str, Any]:
    ids = llama_cpp.token_ids(server, prompt, special=True)
    made = llama_cpp.ask(server, "/completion", prompt=ids, n_predict=N_TOKENS, temperature=-1, return_tokens=True)
    return {"prompt": prompt, "text": made["content"], "tokens": made["tokens"]}


def _divergence() -> dict[str, Any]:
    model, random, tokens = Reference(needs.STORIES), np.random.default_rng(0), [1]
    while len(tokens) < N_STORY:
        likes = model.logits(tokens)[-1]
        tokens.append(int(random.choice(len(likes), p=np.exp(likes - np.logaddexp.reduce(likes)))))
    got = of_llama_cpp(needs.STORIES, "f16", tokens, len(likes), letter=tokens[1])
    return {"tokens": tokens, "llama.cpp": float(f"{divergence(model.logits(tokens), got):.4e}")}


def main() -> None:
    """Run the command line."""
    servers = {kind: llama_cpp.serve(needs.STORIES, kind) for kind in KINDS}
    llama_cpp.record_ids(servers["f16"], IDS)
    lines = [f' "sha256": "{sha256()}"']
    for kind, server in servers.items():
        completions = ",\n".join(f"  {json.dumps(_completion(server, prompt))}" for prompt in PROMPTS)
        lines.append(f' "{kind}": [\n{completions}\n ]')
    COMPLETIONS.write_text("{{\n{}\n}}\n".format(",\n".join(lines)), encoding="utf-8")
    DIVERGENCE.write_text(f"{json.dumps(_divergence())}\n", encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # the servers' threads do not end by themselves


if __name__ == "__main__":
    main()
