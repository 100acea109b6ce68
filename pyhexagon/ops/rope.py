# SPDX-License-Identifier: MIT
"""Rotary position embeddings: pairs of elements rotated by angles proportional to the position."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log, pi
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract
from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

Mode = Literal["normal", "neox"]

_MODES: Final[dict[str, int]] = {"normal": contract.ROPE_NORMAL, "neox": contract.ROPE_NEOX}


class RopeTable(NamedTuple):
    """The operands of ``rope`` besides positions; made by ``rope_table``.

    Attributes:
        turns: (2 * P, n_dims / 2) int32, P positions per token: the frequency of each pair for each position, in turns
            per step times 2^63: a row with the upper 32 bits, then one with the lower 31.
        scale: the factor on rotated elements.
    """

    turns: npt.NDArray[np.int32]
    scale: float


def rope_table(
    n_dims: int,
    *,
    freq_base: float = 10000.0,
    freq_scale: float = 1.0,
    ext_factor: float = 0.0,
    attn_factor: float = 1.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    n_ctx_orig: int = 0,
    factors: npt.ArrayLike | None = None,
    sections: Sequence[int] | None = None,
    interleaved: bool = False,
) -> RopeTable:
    """Return the table of a model; the parameters have the names of GGUF files and ggml.

    Args:
        n_dims: the number of rotated elements of a row; even.
        freq_base: pair i rotates by ``freq_base ** (-2 * i / n_dims)`` radians per position.
        freq_scale: 1 over the factor by which the context was stretched.
        ext_factor: the share of YaRN: 0 none, 1 all. It also scales by ``1 + 0.1 * log(1 / freq_scale)``.
        attn_factor: another factor of that scale.
        beta_fast, beta_slow: YaRN's bounds, in turns within the original context.
        n_ctx_orig: the original context length; YaRN needs it.
        factors: (n_dims / 2,), divisors of the frequencies: the file's ``rope_freqs``, or its long or short factors,
            depending on the context length.
        sections: the number of pairs for each of the 4 positions of a token (MROPE).
        interleaved: interleave the first three sections (IMROPE).

    Raises:
        ArgumentError: the parameters are inconsistent.
    """
    n_pairs = n_dims // 2
    if n_dims < 2 or n_dims % 2:
        raise ArgumentError(f"n_dims is {n_dims}: expected an even number of elements")
    pairs = np.arange(n_pairs)
    divisors = np.ones(n_pairs) if factors is None else np.asarray(factors, np.float64)
    if divisors.shape != (n_pairs,):
        raise ArgumentError(f"factors have the shape {divisors.shape}: expected ({n_pairs},)")
    extrapolated = float(freq_base) ** (-pairs / n_pairs) / divisors
    frequencies, scale = extrapolated * freq_scale, float(attn_factor)
    if ext_factor:
        if n_ctx_orig < 1:
            raise ArgumentError(f"n_ctx_orig is {n_ctx_orig}: YaRN needs the original context")
        ramp = _yarn_ramp(n_dims, freq_base, n_ctx_orig, beta_fast, beta_slow) * ext_factor
        frequencies = frequencies * (1 - ramp) + extrapolated * ramp
        scale *= 1 + 0.1 * log(1 / freq_scale)
    if not np.isfinite(frequencies).all():
        raise ArgumentError("frequencies that are not finite: factors of 0, or a base that is not positive?")
    turns = np.zeros((1, n_pairs)) if sections is None else np.zeros((4, n_pairs))
    turns[0 if sections is None else _positions_of(n_pairs, sections, interleaved), pairs] = frequencies / (2 * pi)
    words = np.rint((turns - np.floor(turns)) * 2.0**63).astype(np.uint64)
    halves = np.stack([words >> np.uint64(31) & np.uint64(0xFFFFFFFF), words & np.uint64(0x7FFFFFFF)], axis=1)
    return RopeTable(halves.astype(np.uint32).view(np.int32).reshape(-1, n_pairs), scale)


def rope(
    p: Graph,
    x: Value | Tensor,
    positions: Value | Tensor,
    turns: Value | Tensor,
    *,
    mode: Mode,
    scale: float = 1.0,
) -> Value:
    """Rotate pairs of elements of ``x`` by angles proportional to the position of their token.

    Args:
        x: (..., T, H, K) float32: the H heads of T tokens.
        positions: int32 of any size and sign, of shape (T,) or one that can be broadcast to (..., T). With sections,
            (P, ..., T): P positions per token, 4 at most.
        turns: int32 (2 * P, n_dims / 2), of ``rope_table``. Elements of a row after the first n_dims are unchanged.
        mode: the elements of pair i: "normal" 2 i and 2 i + 1, "neox" i and i + n_dims / 2.
        scale: as in ``rope_table``, from 1/256 to 256.

    Returns:
        float32, of the shape of x.

    Accuracy: docs/math.md, ROPE: NMSE below 1e-15 against float64, at position 131,071 as well. ggml's ROPE.
    """
    x, turns = rows(p, x, "x"), rows(p, turns, "turns", "int32")
    value = p.value(positions, "positions")
    n_positions = turns.shape[0] // 2 if turns.ndim == 2 else 0
    if turns.ndim != 2 or turns.shape[0] % 2 or not 1 <= n_positions <= contract.ROPE_MAX_POSITIONS:
        raise ArgumentError(f"turns {turns.shape}: expected a table (2 * P, n_dims / 2), P from 1 to 4: rope_table's")
    if not 3 <= x.ndim <= contract.MAX_DIMS or x.shape[-1] < 2 * turns.shape[1]:
        raise ArgumentError(f"rope of x {x.shape}: expected (..., T, H, K), K at least {2 * turns.shape[1]}")
    if mode not in _MODES or not 2.0**-8 <= scale <= 2.0**8:
        raise ArgumentError(f"mode {mode!r} and scale {scale!r}: expected one of {[*_MODES]} and a factor")
    if value.is_weight or value.dtype != "int32":
        raise ArgumentError(f"positions is {value!r}: expected an array, a tensor or a value of int32")
    beside = _beside_rows(value, x.shape, n_positions)
    return p.op("rope", [x, beside, turns], x.shape, mode=_MODES[mode], scale=scale)


def _beside_rows(positions: Value, shape: tuple[int, ...], n_positions: int) -> Value:
    """Return the positions as (*shape[:-1], P): a token's positions for each of its rows."""
    if n_positions > 1 and (not positions.ndim or positions.shape[0] != n_positions):
        raise ArgumentError(f"positions {positions.shape}: expected ({n_positions}, ..., T) to match turns")
    if n_positions == 1 and positions.shape != (1, *shape[:-2]):
        positions = positions[None]
    tokens = positions.broadcast_to(n_positions, *shape[:-2])
    last = tokens.transpose(*range(1, tokens.ndim), 0)
    return last[..., None, :].broadcast_to(*shape[:-1], n_positions)


