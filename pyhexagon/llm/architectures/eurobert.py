# SPDX-License-Identifier: MIT
"""EuroBERT and Llama-Embed: Llama's graph with bidirectional attention."""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.files.config import Traits

LLAMA_EMBED = LLAMA._replace(traits=Traits(is_encoder=True))
EUROBERT = LLAMA._replace(rope="neox", optional={}, model_optional={}, traits=Traits(is_encoder=True))
