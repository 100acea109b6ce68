# SPDX-License-Identifier: MIT
"""The supported kinds of projectors by their names in files, ``clip.projector_type``."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.projectors.dots import DOTS_OCR
from pyhexagon.llm.vision.projectors.gemma3 import GEMMA3
from pyhexagon.llm.vision.projectors.gemma4 import GEMMA4V
from pyhexagon.llm.vision.projectors.glm import GLM4V
from pyhexagon.llm.vision.projectors.idefics3 import IDEFICS3
from pyhexagon.llm.vision.projectors.internvl import INTERNVL
from pyhexagon.llm.vision.projectors.janus import JANUS_PRO
from pyhexagon.llm.vision.projectors.ldp import LDP, LDPV2
from pyhexagon.llm.vision.projectors.lfm2 import LFM2
from pyhexagon.llm.vision.projectors.minicpm import MINICPMV
from pyhexagon.llm.vision.projectors.minicpm46 import MINICPMV46
from pyhexagon.llm.vision.projectors.mlp import MLP
from pyhexagon.llm.vision.projectors.paddleocr import PADDLEOCR
from pyhexagon.llm.vision.projectors.phi4 import PHI4
from pyhexagon.llm.vision.projectors.pixtral import LIGHTONOCR, PIXTRAL
from pyhexagon.llm.vision.projectors.qwen import QWEN2VL, QWEN3VL, QWEN25VL

KINDS: Final[dict[str, ProjectorKind]] = {
    "dots_ocr": DOTS_OCR,
    "gemma3": GEMMA3,
    "gemma4v": GEMMA4V,
    "glm4v": GLM4V,
    "idefics3": IDEFICS3,
    "internvl": INTERNVL,
    "janus_pro": JANUS_PRO,
    "ldp": LDP,
    "ldpv2": LDPV2,
    "lfm2": LFM2,
    "lightonocr": LIGHTONOCR,
    "minicpmv4_6": MINICPMV46,
    "mlp": MLP,
    "paddleocr": PADDLEOCR,
    "phi4": PHI4,
    "pixtral": PIXTRAL,
    "qwen2vl_merger": QWEN2VL,
    "qwen2.5o": QWEN25VL,  # Omni, beside an audio encoder
    "qwen2.5vl_merger": QWEN25VL,
    "qwen3vl_merger": QWEN3VL,
    "resampler": MINICPMV,
}
