# SPDX-License-Identifier: MIT
"""All trials: several hundred, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pyhexagon._ffi import contract
from pyhexagon.ops_report import trials_elementwise, trials_products, trials_rows
from pyhexagon.ops_report.trial import Trial

BESIDE: Final = ("cache_append", "cache_copy")  # ops that fill what FLASH_ATTN_EXT reads, or only move its bytes


def all_of_them() -> Iterator[Trial]:
    """Of the ops that the package has, in the order of their rows."""
    trials = [*trials_elementwise.trials(), *trials_rows.trials(), *trials_products.trials()]
    by_op: dict[str, list[Trial]] = {op: [] for op in contract.OPS}
    for trial in trials:
        if trial.op in by_op:
            by_op[trial.op].append(trial)
    for group in by_op.values():
        yield from group
