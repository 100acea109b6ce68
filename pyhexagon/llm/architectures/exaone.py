# SPDX-License-Identifier: MIT
"""EXAONE 3 and 3.5: Llama's graph, with rotated halves."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA

EXAONE = LLAMA._replace(rope="neox", optional={})
