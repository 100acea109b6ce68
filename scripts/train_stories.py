# SPDX-License-Identifier: MIT
"""Train the small language model of the tests, which tells children's stories: tests/llm/recorded/stories.gguf.

    python -m venv .venv-jax; .venv-jax/bin/pip install jax gguf
    OMP_NUM_THREADS=1 .venv-jax/bin/python scripts/train_stories.py stories.gguf

It takes about 7 minutes of one core. The text is drawn from scripts/story_grammar.py; seeds are fixed, but the bytes
depend on the versions of JAX and on the CPU. Other bytes need other records:
PYTHONPATH=tests python -m llm.stories_oracle.

The model is a Llama of 144,000 parameters with F32 weights: a float model's results are near enough to llama.cpp's to
compare tokens. Heads of 32 allow all types of KV cache; the vocabulary has a token for each byte.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import gguf
import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from gguf import TokenType
from story_grammar import story

N_TOKENS: Final = 512
LAYERS, WIDTH, HEADS, HEAD, FFN = 5, 48, 3, 32, 80  # one head of keys and values; FFN is no multiple of 32
EPSILON, ROPE_BASE = 1e-5, 10000.0
BOS, EOS = 1, 2
SPACE: Final = "\u2581"
LENGTH, BATCH = 256, 32
N_STEPS, N_WARM, RATE = 400, 40, 6e-3
_WORD: Final = re.compile(f"{SPACE}?(?:[A-Za-z]+|[^A-Za-z{SPACE}])")

Parameters = dict[str, Any]


def words(text: str) -> list[str]:
    """Return the words of a text; no token reaches over the bounds of one."""
    return _WORD.findall(SPACE + text.replace(" ", SPACE))


def merge(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """Join the two pieces of a pair wherever they are neighbours."""
    result: list[str] = []
    for part in parts:
        if result and (result[-1], part) == pair:
            result[-1] += part
        else:
            result.append(part)
    return result


def vocabulary(texts: list[str]) -> tuple[list[str], dict[str, list[int]]]:
    """Return the tokens, made by byte-pair encoding, and the ids of each word of the texts."""
    counts = collections.Counter(word for text in texts for word in words(text))
    parts = {word: list(word) for word in counts}
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    n_letters = len(letters := sorted({SPACE, *"".join(counts)}))
    merged: list[str] = []
    while len(tokens) + len(merged) + n_letters < N_TOKENS:
        pairs: collections.Counter[tuple[str, str]] = collections.Counter()
        for word, count in counts.items():
            for pair in zip(parts[word], parts[word][1:], strict=False):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        parts = {word: merge(one, best) for word, one in parts.items()}
        merged.append("".join(best))
    tokens += merged + letters
    ids = {token: number for number, token in enumerate(tokens)}
    return tokens, {word: [ids[part] for part in one] for word, one in parts.items()}


def batches(texts: list[str], ids: dict[str, list[int]]) -> Iterator[npt.NDArray[np.int32]]:
    """Yield batches of rows of LENGTH + 1 tokens: whole stories, the last one cut."""
    rows, row = [], list[int]()
    for text in texts:
        row += [BOS, *(one for word in words(text) for one in ids[word]), EOS]
        if len(row) > LENGTH:
            rows.append(row[: LENGTH + 1])
            row = []
        if len(rows) == BATCH:
            yield np.array(rows, np.int32)
            rows = []


def initial() -> Parameters:
    """Return random weights, by GGUF's names."""
    chance = np.random.default_rng(0)
    shapes = {"token_embd": (N_TOKENS, WIDTH)}
    norms = ["output_norm"]
    for layer in range(LAYERS):
        own = {
            "attn_q": (HEADS * HEAD, WIDTH), "attn_k": (HEAD, WIDTH), "attn_v": (HEAD, WIDTH),
            "attn_output": (WIDTH, HEADS * HEAD), "ffn_gate": (FFN, WIDTH), "ffn_up": (FFN, WIDTH),
            "ffn_down": (WIDTH, FFN),
        }  # fmt: skip
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in own.items()}
        norms += [f"blk.{layer}.{name}" for name in ("attn_norm", "ffn_norm")]
    result = {name: chance.standard_normal(shape) * shape[1] ** -0.5 for name, shape in shapes.items()}
    result |= {name: np.ones(WIDTH) for name in norms}
    return {name: jnp.asarray(one, jnp.float32) for name, one in result.items()}


def norm(x: Any, weight: Any) -> Any:
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight


