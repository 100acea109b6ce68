# SPDX-License-Identifier: MIT
"""The supported kinds of projectors by their names in files, ``clip.projector_type``."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.vision.config import ProjectorKind
from pyhexagon.llm.vision.projectors import gemma, ldp, matrices, minicpm

KINDS: Final[dict[str, ProjectorKind]] = {
    "dots_ocr": matrices.DOTS_OCR,
    "gemma3": gemma.GEMMA3,
    "gemma4v": gemma.GEMMA4V,
    "glm4v": matrices.GLM4V,
    "idefics3": matrices.IDEFICS3,
    "internvl": matrices.INTERNVL,
    "janus_pro": matrices.JANUS_PRO,
    "ldp": ldp.LDP,
    "ldpv2": ldp.LDPV2,
    "lfm2": matrices.LFM2,
    "lightonocr": matrices.LIGHTONOCR,
    "minicpmv4_6": minicpm.MINICPMV46,
    "mlp": matrices.MLP,
    "paddleocr": matrices.PADDLEOCR,
    "phi4": matrices.PHI4,
    "pixtral": matrices.PIXTRAL,
    "qwen2vl_merger": matrices.QWEN2VL,
    "qwen2.5o": matrices.QWEN25VL,  # Omni, beside an audio encoder
    "qwen2.5vl_merger": matrices.QWEN25VL,
    "qwen3vl_merger": matrices.QWEN3VL,
    "resampler": minicpm.MINICPMV,
}
