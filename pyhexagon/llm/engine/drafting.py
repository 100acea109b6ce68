# SPDX-License-Identifier: MIT
"""Draft tokens of a model's own MTP block: one message for several sequences."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyhexagon.cache import NO_PAGE
from pyhexagon.errors import DspMemoryError, UnsupportedError
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS, DraftPass, power_of_two
from pyhexagon.llm.engine.kv_cache import KVCacheManager
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.llm.engine.sequence import TokenSequence
from pyhexagon.llm.engine.stage import Stage


def draft(runner: ModelRunner[Any], kv_cache: KVCacheManager, passes: Sequence[DraftPass]) -> None:
    """Send one message for at most 64 of these passes.

    The block's entries of draft tokens lie after the sequence's own ones, in pages that it holds for this message only.

    Args:
        runner: of the model.
        kv_cache: of the model.
        passes: that are not done.

    Raises:
        HexagonError: the device fails. The passes can be computed again.
    """
    ready: dict[TokenSequence, DraftPass] = {}
    try:
        for forward in passes[:MAX_BATCH_TOKENS]:
            sequence = forward.computed
            if sequence is None or sequence in ready or not _holds(kv_cache, sequence, forward.tokens[:-1]):
                forward.is_done = True
                continue
            ready[sequence] = forward
            n_new = len(forward.tokens) - 2 + forward.n_wanted - len(sequence.pages)
            if n_new > 0:
                try:
                    sequence.pages.append(n_new)
                except DspMemoryError:
                    forward.n_wanted -= n_new  # the KV cache has no room for these
        if ready:
            _send(runner, ready)
    finally:
        for sequence in ready:
            sequence.pages.truncate(len(sequence.tokens))


def _holds(kv_cache: KVCacheManager, sequence: TokenSequence, tokens: list[int]) -> bool:
    return sequence in kv_cache.idle and sequence.tokens[: len(tokens)] == tokens


def _send(runner: ModelRunner[Any], ready: dict[TokenSequence, DraftPass]) -> None:
    stage = runner.stages
    if not isinstance(stage, Stage):
        raise UnsupportedError("the MTP block of a model on several devices drafts no tokens")
    passes, n_padded = list(ready.values()), power_of_two(len(ready))
    n_draft = max(forward.n_wanted for forward in passes)
    last, positions = np.zeros(n_padded, np.int32), np.full((n_draft, n_padded), -1, np.int32)
    pages = np.full((n_padded, stage.n_pages), NO_PAGE, np.int32)
    pages[: len(ready)] = stage.cache.tables([sequence.pages for sequence in ready], stage.n_pages)
    rows = np.zeros((n_padded, stage.config.width), np.float32)
    for at, forward in enumerate(passes):
        last[at], rows[at] = forward.tokens[-1], forward.row
        positions[: forward.n_wanted, at] = len(forward.tokens) - 2 + np.arange(forward.n_wanted)
    start = time.perf_counter()
    drafts = stage.draft(last, positions, pages, rows)
    runner.busy_seconds += time.perf_counter() - start
    runner.n_messages += 1
    for at, forward in enumerate(passes):
        forward.draft = [int(ids[at]) for ids in drafts[: forward.n_wanted]]
        forward.is_done = True
