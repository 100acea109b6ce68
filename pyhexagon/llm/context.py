# SPDX-License-Identifier: MIT
"""A model that runs: a cache for several texts, and the programs that add to it.

Nobody need say which text goes on: a text is given whole, and only what no kept text begins with is computed. What is
kept stays until its pages are needed. Texts that are asked for together share messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from pyhexagon.cache import PAGE_TOKENS, Cache, page_bytes
from pyhexagon.errors import ArgumentError, DspMemoryError
from pyhexagon.llm.config import Config
from pyhexagon.llm.model import Model
from pyhexagon.llm.step import Result, Step
from pyhexagon.llm.texts import F32, I32, LARGEST_PIECE, Likeliest, Text, TextRequest, n_common, pieces
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

Saved = dict[str, Any]  # arrays


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
        self._texts: list[Text] = []  # the one that was used last is the last
        self._epoch = model.device.epoch
        self._programs: dict[tuple[int, int, int, Result, int], Program] = {}

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
        text = Text(list(tokens), self.cache.sequence())
        self._positions(text, len(tokens), [], is_needed=True)
        self._texts.append(text)
        pages: I32 = self.cache.tables([text.cached], self.n_pages)[0]
        return pages

    def truncate(self, n_tokens: int) -> None:
        """Of each kept text, keeps so many tokens."""
        for text in self._texts:
            text.truncate(min(n_tokens, len(text.tokens)))
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
            request.text = request.text or self._text_for(request.tokens, request.n_wanted)
        waiting.sort(key=lambda request: request.n_left)
        try:
            taken = self._taken(waiting)
            n_wanted = [one.n_wanted if len(piece) == one.n_left else 0 for one, _, piece, _ in taken]
            done = [one.n_top for (one, *_), n in zip(taken, n_wanted, strict=True) if n]
            batch = [(text, piece) for _, text, piece, _ in taken]
            positions = [at for *_, at in taken]
            rows, likeliest = self._run(batch, positions, _result(done), max(done, default=0), n_wanted)
        except BaseException:
            for request in waiting:
                if request.text is not None:
                    request.text.cached.close()  # nobody knows what it holds
                    request.text = None
            raise
        for (request, text, piece, _), n, end in zip(taken, n_wanted, accumulate(n_wanted), strict=True):
            text.tokens += piece
            if n:
                request.text, request.is_ready = None, True
                text.n_guessed = request.n_guessed
                self._texts.append(text)
                if request.n_top:
                    request.all_likeliest = [one.first(request.n_top) for one in likeliest[end - n : end]]
                else:
                    request.all_logits = rows[end - n : end]

    def _taken(self, waiting: Sequence[TextRequest]) -> list[tuple[TextRequest, Text, Sequence[int], I32]]:
        """The requests that share a message, each with its text, the next tokens of it, and their positions."""
        taken: list[tuple[TextRequest, Text, Sequence[int], I32]] = []
        n_free = LARGEST_PIECE
        for request in waiting:
            text = request.text
            if text is None or not n_free:
                break
            piece = request.next_piece(n_free, is_alone=len(waiting) == 1)
            if not piece:
                continue
            others = [one for one in waiting if one is not request and all(one is not other[0] for other in taken)]
            positions = self._positions(text, len(piece), others, is_needed=not taken)
            if positions is None:
                continue
            taken.append((request, text, piece, positions))
            n_free -= len(piece)
        return taken

    def _positions(self, text: Text, n_tokens: int, others: list[TextRequest], *, is_needed: bool) -> I32 | None:
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
    def _appended(text: Text, n_tokens: int) -> I32 | None:
        try:
            return text.cached.append(n_tokens)
        except DspMemoryError:
            return None

    def _text_for(self, tokens: Sequence[int], n_wanted: int) -> Text:
        """A text that these tokens begin with, but for the last: a kept one, or what begins one, and shares its pages.

        Args:
            n_wanted: so many of the last tokens are to be computed.
        """
        best = max(self._texts, key=lambda text: n_common(text.tokens, tokens), default=None)
        n_kept = 0 if best is None else min(n_common(best.tokens, tokens), len(tokens) - n_wanted)
        if best is None or not n_kept:
            return Text([], self.cache.sequence())
        self._texts.remove(best)
        is_same = len(best.tokens) == len(tokens) == n_kept + 1  # but for the last token
        if is_same or n_kept >= len(best.tokens) - best.n_guessed:
            best.truncate(n_kept)
            best.n_guessed = 0
            return best
        self._texts.append(best)
        cached = best.cached.fork()
        cached.truncate(n_kept)
        return Text(best.tokens[:n_kept], cached)

    def _every(self, tokens: Sequence[int], result: Result) -> F32:
        """What a step gives for each token of a text: (T, ...)."""
        self.check(tokens)
        self._forget_if_reopened()
        text = Text([], self.cache.sequence())
        rows: list[F32] = []
        for piece in pieces(tokens):
            positions = self._positions(text, len(piece), [], is_needed=True)
            if positions is not None:
                rows += self._run([(text, piece)], [positions], result)[0]
            text.tokens += piece
        self._texts.append(text)
        return np.stack(rows)

    def _run(
        self,
        batch: Sequence[tuple[Text, Sequence[int]]],
        positions: Sequence[I32],
        result: Result,
        n_top: int = 0,
        n_wanted: Sequence[int] = (),
    ) -> tuple[Sequence[F32], Sequence[Likeliest]]:
        """What a message gives, by row; it holds some tokens of each text.

        Args:
            n_wanted: of how many of its last tokens each text wants it.
        """
        ids = [one for _, piece in batch for one in piece]
        places, n_out = np.concatenate(positions), sum(n_wanted)
        if len(batch) == 1:
            program = self._program((len(ids), 1, n_out or 1), result, n_top)
            pages = self.cache.tables([batch[0][0].cached], self.n_pages)
            numbers = Step.numbers(ids, places, pages)
        else:
            n_texts = _rounded(len(batch))
            shape = _rounded(len(ids)), n_texts, max(n_texts, _rounded(n_out))
            program = self._program(shape, result, n_top)
            pages = self.cache.tables([text.cached for text, _ in batch], self.n_pages)
            lengths = [len(piece) for _, piece in batch]
            wanted = [row for n, end in zip(n_wanted, accumulate(lengths), strict=True) for row in range(end - n, end)]
            numbers = Step.numbers_of_several(ids, places, pages, lengths, wanted, shape=shape)
        values = [np.array(one.numpy()) for one in program.run(numbers)]
        rows = list(values[0][: n_out if result == "wanted" else len(ids)]) if values and result != "top" else []
        if not n_top:
            return rows, []
        likeliest, logits, shares = values[-3:]
        sums = logits[:, 0].astype(np.float64) - np.log(shares[:, 0].astype(np.float64))
        return rows, [Likeliest(likeliest[at], logits[at], float(sums[at])) for at in range(n_out)]

    def _program(self, shape: tuple[int, int, int], result: Result, n_top: int) -> Program:
        """For so many rows, texts and wanted rows."""
        key = *shape, result, n_top
        if key not in self._programs:
            with self.model.device.program() as p:
                n_rows, n_texts, n_wanted = shape
                sizes = n_rows, n_texts, self.n_pages
                step = Step(p, self.model, self._rotations, self.cache.layers, sizes, n_wanted=n_wanted)
                step.build(result, n_top)
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
        text = Text(tokens, self.cache.sequence())
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


def _result(wanted: Sequence[int]) -> Result:
    """What a message is to give, from n_top of each request that it completes."""
    return "nothing" if not wanted else "top" if all(wanted) else "wanted"


def _checked(what: str, number: int) -> int:
    if number < 1:
        raise ArgumentError(f"{what} is {number}: expected 1 or more")
    return number


def _rounded(n: int) -> int:
    """The next power of two."""
    return 1 << (n - 1).bit_length()
