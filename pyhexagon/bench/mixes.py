# SPDX-License-Identifier: MIT
"""The types that published quantization mixes give to the matrices of a model, as llama-quantize chooses them."""

from __future__ import annotations

from typing import Final

from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

MIXES: Final = ("Q4_0", "Q4_K_M", "Q8_0")
_OF_OTHER_COLUMNS: Final = {Q.Q4_K: Q.Q5_0, Q.Q5_K: Q.Q5_1, Q.Q6_K: Q.Q8_0}
"""What replaces a type whose block does not divide the number of columns."""


def matrix_type(mix: str, name: str, n_columns: int, n_layers: int, *, is_tied: bool) -> Q:
    """Return the type of a matrix in a mix.

    Args:
        mix: one of ``MIXES``.
        name: of the tensor.
        n_columns: elements of a row.
        n_layers: of the model.
        is_tied: whether the embedding is also the output matrix.
    """
    if name.endswith("ffn_gate_inp.weight"):
        return Q.F32  # routers are never quantized
    chosen = _of_mix(mix, name, n_layers, is_tied=is_tied)
    return _OF_OTHER_COLUMNS[chosen] if n_columns % GGML_QUANT_SIZES[chosen][0] else chosen


def _of_mix(mix: str, name: str, n_layers: int, *, is_tied: bool) -> Q:
    if mix == "Q8_0":
        return Q.Q8_0
    if name == ("token_embd.weight" if is_tied else "output.weight"):
        return Q.Q6_K
    if mix == "Q4_0":
        return Q.Q4_0
    if name.endswith("attn_qkv.weight"):
        return Q.Q5_K
    if name.endswith(("attn_v.weight", "ffn_down.weight", "ffn_down_exps.weight")):
        layer, eighth = int(name.split(".")[1]), n_layers // 8
        if layer < eighth or layer >= 7 * n_layers // 8 or (layer - eighth) % 3 == 2:
            return Q.Q6_K
    return Q.Q4_K
