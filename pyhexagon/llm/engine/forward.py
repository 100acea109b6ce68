# SPDX-License-Identifier: MIT
"""A forward pass: the tokens of one sequence, and the logits that the model computes after the last ones."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.sequence import NO_SALT, Salt, TokenSequence
from pyhexagon.llm.graph.lora import Adapters

MAX_BATCH_TOKENS: Final = 64  # tokens in one message, of all sequences together
MAX_TOP_LOGITS: Final = 64  # logits per row that the DSP selects; samplers that need more read all logits

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


def power_of_two(n: int) -> int:
    """Return the smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def token_ids(tokens: Any) -> list[int]:
    """Return the token ids of a prompt that a user passes in place of a string.

    Raises:
        ArgumentError: ``tokens`` is no sequence of integers.
    """
    if not isinstance(tokens, (str, bytes, bytearray, Mapping)):
        try:
            return list(map(operator.index, tokens))
        except TypeError:
            pass
    raise ArgumentError(f"a prompt of {described(tokens)}: expected a text, or ids of tokens")


def check_tokens(
    tokens: Sequence[int], n_vocab: int, n_ctx: int, n_checked: int = 0, embeddings: Embeddings = NO_EMBEDDINGS
) -> None:
    """Raise ArgumentError unless there are 1 to n_ctx tokens, and all of them are in the vocabulary or have embeddings.

    Args:
        tokens: of a sequence.
        n_vocab: size of the vocabulary.
        n_ctx: context length.
        n_checked: the first n_checked tokens were checked earlier.
        embeddings: of negative ids.
    """
    n = len(tokens)
    if not 0 < n <= n_ctx:
        raise ArgumentError(f"{n} tokens: expected 1 to n_ctx, {n_ctx}")
    if n == n_checked + 1:  # a decode step
        least = most = tokens[-1]
    else:
        unchecked = tokens[n_checked:]
        if embeddings.rows:
            unchecked = [token for token in unchecked if token not in embeddings]
        least, most = min(unchecked, default=0), max(unchecked, default=0)
    if least < 0 or most >= n_vocab:
        raise ArgumentError(f"tokens from {least} to {most}: there are 0 to {n_vocab - 1}")


class TopLogits(NamedTuple):
    """The largest logits of one position, largest first.

    Attributes:
        ids: (K,) int32 tokens.
        logits: (K,) float32.
        log_sum: log(sum(exp(logit))) over the whole vocabulary.
    """

    ids: I32
    logits: F32
    log_sum: float

    def first(self, n: int) -> TopLogits:
        """Return the n largest."""
        return TopLogits(self.ids[:n], self.logits[:n], self.log_sum)

    def logprobs(self) -> tuple[tuple[int, float], ...]:
        """Return each token with its log-probability."""
        return tuple(zip(self.ids.tolist(), (self.logits - self.log_sum).tolist(), strict=True))


class PassEngine(Protocol):
    """The interface of ``Engine``: it computes forward passes."""

    def compute(self, forwards: Sequence[ForwardPass]) -> None:
        """Send one message for these passes."""

    def finish(self, forward: ForwardPass) -> None:
        """Compute a pass to its end."""

    def abort(self, forward: ForwardPass) -> None:
        """Give up a pass."""


