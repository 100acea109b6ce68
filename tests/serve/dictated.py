# SPDX-License-Identifier: MIT
"""A model whose completions a test dictates, in the format of calls and reasoning of a published model.

The chat template is the published one, the vocabulary is SmolLM2's with the control tokens of that model, and the
weights are random. Only the choice of tokens is dictated, by a processor of logits: the server, the template, the
engine and the parsers of completions do all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import gguf
import needs
import numpy as np
from llm import tiny

from pyhexagon import LLM
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.chat import rendering
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.engine.sampling import Logits

N_CTX: Final = 65536
_QUESTION: Final = "What is it?"
_REASONING: Final = (("<think>", "</think>"), ("<|channel>thought", "<channel|>"))


@dataclass(frozen=True)
class Family:
    """A published chat template, and the tokens that its model has.

    Attributes:
        template: name of the published template.
        end: token that ends a completion.
        control: control tokens that SmolLM2's vocabulary lacks.
        marks: user-defined tokens that it lacks.
        is_single: whether a message has either a text or one call.
    """

    template: str
    end: str = "<|im_end|>"
    control: Sequence[str] = ()
    marks: Sequence[str] = ()
    is_single: bool = False


_QWEN: Final = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
FAMILIES: Final[Mapping[str, Family]] = {
    "qwen3": Family("Qwen-Qwen3-0.6B", marks=_QWEN),
    "qwen3.5": Family("Qwen3.5-4B", marks=_QWEN),
    "qwen3-coder": Family("Qwen3-Coder", marks=_QWEN),
    "gemma4": Family(
        "google-gemma-4-31B-it",
        "<turn|>",
        (
            *("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>", "<|tool>", "<tool|>", '<|"|>'),
            *("<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>"),
        ),
    ),
    "gpt-oss": Family(
        "openai-gpt-oss-120b",
        "<|return|>",
        ("<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|return|>", "<|call|>"),
        is_single=True,
    ),
    "mistral-nemo": Family(
        "mistralai-Mistral-Nemo-Instruct-2407",
        "</s>",
        (
            *("<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
            *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]"),
        ),
    ),
}


@dataclass(frozen=True)
class Turn:
    """A message of the assistant.

    Attributes:
        content: text for the user.
        calls: names and arguments of tool calls.
        reasoning: where the prompt leaves reasoning open, the completion begins with it.
    """

    content: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    reasoning: str = ""


Script = Callable[[str], Turn]


def write(path: Path, family: Family) -> Path:
    """Write the model's file, and return its path."""
    with GGUFFile(needs.SMOLLM2.path) as file:
        known: dict[str, Any] = {name.rpartition(".")[2]: value for name, value in file.metadata.items()}
    tokens, types = list(known["tokens"]), list(map(int, known["token_type"]))
    for name, kind in [
        *((name, gguf.TokenType.CONTROL) for name in family.control),
        *((name, gguf.TokenType.USER_DEFINED) for name in family.marks),
    ]:
        tokens.append(name)
        types.append(kind)

    def vocabulary(writer: gguf.GGUFWriter) -> int:
        writer.add_tokenizer_model(known["model"])
        writer.add_tokenizer_pre(known["pre"])
        writer.add_token_list(tokens)
        writer.add_token_types(types)
        writer.add_token_merges(list(known["merges"]))
        writer.add_eos_token_id(tokens.index(family.end))
        writer.add_add_bos_token(False)
        writer.add_chat_template(_template(family))
        return len(tokens)

    return tiny.write(
        path, "llama", vocabulary=vocabulary, layers=1, width=64, heads=1, kv_heads=1, ffn=64, n_ctx=N_CTX
    )  # fmt: skip


def _template(family: Family) -> str:
    return (needs.TEMPLATES.path / f"{family.template}.jinja").read_text(encoding="utf-8")


class DictatedModel(LLM):
    """A model that completes each prompt with what a script says.

    Args:
        path: of a file of ``write``.
        family: of the file.
        script: returns the assistant's message for the text of a prompt.

    Attributes:
        turns: the texts of prompts and completions, in the order in which they came.
    """

    def __init__(self, path: Path, family: Family, script: Script) -> None:
        super().__init__(path, N_CTX, n_sequences=2, device="cpu")
        self._family, self._script = family, script
        self.turns: list[tuple[str, str]] = []

    def prepare(self, request: Request) -> Request:
        """As ``LanguageModel.prepare``."""
        if not request.texts:
            prompt = self.tokenizer.decode(request.tokens, special=True)
            text = written(self._family, self._script(prompt), prompt)
            self.turns.append((prompt, text))
            end = self.tokenizer.id_of("<|call|>" if text.endswith("<|call|>") else self._family.end)
            ids = self.tokenizer.encode(text, add_special=False)
            assert end is not None
            if ids[-1:] != [end]:
                ids.append(end)
            request.sampling = {**request.sampling, "processors": [_Dictation(ids)]}
        return super().prepare(request)


class _Dictation:
    """Leaves one token to the sampler: the next one of a text."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = ids
        self._n_prompt: int | None = None

    def __call__(self, tokens: Sequence[int], logits: Logits) -> Logits:
        if self._n_prompt is None:
            self._n_prompt = len(tokens)
        masked = np.full_like(logits, -np.inf)
        masked[self._ids[len(tokens) - self._n_prompt]] = 0
        return masked


def written(family: Family, turn: Turn, prompt: str) -> str:
    """Return the completion of a prompt that a turn is, as the model of a family writes it: what its template renders
    of a message, after the header that the prompt ends with."""
    template = rendering.compiled(_template(family), {"bos_token": "<s>", "eos_token": "</s>"})
    calls = turn.calls[:1] if family.is_single else turn.calls
    content = "" if calls and family.is_single else turn.content
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": f"call{number:05}", "type": "function", "function": {"name": name, "arguments": dict(arguments)}}
            for number, (name, arguments) in enumerate(calls)
        ]
    if turn.reasoning:
        message |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), turn.reasoning)
    question = [{"role": "user", "content": _QUESTION}]
    tools = [
        {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}
        for name, _ in calls
    ]
    given = {"tools": tools or None, "bos_token": "<s>"}
    header = _after_question(template.render(messages=question, add_generation_prompt=True, **given))
    text = _after_question(template.render(messages=[*question, message], add_generation_prompt=False, **given))
    for begin, _ in _REASONING:
        header = header.partition(begin)[0]
    assert text.startswith(header), (header, text)
    text = text.removeprefix(header).rstrip("\n")
    for end in (family.end, "<|end|>", "<|tool_response>"):
        text = text.removesuffix(end)
    for begin, close in _REASONING:
        if prompt.rstrip("\n").endswith(begin):  # which the prompt opened
            text = text.removeprefix(begin).removeprefix("\n")
        elif prompt.rstrip("\n").endswith(close) and text.startswith(begin):
            text = text.partition(close)[2].lstrip("\n")
    return text


def _after_question(text: str) -> str:
    return text.partition(_QUESTION)[2]
