# SPDX-License-Identifier: MIT
"""Adapters from llama-cpp-python's logits processors and stopping criteria to the processors of ``LLM.stream``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyhexagon.compat.types import LogitsProcessor, StoppingCriteria
from pyhexagon.llm.engine.sampling import Logits, Processor


def adapted(processors: Sequence[LogitsProcessor] | None) -> list[Processor]:
    """Return logits processors in the form that ``LLM.stream`` takes."""

    def adapt(process: LogitsProcessor) -> Processor:
        return lambda tokens, logits: np.asarray(process(np.array(tokens, np.intc), logits), np.float32)

    return [adapt(processor) for processor in processors or ()]


def stopping(criteria: Sequence[StoppingCriteria], end: int) -> Processor:
    """Return a processor that leaves only one possible token as soon as a stopping criterion is true.

    Args:
        criteria: functions of the tokens so far and the logits.
        end: a token that ends the completion.
    """

    def process(tokens: Sequence[int], logits: Logits) -> Logits:
        if not any(is_end(np.array(tokens, np.intc), logits) for is_end in criteria):
            return logits
        only = np.full_like(logits, -np.inf)
        only[end] = 0
        return only

    return process
