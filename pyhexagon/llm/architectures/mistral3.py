# SPDX-License-Identifier: MIT
"""Mistral 3 and Ministral 3: Llama's graph.

Queries of Ministral 3 from the original context length on have a temperature, which is not computed: longer contexts
are refused.
"""

from __future__ import annotations

from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.files.config import Traits

MISTRAL3 = LLAMA._replace(traits=Traits(has_temperature=True), model_optional={})
