# SPDX-License-Identifier: MIT
"""Texts that chat templates drop or do not take in the form in which they come."""

from __future__ import annotations

import pytest

from llm.test_repair import USER, called, prompt_of, result

TURNS = "{% for m in messages %}<{{ m.role }}>"
PLACE = "{{ m.tool_calls[0].function.arguments.a }}"
ELSE_TEXT = "{% else %}{{ m.content }}{% endif %}{% endfor %}"
APART = "<user>USER<assistant>TEXT<assistant>PLACE<tool>RESULT"


@pytest.mark.parametrize(
    ("template", "prompt"),
    [
        (TURNS + "{% if m.tool_calls %}" + PLACE + ELSE_TEXT, APART),  # Llama 3
        (TURNS + "{% if m.content is none %}" + PLACE + ELSE_TEXT, APART),  # DeepSeek R1
        (TURNS + "{{ m.content }}{% if m.tool_calls %}(" + PLACE + "){% endif %}{% endfor %}",
         "<user>USER<assistant>TEXT(PLACE)<tool>RESULT"),
        ("{% for m in messages if m.role != 'tool' and not m.tool_calls %}"
         "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns') }}{% endif %}{% endfor %}"
         + TURNS + "{% if m.tool_calls %}" + PLACE + ELSE_TEXT,
         "<user>USER<assistant>PLACE<tool>RESULT"),  # Mistral Nemo: two messages are no turns
    ],
)  # fmt: skip
def test_a_text_beside_a_call_is_not_dropped(template: str, prompt: str) -> None:
    beside = {**called({"a": "PLACE"}), "content": "TEXT"}
    assert prompt_of(template, [USER, beside, result()]) == prompt
    if "TEXT<" in prompt:  # each text, and the reasoning with it
        both = [USER, {**beside, "reasoning": "HM"}, result(), beside, result()]
        more = prompt_of(template.replace("{{ m.content }}", "{{ m.reasoning_content or '' }}{{ m.content }}"), both)
        assert more == prompt.replace("TEXT", "HMTEXT", 1) + prompt.removeprefix("<user>USER")


def test_parts_that_are_texts_are_one_text() -> None:
    parts = [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]
    assert prompt_of("{{ 'x' + messages[0].content }}", [{"role": "user", "content": parts}]) == "xAB"
    image = [*parts, {"type": "image_url", "image_url": {"url": "data:"}}]
    assert prompt_of("{{ messages[0].content | length }}", [{"role": "user", "content": image}]) == "3"
