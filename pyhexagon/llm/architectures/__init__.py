# SPDX-License-Identifier: MIT
"""The architectures that models have: one file each, which states its tensors and the graph of a layer."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.architectures.gemma3 import GEMMA3
from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.architectures.phi3 import PHI3
from pyhexagon.llm.architectures.qwen import QWEN2, QWEN3
from pyhexagon.llm.architectures.smollm3 import SMOLLM3
from pyhexagon.llm.step import Architecture

ARCHITECTURES: Final[dict[str, Architecture]] = {
    "gemma3": GEMMA3,
    "llama": LLAMA,
    "phi3": PHI3,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
    "smollm3": SMOLLM3,
}
