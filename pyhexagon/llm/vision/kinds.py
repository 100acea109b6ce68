# SPDX-License-Identifier: MIT
"""The supported kinds of projectors by their names in files, ``clip.projector_type``."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.projectors.gemma3 import GEMMA3
from pyhexagon.llm.vision.projectors.idefics3 import IDEFICS3
from pyhexagon.llm.vision.projectors.internvl import INTERNVL
from pyhexagon.llm.vision.projectors.ldp import LDP, LDPV2
from pyhexagon.llm.vision.projectors.lfm2 import LFM2
from pyhexagon.llm.vision.projectors.mlp import MLP
from pyhexagon.llm.vision.projectors.pixtral import PIXTRAL
from pyhexagon.llm.vision.projectors.qwen import QWEN2VL, QWEN3VL, QWEN25VL

KINDS: Final[dict[str, ProjectorKind]] = {
    "gemma3": GEMMA3,
    "idefics3": IDEFICS3,
    "internvl": INTERNVL,
    "ldp": LDP,
    "ldpv2": LDPV2,
    "lfm2": LFM2,
    "mlp": MLP,
    "pixtral": PIXTRAL,
    "qwen2vl_merger": QWEN2VL,
    "qwen2.5vl_merger": QWEN25VL,
    "qwen3vl_merger": QWEN3VL,
}
