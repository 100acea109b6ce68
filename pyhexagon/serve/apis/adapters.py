# SPDX-License-Identifier: MIT
"""The LoRA adapters of a request in llama.cpp's field ``lora``."""

from __future__ import annotations

from collections.abc import Sequence

from pyhexagon.serve.apis.openai_schema import Adapter
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import invalid


def adapters_of(chosen: Sequence[Adapter], names: Sequence[str]) -> dict[str, float]:
    """Return the adapters with the factors on their products.

    Args:
        chosen: the field of the request.
        names: of the model's adapters, in the order of their numbers.

    Raises:
        ServeError: there is no adapter of a number, or there are more adapters than the model has.
    """
    if not names:
        raise wrong("lora: the model has no adapters that requests can choose", "lora")
    if len(chosen) > len(names):
        raise wrong(f"lora has {len(chosen)} adapters: expected {len(names)} at most", "lora")
    for number, adapter in enumerate(chosen):
        if adapter.id >= len(names):
            raise invalid(f"lora.{number}.id", adapter.id, f"a whole number from 0 to {len(names) - 1}")
    return {names[adapter.id]: adapter.scale for adapter in chosen}
