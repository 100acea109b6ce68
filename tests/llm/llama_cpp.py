# SPDX-License-Identifier: MIT
"""Real llama.cpp (the package xllamacpp) as an oracle of token ids and chat prompts.

    pip install xllamacpp; python tests/llm/llama_cpp.py MODEL.gguf OUT.json

records the data of tests/llm/test_tokenizer.py: for each text of hard_strings.json the token ids, with and without
parsing the names of special tokens. With the option --answers KIND it records the data of tests/llm/test_answers.py:
prompts as llama.cpp renders them, its greedy completions with a KV cache of that type ("f16" or "q8_0"), and the margin
between the two most probable tokens.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

HARD_STRINGS = Path(__file__).with_name("hard_strings.json")


def serve(path: str | os.PathLike[str], kind: str = "f16", *, embeds: bool = False, ranks: bool = False) -> Any:
    """Start llama.cpp's server with a model and a type of KV cache; needs the package xllamacpp.

    Args:
        embeds: serve embeddings.
        ranks: serve reranking instead.
    """
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_ctx, parameters.n_gpu_layers, parameters.warmup = os.fspath(path), 256, 0, False
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.cache_type_k = parameters.cache_type_v = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{kind.upper()}")
    if embeds or ranks:
        parameters.embedding, parameters.n_ubatch = True, 256
    if ranks:
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
    return xllamacpp.Server(parameters)


def ask(server: Any, route: str, **body: object) -> Any:
    """Return the server's response to a request."""
    content = json.dumps(body).encode()
    request = urllib.request.Request(server.listening_address + route, content, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def token_ids(server: Any, text: str, *, special: bool) -> list[int]:
    """Return the token ids of a text, with BOS if the model's file adds it."""
    answer = ask(server, "/tokenize", content=text, add_special=True, parse_special=special)
    return list(answer["tokens"])


def record_ids(server: Any, out: Path) -> None:
    """Record the token ids of each text of hard_strings.json, with and without special tokens."""
    texts = json.loads(HARD_STRINGS.read_text(encoding="utf-8"))
    records = [[token_ids(server, text, special=special) for special in (True, False)] for text in texts]
    lines = ",\n".join(f"  {json.dumps(ids)}" for ids in records)
    out.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def answer(server: Any, question: str) -> dict[str, Any]:
    """Return the first 64 tokens of a completion, and their margins: log-probabilities above the second most probable
    token.
    """
    prompt = rendered(server, [{"role": "user", "content": question}])
    made = ask(server, "/completion", prompt=prompt, n_predict=64, temperature=-1, n_probs=2, return_tokens=True)
    top = [one["top_logprobs"] for one in made["completion_probabilities"]]
    margins = [round(first["logprob"] - second["logprob"], 3) for first, second in top]
    return {"question": question, "prompt": prompt, "tokens": made["tokens"], "margins": margins}


def rendered(server: Any, messages: list[dict[str, str]]) -> str:
    """Return a conversation as the model's chat template renders it."""
    return str(ask(server, "/apply-template", messages=messages)["prompt"])


def record_answers(server: Any, out: Path) -> None:
    """Record new completions of the prompts that are in the file already."""
    before = json.loads(out.read_text(encoding="utf-8"))
    answers = [answer(server, one["question"]) for one in before["answers"]]
    chats = [{"messages": one["messages"], "prompt": rendered(server, one["messages"])} for one in before["chats"]]
    parts = (",\n".join(f"  {json.dumps(one)}" for one in ones) for ones in (answers, chats))
    out.write_text('{{\n "answers": [\n{}\n ],\n "chats": [\n{}\n ]\n}}\n'.format(*parts), encoding="utf-8")


def main() -> None:
    """Run the command line."""
    model, out, *options = sys.argv[1:]
    server = serve(model, *options[1:])
    (record_answers if options else record_ids)(server, Path(out))
    sys.stdout.flush()
    os._exit(0)  # the server's threads do not end by themselves


if __name__ == "__main__":
    main()
