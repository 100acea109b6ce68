# SPDX-License-Identifier: MIT
"""ERNIE 4.5, dense: Llama's graph."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA

ERNIE4_5 = LLAMA._replace(model_optional={})
