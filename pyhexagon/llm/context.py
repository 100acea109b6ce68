# SPDX-License-Identifier: MIT
"""A model that runs: a cache for several texts, and the programs that add to it.

Nobody need say which text goes on: a text is given whole, and only what no kept text begins with is computed. What is
kept stays until its pages are needed. Texts that are asked for together share messages.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import Cache
from pyhexagon.errors import ArgumentError, DspMemoryError
from pyhexagon.llm.stage import Form, StageRow, n_pages_of
from pyhexagon.llm.states import NOWHERE, ZEROS, Snapshots
from pyhexagon.llm.step import Result, Step
from pyhexagon.llm.texts import (
    F32,
    I32,
    LARGEST_PIECE,
    Likeliest,
    Text,
    TextRequest,
    check_text,
    n_common,
    pieces,
    power_of_two,
)
from pyhexagon.tensor import Tensor

Saved = dict[str, Any]  # arrays
S = TypeVar("S", bound=StageRow)


class _Message(NamedTuple):
    """One that is on its way.

    Attributes:
        form: of it.
        requests: that it has tokens of, and how many rows of its result are for each.
    """

    form: Form
    requests: Sequence[tuple[TextRequest, int]]


class Context(Generic[S]):
    """Texts, their keys and values in a cache, and the programs that add to it. Not for several threads at once.

    Over several stages, so many messages are on their way as there are stages: pieces of a long prompt follow each
    other, and texts that go on are spread over messages, so that all stages have work.

    Args:
        stages: of the model.

    Attributes:
        n_messages, busy_seconds: how many were answered so far, and how long was waited for that.
    """

    def __init__(self, stages: S) -> None:
        self.stages, self.n_ctx, self.n_pages = stages, stages.n_ctx, stages.n_pages
        self.cache, self.states = stages.cache, stages.states
        self._texts: list[Text] = []  # the one that was used last is the last
        self._sent: deque[_Message] = deque()
        self._epoch = stages.epoch
        self.n_messages, self.busy_seconds = 0, 0.0
        self._was_short = False  # whether the last message had one token of each text, and recurrent layers

    def tensors(self) -> list[Tensor]:
        """All that it has in DSP memory here: the cache, and how positions are rotated."""
        return self.stages.tensors()

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

    def check(self, tokens: Sequence[int], n_known: int = 0) -> None:
        """As ``check_text``."""
        check_text(tokens, self.stages.n_tokens, self.n_ctx, n_known)

    def reserve(self, tokens: Sequence[int]) -> I32:
        """Keeps a text of which nothing is computed: the caller writes keys and values to its pages, which are given.

        Raises:
            DspMemoryError: it is longer than there is room for.
        """
        text = self._new_text()
        self._positions(text, len(tokens), [], is_needed=True)
        text.add(tokens)
        text.pin()
        self._texts.append(text)
        pages: I32 = self.cache.tables([text.cached], self.n_pages)[0]
        return pages

    def truncate(self, n_tokens: int) -> None:
        """Of each kept text, keeps so many tokens, or fewer where recurrent layers do not remember that place."""
        for text in self._texts:
            text.truncate(text.reach(min(n_tokens, len(text.tokens))))
            text.pin()
        self._texts = [text for text in self._texts if text.tokens]

    def forget(self) -> None:
        """Keeps no text."""
        for text in self._texts:
            text.close()
        self._texts.clear()

    # --- Messages ---

    def step(self, requests: Sequence[TextRequest]) -> None:
        """Sends messages with tokens of requests that are not done, as many as all stages work on at once, and waits
        for the oldest; those that are complete by it get their logits.

        The shortest come first, so that no text waits for another one's long prompt. Those for which there are no
        pages wait until others are done.

        Raises:
            HexagonError: the device fails; requests that are not done begin anew at the next step.
        """
        self._forget_if_reopened()
        try:
            while len(self._sent) < self.stages.depth:
                waiting = [request for request in requests if not (request.is_ready or request.is_sent)]
                if not waiting:
                    break
                self._send(waiting)
            if self._sent:
                self._answer()
        except BaseException:
            self._begin_anew(requests)
            raise

    def leave(self, request: TextRequest) -> None:
        """Nobody waits for a request any more: what was computed of its text is kept, as of those that are done."""
        if request.text is not None and self._epoch == self.stages.epoch:
            self._texts.append(request.text)
        elif request.text is not None:
            request.text.close()
        request.text = None

    def _send(self, waiting: Sequence[TextRequest]) -> None:
        """A message, with the share of those that wait which leaves work for the messages beside it."""
        for request in waiting:
            request.text = request.text or self._text_for(request, waiting)
        waiting = sorted(waiting, key=lambda request: request.n_left)
        n_going = len(waiting) + sum(bool(n) for message in self._sent for _, n in message.requests)
        sharing = self._sharing(waiting)[: -(-n_going // self.stages.depth)]
        taken = self._taken(sharing, waiting)
        n_wanted = [one.n_wanted if len(piece) == one.n_left else 0 for one, _, piece, _ in taken]
        n_top = [one.n_top for (one, *_), n in zip(taken, n_wanted, strict=True) if n]
        batch = [(text, piece) for _, text, piece, _ in taken]
        form = self._run(batch, [at for *_, at in taken], _result(n_top), max(n_top, default=0), n_wanted)
        for (request, text, piece, _), n in zip(taken, n_wanted, strict=True):
            text.add(piece)
            if n:
                request.text, request.is_sent = None, True
                text.n_guessed = request.n_guessed
                self._texts.append(text)
        self._sent.append(_Message(form, [(request, n) for (request, *_), n in zip(taken, n_wanted, strict=True)]))

    def _answer(self) -> None:
        """Waits for the oldest message, and gives those what they wanted that it completes."""
        form, requests = self._sent[0]
        values = self._received()
        self._sent.popleft()
        rows, likeliest = _rows(values, form, sum(n for _, n in requests))
        for (request, n), end in zip(requests, accumulate(n for _, n in requests), strict=True):
            if n:
                request.is_ready = True
                if request.n_top:
                    request.all_likeliest = [one.first(request.n_top) for one in likeliest[end - n : end]]
                else:
                    request.all_logits = rows[end - n : end]

    def _received(self) -> Sequence[npt.NDArray[Any]]:
        start = time.perf_counter()
        values = self.stages.receive()
        self.busy_seconds += time.perf_counter() - start
        self.n_messages += 1
        return values

    def _begin_anew(self, requests: Sequence[TextRequest]) -> None:
        """Nobody knows what the texts hold that were on their way."""
        if self._sent:
            self.forget()  # texts of these messages are among those that are kept
        on_their_way = [request for message in self._sent for request, _ in message.requests]
        self._sent.clear()
        self.stages.drop()
        for request in [*requests, *on_their_way]:
            if not request.is_ready:
                request.is_sent = False
                if request.text is not None:
                    request.text.close()
                    request.text = None

    def _sharing(self, waiting: Sequence[TextRequest]) -> Sequence[TextRequest]:
        """Those that can share a message: all, but where recurrent layers go through each text by itself, those with
        one token left, and one of the others, by turns."""
        if self.states is None:
            return waiting
        short = [request for request in waiting if request.n_left == 1]
        others = [request for request in waiting if request.n_left > 1]
        self._was_short = bool(short) and not (others and self._was_short)
        return short if self._was_short else others[:1]

    def _taken(
        self, sharing: Sequence[TextRequest], waiting: Sequence[TextRequest]
    ) -> list[tuple[TextRequest, Text, Sequence[int], I32]]:
        """The requests that go into a message, each with its text, the next tokens of it, and their positions.

        Args:
            waiting: all requests; who has begun may have to begin anew.
        """
        taken: list[tuple[TextRequest, Text, Sequence[int], I32]] = []
        n_free = LARGEST_PIECE
        for request in sharing:
            text = request.text
            if text is None or not n_free:
                break
            piece = request.next_piece(n_free, is_alone=len(sharing) == 1)
            if not piece:
                continue
            n_guessed = request.n_guessed if len(piece) == request.n_left else 0
            positions = self._positions(text, len(piece), waiting, n_guessed, is_needed=not taken)
            if positions is None:
                continue
            taken.append((request, text, piece, positions))
            n_free -= len(piece)
        return taken

    def _positions(
        self, text: Text, n_tokens: int, waiting: Sequence[TextRequest], n_guessed: int = 0, *, is_needed: bool
    ) -> I32 | None:
        """Room for more tokens of a text: of kept ones, the one that was not used for longest makes place first.

        Args:
            waiting: requests of which others must begin anew, if room is needed and no kept text is left.
            n_guessed: how many of the tokens are guesses.
        """
        while (positions := self._appended(text, n_tokens, n_guessed)) is None:
            other = next((one for one in reversed(waiting) if one.text is not None and one.text is not text), None)
            if self._texts:
                self._texts.pop(0).close()
            elif not is_needed:
                return None
            elif other is not None and other.text is not None:
                other.text.close()
                other.text = None
            else:
                return text.append(n_tokens, n_guessed)  # which tells what is missing
        return positions

    @staticmethod
    def _appended(text: Text, n_tokens: int, n_guessed: int) -> I32 | None:
        try:
            return text.append(n_tokens, n_guessed)
        except DspMemoryError:
            return None

    def _text_for(self, request: TextRequest, waiting: Sequence[TextRequest]) -> Text:
        """A text that a request begins with, but for the last tokens: a kept one, or what begins one, and shares its
        pages. One that another request goes on from is left to it."""
        tokens = request.tokens
        n_most = len(tokens) - request.n_wanted
        if (text := self._continued(request, n_most)) is not None:
            self._texts.remove(text)
            text.n_guessed = 0
            return text
        best, n_kept, n_same = None, 0, 0
        for text in self._texts:
            if text.cache_salt != request.cache_salt:
                continue
            n = n_common(text.tokens, tokens)
            if (reached := text.reach(min(n, n_most)), n) > (n_kept, n_same):
                best, n_kept, n_same = text, reached, n
        if best is None or not n_kept:
            return self._new_text(request.cache_salt)
        self._texts.remove(best)
        is_same = len(best.tokens) == len(tokens) == n_kept + 1  # but for the last token
        others = (
            one
            for one in waiting
            if one is not request and one.text is None and one.cache_salt == request.cache_salt
        )
        is_left = any(n_common(best.tokens, one.tokens) > n_kept for one in others)
        if not is_left and (is_same or n_kept >= len(best.tokens) - best.n_guessed):
            best.truncate(n_kept)
            best.n_guessed = 0
            return best
        self._texts.append(best)
        return best.fork(n_kept)

    def _continued(self, request: TextRequest, n_tokens: int) -> Text | None:
        """The kept text that is a request's first n_tokens, as at every token of a generation. Lengths and last tokens
        are compared first: comparing whole texts with all kept ones is most of the host's time with many clients."""
        if not n_tokens:
            return None
        last, beginning = request.tokens[n_tokens - 1], None
        for text in self._texts:
            if len(text.tokens) == n_tokens and text.tokens[-1] == last and text.cache_salt == request.cache_salt:
                beginning = beginning or list(request.tokens[:n_tokens])
                if text.tokens == beginning and text.reach(n_tokens) == n_tokens:
                    return text
        return None

    def _new_text(self, cache_salt: str = "") -> Text:
        recalled = None if self.states is None else Snapshots(self.states)
        return Text([], self.cache.sequence(), recalled, cache_salt=cache_salt)

    def _every(self, tokens: Sequence[int], result: Result) -> F32:
        """What a step gives for each token of a text: (T, ...)."""
        self.check(tokens)
        self._forget_if_reopened()
        text = self._new_text()
        rows: list[F32] = []
        try:
            while self._sent:
                self._answer()
            for piece in pieces(tokens):
                positions = self._positions(text, len(piece), [], is_needed=True)
                if positions is not None:
                    form = self._run([(text, piece)], [positions], result)
                    rows += _rows(self._received(), form, 0)[0]
                text.add(piece)
        except BaseException:
            self._begin_anew(())
            raise
        self._texts.append(text)
        return np.stack(rows)

    def _run(
        self,
        batch: Sequence[tuple[Text, Sequence[int]]],
        positions: Sequence[I32],
        result: Result,
        n_top: int = 0,
        n_wanted: Sequence[int] = (),
    ) -> Form:
        """Sends a message with some tokens of each text.

        Args:
            n_wanted: of how many of its last tokens each text wants the result.
        """
        recalled = [text.recalled for text, _ in batch if text.recalled is not None]
        n_guessed = max((one.n_guessed for one in recalled), default=0)
        ids = [one for _, piece in batch for one in piece]
        places, n_out = np.concatenate(positions), sum(n_wanted)
        if len(batch) == 1:
            form = Form(len(ids), 1, n_out or 1, n_guessed, result, n_top)
            pages = self.cache.tables([batch[0][0].cached], self.n_pages)
            numbers = Step.numbers(ids, places, pages)
        else:
            n_texts = power_of_two(len(batch))
            shape = power_of_two(len(ids)), n_texts, max(n_texts, power_of_two(n_out))
            form = Form(*shape, 0, result, n_top)
            pages = self.cache.tables([text.cached for text, _ in batch], self.n_pages)
            lengths = [len(piece) for _, piece in batch]
            wanted = [row for n, end in zip(n_wanted, accumulate(lengths), strict=True) for row in range(end - n, end)]
            numbers = Step.numbers_of_several(ids, places, pages, lengths, wanted, shape=shape)
        if self.states is not None:
            n_missing = power_of_two(len(batch)) - len(batch)
            columns = [list(column) for column in zip(*(one.slots for one in recalled), strict=True)]
            columns = [column + [NOWHERE if at else ZEROS] * n_missing for at, column in enumerate(columns)]
            numbers = np.concatenate([numbers, *map(self.states.rows, columns)])
        start = time.perf_counter()
        self.stages.send(form, numbers)
        self.busy_seconds += time.perf_counter() - start
        return form

    def _forget_if_reopened(self) -> None:
        if self._epoch != self.stages.epoch:
            self._epoch = self.stages.epoch
            self.forget()

    # --- Life ---

    def save(self, tokens: Sequence[int]) -> Saved:
        """What the cache holds of a text, for ``numpy.savez`` and ``load``; computed if it is not there."""
        self.logits(tokens)
        text = self._texts[-1]
        saved = {**text.cached.save(), "tokens": np.array(text.tokens, np.int32), "model": np.array(self._name())}
        return saved if text.recalled is None else saved | text.recalled.save()

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
        text = self._new_text()
        while self._texts and self.cache.free_pages < n_pages_of(len(tokens)):
            self._texts.pop(0).close()
        text.load(tokens, saved)
        self._texts.append(text)
        return tokens

    def _name(self) -> str:
        kind = self.cache.layers[0].gguf_type.name if isinstance(self.cache, Cache) else ""
        revision = 3 if kind == "F16" else 2  # of how a cache's bytes lie
        return f"{self.stages.fingerprint} {kind} rotated {revision}"

    def close(self) -> None:
        """Gives its memory back."""
        self.forget()
        self._sent.clear()
        self.stages.close()


def _result(wanted: Sequence[int]) -> Result:
    """What a message is to give, from n_top of each request that it completes."""
    return "nothing" if not wanted else "top" if all(wanted) else "wanted"


def _rows(values: Sequence[npt.NDArray[Any]], form: Form, n_out: int) -> tuple[Sequence[F32], Sequence[Likeliest]]:
    """A result by row: of the n_out rows that were wanted, or of every row."""
    n_rows = n_out if form.result == "wanted" else form.n_rows
    rows = list(values[0][:n_rows]) if values and form.result != "top" else []
    if not form.n_top:
        return rows, []
    likeliest, logits, shares = values[-3:]
    sums = logits[:, 0].astype(np.float64) - np.log(shares[:, 0].astype(np.float64))
    return rows, [Likeliest(likeliest[at], logits[at], float(sums[at])) for at in range(n_out)]
