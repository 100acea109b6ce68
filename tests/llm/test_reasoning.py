# SPDX-License-Identifier: MIT
"""Reasoning within <think> is separated from the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import pytest

from llm import vocabularies
from llm.published import byte_letters
from pyhexagon import LLM, Device
from pyhexagon.llm.chat.reasoning import Thinking, format_of

ASKED = [{"role": "user", "content": "hi"}]
OPEN = "{% if enable_thinking is defined and enable_thinking %}<think>\n{% endif %}"
TEMPLATE = "{% for message in messages %}{{ message.content }}</think>{% endfor %}" + OPEN


def vocabulary(kind: gguf.TokenType, template: str, writer: gguf.GGUFWriter) -> int:
    letters = [*byte_letters(), "ab"]
    names = ["<think>", "</think>", "<end>"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list([*letters, *names])
    writer.add_token_types([gguf.TokenType.NORMAL] * len(letters) + [kind, kind, gguf.TokenType.CONTROL])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(len(letters) + 2)
    writer.add_eos_token_id(len(letters) + 2)
    writer.add_chat_template(template)
    return len(letters) + len(names)


def opened(folder: Path, kind: gguf.TokenType, template: str = TEMPLATE) -> LLM:
    path = vocabularies.write(folder / "m.gguf", lambda writer: vocabulary(kind, template, writer))
    return LLM(path, 512, device=Device("loopback"))


@pytest.fixture(scope="module", params=[gguf.TokenType.USER_DEFINED, gguf.TokenType.CONTROL])
def llm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    with opened(tmp_path_factory.mktemp("model"), request.param) as llm, llm.device:
        yield llm


def said(llm: LLM, text: str, **more: Any) -> tuple[str, str]:
    """Return the content and the reasoning of a chat whose model writes a text."""
    tokens = iter(llm.tokenizer.encode(f"{text}<end>", add_special=False))
    parts = list(llm.chat(ASKED, 200, sampler=lambda _: next(tokens), **more))
    return "".join(part.text for part in parts), "".join(part.reasoning for part in parts)


@pytest.mark.parametrize(
    ("text", "content", "reasoning"),
    [
        ("Hi.", "Hi.", ""), ("  Hi <think>a</think>", "  Hi <think>a</think>", ""), ("", "", ""), ("\n", "\n", ""),
        ("<think>\nHm, a < b\n\n</think>\n\nYes <b> ✓\n", "Yes <b> ✓\n", "Hm, a < b"),
        ("\n<think>\n\n</think>\n\nYes", "Yes", ""), ("<think></think>Yes</think>", "Yes</think>", ""),
        ("<think>Hm </thi", "", "Hm </thi"), ("<think>\nHm\n\nand\n", "", "Hm\n\nand"), ("<thin", "<thin", ""),
    ],
)  # fmt: skip
def test_reasoning_is_told_apart(llm: LLM, text: str, content: str, reasoning: str) -> None:
    assert said(llm, text) == (content, reasoning)
    for n in (1, 2, 5, 100):  # the text in other pieces than tokens
        parser = Thinking(llm.tokenizer, [])
        pieces = [text[at : at + n] for at in range(0, len(text), n)]
        deltas = [parser.add(0, piece) for piece in pieces] + [parser.rest("")]
        assert tuple(map("".join, zip(*deltas, strict=True))) == (content, reasoning)


def test_reasoning_that_the_prompt_opens(llm: LLM) -> None:
    kwargs = {"enable_thinking": True}
    assert llm.apply_template(ASKED, template_kwargs=kwargs).endswith("<think>\n")
    assert said(llm, "Hm\n</think>\n\nYes", template_kwargs=kwargs) == ("Yes", "Hm")
    assert said(llm, "Hm", template_kwargs=kwargs) == ("", "Hm")
    raw = said(llm, "Hm</think>Yes", template_kwargs=kwargs, reasoning_format="none")
    assert raw[1] == ""
    assert raw[0].startswith("Hm")


def test_the_prompt_says_by_which_mark_reasoning_of_an_effort_ends(llm: LLM) -> None:
    marks = format_of("{{ '<ifm|think>' }}")
    assert marks is not None
    assert marks.name == "k2-horizon"
    for effort in ("think", "think_fast", "think_faster"):
        parser = Thinking(llm.tokenizer, llm.tokenizer.encode(f"hi<ifm|{effort}>\n", add_special=False), marks)
        text = f"a</think>b</ifm|{effort}>\nc"
        content, reasoning = map("".join, zip(*(parser.add(0, letter) for letter in text), strict=True))
        assert (content, reasoning) == ("c", "a</think>b")
        assert llm.tokenizer.decode(parser.closing()).strip() == f"</ifm|{effort}>"


def test_a_completion_with_a_grammar_has_no_reasoning(llm: LLM) -> None:
    schema = {"type": "object", "additionalProperties": False, "properties": {"a": {"const": 1}}, "required": ["a"]}
    made = list(llm.chat(ASKED, 200, json_schema=schema, template_kwargs={"enable_thinking": True}))
    assert json.loads("".join(part.text for part in made)) == {"a": 1}
    assert not any(part.reasoning for part in made)


def test_a_template_without_reasoning_leaves_the_text_as_it_is(tmp_path: Path) -> None:
    plain = "{% for message in messages %}{{ message.content }}{% endfor %}"
    with opened(tmp_path, gguf.TokenType.USER_DEFINED, plain) as llm, llm.device:
        assert said(llm, "<think>Hm</think>Yes") == ("<think>Hm</think>Yes", "")
