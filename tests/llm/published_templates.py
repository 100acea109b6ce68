# SPDX-License-Identifier: MIT
"""Renderings of published chat templates by transformers.

    pip install transformers; PYTHONPATH=tests python -m llm.published_templates

records them in recorded/templates.json: for each of the 70 templates in llama.cpp's tests the hash of its text, and for
each conversation the hash of the rendering, or null if transformers raises an exception. test_published_templates.py
compares with them.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import needs
import pytest

from pyhexagon import workers
from pyhexagon.llm.chat import rendering

RECORDED: Final = Path(__file__).with_name("recorded") / "templates.json"
NOW: Final = datetime(2026, 11, 25, 12, 30)  # for templates that ask
NAMES: Final = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
TEMPLATE_NAMES: Final = {name: NAMES[name] for name in ("bos_token", "eos_token")}  # those that a tokenizer has

_WEATHER: Final = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a pl\u00e4ce",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string", "description": "its name"}, "days": {"type": "integer"}},
            "required": ["place"],
        },
    },
}
_USER: Final = {"role": "user", "content": "What is <it> like in Z\u00fcrich?"}
_SYSTEM: Final = {"role": "system", "content": "Be brief."}
_CALL: Final = {
    "id": "call12345",
    "type": "function",
    "function": {"name": "weather", "arguments": {"place": "Z\u00fcrich", "days": 2}},
}
CONVERSATIONS: Final[dict[str, dict[str, Any]]] = {
    "user": {"messages": [_USER]},
    "system": {"messages": [_SYSTEM, _USER]},
    "turns": {"messages": [_USER, {"role": "assistant", "content": "Cold."}, {"role": "user", "content": "And now?"}]},
    "tools": {"messages": [_USER], "tools": [_WEATHER]},
    "call": {
        "messages": [
            _USER,
            {"role": "assistant", "content": "", "tool_calls": [_CALL]},
            {"role": "tool", "name": "weather", "tool_call_id": "call12345", "content": '{"degrees": -3}'},
        ],
        "tools": [_WEATHER],
    },
    "parts": {"messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}]}]},
}


def templates() -> Iterator[tuple[str, str]]:
    """Yield name and text of each template, sorted by name."""
    for path in sorted(needs.TEMPLATES.path.glob("*.jinja")):
        yield path.stem, path.read_text(encoding="utf-8")


def render_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let chat templates be rendered in this process: hundreds of them, without starting workers.

    Each is compiled once, as by a worker, which keeps what it has compiled.
    """

    def ask(_: Path, arguments: dict[str, Any], value: str, **limits: float) -> dict[str, str]:
        try:
            return {"text": _prepared(json.dumps(arguments))(json.loads(value))}
        except Exception as problem:
            return {"problem": str(problem)}

    monkeypatch.setattr(workers, "ask", ask)


@functools.lru_cache(256)
def _prepared(arguments: str) -> Callable[[Mapping[str, Any]], str]:
    return rendering.prepare(**json.loads(arguments))


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rendering(transformers: Any, source: str, given: dict[str, Any]) -> str | None:
    try:
        texts, _ = transformers.render_jinja_template(
            [given["messages"]], tools=given.get("tools"), chat_template=source, add_generation_prompt=True, **NAMES
        )
    except Exception:
        return None
    return short_hash(texts[0])


def main() -> None:
    """Run the command line."""
    from transformers.utils import chat_template_utils

    class Then(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Then:
            return cls.fromtimestamp(NOW.timestamp())

    chat_template_utils.datetime = Then
    problem = needs.TEMPLATES.problem()
    if problem:
        raise SystemExit(problem)
    found = {}
    for name, source in templates():
        renderings = {kind: _rendering(chat_template_utils, source, given) for kind, given in CONVERSATIONS.items()}
        found[name] = {"": short_hash(source), **renderings}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    RECORDED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
