# SPDX-License-Identifier: MIT
"""Malformed and invalid requests of many kinds."""

from __future__ import annotations

import json
import random
from typing import Any

JSON = {"content-type": "application/json"}
PATHS = (
    "/v1/completions", "/v1/chat/completions", "/v1/embeddings", "/tokenize", "/detokenize", "/apply-template"
)  # fmt: skip
NO_OBJECTS = (
    b"[" * 50_000, b'{"prompt": NaN}', b'{"n": 1' + b"0" * 5000 + b"}", b"\xff\xfe{}", b"", b"null", b"[]", b'"the"',
    b'{"messages": ' + b'{"a":' * 9000, b'{"prompt": 1e999}',
)  # fmt: skip
# A valid body for each path; one of its fields is then replaced by an invalid value.
RIGHT: dict[str, dict[str, Any]] = {
    "/v1/completions": {"prompt": "the", "max_tokens": 1},
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "the"}], "max_tokens": 1},
    "/v1/embeddings": {"input": "the"},
    "/tokenize": {"content": "the"},
    "/detokenize": {"tokens": [1]},
    "/apply-template": {"messages": [{"role": "user", "content": "the"}]},
}
# Values that are invalid for a field, whatever the other fields are.
WRONG: dict[str, tuple[Any, ...]] = {
    "prompt": (-1, 1.5, {}, [], [[]], [{}], [None], ["the", 1], [1 << 40], [-1], True, "x y " * 3000, ["the"] * 100),
    "messages": (
        [], {}, "the", [1], [{}], [{"role": 1}], [{"role": "user", "content": 5}], [{"role": "user", "content": [1]}],
    ),
    "input": (-1, {}, [], [[]], [None], ["the", 1], [1 << 40], True, "x y " * 3000, "the"),
    "content": (1, {}, [], None, True),
    "tokens": ([1 << 40], [-1], ["a"], {}, "the", 3, [1.5]),
    "max_tokens": (-2, 1.5, "1", [], {}, True, 1 << 70),
    "temperature": (-2, "1", [], {}, True, 1e308, 1 << 70),
    "top_p": (-1, 2, "1", [], True),
    "top_k": (-2, 1.5, "1", True),
    "n": (0, -1, 1.5, "1", 1000, True, []),
    "stop": (1, [1], {}, ["a"] * 100),
    "seed": (1.5, "1", [], 1 << 70, True),
    "stream": (1, "true", [], {}),
    "stream_options": (1, "a", [], {"include_usage": 1}),
    "logprobs": (-1, 1.5, "1", [], 1000),
    "response_format": (1, "json", [], {"type": 1}, {"type": "what"}, {"type": "json_schema"},
                        {"type": "json_schema", "json_schema": {"schema": {"type": "what"}}}),
    "grammar": (1, [], {}, "root ::= (((", "\x00"),
    "logit_bias": (1, "a", [1], {"a": 1}, {"1": "a"}, {"-1": 1}, {"99999999999": 1}, {"100000": 1}, {"1": 1e9}),
    "tools": (1, "a", {}, [1], [{}], [{"type": "function"}], [{"type": "function", "function": {"name": 1}}]),
    "tool_choice": ("required", "what", 1, {"function": 1}, {"type": "function", "function": {"name": "none"}}),
    "model": (1, [], "other", {}),
    "suffix": ("a",),
    "best_of": (2, -1, "a"),
    "top_logprobs": (3, -1, "a"),
    "add_special": (1, "a", []),
    "parse_special": (1, "a", []),
    "reasoning_format": (1, "what", [], True),
}  # fmt: skip
FIELDS: dict[str, tuple[str, ...]] = {
    "/v1/completions": (
        "prompt", "max_tokens", "temperature", "top_p", "top_k", "n", "stop", "seed", "stream", "stream_options",
        "logprobs", "response_format", "grammar", "logit_bias", "model", "suffix", "best_of",
    ),
    "/v1/chat/completions": (
        "messages", "max_tokens", "temperature", "top_p", "top_k", "n", "stop", "seed", "stream", "stream_options",
        "response_format", "grammar", "logit_bias", "tools", "tool_choice", "model", "top_logprobs",
        "parse_special", "reasoning_format",
    ),
    "/v1/embeddings": ("input", "model"),
    "/tokenize": ("content", "add_special"),
    "/detokenize": ("tokens",),
    "/apply-template": ("messages",),
}  # fmt: skip


def nonsense(chance: random.Random) -> tuple[str, str, dict[str, str], bytes]:
    """Return method, path, headers and body of a request that a server without embeddings must reject."""
    path = chance.choice(PATHS)
    kind = chance.randrange(8)
    if kind == 0:
        return chance.choice(("GET", "PUT", "DELETE", "PATCH")), path, JSON, b"{}"
    if kind == 1:
        return "POST", f"/{chance.randrange(1 << 30):x}/..%2f{path}", JSON, b"{}"
    if kind == 2:
        return "POST", path, {"content-type": chance.choice(("text/plain", "a/b", "", "application/jsonx"))}, b"{}"
    if kind == 3:
        return "POST", path, JSON, b" " * ((1 << 16) + 1)
    body = RIGHT[path]
    if kind == 4:
        text = json.dumps(body).encode()
        return "POST", path, JSON, text[: chance.randrange(len(text))]
    if kind == 5:
        return "POST", path, JSON, chance.choice((*NO_OBJECTS, chance.randbytes(60)))
    field = chance.choice(FIELDS[path])
    return "POST", path, JSON, json.dumps(body | {field: chance.choice(WRONG[field])}).encode()
