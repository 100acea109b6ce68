# SPDX-License-Identifier: MIT
"""Decoding: the forward passes that a completion takes, and the chunks that they give.

Each function here is a generator of *steps*: it yields the forward passes that it needs, one after the other, and is
resumed when they are done; and it yields the chunks that it produces.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.generation import FinishReason, GenerationChunk, ReasoningDelta, ReasoningParser, Steps
from pyhexagon.llm.engine.sampling import Logits, Processor, Sampler, log_probabilities, top_logprobs_of
from pyhexagon.llm.engine.sequence import NO_SALT, Salt
from pyhexagon.llm.engine.speculation import Draft, ModelDraft, MTPDraft
from pyhexagon.llm.engine.stopping import Stop
from pyhexagon.llm.tokens.tokenizer import Tokenizer

UNLIMITED: Final = 1 << 62  # tokens
_SCORED: Final = 16  # tokens of a prompt whose logits one message returns


@dataclass(frozen=True)
class DecodeConfig:
    """The sampling parameters of a request, validated and resolved.

    Attributes:
        max_tokens: at most, 1 or more.
        stop: finds stop sequences.
        sampler: draws a token from logits.
        processors: of the logits, applied before the sampler.
        n_top: number of top logits that the sampler sees, which are all that leave the DSP; 0: all logits.
        draft: proposes draft tokens; None: there are none.
        num_draft_tokens: per forward pass, at most; 0: none.
        n_keep: number of first tokens that a context shift keeps.
        top_logprobs: number of ``GenerationChunk.top_logprobs``.
        salt: of prefix caching, with the request's LoRA adapters.
        turn: where the last user's turn of the prompt begins, see ``ForwardPass``.
        reasoning: tells reasoning apart from the content.
        visible: control tokens whose names are text of the completion.
        embeddings: of tokens with negative ids in the prompt.
        warnings: what of the grammar or JSON schema is ignored.
    """

    max_tokens: int
    stop: Stop
    sampler: Sampler
    processors: Sequence[Processor]
    n_top: int
    draft: Draft | MTPDraft | None = None
    num_draft_tokens: int = 0
    n_keep: int = 0
    top_logprobs: int = 0
    salt: Salt = NO_SALT
    turn: int = 0
    reasoning: ReasoningParser | None = None
    visible: Sequence[int] = ()
    embeddings: Embeddings = NO_EMBEDDINGS
    warnings: Sequence[str] = ()


def completion(engine: Engine, tokenizer: Tokenizer, tokens: list[int], config: DecodeConfig) -> Steps:
    """Yield the steps of a completion. Its tokens are appended to ``tokens``.

    The number of draft tokens falls after a rejection, since each costs time, and grows with accepted ones: text that
    can be predicted alternates with text that cannot.
    """
    after = _without_embeddings(tokens) if config.embeddings.rows else tokens
    decoder = tokenizer.decoder(after=after, visible=config.visible)
    stop, parser, ends = config.stop, config.reasoning, tokenizer.ends
    seen = list(tokens)  # the model's context after context shifts
    n_left, n_checked, n_cached = config.max_tokens, 0, -1
    draft: list[int] = []
    num_draft_tokens = config.num_draft_tokens
    while True:
        forward = engine.forward(
            seen + draft if draft else seen, config.n_top, n_draft=len(draft), n_checked=n_checked,
            salt=config.salt, embeddings=config.embeddings,
        )  # fmt: skip
        if n_cached < 0:
            forward.turn = config.turn
        yield forward
        n_cached = max(0, forward.n_cached) if n_cached < 0 else 0  # of the first pass
        n_checked, n_accepted, row = len(seen), 0, 0
        while True:  # for each draft token that is accepted, and once more
            token, logprob, top = _draw(forward, row, tokens, config)
            tokens.append(token)
            seen.append(token)
            n_left -= 1
            proposed = draft[row] if row < len(draft) else None
            is_end = token in ends
            text, reasoning = decoder.add(token), ""
            if parser is not None:
                delta = parser.add(token, text)
                text, reasoning = delta.content, delta.reasoning
            text = stop.add(text)
            if (is_end or not n_left) and not stop.is_found:
                rest = decoder.rest() if is_end else ""  # at max_tokens an incomplete character is dropped
                delta = ReasoningDelta(rest) if parser is None else parser.rest(rest)
                text, reasoning = text + stop.add(delta.content), reasoning + delta.reasoning
                text += "" if stop.is_found else stop.rest()
            reason: FinishReason | None = "stop" if is_end or stop.is_found else None if n_left else "length"
            is_accepted = token == proposed
            yield GenerationChunk(
                text, token, logprob, reason, is_accepted, 0 if row else len(draft), top, reasoning, n_cached
            )
            if reason is not None:
                return
            n_accepted += is_accepted
            if not is_accepted:
                break
            row += 1
        if len(seen) == engine.n_ctx:
            del seen[config.n_keep : config.n_keep + (len(seen) - config.n_keep + 1) // 2]
            n_checked = 0
        if config.draft is not None:
            num_draft_tokens = min(config.num_draft_tokens, 2 * n_accepted + 1) if draft else num_draft_tokens
            draft = yield from _proposed(engine, seen, (forward, row), min(num_draft_tokens, n_left - 1), config)


def _proposed(
    engine: Engine, seen: list[int], last: tuple[ForwardPass, int], n_max: int, config: DecodeConfig
) -> Generator[ForwardPass, None, list[int]]:
    """Return draft tokens, at most n_max and no more than fit into the context; yield the steps of a draft model.

    Args:
        last: the pass, and its row, from which the last token was drawn.
    """
    n_max = min(n_max, engine.n_ctx - len(seen) - 1)
    if n_max < 1 or config.draft is None:
        return []
    if isinstance(config.draft, MTPDraft):
        forward = config.draft.forward(seen, *last, n_max)
        yield forward
        return forward.draft
    if isinstance(config.draft, ModelDraft):
        return (yield from config.draft.steps(seen, n_max, (config.salt[0], ())))  # it has no adapters
    return list(config.draft(seen, n_max))


def _draw(
    forward: ForwardPass, row: int, tokens: Sequence[int], config: DecodeConfig
) -> tuple[int, float, tuple[tuple[int, float], ...]]:
    """Return the next token, its log-probability and the top log-probabilities.

    A row's logits and random numbers do not depend on draft tokens, so its token does not either.
    """
    n = config.top_logprobs
    if config.n_top:
        top = forward.all_top[row]
        at = config.sampler(top.logits)
        return int(top.ids[at]), float(top.logits[at]) - top.log_sum, top.first(n).logprobs() if n else ()
    logits = forward.all_logits[row]
    if config.embeddings.rows:
        tokens = _without_embeddings(tokens)
    token = _sample(_process(logits, tokens, config.processors), config.sampler)
    logprobs = log_probabilities(logits)
    return token, float(logprobs[token]), top_logprobs_of(logprobs, n) if n else ()


def _without_embeddings(tokens: Sequence[int]) -> Sequence[int]:
    """Return the tokens that are in the vocabulary."""
    return [token for token in tokens if token >= 0]


def _process(given: Logits, tokens: Sequence[int], processors: Sequence[Processor]) -> Logits:
    logits = given
    for process in processors:
        logits = process(tokens, logits)
        if not isinstance(logits, np.ndarray) or logits.shape != given.shape:
            raise ArgumentError(f"a processor gave {described(logits)}: expected logits {given.shape}")
    if processors and not logits.max() > -np.inf:
        raise ArgumentError("processors and biases leave no token")
    return logits


def _sample(logits: Logits, sampler: Sampler) -> int:
    token = sampler(logits)
    if not isinstance(token, (int, np.integer)) or not 0 <= token < len(logits):
        raise ArgumentError(f"a sampler gave {described(token)}: expected a token, 0 to {len(logits) - 1}")
    return int(token)


def prompt_logprobs(
    engine: Engine,
    tokenizer: Tokenizer,
    tokens: Sequence[int],
    top_logprobs: int,
    *,
    is_all: bool,
    salt: Salt = NO_SALT,
) -> Steps:
    """Yield the steps that give each token of a prompt its log-probability.

    Args:
        engine, tokenizer: of the model.
        tokens: of the prompt.
        top_logprobs: number of ``GenerationChunk.top_logprobs``.
        is_all: no completion follows: the last chunk has a finish reason.
        salt: as of ``DecodeConfig``.
    """
    decoder, n = tokenizer.decoder(), len(tokens)
    logprob, top = float("nan"), top_logprobs_of(np.empty(0), 0)  # nothing precedes the first token
    at = 0
    while at < n:
        end = min(at + _SCORED, n - 1)
        rows: Sequence[Logits] = ()
        if end > at:
            forward = engine.forward(tokens[:end], n_logits=end - at, n_checked=at, salt=salt)
            yield forward
            rows = forward.all_logits
        for place in range(at, end + (end == n - 1)):
            text = decoder.add(tokens[place])
            is_end = is_all and place == n - 1
            text += decoder.rest() if place == n - 1 else ""
            yield GenerationChunk(text, tokens[place], logprob, "length" if is_end else None, top_logprobs=top)
            if place < end:
                logprobs = log_probabilities(rows[place - at])
                logprob = float(logprobs[tokens[place + 1]])
                top = top_logprobs_of(logprobs, top_logprobs)
        at = end + (end == n - 1)
