# SPDX-License-Identifier: MIT
"""Real llama.cpp (the package xllamacpp) as an oracle of token ids and chat prompts.

    pip install xllamacpp; python tests/llm/llama_cpp.py MODEL.gguf OUT.json

records what tests/llm/test_tokenizer.py compares with: for each text of hard_strings.json, the ids with and without the
names of special tokens in it parsed. With --answers KIND behind it, what tests/llm/test_answers.py does: prompts as its
template engine renders them, its greedy answers with a cache of that kind ("f16" or "q8_0"), and by how much the
likeliest token was ahead of the next.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

HARD_STRINGS = Path(__file__).with_name("hard_strings.json")


def serve(path: str | os.PathLike[str], kind: str = "f16", *, embeds: bool = False, ranks: bool = False) -> Any:
    """A server of llama.cpp with this model and a cache of this kind; it needs the package xllamacpp.

    Args:
        embeds: whether it makes embeddings.
        ranks: whether it ranks texts instead.
    """
    import xllamacpp  # type: ignore[import-not-found]

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
    """What the server answers."""
    content = json.dumps(body).encode()
    request = urllib.request.Request(server.listening_address + route, content, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def token_ids(server: Any, text: str, *, special: bool) -> list[int]:
    """BOS is added as the model wants it."""
    answer = ask(server, "/tokenize", content=text, add_special=True, parse_special=special)
    return list(answer["tokens"])


def answer(server: Any, question: str) -> dict[str, Any]:
    """Its first 64 tokens, and their margins: log-probabilities above the second likeliest."""
    prompt = rendered(server, [{"role": "user", "content": question}])
    made = ask(server, "/completion", prompt=prompt, n_predict=64, temperature=-1, n_probs=2, return_tokens=True)
    top = [one["top_logprobs"] for one in made["completion_probabilities"]]
    margins = [round(first["logprob"] - second["logprob"], 3) for first, second in top]
    return {"question": question, "prompt": prompt, "tokens": made["tokens"], "margins": margins}


def rendered(server: Any, messages: list[dict[str, str]]) -> str:
    """A conversation through the model's template."""
    return str(ask(server, "/apply-template", messages=messages)["prompt"])


def record_answers(server: Any, out: Path) -> None:
    """Asks again what is recorded already."""
    before = json.loads(out.read_text(encoding="utf-8"))
    answers = [answer(server, one["question"]) for one in before["answers"]]
    chats = [{"messages": one["messages"], "prompt": rendered(server, one["messages"])} for one in before["chats"]]
    parts = (",\n".join(f"  {json.dumps(one)}" for one in ones) for ones in (answers, chats))
    out.write_text('{{\n "answers": [\n{}\n ],\n "chats": [\n{}\n ]\n}}\n'.format(*parts), encoding="utf-8")


def main() -> None:
    """Command line."""
    model, out, *options = sys.argv[1:]
    server = serve(model, *options[1:])
    if options:
        record_answers(server, Path(out))
        sys.stdout.flush()
        os._exit(0)
    texts = json.loads(HARD_STRINGS.read_text(encoding="utf-8"))
    records = [[token_ids(server, text, special=special) for special in (True, False)] for text in texts]
    lines = ",\n".join(f"  {json.dumps(ids)}" for ids in records)
    Path(out).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # the server's threads do not end by themselves


if __name__ == "__main__":
    main()
