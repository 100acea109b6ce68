# SPDX-License-Identifier: MIT
"""Tokenizer, chat template and limits of a model, without a device."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.chat import repair, thinking, variants
from pyhexagon.llm.chat.templates import (
    Message,
    RefusedMessagesError,
    chat_template,
    check_messages,
    neutral,
    neutral_messages,
)
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.sampling_params import shown_defaults
from pyhexagon.llm.files.recommended import recommended
from pyhexagon.llm.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pyhexagon.llm.vision.memory import EncoderPlan

_CALLS: Final = methodcaller("get", "tool_calls")
_SHORT: Final = 12  # characters that a prompt may have by chance


class ModelWords:
    """Tokenizer, chat template and limits of a model, read from its file without a device.

    Args:
        path: of the GGUF file.
        n_ctx: context length in tokens; None: as for ``LLM``.
    """

    adapters: Sequence[str] = ()  # boards of a cluster run models without adapters
    has_vision = embeds_tokens = False
    encoder_plan: EncoderPlan | None = None

    def __init__(self, path: str | os.PathLike[str], n_ctx: int | None = None) -> None:
        self.path = os.fspath(path)
        with GGUFFile(path) as file:
            config, _ = checked(file)
            self.tokenizer, self.sampling_defaults = Tokenizer(file), shown_defaults(recommended(file))
            template = file.metadata.get("tokenizer.chat_template")
            self.chat_template = template if isinstance(template, str) else None
        self.n_ctx_train, self.embedding_length = config.longest_ctx, config.embedding_length
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
    try:
        check_messages(messages)
        more = thinking.switched(template, template_kwargs) if template_kwargs else {}
        messages = repair.normalized(messages, template)
        if not parse_special:
            messages = neutral_messages(messages, tokenizer.neutral)
            tools = neutral(tools, tokenizer.neutral) if tools else tools
            more = neutral(more, tokenizer.neutral) if more else more
        if own := sorted({"messages", "tools", "add_generation_prompt"} & more.keys()):
            raise ArgumentError(f"template_kwargs has {own[0]!r}: expected other variables of the chat template")
        messages = repair.completed(messages, tools, template)
        names = tuple(tokenizer.template_names.items())
        made = chat_template(template, names)
        render = made.render_open if continue_final_message else made.render

        def attempt(given: Sequence[Message]) -> str:
            try:
                return render(given, tools=tools, **more)
            except RefusedMessagesError:
                other_tools = variants.whole_tools(tools or [])  # for templates for tools only, or that read all of one
                if other_tools != tools:
                    with suppress(RefusedMessagesError):
                        return render(given, tools=other_tools, **more)
                raise

        prompt: str | None = None
        has_texts = any(map(_CALLS, messages)) and any(map(variants.has_text_beside_calls, messages))
        if has_texts and _drops_texts(template, names):
            with suppress(RefusedMessagesError):
                prompt = attempt(variants.split_texts(messages))
        prompt = prompt or _rendered(template, messages, attempt)
    except RecursionError:
        raise ArgumentError("messages, tools or template_kwargs are nested too deeply") from None
    if continue_final_message or not template_kwargs or not thinking.is_off(template_kwargs):
        return prompt
    return thinking.closed(prompt, template, tokenizer, has_tools=bool(tools))


def _rendered(template: str, messages: Sequence[Message], render: Callable[[Sequence[Message]], str]) -> str:
    """Return the prompt of messages, or of what they become where the template refuses or drops a part of them."""
    try:
        prompt = render(messages)
    except RefusedMessagesError:
        for variant in variants.variants(messages):
            with suppress(RefusedMessagesError):
                return render(variant)
        raise
    first_calls = variants.first_calls(messages) if any(map(_CALLS, messages)) else None
    with suppress(RefusedMessagesError):
        if first_calls is not None and render(first_calls) == prompt:  # the template writes one call of a message
            prompt = render(variants.split_calls([dict(message) for message in messages]))
    if _is_whole(prompt, messages, template, render):
        return prompt
    for variant in variants.rescues(messages):
        with suppress(RefusedMessagesError):
            again = render(variant)
            if _is_whole(again, variant, template, render):
                return again
    return prompt


@lru_cache(16)
def _drops_texts(template: str, names: tuple[tuple[str, str], ...]) -> bool:
    """Return whether a template writes the texts beside calls, and the calls, only where they are messages of their
    own."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}]
    for number in range(2):  # a template may demand turns
        function = {"name": "f", "arguments": {"a": f"Aqaq{number}"}}
        call = {"id": f"abcdefgh{number}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": f"Bqbq{number}", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "Ok"},
        ]
    messages += [{"role": "assistant", "content": "Ok"}, {"role": "user", "content": "Hi"}]
    made = chat_template(template, names)
    is_whole = []
    for given in (messages, variants.split_texts(messages)):
        try:
            prompt = made.render(given)
        except ArgumentError:
            return False
        is_whole.append(all(f"{word}{number}" in prompt for word in ("Aqaq", "Bqbq") for number in range(2)))
    return is_whole == [False, True]


def _is_whole(
    prompt: str, messages: Sequence[Message], template: str, render: Callable[[Sequence[Message]], str]
) -> bool:
    """Whether a prompt has all that ``variants.must_have`` names. A short text may be there by chance: it is rendered
    again with a mark."""
    texts = variants.must_have(messages, template)
    if not texts:
        return True
    if any(text not in prompt for text in texts):
        return False
    if all(len(text) >= _SHORT for text in texts):
        return True
    marked = variants.marked(messages, texts)
    with suppress(RefusedMessagesError):
        again = render(marked)
        return all(text in again for text in variants.must_have(marked, template))
    return True
