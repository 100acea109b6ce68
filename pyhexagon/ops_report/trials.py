# SPDX-License-Identifier: MIT
"""The list of all trials: several hundred, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pyhexagon._ffi import contract
from pyhexagon.ops_report import trials_elementwise, trials_products, trials_rows
from pyhexagon.ops_report.trial import Trial

BESIDE: Final = ("cache_append", "cache_copy")  # tested through FLASH_ATTN_EXT, or only copy bytes


def all_trials() -> Iterator[Trial]:
    """Yield the trials of the package's ops, in the order of the ops' rows."""
    trials = [*trials_elementwise.trials(), *trials_rows.trials(), *trials_products.trials()]
    by_op: dict[str, list[Trial]] = {op: [] for op in contract.OPS}
    for trial in trials:
        if trial.op in by_op:
            by_op[trial.op].append(trial)
    for group in by_op.values():
        yield from group
