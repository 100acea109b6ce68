# SPDX-License-Identifier: MIT
"""The engine of a model: requests of several threads share messages to the DSP.

One of the threads that wait leads: it sends a message for all of them, and threads that come meanwhile join the next
one. The result of a sequence does not depend on the others in its message.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import F32, DraftPass, ForwardPass, check_tokens
from pyhexagon.llm.engine.sequence import NO_SALT, Salt
from pyhexagon.llm.graph.lora import Adapters
from pyhexagon.process.changes import Changes
from pyhexagon.tensor import Tensor


class _Ticket:
    """A thread that waits for a message with its passes.

    Attributes:
        forwards: the passes.
        is_done: the message was answered.
        error: why it failed.
    """

    __slots__ = ("error", "forwards", "is_done")

    def __init__(self, forwards: Sequence[ForwardPass]) -> None:
        self.forwards, self.is_done = forwards, False
        self.error: Exception | None = None


class Engine:
    """Computes forward passes on a model, from any thread. ``Scheduler`` steps the requests that need them.

    Args:
        core: of the model; other users of it need the lock.
        lock: held while the core is used.
        check: called with the lock; raises if the model is closed. Weak, so that without a cycle of references a model
            that nobody holds is freed at once, with its device.
    """

    def __init__(
        self, core: EngineCore[Any], lock: threading.Lock, check: Callable[[], Callable[[], None] | None] = lambda: None
    ) -> None:
        self.core, self._lock, self._check_of_model = core, lock, check
        self.n_ctx: int = core.n_ctx
        self._n_vocab: int = core.stages.n_tokens
        self._changes = Changes()
        self._tickets: list[_Ticket] = []
        self._has_leader = False  # a thread sends a message for all waiting threads

    def tensors(self) -> list[Tensor]:
        """Return its tensors in DSP memory."""
        return self.core.tensors()

    def close(self) -> None:
        """Free the memory of the core."""
        self.core.close()

    def forward(
        self,
        tokens: Sequence[int],
        n_top: int = 0,
        *,
        n_draft: int = 0,
        n_logits: int | None = None,
        n_checked: int = 0,
        salt: Salt = NO_SALT,
        is_of_draft: bool = False,
        is_beam: bool = False,
        encoder_input: EncoderInput | None = None,
        embeddings: Embeddings = NO_EMBEDDINGS,
    ) -> ForwardPass:
        """Return a pass that is not computed yet; see ``ForwardPass``.

        Args:
            n_logits: None: of each draft token and of the token before them.
            n_checked: number of tokens at the beginning that were checked before.
            is_beam, encoder_input: see ``ForwardPass``; an input has a salt of its own.
            embeddings: of tokens with negative ids.

        Raises:
            ArgumentError: there are no tokens, more than n_ctx, or one is not in the vocabulary.
        """
        check_tokens(tokens, self._n_vocab, self.n_ctx, n_checked, embeddings)
        salt = salt if encoder_input is None else encoder_input.salt
        return ForwardPass(
            list(tokens), n_top, n_draft + 1 if n_logits is None else n_logits, n_draft, salt, embeddings, self,
            is_of_draft, is_beam=is_beam, encoder_input=encoder_input,
        )  # fmt: skip

    def logits(self, tokens: Sequence[int], adapters: Adapters = ()) -> F32:
        """Return the logits after the last token, (V,) float32."""
        forward = self.forward(tokens, salt=("", adapters))
        self.finish(forward)
        return forward.logits

    def finish(self, forward: ForwardPass) -> None:
        """Compute a pass to its end.

        Raises:
            HexagonError: the device fails; the pass can be computed again.
        """
        try:
            while not forward.is_done:
                self.compute((forward,))
        except BaseException:
            self.abort(forward)
            raise

    def finish_all(self, forwards: Sequence[ForwardPass]) -> None:
        """Compute passes to their end; they share messages. Raises as ``finish``."""
        try:
            while left := [forward for forward in forwards if not forward.is_done]:
                self.compute(left)
        except BaseException:
            for forward in forwards:
                self.abort(forward)
            raise

    def abort(self, forward: ForwardPass) -> None:
        """Give up a pass."""
        with self._lock:
            self.core.abort(forward)

    def draft(self, passes: Sequence[DraftPass]) -> None:
        """Draft tokens with the model's MTP block, in one message for up to 64 of these passes.

        Raises:
            HexagonError: the device fails. The passes can be computed again.
        """
        with self._lock:
            if (check := self._check_of_model()) is not None:
                check()
            self.core.draft(passes)

    def compute(self, forwards: Sequence[ForwardPass]) -> None:
        """Send one message for these unfinished passes and for the passes of other threads.

        Raises:
            HexagonError: the device fails. The passes can be computed again.
        """
        ticket, is_leader = _Ticket(forwards), False
        tickets: list[_Ticket] = []

        def leads() -> bool | None:
            """Return whether this thread leads; None: another one does."""
            if not ticket.is_done and self._has_leader:
                return None
            return not ticket.is_done

        try:
            while not ticket.is_done:
                with self._changes.lock:
                    if ticket not in self._tickets:
                        self._tickets.append(ticket)
                    if not self._has_leader:
                        self._has_leader = is_leader = True
                        tickets = list(self._tickets)
                if is_leader:
                    self._lead(tickets)
                    break
                self._changes.wait_for(leads)
        finally:
            with self._changes.lock:
                if is_leader:
                    self._has_leader = False
                    self._changes.notify()
                if ticket in self._tickets:
                    self._tickets.remove(ticket)
        if ticket.error is not None:
            raise ticket.error

    def _lead(self, tickets: list[_Ticket]) -> None:
        """Send a message for all that wait. If it is interrupted, another thread sends it."""
        error = None
        try:
            with self._lock:
                if (check := self._check_of_model()) is not None:
                    check()
                forwards = tickets[0].forwards
                if len(tickets) > 1:
                    forwards = [forward for ticket in tickets for forward in ticket.forwards]
                self.core.step(forwards)
        except Exception as problem:
            error = problem
        with self._changes.lock:
            for ticket in tickets:
                ticket.is_done, ticket.error = True, error
                self._tickets.remove(ticket)
