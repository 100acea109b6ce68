# SPDX-License-Identifier: MIT
"""The LoRA adapters of a request in llama.cpp's field ``lora``."""

from __future__ import annotations

from collections.abc import Sequence

from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.fields import Fields

_MOST_FACTOR = 1000


def adapters_of(fields: Fields, names: Sequence[str]) -> dict[str, float] | None:
    """Return the adapters with the factors on their products; None if the request does not have the field.

    Args:
        fields: of the request.
        names: of the model's adapters, in the order of their numbers.

    Raises:
        ServeError: there is no adapter of a number, or a factor is out of range.
    """
    if fields.get("lora") is None:
        return None
    if not names:
        raise wrong("lora: the model has no adapters that requests can choose", "lora")
    chosen: dict[str, float] = {}
    for one in fields.each("lora", len(names)):
        number = one.whole("id", -1, 0, len(names) - 1)
        if number < 0:
            raise one.wrong("id", "the number of an adapter")
        chosen[names[number]] = one.number("scale", 0, -_MOST_FACTOR, _MOST_FACTOR)
    return chosen
