# SPDX-License-Identifier: MIT
"""``pyhexagon bench model --mmproj``: what an image costs before a model's first token."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from pyhexagon.bench import image, timeline
from pyhexagon.bench.model import TIMEOUT
from pyhexagon.bench.silicon_estimate import Assumptions
from pyhexagon.cli import image_options
from pyhexagon.device import Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.llm.vision.encoder import ImageEncoder
from pyhexagon.llm.vision.memory import PICTURE, planned


def record(
    mmproj: str,
    prompts: Sequence[Mapping[str, Any]],
    assumed: Mapping[str, Assumptions],
    *,
    threads: int,
    device: str | None,
    transport: str | None,
    is_timed: bool,
    weights: WeightType,
) -> dict[str, Any]:
    """Encode an image, and return a record of it.

    Args:
        mmproj: the file.
        prompts: records of the model's prompts with as many threads; the first one's rate is that of the image's
            tokens.
        assumed: by case, for an estimate; empty: there is none.
        is_timed: whether to take the time on this machine.
        weights: as for ``ImageEncoder``.
    """
    with GGUFFile(mmproj) as file, Device(device, transport=transport, threads=threads, timeout=TIMEOUT) as opened:
        cost = image.measured(opened, ImageEncoder(opened, file, weights=weights), PICTURE, is_timed=is_timed)
        plan = planned(file, weights)
        facts = {"device": opened.name, "threads": opened.info().threads}
    estimates = {
        case: timeline.simulate(cost.messages, machine).seconds for case, machine in assumed.items() if cost.messages
    }
    first = next((prompt for prompt in prompts if prompt["n_prompt"] and prompt["threads"] == facts["threads"]), None)
    rates = {} if first is None else first.get("estimate_range", {})
    return {
        "test": "image", "mmproj": os.path.basename(mmproj), "types": plan.types, "quantized": plan.n_quantized,
        **facts, "picture": list(PICTURE), "tiles": cost.n_tiles, "tokens": cost.n_tokens,
        "seconds": cost.seconds if is_timed else None,
        "faster_with": "--mmproj-weights q8_0" if image_options.advice(plan.facts()) else "",
        "packets": cost.packets, "packets_max_thread": cost.packets_max_thread, "bytes": cost.n_bytes,
        "by_kind": cost.by_kind, "estimate_range": estimates,
        "first_token_range": {
            case: seconds + cost.n_tokens / rates[case] for case, seconds in estimates.items() if case in rates
        },
    }  # fmt: skip


def lines(of_image: Mapping[str, Any]) -> list[str]:
    """Return a record as text."""
    width, height = of_image["picture"]
    text = (
        f"an image of {width} x {height} with {of_image['mmproj']} ({image_options.types(of_image)}), "
        f"{of_image['threads']} threads: "
        f"{of_image['tiles']} tiles, {of_image['tokens']} tokens"
    )
    if of_image["seconds"] is not None:
        text += f", {of_image['seconds']:.2f} s"
    if of_image["packets"] is not None:
        text += f", {of_image['packets_max_thread'] / 1e6:,.1f} M packets of the busiest thread"
    result = [text]
    for name, what in (("estimate_range", "encoding"), ("first_token_range", "time to the first token")):
        if of_image[name]:
            times = " / ".join(f"{seconds:.2f}" for seconds in of_image[name].values())
            result.append(f"{what} on a board (a model): low / expected / high speed {times} s")
    if of_image["estimate_range"] and of_image["faster_with"]:
        result.append(f"the encoder's weights are floats: {of_image['faster_with']} is faster")
    return result
