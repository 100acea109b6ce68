# SPDX-License-Identifier: MIT
"""Requests to ``/v1/rerank``, in the form that Jina's, Cohere's and llama.cpp's servers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.requests import Asking
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.fields import Fields

_MOST: Final = 2048  # documents


@dataclass(frozen=True)
class Reranking:
    """A parsed request.

    Attributes:
        documents: to rank.
        top_n: most results.
        model: its name.
        has_documents: whether the results repeat their documents.
    """

    documents: Sequence[str]
    top_n: int
    model: str
    has_documents: bool

    def response(self, scores: Sequence[float], n_tokens: int) -> Record:
        """Return the response: the documents with the highest scores first, equal ones in their order."""
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[: self.top_n]
        results: list[Record] = [{"index": index, "relevance_score": scores[index]} for index in best]
        if self.has_documents:
            results = [one | {"document": {"text": self.documents[one["index"]]}} for one in results]
        usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
        return {"object": "list", "model": self.model, "results": results, "usage": usage}


def reranking(fields: Fields, asking: Asking) -> tuple[list[list[int]], Reranking]:
    """Parse a request; return the token ids of the query with each document, and the request.

    Raises:
        ServeError: a field is invalid, or the model is no reranker.
    """
    words, model = asking.prompts, asking.prompts.model
    if not model.can_rerank:
        raise wrong("the model is no reranker", "model")
    query = fields.text("query")
    given = fields.get("documents")
    texts = [one.get("text") if isinstance(one, dict) else one for one in given] if isinstance(given, list) else []
    documents = [one for one in texts if isinstance(one, str)]
    if not 0 < len(documents) <= _MOST or len(documents) < len(texts):
        raise fields.wrong("documents", f"1 to {_MOST} texts")
    for text in documents:
        words.check_bytes(query + text, "documents")
    pairs = [model.tokenizer.encode_pair(query, text) for text in documents]
    requests.check_room(pairs, 0, model, "documents")
    top_n = fields.whole("top_n", len(documents), 1, 1 << 30)
    return pairs, Reranking(documents, top_n, asking.model, fields.flag("return_documents"))
