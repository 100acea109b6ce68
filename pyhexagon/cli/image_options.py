# SPDX-License-Identifier: MIT
"""The option of the types of an image encoder's weights, and lines of text about an encoder."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Final

from pyhexagon.llm.files.weight_types import WEIGHT_TYPES

_LONG: Final = 5.0  # seconds for a picture


def add_weights(group: argparse._ActionsContainer) -> None:
    """Add ``--mmproj-weights``."""
    group.add_argument(
        "--mmproj-weights", choices=WEIGHT_TYPES, default="file",
        help="types of the image encoder's weights: those of the mmproj file (default), or Q8_0 for float ones, which "
        "is faster",
    )  # fmt: skip


def types(encoder: Mapping[str, Any]) -> str:
    """Return the number of matrices of each type, and how many of them are quantized here.

    Args:
        encoder: ``EncoderPlan.facts``.
    """
    text = ", ".join(f"{name} {n}" for name, n in encoder["types"].items())
    return f"{text} ({encoder['quantized']} quantized at load)" if encoder["quantized"] else text


def advice(encoder: Mapping[str, Any]) -> str:
    """Return a line that names the option, for an encoder of floats that takes long; else nothing.

    Args:
        encoder: ``EncoderPlan.facts``.
    """
    now, quantized = encoder["seconds"], encoder["seconds_q8_0"]
    if now < _LONG or quantized > 0.8 * now:
        return ""
    return f"about {now:.0f} s for a picture on a board; with --mmproj-weights q8_0 about {quantized:.0f} s (a model)"
