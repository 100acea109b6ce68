# SPDX-License-Identifier: MIT
"""Nanbeige 4.2: Llama's graph, whose layers run twice, with a norm after each time."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.files.config import Traits

NANBEIGE = LLAMA._replace(traits=Traits(has_loops=True))
