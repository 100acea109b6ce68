# SPDX-License-Identifier: MIT
"""The sampling parameters that a model's file recommends: its keys ``general.sampling.*``, as llama.cpp reads them."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any, Final

from pyhexagon.gguf.file import GGUFFile

_LOG: Final = logging.getLogger("pyhexagon.llm")
_PREFIX: Final = "general.sampling."
_KEYS: Final[Mapping[str, tuple[str, type, float, float]]] = {  # our name, type, least and largest value
    "temp": ("temperature", float, 0, 100),
    "top_k": ("top_k", int, 0, 1 << 30),
    "top_p": ("top_p", float, 0, 1),
    "min_p": ("min_p", float, 0, 1),
    "xtc_probability": ("xtc_probability", float, 0, 1),
    "xtc_threshold": ("xtc_threshold", float, 0, 1),
    "penalty_repeat": ("repeat_penalty", float, 0.01, 100),
    "penalty_last_n": ("repeat_last_n", int, -1, 1 << 30),
}


def recommended(file: GGUFFile) -> dict[str, Any]:
    """Return the sampling parameters that a file recommends, by the names of ``SamplingParams``.

    A value that cannot be used, and a sampler that does not exist here, is left out with a warning in the log.
    """
    found: dict[str, Any] = {}
    for key in file.metadata:
        if not key.startswith(_PREFIX):
            continue
        name, value = key.removeprefix(_PREFIX), file.metadata[key]
        if name not in _KEYS:
            if name not in ("mirostat_tau", "mirostat_eta") and value:
                _LOG.warning("%s: %s is ignored: there is no such sampler", file.path, key)
            continue
        ours, kind, least, most = _KEYS[name]
        number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
        if not least <= number <= most or (kind is int and int(number) != number):
            _LOG.warning("%s: %s is %.60r: expected %g to %g", file.path, key, value, least, most)
        else:  # a float32 of the file: 0.95, not 0.949999988
            found[ours] = float(f"{number:.6g}") if kind is float else int(number)
    return found
