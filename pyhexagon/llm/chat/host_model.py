# SPDX-License-Identifier: MIT
"""Tokenizer, chat template and limits of a model, without a device."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.chat.templates import ChatTemplate, Message, neutral, neutral_messages
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.tokens.tokenizer import Tokenizer


class ModelWords:
    """Tokenizer, chat template and limits of a model, read from its file without a device.

    Args:
        path: of the GGUF file.
        n_ctx: context length in tokens; None: as for ``LLM``.
    """

    adapters: Sequence[str] = ()  # boards of a cluster run models without adapters

    def __init__(self, path: str | os.PathLike[str], n_ctx: int | None = None) -> None:
        self.path = os.fspath(path)
        with GGUFFile(path) as file:
            config, _ = checked(file)
            self.tokenizer = Tokenizer(file)
            template = file.metadata.get("tokenizer.chat_template")
            self.chat_template = template if isinstance(template, str) else None
        self.n_ctx = min(config.n_ctx, 4096) if n_ctx is None else n_ctx
        self.can_embed, self.can_rerank = config.pooling not in (None, "rank"), config.pooling == "rank"

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
    ) -> str:
        """As ``LLM.apply_template``."""
        return rendered(
            self.path, self.chat_template, self.tokenizer, messages, tools, parse_special=parse_special,
            template_kwargs=template_kwargs, continue_final_message=continue_final_message,
        )  # fmt: skip


def rendered(
    path: str,
    template: str | None,
    tokenizer: Tokenizer,
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]] | None,
    *,
    parse_special: bool,
    template_kwargs: Mapping[str, Any] | None,
    continue_final_message: bool,
) -> str:
    """Return the prompt of a conversation, rendered by the chat template.

    Args:
        path: of the model's file, for error messages.
        template: Jinja source; None raises UnsupportedError.
        tokenizer: of the model.
        messages, tools, parse_special, template_kwargs, continue_final_message: as for ``LLM.apply_template``.
    """
    if template is None:
        raise UnsupportedError(f"{path} has no chat template", hint="complete a prompt without one")
    more = dict(template_kwargs or {})
    if not parse_special:
        messages = neutral_messages(messages, tokenizer.neutral)
        tools, more = neutral(tools, tokenizer.neutral), neutral(more, tokenizer.neutral)
    if own := sorted({"messages", "tools", "add_generation_prompt"} & more.keys()):
        raise ArgumentError(f"template_kwargs has {own[0]!r}: expected other variables of the chat template")
    made = ChatTemplate(template, **tokenizer.template_names)
    if continue_final_message:
        return made.render_open(messages, tools=tools, **more)
    return made.render(messages, tools=tools, **more)
