# SPDX-License-Identifier: MIT
"""How a text goes on: token by token, or several in a message where they were guessed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.batch import Asked, Batch
from pyhexagon.llm.engine import Engine, Running
from pyhexagon.llm.harmony import Harmony, Said
from pyhexagon.llm.sampling import Logits, Processor, Sampler, first_of, log_probabilities
from pyhexagon.llm.speculation import Draft, ModelDraft
from pyhexagon.llm.stopping import Stop
from pyhexagon.llm.texts import LARGEST_PIECE, TextRequest
from pyhexagon.llm.tokenizer import Tokenizer

FinishReason = Literal["stop", "length"]
ENDLESS: Final = 1 << 62


@dataclass(frozen=True)
class Part:
    """What one token adds.

    Attributes:
        text: that it completes; it never ends within a character. One that the limit of tokens cuts is left out; its
            bytes are in the tokens.
        token: its id.
        logprob: of the token, in the model's own distribution: before processors and temperature.
        finish_reason: of the last part: "stop" (the model or a stop text ended it) or "length"; None of all others.
        from_draft: whether the draft had guessed it.
        draft_n: of a token that a message begins with: how many guesses were in that message.
        likeliest: the tokens that were likeliest in its place, as many as were asked for, and the logarithm of the
            probability of each, as ``logprob``.
        reasoning: what the model thinks before its answer, where ``stream`` takes it apart.
    """

    text: str
    token: int
    logprob: float
    finish_reason: FinishReason | None
    from_draft: bool = False
    draft_n: int = 0
    likeliest: tuple[tuple[int, float], ...] = ()
    reasoning: str = ""


@dataclass(frozen=True)
class Generation:
    """A text that was generated.

    Attributes:
        prompt_tokens, tokens: ids; the end's among them.
        prompt_seconds: until the first token was there.
        generation_seconds: for the others.
        draft_n, draft_n_accepted: tokens that a draft guessed, and those of them that came.
        reasoning: as of ``Part``.
    """

    text: str
    prompt_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish_reason: FinishReason
    prompt_seconds: float
    generation_seconds: float
    draft_n: int = 0
    draft_n_accepted: int = 0
    reasoning: str = ""


class How(NamedTuple):
    """How a text goes on.

    Attributes:
        n_most: ends after so many tokens.
        stop: texts that end it.
        draw: the sampler.
        chain: processors of the logits before it.
        n_top: the sampler sees so many of the likeliest tokens, and only these come from the DSP; 0: all logits.
        draft: guesses what comes.
        n_draft: so many tokens at once, or fewer; 0: none.
        n_keep: where a text may grow beyond n_ctx, how many of its first tokens the model goes on to see.
        n_likeliest: how many tokens ``Part.likeliest`` has.
        cache_salt: see ``LLM.stream``.
        harmony: takes the channels of the answer apart.
    """

    n_most: int
    stop: Stop
    draw: Sampler
    chain: Sequence[Processor]
    n_top: int
    draft: Draft | None = None
    n_draft: int = 0
    n_keep: int = 0
    n_likeliest: int = 0
    cache_salt: str = ""
    harmony: Harmony | None = None


class _Drawn(NamedTuple):
    """A token; the rest as ``Part`` has it."""

    token: int
    logprob: float
    from_draft: bool
    draft_n: int
    likeliest: tuple[tuple[int, float], ...]


Course = Iterator[Asked | Part]  # of a text that goes on: what it asks for, and what that gives


def course(batch: Batch, tokenizer: Tokenizer, tokens: list[int], how: How) -> Course:
    """How a text goes on; tokens are appended to it. It goes on when what it asked for last is ready."""
    decoder, stop, n_left = tokenizer.decoder(after=tokens), how.stop, how.n_most
    for drawn in _drawn(batch, tokens, how):
        if isinstance(drawn, Asked):
            yield drawn
            continue
        n_left -= 1
        is_end = drawn.token in tokenizer.ends
        said = _said(how.harmony, drawn.token, decoder.add(drawn.token))
        text, reasoning = stop.add(said.content), said.reasoning
        if (is_end or not n_left) and not stop.is_there:
            left = decoder.rest() if is_end else ""  # at the limit a character that is cut is not shown
            said = Said(left) if how.harmony is None else how.harmony.rest(left)
            text, reasoning = text + stop.add(said.content), reasoning + said.reasoning
            text += "" if stop.is_there else stop.rest()
        reason: FinishReason | None = "stop" if is_end or stop.is_there else None if n_left else "length"
        yield Part(
            text, drawn.token, drawn.logprob, reason, drawn.from_draft, drawn.draft_n, drawn.likeliest, reasoning
        )
        if reason is not None:
            return


def _said(harmony: Harmony | None, token: int, text: str) -> Said:
    return Said(text) if harmony is None else harmony.add(token, text)


_SCORED: Final = 16  # tokens in one message, beside what others need there


def scored(
    batch: Batch, tokenizer: Tokenizer, tokens: Sequence[int], n_likeliest: int, *, is_all: bool, cache_salt: str = ""
) -> Course:
    """What a model thinks of the tokens of a text, each after those before it.

    Args:
        is_all: whether nothing comes after it: the last part tells so.
    """
    decoder, n = tokenizer.decoder(), len(tokens)
    logprob, likeliest = float("nan"), first_of(np.empty(0), 0)  # there is nothing before the first
    at = 0
    while at < n:
        end = min(at + _SCORED, n - 1)
        rows: Sequence[Logits] = ()
        if end > at:
            asked = batch.ask(tokens[:end], n_wanted=end - at, n_known=at, cache_salt=cache_salt)
            yield asked
            rows = asked.request.all_logits
        for place in range(at, end + (end == n - 1)):
            text = decoder.add(tokens[place])
            is_end = is_all and place == n - 1
            text += decoder.rest() if place == n - 1 else ""
            yield Part(text, tokens[place], logprob, "length" if is_end else None, likeliest=likeliest)
            if place < end:
                logprobs = log_probabilities(rows[place - at])
                logprob = float(logprobs[tokens[place + 1]])
                likeliest = first_of(logprobs, n_likeliest)
        at = end + (end == n - 1)


class Stream:
    """Parts of a text, each computed when it is asked for; or, without that, how it goes on.

    Attributes:
        course: for ``pyhexagon.llm.engine``, in place of the parts.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self._parts = _parts(course)

    def __iter__(self) -> Iterator[Part]:
        return self

    def __next__(self) -> Part:
        return next(self._parts)

    def close(self) -> None:
        """Ends it."""
        self._parts.close()


