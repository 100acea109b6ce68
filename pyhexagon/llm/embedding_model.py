# SPDX-License-Identifier: MIT
"""``EmbeddingModel``: embeddings of texts, and a reranker's scores; the base class of ``CompletionModel``."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError, ClosedError, UnsupportedError
from pyhexagon.llm.engine.encoder import Encoder, pooled
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import token_ids
from pyhexagon.llm.files.config import Config, Pooling
from pyhexagon.llm.graph.classifier import Classifier
from pyhexagon.llm.tokens.tokenizer import Tokenizer
from pyhexagon.unique import Unique

Prompt = str | Sequence[int]


def known_pooling(pooling: Pooling | None, path: str) -> Pooling:
    """Return the pooling type of a model.

    Raises:
        UnsupportedError: the file has no pooling type.
    """
    if pooling is None:
        raise UnsupportedError(f"{path} does not say how tokens become an embedding: pooling_type")
    return pooling


class EmbeddingModel(Unique):
    """Embeddings, scores and hidden states of a model.

    Attributes:
        path: of its file.
        tokenizer: of the model.
    """

    path: str
    tokenizer: Tokenizer
    _is_open = False
    _config: Config
    _lock: threading.Lock
    _running: Encoder | Engine
    _classifier: Classifier | None = None

    @property
    def can_embed(self) -> bool:
        """Whether ``embed`` returns embeddings: the model has a pooling type, and is no reranker."""
        return self._config.pooling not in (None, "rank")

    @property
    def embeds_tokens(self) -> bool:
        """Whether the model makes an embedding of each token, and its file does not say how to pool them (ColBERT)."""
        config = self._config
        return config.pooling is None and (config.is_encoder or config.embedding_length != config.width)

    @property
    def can_rerank(self) -> bool:
        """Whether ``rerank`` returns scores: the model is a reranker."""
        return self._config.pooling == "rank"

    @property
    def embedding_length(self) -> int:
        """The length of an embedding."""
        return self._config.embedding_length

    @property
    def n_ctx_train(self) -> int:
        """The context length in tokens that the model was trained for."""
        return self._config.longest_ctx

    @property
    def has_pooling(self) -> bool:
        """Whether the model has a pooling type, so that ``embed`` returns embeddings or, for a reranker, scores."""
        return self._config.pooling is not None

    def token_rows(self, prompt: Prompt) -> npt.NDArray[np.float32]:
        """Return the hidden state of each token, before the output matrix, or its embedding if the model makes
        embeddings: (T, embedding_length) float32, not normalised. ColBERT compares texts by them.

        Raises:
            ArgumentError: the prompt has no tokens, or more than n_ctx.
        """
        ids = self._ids(prompt)
        with self._lock:
            self._check()
            return self._rows([ids])[0]

    def _rows(self, texts: Sequence[Sequence[int]]) -> list[npt.NDArray[np.float32]]:
        model = self._running
        return model.rows(texts) if isinstance(model, Encoder) else [model.core.hidden_states(text) for text in texts]

    def embed(self, texts: Iterable[Prompt]) -> npt.NDArray[np.float32]:
        """Return the embeddings of texts, (n, width) float32, each normalized to length 1, or a reranker's scores.

        The model's file determines the pooling: mean, first token (CLS) or last token. A reranker returns the scores of
        its labels instead, (n, labels) float32; Qwen 3's are probabilities, "yes" first.

        Args:
            texts: strings, or token ids.

        Raises:
            UnsupportedError: the model has no pooling type.
            ArgumentError: a text has no tokens, or more than n_ctx.
        """
        pooling = known_pooling(self._config.pooling, self.path)
        if pooling == "rank" and self._classifier is None:
            raise UnsupportedError(f"{self.path} is a ranker: a board holds it")
        if isinstance(texts, str):
            raise ArgumentError(f"texts is {texts!r}: expected several, such as [{texts!r}]")
        ids = [self._ids(text) for text in texts]
        with self._lock:
            self._check()
            rows = self._rows(ids)
        if self._classifier is not None:
            return self._classifier.scores(rows)
        return pooled(rows, pooling, self._config.embedding_length)

    def rerank(self, query: str, documents: Iterable[str]) -> npt.NDArray[np.float32]:
        """Return the relevance of documents to a query, (n,) float32: the more relevant, the higher.

        It is the score of the first label, as ``embed`` returns it for the tokens of ``tokenizer.encode_pair``.

        Raises:
            UnsupportedError: the model is no reranker.
            ArgumentError: a query with its document has more than n_ctx tokens.
        """
        if not self.can_rerank:
            raise UnsupportedError(f"{self.path} is no reranker")
        if isinstance(documents, str):
            raise ArgumentError(f"documents is {documents!r}: expected several, such as [{documents!r}]")
        return self.embed([self.tokenizer.encode_pair(query, document) for document in documents])[:, 0]

    def _check(self) -> None:
        if not self._is_open:
            raise ClosedError(f"{self!r} cannot be used")

    @property
    def _engine(self) -> Engine:
        if isinstance(self._running, Encoder):
            raise UnsupportedError(f"{self.path} makes embeddings only", hint="LLM.embed")
        return self._running

    @property
    def _core(self) -> EngineCore[Any]:
        return self._engine.core

    def _ids(self, prompt: Prompt) -> list[int]:
        return self.tokenizer.encode(prompt) if isinstance(prompt, str) else token_ids(prompt)
