# SPDX-License-Identifier: MIT
"""The story model's completions are llama.cpp's, token for token, as ``stories_oracle.py`` recorded them."""

from __future__ import annotations

import json
from typing import Any, Final

import needs
import pytest

from llm.stories_oracle import COMPLETIONS, KINDS, N_TOKENS, PROMPTS, sha256
from pyhexagon import LLM

RECORDED: Final[dict[str, Any]] = json.loads(COMPLETIONS.read_text(encoding="utf-8"))


def test_the_model_is_the_one_of_the_records() -> None:
    assert sha256() == RECORDED["sha256"]
    assert needs.STORIES.stat().st_size <= 600_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("engine", "n"), [("loopback", len(PROMPTS)), ("loopback:qemu", 1)])
def test_stories_go_on_as_llama_cpp_tells_them(engine: str, n: int, kind: str) -> None:
    assert [one["prompt"] for one in RECORDED[kind]] == list(PROMPTS)
    with LLM(needs.STORIES, 128, kv=kind, device=engine) as llm:
        for wanted in RECORDED[kind][:n]:
            made = llm.generate(wanted["prompt"], N_TOKENS, temperature=0)
            assert (made.text.strip(), list(made.tokens)) == (wanted["text"].strip(), wanted["tokens"])
        whole = llm.tokenizer.encode(RECORDED[kind][0]["text"].strip())
        assert whole == [1, *RECORDED[kind][0]["tokens"]]
