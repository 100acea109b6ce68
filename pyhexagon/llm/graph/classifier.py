# SPDX-License-Identifier: MIT
"""A ranker's classifier: a score for each of its labels. It is small, and runs on the host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.files.weights import CLASSIFIER, ModelFile, as_float32

SCORES: Final = f"{CLASSIFIER}.output.weight"
F32 = npt.NDArray[np.float32]


class Classifier(NamedTuple):
    """Attributes:
    tensors: by name.
    is_causal: whether attention is causal: then the last token is classified, else the first; and scores are softmaxed.
    """

    tensors: dict[str, F32]
    is_causal: bool

    @classmethod
    def of(cls, file: ModelFile, names: Iterable[str], *, is_causal: bool) -> Classifier:
        """Read the classifier of a file."""
        return cls({name: as_float32(file, name) for name in names if name in file}, is_causal)

    def scores(self, texts: Sequence[F32]) -> F32:
        """Return the scores of sequences, (n, labels), from the rows of their tokens, (T, width) each.

        For encoders they are the classifier's output; for causal models, such as Qwen 3, probabilities.
        """
        width = self.tensors[SCORES].shape[1]
        rows = np.array([rows[-1 if self.is_causal else 0] for rows in texts], np.float64).reshape(-1, width)
        if f"{CLASSIFIER}.weight" in self.tensors:
            rows = np.tanh(self._linear(rows, CLASSIFIER))
        scores = self._linear(rows, f"{CLASSIFIER}.output")
        if self.is_causal:
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores /= scores.sum(axis=1, keepdims=True)
        return scores.astype(np.float32)

    def _linear(self, rows: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        weight, bias = self.tensors[f"{name}.weight"], self.tensors.get(f"{name}.bias", 0.0)
        return np.asarray(rows @ weight.T.astype(np.float64) + bias)
