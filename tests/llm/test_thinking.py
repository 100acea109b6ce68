# SPDX-License-Identifier: MIT
"""Reasoning in the formats of all families: told apart, switched off, and bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import gguf
import needs
import numpy as np
import numpy.typing as npt
import pytest

from llm.published_templates import TEMPLATE_NAMES, render_here, templates
from llm.test_reasoning import ASKED, OPEN, opened
from pyhexagon import LLM
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat import detection, thinking
from pyhexagon.llm.chat.formats.table import detected
from pyhexagon.llm.chat.harmony import Harmony
from pyhexagon.llm.chat.host_model import rendered
from pyhexagon.llm.chat.reasoning import FORMATS, THINK, ReasoningFormat, Thinking, format_of
from pyhexagon.llm.tokens.tokenizer import Tokenizer

EMPTY = "<think>\n\n</think>\n\n"


class Characters:
    """A tokenizer whose tokens are characters, and names that are control tokens."""

    template_names = TEMPLATE_NAMES

    def __init__(self, *names: str) -> None:
        self._names = {name: 0x10FFFF - at for at, name in enumerate(names)}

    def id_of(self, name: str) -> int | None:
        return self._names.get(name)

    def encode(self, text: str, **_: bool) -> list[int]:
        return list(map(ord, text))

    def decode(self, tokens: Iterable[int], **_: bool) -> str:
        return "".join(map(chr, tokens))

    def decoder(self, **_: bool) -> Any:
        class Decoder:
            add = staticmethod(chr)

        return Decoder()

    def neutral(self, text: str) -> str:
        return text


def split(marks: ReasoningFormat, text: str, prompt: str = "", step: int = 1) -> tuple[str, str]:
    """Return the content and the reasoning of a completion that comes in chunks."""
    tokenizer = Characters()
    parser = Thinking(cast("Tokenizer", tokenizer), tokenizer.encode(prompt), marks)
    deltas = [parser.add(0, text[at : at + step]) for at in range(0, len(text), step)] + [parser.rest("")]
    content, reasoning = map("".join, zip(*deltas, strict=True))
    return content, reasoning


@pytest.mark.parametrize("marks", FORMATS, ids=[row.name for row in FORMATS])
def test_each_format_is_told_apart(marks: ReasoningFormat) -> None:
    begin, end = marks.begin, marks.end
    for step in (1, 2, 3, 100):
        content, reasoning = split(marks, f"{begin}\nHm, a < b\n{end}\n\nYes.\n", step=step)
        assert (content.removesuffix("\n"), reasoning) == ("Yes.", "Hm, a < b")
        assert split(marks, f"{begin}\n{end}Yes", step=step) == ("Yes", "")
        assert split(marks, f"Hm{end}Yes", f"...{begin}\n", step) == ("Yes", "Hm")
        assert split(marks, f"Yes, no {begin}", step=step) == (f"Yes, no {begin}", "")
        assert split(marks, f"{begin}Hm {end[:-1]}", step=step) == ("", f"Hm {end[:-1]}")
        for before, after in marks.answers:
            told = f"{begin}Hm{end}\n{before}\nYes < no\n{after}\n"
            assert split(marks, told, step=step) == ("Yes < no", "Hm")
            assert split(marks, f"{before}Yes{after[:-1]}", step=step) == (f"Yes{after[:-1]}", "")
    assert split(marks, "a", prompt=f"{begin}Hm{end}") == ("a", "")


def test_marks_that_are_control_tokens() -> None:
    tokenizer = Characters("<|channel>", "<channel|>")
    parser = Thinking(cast("Tokenizer", tokenizer), [], FORMATS[0])
    channel, end = tokenizer.id_of("<|channel>"), tokenizer.id_of("<channel|>")
    deltas = [parser.add(token or 0, text) for token, text in (
        (channel, ""), (1, "thought"), (2, "\nHm"), (end, ""), (3, "Yes"),
    )]  # fmt: skip
    assert ("".join(delta.content for delta in deltas), "".join(delta.reasoning for delta in deltas)) == ("Yes", "Hm")


@pytest.mark.parametrize(
    ("source", "kwargs", "variables"),
    [
        ("{{ enable_thinking }}", {"reasoning_effort": "none"}, {"enable_thinking": False, "reasoning_effort": "low"}),
        ("{{ enable_thinking }}", {"reasoning_effort": "high"}, {"enable_thinking": True, "reasoning_effort": "high"}),
        ("{{ enable_thinking }}", {"reasoning_effort": "high", "enable_thinking": False},
         {"enable_thinking": False, "reasoning_effort": "low"}),
        ("{{ thinking }}", {"enable_thinking": True}, {"enable_thinking": True, "thinking": True}),
        ("{{ message.thinking }}'thinking'{{ x['thinking'] }}", {"reasoning_effort": "low"},
         {"reasoning_effort": "low"}),
        ("{{ thinking_budget }}", {"reasoning_effort": "none"}, {"thinking_budget": 0, "reasoning_effort": "low"}),
        ("{% if reasoning_effort == 'none' %}", {"reasoning_effort": "none"}, {"reasoning_effort": "none"}),
        ("{% if reasoning_effort in ['high', 'low', 'no_think'] %}", {"reasoning_effort": "none"},
         {"reasoning_effort": "no_think"}),
        ("{% if reasoning_effort in ['high', 'low'] %}", {"reasoning_effort": "medium"}, {"reasoning_effort": "high"}),
        ("{{ reasoning_effort }}", {"reasoning_effort": "minimal"}, {"reasoning_effort": "low"}),
        ("{{ reasoning_effort }}", {"reasoning_effort": "max"}, {"reasoning_effort": "high"}),
        ("{{ reasoning_effort }}", {}, {}),
    ],
)  # fmt: skip
def test_efforts_become_the_switches_of_the_template(
    source: str, kwargs: dict[str, Any], variables: dict[str, Any]
) -> None:
    assert thinking.switched(source, kwargs) == variables


def prompt_of(source: str, tools: Any = None, tokenizer: Any = None, **kwargs: Any) -> str:
    return rendered(
        "", source, cast("Tokenizer", tokenizer or Characters()), ASKED, tools, parse_special=True,
        template_kwargs=kwargs, continue_final_message=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "prompt"),
    [
        ("A:<think>\n", "A:<think>\n</think>\n\n"),  # the template opens it
        ("A:{# </think> #}", f"A:{EMPTY}"),  # the model decides
        ("A:{{ '<think></think>' if not enable_thinking }}", "A:<think></think>"),  # the template has a switch
        ("A:{# [/THINK] #}", "A:[THINK][/THINK]"), ("A:{# [INST] #}", "A:"), ("A:", "A:"),
        ("A:<seed:think>{# </seed:think> #}", "A:<seed:think>\n</seed:think>\n\n"),
    ],
)  # fmt: skip
def test_no_effort_ends_the_reasoning_in_the_prompt(source: str, prompt: str) -> None:
    for kwargs in ({"reasoning_effort": "none"}, {"enable_thinking": False}):
        assert prompt_of(source + "{# {} #}", **kwargs) == prompt
    assert prompt_of(source.replace("enable_thinking", "x") + "{# {} #}").rstrip() != f"{prompt}x"


def test_gpt_oss_without_effort_answers_at_once() -> None:
    names = ("<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|return|>", "<|call|>")
    source, tokenizer = "R: {{ reasoning_effort }}<|start|>assistant", Characters(*names)
    none = {"tokenizer": tokenizer, "reasoning_effort": "none"}
    assert prompt_of(source, **none) == "R: low<|start|>assistant<|channel|>final<|message|>"
    assert prompt_of(source, [{"function": {"name": "a"}}], **none) == "R: low<|start|>assistant"  # it may call
    parser = Harmony(cast("Tokenizer", tokenizer), [])
    first, second = (tokenizer.decode(parser.closing()) for _ in range(2))
    assert (first, second) == ("<|end|><|start|>assistant", "<|end|><|start|>assistant<|channel|>final<|message|>")


def test_published_templates_end_their_reasoning(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.require("chat templates")
    render_here(monkeypatch)
    n_closed = 0
    for name, source in templates():
        marks = format_of(source)
        if marks is None:
            continue
        try:
            plain, none = prompt_of(source), prompt_of(source, reasoning_effort="none")
        except ArgumentError:
            assert name.startswith(("CohereForAI-c4ai-command-r-plus", "fireworks")), name
            continue
        assert not none.rstrip().endswith(marks.begin), name
        n_closed += plain.rstrip().endswith(marks.begin) or marks.end in none[len(plain.rstrip()) - 40 :]
        assert prompt_of(source, reasoning_effort="high")
    assert n_closed > 25


# --- Budgets ---


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    source = "{% for message in messages %}{{ message.content }}</think>{% endfor %}" + OPEN
    with opened(tmp_path_factory.mktemp("model"), gguf.TokenType.CONTROL, source) as llm, llm.device:
        yield llm


def said(llm: LLM, text: str, **more: Any) -> tuple[str, str, int]:
    """Return content, reasoning and the number of tokens of a chat whose model writes a text where it has a choice."""
    tokens = iter(llm.tokenizer.encode(f"{text}<end>", add_special=False))

    def choose(logits: npt.NDArray[np.float32]) -> int:
        return int(np.argmax(logits)) if np.isfinite(logits).sum() == 1 else next(tokens)

    parts = list(llm.chat(ASKED, 200, sampler=choose, **more))
    return "".join(part.text for part in parts), "".join(part.reasoning for part in parts), len(parts)


@pytest.mark.parametrize(
    ("budget", "content", "reasoning"),
    [
        (0, "cdefYes", ""), (1, "defYes", "c"), (3, "fYes", "cde"), (4, "Yes", "cdef"), (100, "Yes", "cdef"),
        (None, "Yes", "cdef"),
    ],
)  # fmt: skip
def test_a_budget_ends_the_reasoning(llm: LLM, budget: int | None, content: str, reasoning: str) -> None:
    """Tokens that the model would have reasoned with come afterwards, since this one writes on."""
    text = "cdef</think>Yes" if budget is None or budget > 4 else "cdefYes"
    opened_by_prompt = {"template_kwargs": {"enable_thinking": True}, "reasoning_budget": budget}
    assert said(llm, text, **opened_by_prompt)[:2] == (content, reasoning)
    assert said(llm, f"<think>{text}", reasoning_budget=budget)[:2] == (content, reasoning)


def test_a_budget_changes_no_answer_without_reasoning(llm: LLM) -> None:
    assert said(llm, "Yes", reasoning_budget=0) == said(llm, "Yes")
    assert said(llm, "<think>cd</think>Yes", reasoning_budget=1, reasoning_format="none")[1] == ""
    schema = {"const": 1}
    for budget in (0, 9):
        chunks = llm.chat(ASKED, 9, json_schema=schema, reasoning_budget=budget)
        assert "".join(part.text for part in chunks) == "1"
    with pytest.raises(ArgumentError, match="reasoning_budget"):
        llm.chat(ASKED, 9, reasoning_budget=-1)


def test_names_of_visible_tokens_are_text(llm: LLM) -> None:
    end = llm.tokenizer.id_of("</think>")
    assert end in llm.tokenizer.control
    for visible, text in ((), "ab"), ([end], "a</think>b"):
        assert said(llm, "a</think>b", visible_tokens=visible, reasoning_format="none")[0] == text


@pytest.mark.parametrize(
    ("template", "calls", "reasoning"),
    [
        ("<tool_call> </think>", "hermes", "think"), ("<tool_call><function=<parameter=", "qwen3-coder", None),
        ("<arg_key><tool_call></think>", "glm", "think"), ("[TOOL_CALLS][INST]", "mistral", "mistral"),
        ("<|tool_call>call:<tool_call|><channel|>", "gemma4", "gemma4"), ("List of tools: [", "lfm2", None),
        ("respond only with <|tool_call|> followed by a JSON list", "granite", None), ("<TOOLCALL>", "nemotron", None),
        ("<response>", None, None), ("<response></think>", None, "think"),
        ("<|tool|><|/tool|>", "phi4", None), ("<|observation|>", "glm4", None), ("hello", None, None),
        (None, None, None),
    ],
)  # fmt: skip
def test_formats_are_known_by_the_template(template: str | None, calls: str | None, reasoning: str | None) -> None:
    tokenizer = cast("Tokenizer", Characters())
    assert detection.tool_call_format(template, tokenizer) == calls
    assert detection.reasoning_format(template, tokenizer) == reasoning
    assert format_of("</think>") is THINK


def test_published_templates_without_a_format() -> None:
    needs.require("chat templates")
    assert [name for name, source in templates() if not detected(source)] == [
        "CohereForAI-c4ai-command-r-plus-tool_use", "GigaChat3-10B-A1.8B", "HuggingFaceTB-SmolLM3-3B", "Kimi-K3",
        "fireworks-ai-llama-3-firefunction-v2", "google-gemma-2-2b-it", "llama-cpp-rwkv-world",
        "microsoft-Phi-3.5-mini-instruct",
    ]  # fmt: skip
