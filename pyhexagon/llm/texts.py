# SPDX-License-Identifier: MIT
"""Texts of a context, and what is asked of it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import described
from pyhexagon.cache import CachedSequence
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.states import Snapshots

LARGEST_PIECE: Final = 64  # tokens in one message
MOST_LIKELIEST: Final = 64  # tokens that are picked on the DSP; samplers that look at more get all logits

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


def power_of_two(n: int) -> int:
    """The next one."""
    return 1 << (n - 1).bit_length()


def token_ids(tokens: Any) -> list[int]:
    """Ids that a user gives in place of a text.

    Raises:
        ArgumentError: they are none.
    """
    if not isinstance(tokens, (str, bytes, bytearray, Mapping)):
        try:
            return list(map(operator.index, tokens))
        except TypeError:
            pass
    raise ArgumentError(f"a prompt of {described(tokens)}: expected a text, or ids of tokens")


def check_text(tokens: Sequence[int], n_tokens: int, n_ctx: int, n_known: int = 0) -> None:
    """Raises ArgumentError unless it is a text that can be asked for where there is room for n_ctx tokens.

    Args:
        n_tokens: of the vocabulary.
        n_known: so many of its first tokens were looked at before.
    """
    if not 0 < len(tokens) <= n_ctx:
        raise ArgumentError(f"{len(tokens)} tokens: expected 1 to n_ctx, {n_ctx}")
    least, most = min(tokens[n_known:], default=0), max(tokens[n_known:], default=0)
    if least < 0 or most >= n_tokens:
        raise ArgumentError(f"tokens from {least} to {most}: there are 0 to {n_tokens - 1}")


@dataclass(eq=False)
class Text:
    """One whose keys and values are in the cache.

    Attributes:
        recalled: what recurrent layers remember of it, if there are any.
        n_guessed: how many of its last tokens were guesses: who needs the text without them may take them away.
        cache_salt: of the requests that it is shared with.
    """

    tokens: list[int]
    cached: CachedSequence
    recalled: Snapshots | None = None
    n_guessed: int = 0
    cache_salt: str = ""

    def reach(self, n_tokens: int) -> int:
        """The most tokens, not more than so many, that it can be rolled back to."""
        return n_tokens if self.recalled is None else self.recalled.reach(n_tokens)

    def truncate(self, n_tokens: int) -> None:
        """Rolls back to so many tokens."""
        del self.tokens[n_tokens:]
        self.cached.truncate(n_tokens)
        if self.recalled is not None:
            self.recalled.truncate(n_tokens)

    def fork(self, n_tokens: int) -> Text:
        """Another one, of its first tokens; nothing is copied yet."""
        cached = self.cached.fork()
        cached.truncate(n_tokens)
        recalled = None if self.recalled is None else self.recalled.fork(n_tokens)
        return Text(self.tokens[:n_tokens], cached, recalled, cache_salt=self.cache_salt)

    def append(self, n_tokens: int, n_guessed: int) -> I32:
        """Room for more tokens, of which some may be guesses: their positions.

        Raises:
            DspMemoryError: there is none; nothing has changed.
        """
        if self.recalled is not None:
            start = len(self.tokens)
            self.recalled.begin(start, start + n_tokens, n_guessed)
        return self.cached.append(n_tokens)

    def pin(self) -> None:
        """Goes on to be able to come back to where it is now."""
        if self.recalled is not None:
            self.recalled.pinned = len(self.tokens)

    def add(self, tokens: Sequence[int]) -> None:
        """They have been computed."""
        self.tokens += tokens
        if self.recalled is not None:
            self.recalled.finish()

    def load(self, tokens: list[int], saved: Mapping[str, npt.NDArray[Any]]) -> None:
        """Becomes these tokens, with what was saved of them; it has none yet.

        Raises:
            ArgumentError: it is of another cache, or not what was saved.
            DspMemoryError: it does not fit.
        """
        self.cached.load(dict(saved))
        if len(self.cached) != len(tokens):
            raise ArgumentError(f"{len(tokens)} tokens were saved, and keys and values of {len(self.cached)}")
        if self.recalled is not None:
            self.recalled.load(len(tokens), saved)
        self.tokens = tokens

    def close(self) -> None:
        """Gives back what it has. Again is a no-op."""
        self.cached.close()
        if self.recalled is not None:
            self.recalled.close()


class Likeliest(NamedTuple):
    """Tokens that may follow, the likeliest first.

    Attributes:
        ids, logits: of each.
        log_sum: the logarithm of the sum over the exponentials of all logits.
    """

    ids: I32
    logits: F32
    log_sum: float

    def first(self, n: int) -> Likeliest:
        """So many of them."""
        return Likeliest(self.ids[:n], self.logits[:n], self.log_sum)

    def with_logprobs(self) -> tuple[tuple[int, float], ...]:
        """Each id with the logarithm of its probability."""
        return tuple(zip(self.ids.tolist(), (self.logits - self.log_sum).tolist(), strict=True))

    def drawn(self, draw: Callable[[F32], int]) -> tuple[int, float]:
        """A token, as a sampler takes it, and the logarithm of its probability."""
        at = draw(self.logits)
        return int(self.ids[at]), float(self.logits[at]) - self.log_sum


@dataclass(eq=False)
class TextRequest:
    """A text, and what may follow it when that is known.

    Attributes:
        tokens: of the text.
        n_top: how many of the likeliest tokens are wanted; 0: all logits.
        n_wanted: after how many of its last tokens it is wanted what may follow; one message gives all of it.
        n_guessed: how many of its last tokens are guesses, which the next text perhaps does not have.
        cache_salt: it uses what is cached of requests with the same one only.
        is_sent: whether all messages for it are on their way.
        is_ready: whether it is known; then what is wanted stands in one of the next two, in the order of the tokens.
        all_logits: (V,) each.
        all_likeliest: the first n_top.
    """

    tokens: Sequence[int]
    n_top: int = 0
    n_wanted: int = 1
    n_guessed: int = 0
    cache_salt: str = ""
    is_sent: bool = False
    is_ready: bool = False
    all_logits: Sequence[F32] = ()
    all_likeliest: Sequence[Likeliest] = ()
    text: Text | None = field(default=None, repr=False)  # which goes on to be it

    @property
    def logits(self) -> F32:
        """After the last token."""
        return self.all_logits[-1]

    @property
    def likeliest(self) -> Likeliest:
        """After the last token."""
        return self.all_likeliest[-1]

    @property
    def n_left(self) -> int:
        """How many tokens are not in the cache."""
        return len(self.tokens) - (0 if self.text is None else len(self.text.tokens))

    def next_piece(self, n_free: int, *, is_alone: bool) -> Sequence[int]:
        """The tokens that go into a message next, perhaps none.

        Args:
            n_free: so many at most.
            is_alone: whether no other text is in the message: then lengths are those that there are programs for.
        """
        rest = self.tokens[len(self.tokens) - self.n_left :]
        if self.n_wanted > 1:
            if len(rest) < 2 * self.n_wanted:
                return rest if len(rest) <= n_free else ()
            rest = rest[: -self.n_wanted]
        return next(pieces(rest)) if is_alone else rest[:n_free]


def pieces(tokens: Sequence[int]) -> Iterator[Sequence[int]]:
    """A prompt in as few pieces as there are programs for: of 64 tokens, and of powers of two."""
    at = 0
    while at < len(tokens):
        n_left = len(tokens) - at
        n = min(LARGEST_PIECE, 1 << (n_left.bit_length() - 1))
        yield tokens[at : at + n]
        at += n


def n_common(before: list[int], after: Sequence[int]) -> int:
    """How many tokens both begin with."""
    n = min(len(before), len(after))
    beginning = after[:n]
    if (before if n == len(before) else before[:n]) == (beginning if type(beginning) is list else list(beginning)):
        return n
    return next(at for at in range(n) if before[at] != after[at])
