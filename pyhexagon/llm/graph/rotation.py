# SPDX-License-Identifier: MIT
"""RoPE tables on a device."""

from __future__ import annotations

from typing import NamedTuple

import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.llm.files.config import Config
from pyhexagon.ops.rope import RopeTable, rope_table
from pyhexagon.tensor import Tensor


class Rotation(NamedTuple):
    """A table of ``rope_table`` on the device."""

    turns: Tensor
    scale: float

    @classmethod
    def of(
        cls,
        device: Device,
        config: Config,
        factors: npt.ArrayLike | None,
        *,
        has_window: bool,
        has_places: bool = False,
    ) -> Rotation:
        """Upload the table of sliding-window layers, or of the others.

        Args:
            has_places: for 4 positions of each token, see ``StepInputs.places``.
        """
        rope = config.rope
        table: RopeTable = rope_table(
            rope.n_dims_window if has_window else rope.n_dims,
            freq_base=rope.freq_base_window if has_window else rope.freq_base,
            freq_scale=rope.freq_scale_window if has_window else rope.freq_scale,
            ext_factor=rope.ext_factor,
            attn_factor=rope.attn_factor,
            beta_fast=rope.beta_fast,
            beta_slow=rope.beta_slow,
            n_ctx_orig=rope.n_ctx_orig,
            factors=factors,
            sections=rope.sections if has_places else None,
            interleaved=has_places and rope.is_interleaved,
        )
        return cls(device.tensor(table.turns), table.scale)
