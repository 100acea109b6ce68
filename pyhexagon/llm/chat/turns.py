# SPDX-License-Identifier: MIT
"""Where a user's turn begins in the tokens of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from pyhexagon.errors import HexagonError
from pyhexagon.llm.chat.templates import ChatTemplate
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_TEXTS: Final = ("Aqaq", "Bqbq", "Cqcq")


class UserTurns:
    """Finds users' turns by what the chat template writes before them.

    Args:
        template: of the model; None: there are no turns.
        tokenizer: of the model.
    """

    def __init__(self, template: str | None, tokenizer: Tokenizer) -> None:
        self._header: Sequence[int] = ()
        if template is not None:
            with suppress(HexagonError):  # the template takes no such conversation
                self._header = _header_of(ChatTemplate(template, **tokenizer.template_names), tokenizer)

    def last(self, tokens: Sequence[int]) -> int:
        """Return the number of tokens before the content of the last user's turn; 0: there is none."""
        header, n = self._header, len(self._header)
        if not n:
            return 0
        for end in range(len(tokens), n - 1, -1):
            if tokens[end - 1] == header[-1] and [*tokens[end - n : end]] == [*header]:
                return end
        return 0


def _header_of(template: ChatTemplate, tokenizer: Tokenizer) -> Sequence[int]:
    """Return the tokens that stand before each user's message: those that two messages of a conversation have in
    common before them."""
    first, answer, second = _TEXTS
    text = template.render([
        {"role": "user", "content": first}, {"role": "assistant", "content": answer},
        {"role": "user", "content": second},
    ])  # fmt: skip
    before, _, rest = text.partition(first)
    between = rest.partition(answer)[2].partition(second)[0]
    one, other = (tokenizer.encode(part, add_special=False) for part in (before, between))
    n = 0
    while n < min(len(one), len(other)) and one[-1 - n] == other[-1 - n]:
        n += 1
    header = one[len(one) - n :]
    return header if any(token in tokenizer.control for token in header) else ()