def _yarn_ramp(
    n_dims: int, freq_base: float, n_ctx_orig: int, beta_fast: float, beta_slow: float
) -> npt.NDArray[np.float64]:
    """Return 1 for pairs with more than beta_fast turns within the original context, 0 below beta_slow."""

    def pair_of(n_turns: float) -> float:
        return n_dims * log(n_ctx_orig / (n_turns * 2 * pi)) / (2 * log(freq_base))

    low, high = max(0, floor(pair_of(beta_fast))), min(n_dims - 1, ceil(pair_of(beta_slow)))
    return np.asarray(1 - np.clip((np.arange(n_dims // 2) - low) / max(0.001, high - low), 0, 1))


def _positions_of(n_pairs: int, sections: Sequence[int], interleaved: bool) -> npt.NDArray[np.intp]:
    """Return the index of the position (0 to 3) that rotates each pair."""
    if len(sections) != 4 or min(sections) < 0 or not sum(sections):
        raise ArgumentError(f"sections are {tuple(sections)}: expected the number of pairs for each of 4 positions")
    sector = np.arange(n_pairs) % sum(sections)
    if not interleaved:
        return np.asarray(np.searchsorted(np.cumsum(sections)[:3], sector, side="right"))
    which = sector % 3
    return np.where(sector < 3 * np.asarray(sections)[which], which, 3)
