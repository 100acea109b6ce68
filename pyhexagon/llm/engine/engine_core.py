# SPDX-License-Identifier: MIT
"""The engine core: KV cache manager, batcher and runner of one model, stepped by one thread at a time.

A forward pass names the tokens of its whole sequence. The core finds their cached prefix, computes the rest in as few
messages as possible, and shares messages between passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from pyhexagon.errors import UnsupportedError
from pyhexagon.llm.engine import drafting
from pyhexagon.llm.engine.batching import Batcher, Scheduled
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.encoder_cache import EncoderCache, EncoderInput
from pyhexagon.llm.engine.forward import (
    F32,
    I32,
    MAX_BATCH_TOKENS,
    DraftPass,
    ForwardPass,
    check_tokens,
    prefill_chunks,
)
from pyhexagon.llm.engine.kv_cache import KVCacheManager, Saved
from pyhexagon.llm.engine.pipeline import ModelStages
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.llm.engine.stage import n_window_pages_of
from pyhexagon.llm.engine.window_pages import WindowPool
from pyhexagon.llm.graph.lora import Adapters
from pyhexagon.llm.graph.step import Result
from pyhexagon.tensor import Tensor

S = TypeVar("S", bound=ModelStages)


class EngineCore(Generic[S]):
    """A model that computes forward passes. Not for several threads at once; ``Engine`` is.

    With several pipeline stages, as many messages are in flight as there are stages. Chunks of a long prompt follow
    each other, and decode steps are spread over messages.

    Args:
        stages: of the model.
        n_batch: most tokens of prompts in a message.
        encoder_cache: of an encoder-decoder model.

    Attributes:
        stages: of the model.
        n_ctx, n_pages: context length of a sequence, in tokens and in pages of the KV cache.
        kv_cache: its sequences.
        runner: sends and receives messages.
    """

    def __init__(self, stages: S, n_batch: int = MAX_BATCH_TOKENS, encoder_cache: EncoderCache | None = None) -> None:
        self.stages, self.n_ctx, self.n_pages = stages, stages.n_ctx, stages.n_pages
        windows = None
        if stages.window_cache is not None:
            window = stages.config.window
            windows = WindowPool(stages.window_cache, window, n_window_pages_of(window))
        self.kv_cache = KVCacheManager(stages.cache, stages.states, stages.fingerprint, windows)
        self.runner: ModelRunner[S] = ModelRunner(stages, encoder_cache)
        self._encoder_cache = encoder_cache
        self._batcher = Batcher(self.kv_cache, stages.depth, n_batch)
        self._n_batch = n_batch
        self._epoch = stages.epoch

    def tensors(self) -> list[Tensor]:
        """Return its tensors in DSP memory of this process: the cache, and tables of rotations."""
        return [*self.stages.tensors(), *([] if self._encoder_cache is None else self._encoder_cache.tensors())]

    # --- Steps ---

    def step(self, forwards: Sequence[ForwardPass]) -> None:
        """Fill the pipeline with messages, and wait for the oldest; the passes that it completes get their logits.

        Args:
            forwards: of which none is done, unless by a step for other passes.

        Raises:
            HexagonError: the device fails. Passes that are not done are computed anew by the next step.
        """
        in_flight, kv_cache = self.runner.in_flight, self.kv_cache
        if self._epoch != self.stages.epoch:
            self._clear_if_reopened()
        if self._batcher.has_added:
            forwards = [forward for forward in forwards if not forward.is_done]
            if not forwards:
                return
        try:
            while len(in_flight) < self.stages.depth:
                waiting = forwards
                if in_flight:
                    waiting = [forward for forward in forwards if not (forward.is_done or forward.is_scheduled)]
                    if not waiting:
                        break
                n_completing = sum(bool(n) for message in in_flight for _, n in message.forwards) if in_flight else 0
                batch = self._batcher.schedule(waiting, n_completing)
                if self._encoder_cache is not None:
                    batch = self._encoder_cache.encoded(batch)
                self.runner.send(batch)
                for forward, sequence, chunk, _, n_logits in batch:
                    sequence.extend(chunk)
                    if n_logits:
                        forward.sequence, forward.computed, forward.is_scheduled = None, sequence, True
                        kv_cache.release(sequence, forward.n_draft)
                for forward in waiting:
                    if forward.sequence is not None:
                        self._batcher.begun[forward] = None
            if in_flight:
                self.runner.receive()
        except BaseException:
            self._recompute(forwards)
            raise

    def encode(self, encoder_input: EncoderInput) -> I32:
        """Encode an input unless it is encoded, and return its page table (N,) in the encoder cache.

        Raises:
            UnsupportedError: the model has no encoder.
            HexagonError: the device fails.
        """
        if self._encoder_cache is None:
            raise UnsupportedError(f"{self.stages.config.architecture} has no encoder")
        self._clear_if_reopened()
        self._encoder_cache.load([encoder_input])
        return self._encoder_cache.pages(encoder_input)

    def draft(self, passes: Sequence[DraftPass]) -> None:
        """Draft tokens with the model's MTP block; see ``drafting.draft``."""
        self._clear_if_reopened()
        drafting.draft(self.runner, self.kv_cache, passes)

    def abort(self, forward: ForwardPass) -> None:
        """Give up a pass. The tokens that were computed stay cached."""
        sequence, forward.sequence = forward.sequence, None
        if sequence is None:
            return
        if self._epoch == self.stages.epoch:
            self.kv_cache.release(sequence)
        else:
            self.kv_cache.close(sequence)

    def _recompute(self, forwards: Sequence[ForwardPass]) -> None:
        """Have the next step compute all unfinished passes anew, because the contents of their pages are unknown."""
        if self.runner.in_flight:
            self.kv_cache.clear()  # which has sequences of these messages
        for forward in [*forwards, *self.runner.drop()]:
            if not forward.is_done:
                forward.is_scheduled = False
                if forward.sequence is not None:
                    self.kv_cache.close(forward.sequence)
                    forward.sequence = None

    def _clear_if_reopened(self) -> None:
        epoch = self.stages.epoch
        if self._epoch != epoch:
            self._epoch = epoch
            self.kv_cache.clear()
            if self._encoder_cache is not None:
                self._encoder_cache.clear()

    # --- Whole results ---

    def logits(self, tokens: Sequence[int]) -> F32:
        """Return the logits after the last token, (V,) float32.

        Raises:
            ArgumentError: there are no tokens, more than n_ctx, or one is not in the vocabulary.
            HexagonError: the device fails.
        """
        return self.logits_of([tokens])[0]

    def logits_of(self, sequences: Sequence[Sequence[int]]) -> list[F32]:
        """Return the logits after the last token of each sequence; they share messages of at most 64 tokens."""
        forwards = [ForwardPass(list(tokens)) for tokens in sequences]
        for forward in forwards:
            self.check(forward.tokens)
        while waiting := [forward for forward in forwards if not forward.is_done]:
            self.step(waiting)
        return [forward.logits for forward in forwards]

    def all_logits(self, tokens: Sequence[int], adapters: Adapters = ()) -> F32:
        """Return the logits at every position, (T, V) float32."""
        return self._all_rows(tokens, "every", adapters)

    def hidden_states(self, tokens: Sequence[int]) -> F32:
        """Return the hidden state at every position, before the output matrix: (T, width) float32."""
        return self._all_rows(tokens, "hidden")

    def _all_rows(self, tokens: Sequence[int], result: Result, adapters: Adapters = ()) -> F32:
        self.check(tokens)
        self._clear_if_reopened()
        forward = ForwardPass(list(tokens), salt=("", adapters))
        sequence, rows = self.kv_cache.new_sequence(forward.salt), list[F32]()
        try:
            while self.runner.in_flight:
                self.runner.receive()
            for chunk in prefill_chunks(forward.tokens, self._n_batch):
                positions = self.kv_cache.append(sequence, len(chunk))
                if positions is None:
                    positions = self._batcher.append_preempting(sequence, len(chunk), 0, list(self._batcher.begun))
                self.runner.send([Scheduled(forward, sequence, chunk, positions, 0)], result)
                rows += self.runner.receive()
                sequence.extend(chunk)
        except BaseException:
            self._recompute(())
            self.kv_cache.close(sequence)
            raise
        self.kv_cache.release(sequence)
        return np.stack(rows)

    def check(self, tokens: Sequence[int], n_checked: int = 0) -> None:
        """As ``check_tokens``."""
        check_tokens(tokens, self.stages.n_tokens, self.n_ctx, n_checked)

    # --- The KV cache ---

    def reserve(self, tokens: Sequence[int]) -> tuple[I32, I32]:
        """As ``KVCacheManager.reserve``: a row of each page table."""
        return self.kv_cache.reserve(tokens, self.stages.n_pages)

    def truncate(self, n_tokens: int) -> None:
        """As ``KVCacheManager.truncate``."""
        self.kv_cache.truncate(n_tokens)

    def clear_cache(self) -> None:
        """Evict all sequences that are cached."""
        self.kv_cache.clear()

    def save(self, tokens: Sequence[int], embeddings: Embeddings = NO_EMBEDDINGS) -> Saved:
        """Compute a sequence as far as it is not cached; return its state, for ``numpy.savez`` and ``load``.

        Args:
            embeddings: of tokens with negative ids.
        """
        forward = ForwardPass(list(tokens), embeddings=embeddings)
        check_tokens(tokens, self.stages.n_tokens, self.n_ctx, embeddings=embeddings)
        while not forward.is_done:
            self.step([forward])
        return self.kv_cache.save()

    def load(self, saved: Saved, *, has_embeddings: bool = False) -> list[int]:
        """Restore a sequence that was saved, and return its tokens.

        Args:
            has_embeddings: negative ids are those of embeddings.

        Raises:
            ArgumentError: another model or another kind of cache saved it, or it is damaged.
            DspMemoryError: it is longer than the cache.
        """
        tokens = self.kv_cache.tokens_of(saved)
        ids = [max(token, 0) for token in tokens] if has_embeddings else tokens
        self.check(ids)
        self._clear_if_reopened()
        self.kv_cache.load(tokens, saved)
        return tokens

    def close(self) -> None:
        """Free its memory."""
        self.clear_cache()
        self.runner.in_flight.clear()
        if self._encoder_cache is not None:
            self._encoder_cache.close()
        self.stages.close()