def rotate(x: Any) -> Any:
    """Apply RoPE to heads, shape (B, T, heads, HEAD): neighbours are a pair."""
    angles = np.arange(x.shape[1])[:, None] * ROPE_BASE ** (-np.arange(0, HEAD, 2) / HEAD)
    cos, sin = (jnp.asarray(one[None, :, None], jnp.float32) for one in (np.cos(angles), np.sin(angles)))
    even, odd = x[..., 0::2], x[..., 1::2]
    return jnp.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(x.shape)


def loss(w: Parameters, tokens: Any) -> Any:
    """Return the mean negative log-likelihood of each next token."""
    x, mask = w["token_embd"][tokens[:, :-1]], jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
    for layer in range(LAYERS):
        at = f"blk.{layer}."
        h = norm(x, w[f"{at}attn_norm"])
        q, k, v = (jnp.reshape(h @ w[f"{at}attn_{one}"].T, (*h.shape[:2], -1, HEAD)) for one in "qkv")
        q, k, v = rotate(q), rotate(k)[:, :, 0], v[:, :, 0]
        scores = jnp.where(mask, jnp.einsum("bqhd,bkd->bhqk", q, k) * HEAD**-0.5, -jnp.inf)
        y = jnp.einsum("bhqk,bkd->bqhd", jax.nn.softmax(scores), v)
        x = x + y.reshape(*h.shape[:2], -1) @ w[f"{at}attn_output"].T
        h = norm(x, w[f"{at}ffn_norm"])
        h = jax.nn.silu(h @ w[f"{at}ffn_gate"].T) * (h @ w[f"{at}ffn_up"].T)
        x = x + h @ w[f"{at}ffn_down"].T
    rows = jax.nn.log_softmax(norm(x, w["output_norm"]) @ w["token_embd"].T)
    return -jnp.take_along_axis(rows, tokens[:, 1:, None], -1).mean()


@jax.jit  # type: ignore[untyped-decorator]
def step(w: Parameters, first: Parameters, second: Parameters, number: Any, tokens: Any) -> Any:
    """Return the loss, and the weights and both moments after a step of Adam."""
    error, slope = jax.value_and_grad(loss)(w, tokens)
    total = jnp.sqrt(sum((one**2).sum() for one in slope.values()))
    slope = {name: one / jnp.maximum(1, total) for name, one in slope.items()}
    first = {name: 0.9 * one + 0.1 * slope[name] for name, one in first.items()}
    second = {name: 0.98 * one + 0.02 * slope[name] ** 2 for name, one in second.items()}
    rate = RATE * jnp.minimum(1, (number + 1) / N_WARM) * (1 + jnp.cos(jnp.pi * number / N_STEPS)) / 2
    rate *= jnp.sqrt(1 - 0.98 ** (number + 1)) / (1 - 0.9 ** (number + 1))
    w = {name: one - rate * first[name] / (jnp.sqrt(second[name]) + 1e-9) for name, one in w.items()}
    return error, w, first, second


def write(path: Path, w: Parameters, tokens: list[str]) -> None:
    """Write the model as GGUF file."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("pyhexagon stories")
    writer.add_license("MIT")
    writer.add_context_length(2 * LENGTH)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(1)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_vocab_size(N_TOKENS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(max(0, number - 258)) for number in range(N_TOKENS)])
    kinds = [TokenType.UNKNOWN, *[TokenType.CONTROL] * 2, *[TokenType.BYTE] * 256]
    writer.add_token_types([*kinds, *[TokenType.NORMAL] * (N_TOKENS - len(kinds))])
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_unk_token_id(0)
    for name, one in w.items():
        writer.add_tensor(f"{name}.weight", np.asarray(one, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--steps", type=int, default=N_STEPS, help="fewer, to try the script")
    options = parser.parse_args()
    chance = random.Random(0)
    texts = [story(chance) for _ in range(2 * BATCH * N_STEPS)]
    tokens, ids = vocabulary(texts)
    w = initial()
    print(f"{len(texts)} stories, {sum(one.size for one in w.values()):,} parameters", flush=True)
    first = second = {name: jnp.zeros_like(one) for name, one in w.items()}
    for number, batch in enumerate(batches(texts, ids)):
        if number == options.steps:
            break
        error, w, first, second = step(w, first, second, number, batch)
        if number % 50 == 0 or number == options.steps - 1:
            print(f"step {number}: loss {error:.4f}", flush=True)
    write(options.file, w, tokens)


if __name__ == "__main__":
    main()
