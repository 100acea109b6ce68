# SPDX-License-Identifier: MIT
"""Samplers that drop tokens by the shape of the distribution: top-n-sigma, locally typical sampling, XTC.

They follow llama.cpp's definitions, in float64. Its chain is penalties, DRY, top-n-sigma, top-k, typical, top-p, min-p,
XTC, temperature.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.intp]
F64 = npt.NDArray[np.float64]


def within_sigma(logits: npt.NDArray[np.floating[Any]], n_sigma: float) -> Ids:
    """Return the ids of the logits that are at most ``n_sigma`` standard deviations below the largest one.

    Logits of -inf count neither for the mean nor for the deviation, and are dropped.
    """
    values = np.asarray(logits, np.float64)
    finite = values[values > -np.inf]
    least = finite.max() - n_sigma * finite.std()
    return np.flatnonzero((values >= least) & (values > -np.inf))


def typical(ordered: F64, mass: float) -> Ids:
    """Return the places of the locally typical tokens, in the order of ``ordered``.

    Args:
        ordered: logits, (n,), largest first.
        mass: the tokens whose information is closest to the entropy are kept until their probabilities exceed it.
    """
    shifted = ordered - ordered[0]
    logs = shifted - np.log(np.exp(shifted).sum())
    probabilities = np.exp(logs)
    entropy = -(probabilities[probabilities > 0] * logs[probabilities > 0]).sum()
    closest = np.argsort(np.abs(-logs - entropy), kind="stable")
    n_kept = int(np.searchsorted(np.cumsum(probabilities[closest]), mass, side="right")) + 1
    return np.sort(closest[:n_kept])


def without_top_choices(ids: Ids, logits: F64, threshold: float) -> tuple[Ids, F64]:
    """Return ids and logits without the top choices, of which the least probable one stays.

    Args:
        ids, logits: (n,) each, in any order.
        threshold: least probability of a top choice.
    """
    likelihoods = np.exp(logits - logits.max())
    is_top = likelihoods >= threshold * likelihoods.sum()
    if is_top.sum() < 2:
        return ids, logits
    order = np.argsort(-logits, kind="stable")
    rest = order[int(is_top.sum()) - 1 :]
    return ids[rest], logits[rest]