def _parts(course: Course) -> Generator[Part, None, None]:
    for one in course:
        if isinstance(one, Asked):
            one.batch.finish(one.request)
        else:
            yield one


def _drawn(batch: Batch, tokens: list[int], how: How) -> Iterator[Asked | _Drawn]:
    """Tokens, each appended to the text. What the model sees of that has room for n_ctx.

    After wrong guesses fewer are made: each costs something, and texts that can be guessed alternate with others.
    """
    seen, guesses, n_left, n_draft = list(tokens), list[int](), how.n_most, how.n_draft
    n_known = 0
    while n_left:
        n_seen, n_right = len(seen), 0
        asked = batch.ask(
            [*seen, *guesses], how.n_top, n_guessed=len(guesses), n_known=n_known, cache_salt=how.cache_salt
        )
        yield asked
        for drawn in _of_a_message(asked.request, tokens, guesses, how):
            seen.append(drawn.token)
            n_right += drawn.from_draft
            n_left -= 1
            yield drawn
        n_known = n_seen
        if len(seen) == batch.n_ctx and n_left:
            del seen[how.n_keep : how.n_keep + (len(seen) - how.n_keep + 1) // 2]
            n_known = 0
        n_draft = min(how.n_draft, 2 * n_right + 1) if guesses else n_draft
        n_most_guessed = min(n_draft, n_left - 1, batch.n_ctx - len(seen) - 1)
        if how.draft is None or n_most_guessed < 1:
            guesses = []
        elif isinstance(how.draft, ModelDraft):
            guesses = yield from how.draft.course(seen, n_most_guessed, how.cache_salt)
        else:
            guesses = list(how.draft(seen, n_most_guessed))


def _of_a_message(request: TextRequest, tokens: list[int], guesses: Sequence[int], how: How) -> Iterator[_Drawn]:
    """Tokens that follow a text without its guesses: one more than of these were right.

    Each is drawn from the logits that it would be drawn from without guesses, in the same order, and so are the random
    numbers: it is the same token.
    """
    for at, guess in enumerate([*guesses, None]):
        if how.n_top:
            top = request.all_likeliest[at]
            token, logprob = top.drawn(how.draw)
            likeliest = top.first(how.n_likeliest).with_logprobs() if how.n_likeliest else ()
        else:
            given = request.all_logits[at]
            token = _picked(_processed(given, tokens, how.chain), how.draw)
            logprobs = log_probabilities(given)
            logprob = float(logprobs[token])
            likeliest = first_of(logprobs, how.n_likeliest) if how.n_likeliest else ()
        tokens.append(token)
        yield _Drawn(token, logprob, token == guess, 0 if at else len(guesses), likeliest)
        if token != guess:
            return


def _processed(given: Logits, tokens: Sequence[int], chain: Sequence[Processor]) -> Logits:
    logits = given
    for process in chain:
        logits = process(tokens, logits)
        if not isinstance(logits, np.ndarray) or logits.shape != given.shape:
            raise ArgumentError(f"a processor gave {described(logits)}: expected logits {given.shape}")
    if chain and not logits.max() > -np.inf:
        raise ArgumentError("processors and biases leave no token")
    return logits


def _picked(logits: Logits, draw: Sampler) -> int:
    token = draw(logits)
    if not isinstance(token, (int, np.integer)) or not 0 <= token < len(logits):
        raise ArgumentError(f"a sampler gave {described(token)}: expected a token, 0 to {len(logits) - 1}")
    return int(token)


class _Gathering:
    """Puts the parts of a text together, and takes the time."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = tuple(ids)
        self._start = self._now = time.perf_counter()
        self._first = 0.0
        self._parts: list[Part] = []

    def add(self, part: Part) -> None:
        """The next one."""
        self._parts.append(part)
        self._now = time.perf_counter()
        self._first = self._first or self._now - self._start

    def whole(self) -> Generation:
        """All of them."""
        whole = self._parts
        return Generation(
            text="".join(part.text for part in whole),
            prompt_tokens=self._ids,
            tokens=tuple(part.token for part in whole),
            logprobs=tuple(part.logprob for part in whole),
            finish_reason=(whole[-1].finish_reason if whole else None) or "length",
            prompt_seconds=self._first,
            generation_seconds=self._now - self._start - self._first,
            draft_n=sum(part.draft_n for part in whole),
            draft_n_accepted=sum(part.from_draft for part in whole),
            reasoning="".join(part.reasoning for part in whole),
        )


def gathered(ids: Sequence[int], made: Iterable[Part]) -> Generation:
    """All parts together."""
    gathering = _Gathering(ids)
    for part in made:
        gathering.add(part)
    return gathering.whole()


def all_gathered(
    engine: Engine[Part], texts: Sequence[Sequence[int]], courses: Sequence[Course]
) -> list[Generation]:
    """Of several texts that go on side by side, as many at once as a message holds."""
    gatherings = {Running(course): _Gathering(ids) for ids, course in zip(texts, courses, strict=True)}
    waiting = deque(gatherings)
    try:
        while waiting or engine.running:
            while waiting and len(engine.running) < LARGEST_PIECE:
                engine.add(waiting.popleft())
            for one in engine.step():
                if one.error is not None:
                    raise one.error
                for part in one.taken():
                    gatherings[one].add(part)
    finally:
        for one in list(engine.running):
            engine.remove(one)
    return [gathering.whole() for gathering in gatherings.values()]
