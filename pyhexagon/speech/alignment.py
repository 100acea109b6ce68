# SPDX-License-Identifier: MIT
"""When each token was spoken, from the decoder's attention to the audio: OpenAI's method, dynamic time warping."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.kinds import WHISPER_VOCABULARIES
from pyhexagon.speech.hyper_parameters import HyperParameters

POSITION_SECONDS: Final = 0.02  # of the encoder's output
_FILTER: Final = 7  # positions
_DIAGONAL, _UP, _LEFT = 0, 1, 2

Heads = tuple[tuple[int, int], ...]
F32 = npt.NDArray[np.float32]

_ENGLISH, _MULTILINGUAL, _V3 = WHISPER_VOCABULARIES
_HEADS: Final[dict[tuple[int, int, int], Heads]] = {  # by layers of the encoder and the decoder, and tokens
    (4, 4, _ENGLISH): ((1, 0), (2, 0), (2, 5), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4)),
    (4, 4, _MULTILINGUAL): ((2, 2), (3, 0), (3, 2), (3, 3), (3, 4), (3, 5)),
    (6, 6, _ENGLISH): ((3, 3), (4, 7), (5, 1), (5, 5), (5, 7)),
    (6, 6, _MULTILINGUAL): ((3, 1), (4, 2), (4, 3), (4, 7), (5, 1), (5, 2), (5, 4), (5, 6)),
    (12, 12, _ENGLISH): (
        (6, 6), (7, 0), (7, 3), (7, 8), (8, 2), (8, 5), (8, 7), (9, 0), (9, 4), (9, 8), (9, 10), (10, 0), (10, 1),
        (10, 2), (10, 3), (10, 6), (10, 11), (11, 2), (11, 4),
    ),
    (12, 12, _MULTILINGUAL): (
        (5, 3), (5, 9), (8, 0), (8, 4), (8, 7), (8, 8), (9, 0), (9, 7), (9, 9), (10, 5),
    ),
    (24, 24, _ENGLISH): (
        (11, 4), (14, 1), (14, 12), (14, 14), (15, 4), (16, 0), (16, 4), (16, 9), (17, 12), (17, 14), (18, 7),
        (18, 10), (18, 15), (20, 0), (20, 3), (20, 9), (20, 14), (21, 12),
    ),
    (24, 24, _MULTILINGUAL): ((13, 15), (15, 4), (15, 15), (16, 1), (20, 0), (23, 4)),
    (32, 32, _MULTILINGUAL): (  # of large-v2; large-v1 has the same shape
        (10, 12), (13, 17), (16, 11), (16, 12), (16, 13), (17, 15), (17, 16), (18, 4), (18, 11), (18, 19), (19, 11),
        (21, 2), (21, 3), (22, 3), (22, 9), (22, 12), (23, 5), (23, 7), (23, 13), (25, 5), (26, 1), (26, 12), (27, 15),
    ),
    (32, 32, _V3): (
        (7, 0), (10, 17), (12, 18), (13, 12), (16, 1), (17, 14), (19, 11), (21, 4), (24, 1), (25, 6),
    ),
    (32, 4, _V3): ((2, 4), (2, 11), (3, 3), (3, 6), (3, 11), (3, 14)),
}  # fmt: skip


def alignment_heads(of: HyperParameters) -> Heads:
    """Return the (layer, head) pairs of the decoder whose attention follows the audio.

    OpenAI chose them for each published model. For models of other shapes they are all heads of the later half of the
    layers.
    """
    known = _HEADS.get((of.n_audio_layer, of.n_text_layer, of.n_vocab), ())
    if known and all(head < of.n_text_head for _, head in known):
        return known
    layers = range(of.n_text_layer // 2, of.n_text_layer)
    return tuple((layer, head) for layer in layers for head in range(of.n_text_head))


def token_times(weights: F32, n_before: int, n_positions: int) -> npt.NDArray[np.float64]:
    """Return the time at which each token begins, in seconds from the window's beginning, and that of the end.

    Args:
        weights: (heads, tokens, positions), the probabilities with which the tokens attend to the audio: those of the
            prompt, of the text without timestamps, and the end token.
        n_before: number of the prompt's tokens without the last one, after which the text begins.
        n_positions: that have audio.

    Returns:
        (text tokens + 1,) float64.

    Raises:
        ArgumentError: there are no positions, or no tokens but the prompt's.
    """
    if not 1 <= n_positions <= weights.shape[2] or not 0 <= n_before < weights.shape[1] - 1:
        raise ArgumentError(
            f"attention of shape {weights.shape} to {n_positions} positions, of which the first {n_before} tokens are "
            "left out: expected at least one position and one more token"
        )
    kept = weights[:, :, :n_positions].astype(np.float64)
    kept /= np.maximum(kept.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
    mean, deviation = kept.mean(axis=-2, keepdims=True), kept.std(axis=-2, keepdims=True)
    normal = (kept - mean) / np.where(deviation > 0, deviation, 1.0)
    costs = -_median_filtered(normal).mean(axis=0)[n_before:-1]
    tokens, positions = warping_path(costs)
    begins = np.concatenate([[True], np.diff(tokens) > 0])
    return np.asarray(positions[begins] * POSITION_SECONDS)


def _median_filtered(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the medians of 7 neighbours along the last axis, whose ends are mirrored."""
    if values.shape[-1] <= _FILTER // 2:
        return values
    padded = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(_FILTER // 2, _FILTER // 2)], mode="reflect")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, _FILTER, axis=-1), axis=-1))


def warping_path(costs: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the rows and the columns of the cheapest monotonic path through a matrix, from its first to its last cell.

    A diagonal of the matrix is computed at once. Of equally cheap predecessors, the cell on the left is taken.
    """
    n_rows, n_columns = costs.shape
    skewed = np.full((n_rows, n_rows + n_columns - 1), np.inf)
    for row in range(n_rows):
        skewed[row, row : row + n_columns] = costs[row]
    moves = np.full((n_rows + 1, n_rows + n_columns + 1), _LEFT, np.uint8)  # by row and diagonal, both from 1
    before, last = np.full(n_rows + 1, np.inf), np.full(n_rows + 1, np.inf)
    before[0] = 0.0
    for diagonal in range(2, n_rows + n_columns + 1):
        from_diagonal, from_up, from_left = before[:-1], last[:-1], last[1:]
        move = np.where((from_up < from_diagonal) & (from_up < from_left), _UP, _LEFT)
        move = np.where((from_diagonal < from_up) & (from_diagonal < from_left), _DIAGONAL, move)
        moves[1:, diagonal] = move
        cheapest = np.choose(move, (from_diagonal, from_up, from_left))
        before, last = last, np.concatenate([[np.inf], cheapest + skewed[:, diagonal - 2]])
    rows, columns = [], []
    row, column = n_rows, n_columns
    while row > 0 or column > 0:
        rows.append(row - 1)
        columns.append(column - 1)
        move_here = _LEFT if not row else _UP if not column else moves[row, row + column]
        row -= move_here in (_DIAGONAL, _UP)
        column -= move_here in (_DIAGONAL, _LEFT)
    return np.array(rows[::-1], np.intp), np.array(columns[::-1], np.intp)
