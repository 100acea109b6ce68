# SPDX-License-Identifier: MIT
"""A model that runs: a cache for several texts, and the programs that add to it.

Nobody need say which text goes on: a text is given whole, and only what no kept text begins with is computed. What is
kept stays until its pages are needed. Texts that are asked for together share messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import PAGE_TOKENS, Cache, CachedSequence, page_bytes
from pyhexagon.errors import ArgumentError, DspMemoryError
from pyhexagon.llm.config import Config
from pyhexagon.llm.model import Model
from pyhexagon.llm.step import Result, Step
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

LARGEST_PIECE: Final = 64  # tokens in one message

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
_NOTHING: Final = np.empty(0, np.float32)
Saved = dict[str, Any]  # arrays


@dataclass(eq=False)
class _Text:
    """One whose keys and values are in the cache."""

    tokens: list[int]
    cached: CachedSequence


class Likeliest(NamedTuple):
    """Tokens that may follow, the likeliest first.

    Attributes:
        ids, logits: of each.
        log_sum: the logarithm of the sum over the exponentials of all logits.
    """

    ids: I32
    logits: F32
    log_sum: float

    def drawn(self, draw: Callable[[F32], int]) -> tuple[int, float]:
        """A token, as a sampler takes it, and the logarithm of its probability."""
        at = draw(self.logits)
        return int(self.ids[at]), float(self.logits[at]) - self.log_sum


_NONE: Final = Likeliest(np.empty(0, np.int32), _NOTHING, 0.0)


@dataclass(eq=False)
class TextRequest:
    """A text, and what may follow it when that is known.

    Attributes:
        tokens: of the text.
        n_top: how many of the likeliest tokens are wanted; 0: all logits.
        is_ready: whether it is known; then what is wanted stands in one of the next two.
        logits: (V,).
        likeliest: the first n_top.
    """

    tokens: Sequence[int]
    n_top: int = 0
    is_ready: bool = False
    logits: F32 = field(default_factory=lambda: _NOTHING)
    likeliest: Likeliest = _NONE
    text: _Text | None = field(default=None, repr=False)  # which goes on to be it


class Context:
    """Texts, their keys and values in a cache, and the programs that add to it. Not for several threads at once.

    Args:
        model: what to run.
        n_ctx: how many tokens a text may have.
        n_texts: for how many of them there is room.
        kind: of the cache, see ``pyhexagon.cache``.

    Raises:
        ArgumentError: n_ctx or n_texts is not at least 1, or there is no such kind.
        DspMemoryError: the cache does not fit.
    """

    def __init__(self, model: Model, n_ctx: int, *, n_texts: int = 1, kind: str = "q8_0") -> None:
        config = model.config
        self.model, self.n_ctx = model, n_ctx
        self.n_pages = n_pages_of(_checked("n_ctx", n_ctx))
        self.cache = Cache(
            model.device,
            n_layers=config.n_layers,
            n_pages=self.n_pages * _checked("n_texts", n_texts),
            n_kv_heads=config.n_kv_heads[0],
            head_size=config.head_size,
            kind=kind,
        )
        self._rotations = model.rotations(n_ctx)
        self._texts: list[_Text] = []  # the one that was used last is the last
        self._epoch = model.device.epoch
        self._programs: dict[tuple[int, int, Result, int], Program] = {}

    def tensors(self) -> list[Tensor]:
        """All that it has in DSP memory: the cache, and how positions are rotated."""
        return [*self.cache.layers, *(rotation.turns for rotation in self._rotations.values())]

    @property
    def nbytes(self) -> int:
        """Of the cache in DSP memory."""
        return sum(layer.nbytes for layer in self.cache.layers)

    # --- What may follow ---

    def logits(self, tokens: Sequence[int]) -> F32:
        """What may follow a text: (V,).

        Raises:
            ArgumentError: there are no tokens, more than n_ctx, or one that does not exist.
            HexagonError: the device fails; the text must be computed anew then.
        """
        return self.logits_of([tokens])[0]

    def logits_of(self, texts: Sequence[Sequence[int]]) -> list[F32]:
        """What may follow each of several texts; at most 64 tokens of all of them go in one message."""
        requests = [TextRequest(tokens) for tokens in texts]
        for request in requests:
            self.check(request.tokens)
        while not all(request.is_ready for request in requests):
            self.step(requests)
        return [request.logits for request in requests]

    def all_logits(self, tokens: Sequence[int]) -> F32:
        """What may follow each beginning of a text: (T, V)."""
        return self._every(tokens, "every")

    def rows(self, tokens: Sequence[int]) -> F32:
        """What the model makes of each token of a text, before its output matrix: (T, width)."""
        return self._every(tokens, "hidden")

    def check(self, tokens: Sequence[int]) -> None:
        """Raises ArgumentError unless it is a text that can be asked for."""
        self.model.check(tokens, self.n_ctx)

    def reserve(self, tokens: Sequence[int]) -> I32:
        """Keeps a text of which nothing is computed: the caller writes keys and values to its pages, which are given.

        Raises:
            DspMemoryError: it is longer than there is room for.
        """
        text = _Text(list(tokens), self.cache.sequence())
        self._positions(text, len(tokens), [], is_needed=True)
        self._texts.append(text)
        pages: I32 = self.cache.tables([text.cached], self.n_pages)[0]
        return pages

    def truncate(self, n_tokens: int) -> None:
        """Of each kept text, keeps so many tokens."""
        for text in self._texts:
            del text.tokens[n_tokens:]
            text.cached.truncate(len(text.tokens))
        self._texts = [text for text in self._texts if text.tokens]

    def forget(self) -> None:
        """Keeps no text."""
        for text in self._texts:
            text.cached.close()
        self._texts.clear()

    # --- Messages ---

    def step(self, requests: Sequence[TextRequest]) -> None:
        """Sends one message, with tokens of requests that are not done; those that are complete get their logits.

        The shortest come first, so that no text waits for another one's long prompt. Those for which there are no
        pages wait until others are done.

        Raises:
            HexagonError: the device fails; requests that are not done begin anew at the next step.
        """
        self._forget_if_reopened()
        waiting = [request for request in requests if not request.is_ready]
        for request in waiting:
            request.text = request.text or self._text_for(request.tokens)
        waiting.sort(key=_n_left)
        try:
            taken = self._taken(waiting)
            done = [one.n_top for one, text, piece, _ in taken if len(text.tokens) + len(piece) == len(one.tokens)]
            n_top, result = max(done, default=0), _result(done)
            batch = [(text, piece) for _, text, piece, _ in taken]
            rows, likeliest = self._run(batch, [at for *_, at in taken], result, n_top)
        except BaseException:
            for request in waiting:
                if request.text is not None:
                    request.text.cached.close()  # nobody knows what it holds
                    request.text = None
            raise
        for at, (request, text, piece, _) in enumerate(taken):
            text.tokens += piece
            if not _n_left(request):
                request.text, request.is_ready = None, True
                self._texts.append(text)
                if request.n_top:
                    ids, logits, log_sum = likeliest[at]
                    request.likeliest = Likeliest(ids[: request.n_top], logits[: request.n_top], log_sum)
                else:
                    request.logits = rows[at]

    def _taken(self, waiting: Sequence[TextRequest]) -> list[tuple[TextRequest, _Text, Sequence[int], I32]]:
        """The requests that share a message, each with its text, the next tokens of it, and their positions."""
        taken: list[tuple[TextRequest, _Text, Sequence[int], I32]] = []
        n_free = LARGEST_PIECE
        for request in waiting:
            text = request.text
            if text is None or not n_free:
                break
            rest = request.tokens[len(text.tokens) :]
            piece = next(pieces(rest)) if len(waiting) == 1 else rest[:n_free]
            others = [one for one in waiting if one is not request and all(one is not other[0] for other in taken)]
            positions = self._positions(text, len(piece), others, is_needed=not taken)
            if positions is None:
                continue
            taken.append((request, text, piece, positions))
            n_free -= len(piece)
        return taken

    def _positions(self, text: _Text, n_tokens: int, others: list[TextRequest], *, is_needed: bool) -> I32 | None:
        """Room for more tokens of a text: of kept ones, the one that was not used for longest makes place first.

        Args:
            others: requests that must begin anew, if that is needed.
        """
        while (positions := self._appended(text, n_tokens)) is None:
            other = next((one for one in reversed(others) if one.text is not None), None)
            if self._texts:
                self._texts.pop(0).cached.close()
            elif not is_needed:
                return None
            elif other is not None and other.text is not None:
                other.text.cached.close()
                other.text = None
            else:
                return text.cached.append(n_tokens)  # which tells what is missing
        return positions

    @staticmethod
    def _appended(text: _Text, n_tokens: int) -> I32 | None:
        try:
            return text.cached.append(n_tokens)
        except DspMemoryError:
            return None

    def _text_for(self, tokens: Sequence[int]) -> _Text:
        """A text that these tokens begin with: a kept one, or what begins one, and shares its pages."""
        best = max(self._texts, key=lambda text: _n_common(text.tokens, tokens), default=None)
        n_kept = 0 if best is None else min(_n_common(best.tokens, tokens), len(tokens) - 1)
        if best is None or not n_kept:
            return _Text([], self.cache.sequence())
        self._texts.remove(best)
        if len(best.tokens) == len(tokens) == n_kept + 1:  # but for the last token it is the same
            del best.tokens[n_kept:]
            best.cached.truncate(n_kept)
        if n_kept == len(best.tokens):
            return best
        self._texts.append(best)
        cached = best.cached.fork()
        cached.truncate(n_kept)
        return _Text(best.tokens[:n_kept], cached)

    def _every(self, tokens: Sequence[int], result: Result) -> F32:
        """What a step gives for each token of a text: (T, ...)."""
        self.check(tokens)
        self._forget_if_reopened()
        text = _Text([], self.cache.sequence())
        rows: list[F32] = []
        for piece in pieces(tokens):
            positions = self._positions(text, len(piece), [], is_needed=True)
            if positions is not None:
                rows += self._run([(text, piece)], [positions], result)[0]
            text.tokens += piece
        self._texts.append(text)
        return np.stack(rows)

    def _run(
        self, batch: Sequence[tuple[_Text, Sequence[int]]], positions: Sequence[I32], result: Result, n_top: int = 0
    ) -> tuple[Sequence[F32], Sequence[Likeliest]]:
        """What a message gives, by row and by text; it holds some tokens of each text."""
        ids = [one for _, piece in batch for one in piece]
        places = np.concatenate(positions)
        if len(batch) == 1:
            program = self._program(len(ids), 1, result, n_top)
            pages = self.cache.tables([batch[0][0].cached], self.n_pages)
            numbers = Step.numbers(ids, places, pages)
        else:
            n_rows, n_texts = _rounded(len(ids)), _rounded(len(batch))
            program = self._program(n_rows, n_texts, result, n_top)
            pages = self.cache.tables([text.cached for text, _ in batch], self.n_pages)
            lengths = [len(piece) for _, piece in batch]
            numbers = Step.numbers_of_several(ids, places, pages, lengths, shape=(n_rows, n_texts))
        values = [np.array(one.numpy()) for one in program.run(numbers)]
        rows = list(values[0][: len(batch) if result == "last" else len(ids)]) if values and result != "top" else []
        if not n_top:
            return rows, []
        likeliest, logits, shares = values[-3:]
        sums = logits[:, 0].astype(np.float64) - np.log(shares[:, 0].astype(np.float64))
        return rows, [Likeliest(likeliest[at], logits[at], float(sums[at])) for at in range(len(batch))]

    def _program(self, n_rows: int, n_texts: int, result: Result, n_top: int) -> Program:
        key = n_rows, n_texts, result, n_top
        if key not in self._programs:
            with self.model.device.program() as p:
                shape = n_rows, n_texts, self.n_pages
                Step(p, self.model, self._rotations, self.cache.layers, shape).build(result, n_top)
            self._programs[key] = p.compile()
        return self._programs[key]

    def _forget_if_reopened(self) -> None:
        if self._epoch != self.model.device.epoch:
            self._epoch = self.model.device.epoch
            self.forget()

    # --- Life ---

    def save(self, tokens: Sequence[int]) -> Saved:
        """What the cache holds of a text, for ``numpy.savez`` and ``load``; computed if it is not there."""
        self.logits(tokens)
        text = self._texts[-1]
        return {**text.cached.save(), "tokens": np.array(text.tokens, np.int32), "model": np.array(self._name())}

    def load(self, saved: Saved) -> list[int]:
        """Keeps a text that was saved, and gives its tokens.

        Raises:
            ArgumentError: it is of another model or another kind of cache, or not what ``save`` gives.
            DspMemoryError: it is longer than there is room for.
        """
        try:
            name, tokens = str(saved["model"]), [int(one) for one in saved["tokens"]]
        except (KeyError, TypeError, ValueError) as problem:
            raise ArgumentError(f"what was saved lacks something: {problem}") from None
        if name != self._name():
            raise ArgumentError("what was saved is of another model, or of another kind of cache")
        self.check(tokens)
        self._forget_if_reopened()
        text = _Text(tokens, self.cache.sequence())
        while self._texts and self.cache.free_pages < n_pages_of(len(tokens)):
            self._texts.pop(0).cached.close()
        text.cached.load(saved)
        if len(text.cached) != len(tokens):
            raise ArgumentError(f"{len(tokens)} tokens were saved, and keys and values of {len(text.cached)}")
        self._texts.append(text)
        return tokens

    def _name(self) -> str:
        return f"{self.model.fingerprint} {self.cache.layers[0].gguf_type.name}"

    def close(self) -> None:
        """Gives its memory back."""
        self._programs.clear()
        self.forget()
        self.cache.close()
        for rotation in self._rotations.values():
            rotation.turns.let_go()


def n_pages_of(n_tokens: int) -> int:
    """How many pages so many tokens need."""
    return -(-n_tokens // PAGE_TOKENS)


def room(config: Config, n_ctx: int, *, n_texts: int = 1, kind: str = "q8_0") -> list[int]:
    """Bytes of cache that each layer needs.

    Raises:
        ArgumentError: as ``Context``.
    """
    n_pages = n_pages_of(_checked("n_ctx", n_ctx)) * _checked("n_texts", n_texts)
    return [n_pages * page_bytes(n_heads, config.head_size, kind) for n_heads in config.n_kv_heads]


def pieces(tokens: Sequence[int]) -> Iterator[Sequence[int]]:
    """A prompt in as few pieces as there are programs for: of 64 tokens, and of powers of two."""
    at = 0
    while at < len(tokens):
        n_left = len(tokens) - at
        n = min(LARGEST_PIECE, 1 << (n_left.bit_length() - 1))
        yield tokens[at : at + n]
        at += n


def _result(wanted: Sequence[int]) -> Result:
    """What a message is to give, from n_top of each request that it completes."""
    return "nothing" if not wanted else "top" if all(wanted) else "last"


def _checked(what: str, number: int) -> int:
    if number < 1:
        raise ArgumentError(f"{what} is {number}: expected 1 or more")
    return number


def _n_left(request: TextRequest) -> int:
    """How many tokens of it are not in the cache."""
    return len(request.tokens) - (0 if request.text is None else len(request.text.tokens))


def _rounded(n: int) -> int:
    """The next power of two."""
    return 1 << (n - 1).bit_length()


def _n_common(before: Sequence[int], after: Sequence[int]) -> int:
    """How many tokens both begin with."""
    n = min(len(before), len(after))
    if list(before[:n]) == list(after[:n]):
        return n
    return next(at for at in range(n) if before[at] != after[at])
