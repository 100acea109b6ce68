# SPDX-License-Identifier: MIT
"""Published chat templates: every rendering equals transformers', or both raise an error."""

from __future__ import annotations

import json
from collections.abc import Callable

import needs
import pytest

from llm.published_templates import CONVERSATIONS, NAMES, NOW, RECORDED, render_here, short_hash, templates
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat import rendering
from pyhexagon.llm.chat.templates import ChatTemplate

N_TEMPLATES = 70


def _renderings(source: str) -> dict[str, str | None]:
    """Return the hash of the rendering of each conversation by a template, which is compiled once, or None."""
    try:
        template = rendering.compiled(source, NAMES)
    except Exception:
        return dict.fromkeys(CONVERSATIONS)
    found: dict[str, str | None] = {}
    for kind, given in CONVERSATIONS.items():
        values = {"tools": None, "add_generation_prompt": True, **given}
        try:
            found[kind] = short_hash(template.render(json.loads(json.dumps(values))))
        except Exception:
            found[kind] = None
    return found


def test_a_cut_answer_is_continued(monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None]) -> None:
    """The prompt ends with the text, in the place of an answer: after the generation prompt, or after reasoning."""
    needs.require("chat templates")
    render_here(monkeypatch)
    user, text = CONVERSATIONS["user"]["messages"], " It is **cold** in \n"
    refused = []
    for name, source in templates():
        template = ChatTemplate(source, **NAMES)
        try:
            prompt = template.render_open([*user, {"role": "assistant", "content": text}])
        except ArgumentError:
            refused.append(name)
            continue
        assert prompt.endswith(text.lstrip())
        assert prompt.count(text.strip()) == 1
        assert prompt.count("<think>") <= prompt.count("</think>")
    figure(f"{N_TEMPLATES - len(refused)} templates can continue an answer")
    assert refused == [
        "CohereForAI-c4ai-command-r-plus-tool_use", "NVIDIA-Nemotron-Nano-v2",
        "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
        "fireworks-ai-llama-3-firefunction-v2",
    ]  # fmt: skip


def test_renderings_equal_those_of_transformers(monkeypatch: pytest.MonkeyPatch, figure: Callable[[str], None]) -> None:
    needs.require("chat templates")
    monkeypatch.setattr(rendering, "_now", NOW.strftime)
    recorded: dict[str, dict[str, str | None]] = json.loads(RECORDED.read_text())
    sources = dict(templates())
    assert {name: short_hash(source) for name, source in sources.items()} == {k: v[""] for k, v in recorded.items()}
    assert len(sources) == N_TEMPLATES
    got = {(name, kind): one for name, source in sources.items() for kind, one in _renderings(source).items()}
    wanted = {(name, kind): recorded[name][kind] for name, kind in got}
    n_refused = sum(one is None for one in wanted.values())
    figure(f"{len(wanted) - n_refused} renderings equal those of transformers, {n_refused} are refused by both")
    assert {key: (got[key], one) for key, one in wanted.items() if got[key] != one} == {}