@dataclass(eq=False)
class ForwardPass:
    """A forward pass that a sequence needs before its request can continue.

    Attributes:
        tokens: of the whole sequence. The KV cache holds a prefix of them; the engine computes the rest.
        n_top: number of largest logits to return for each position; 0 returns all logits.
        n_logits: number of last positions whose logits are returned; one message computes all of these.
        n_draft: number of last tokens that are draft tokens, which the next pass may not contain.
        salt: prefix caching is restricted to passes with the same salt, which has the LoRA adapters of the pass.
        embeddings: of tokens with negative ids.
        engine: computes the pass.
        is_of_draft: the engine is a draft model's.
        is_scheduled: all messages of the pass were sent.
        is_done: the logits are there, in the order of the tokens.
        all_logits: n_logits rows of (V,) float32, if n_top is 0.
        all_top: n_logits TopLogits of n_top entries, if n_top is not 0.
        all_hidden: with an MTP block, n_logits rows of the model before the output matrix, (width,) float32.
        sequence: holds the computed prefix while messages of the pass remain to be sent.
        turn: where the last user's turn begins, for models with a recurrent state; 0: unknown.
        marks: lengths at which a message ends, because a checkpoint of recurrent state is kept there.
        is_beam: other passes that wait may extend the same prefix, which they then share.
        encoder_input: of an encoder-decoder model: to its encoding the pass attends.
        n_cached: number of tokens that the KV cache had when the pass began; -1 before that.
        n_skipped: number of messages that the batcher considered it for, without sending all of it.
        computed: the sequence that held all tokens when the last message was sent.
    """

    tokens: list[int]
    n_top: int = 0
    n_logits: int = 1
    n_draft: int = 0
    salt: Salt = NO_SALT
    embeddings: Embeddings = NO_EMBEDDINGS
    engine: PassEngine | None = field(default=None, repr=False)
    is_of_draft: bool = False
    is_scheduled: bool = False
    is_done: bool = False
    all_logits: Sequence[F32] = ()
    all_top: Sequence[TopLogits] = ()
    all_hidden: Sequence[F32] = field(default=(), repr=False)
    sequence: TokenSequence | None = field(default=None, repr=False)
    turn: int = 0
    marks: Sequence[int] = ()
    is_beam: bool = False
    encoder_input: EncoderInput | None = field(default=None, repr=False)
    n_cached: int = -1
    n_skipped: int = 0
    computed: TokenSequence | None = field(default=None, repr=False)

    @property
    def logits(self) -> F32:
        """The logits after the last token, (V,) float32."""
        return self.all_logits[-1]

    @property
    def top(self) -> TopLogits:
        """The largest logits after the last token."""
        return self.all_top[-1]

    @property
    def adapters(self) -> Adapters:
        """The LoRA adapters of the pass."""
        return self.salt[1]

    @property
    def n_left(self) -> int:
        """Number of tokens that are not in the KV cache."""
        return len(self.tokens) - (0 if self.sequence is None else len(self.sequence.tokens))

    def n_block(self, n_left: int) -> int:
        """Return how many of the next tokens attend to each other in both directions: a message of their own computes
        them. 0: the next token attends to those before it.
        """
        return self.embeddings.blocks.get(self.tokens[-n_left], 0)

    def next_chunk(self, n_left: int, token_budget: int, prompt_budget: int, *, is_alone: bool) -> Sequence[int]:
        """Return the tokens that join the next message, perhaps none.

        Args:
            n_left: as the property has it.
            token_budget: tokens that the message has room for; a block (``n_block``) ignores it.
            prompt_budget: the part of it that a prefill chunk may take; a pass that one message has to compute, such
                as the verification of draft tokens, ignores it.
            is_alone: the message holds no other sequence. Then the number of tokens is a power of two, so that few
                programs are compiled.
        """
        rest = self.tokens[len(self.tokens) - n_left :]
        if self.embeddings.blocks:
            n_block = self.n_block(n_left)
            if n_block:
                return rest[:n_block]
            n_before = next((at for at, token in enumerate(rest) if token in self.embeddings.blocks), len(rest))
            rest = rest[:n_before]
        if self.n_logits > 1:
            if n_left < 2 * self.n_logits:
                return rest if n_left <= token_budget else []
            rest = rest[: -self.n_logits]
        prompt_budget = min(prompt_budget, token_budget)
        for mark in self.marks:
            if mark > len(self.tokens) - n_left:
                prompt_budget = min(prompt_budget, mark - (len(self.tokens) - n_left))
                break
        if is_alone and prompt_budget:
            return next(prefill_chunks(rest, prompt_budget))
        return rest[:prompt_budget]


@dataclass(eq=False)
class DraftPass(ForwardPass):
    """Draft tokens of the model's own MTP block: one message.

    Attributes:
        tokens: of the whole sequence; the last one was just sampled and is not in the KV cache.
        row: of the model after the token before that, (width,) float32.
        n_wanted: number of draft tokens.
        draft: the draft tokens, if it is done: fewer if the KV cache has no room, none if it lost the sequence.
    """

    row: F32 = field(default_factory=lambda: np.zeros(0, np.float32), repr=False)
    n_wanted: int = 0
    draft: list[int] = field(default_factory=list)


def prefill_chunks(tokens: Sequence[int], n_batch: int = MAX_BATCH_TOKENS) -> Iterator[Sequence[int]]:
    """Yield a prompt in the fewest chunks that have a program: powers of two up to n_batch, which is at most 64."""
    at = 0
    while at < len(tokens):
        n_left = min(len(tokens) - at, n_batch)
        n = 1 << (n_left.bit_length() - 1)
        yield tokens[at : at + n]
        at += n
