# SPDX-License-Identifier: MIT
"""Requests to ``/v1/rerank``, in the form that Jina's, Cohere's and llama.cpp's servers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from msgspec import Meta

from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.requests import RequestContext
from pyhexagon.serve.apis.sampling_fields import MOST_TOKENS
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import Schema

_MOST: Final = 2048  # documents


class Document(Schema, kw_only=True):
    """A text to rank."""

    text: str


class RerankRequest(ModelRequest, kw_only=True):
    """A request to ``/v1/rerank``."""

    query: str
    documents: Annotated[list[str | Document], Meta(min_length=1, max_length=_MOST, description=f"1 to {_MOST} texts")]
    top_n: Annotated[int, Meta(ge=1, le=MOST_TOKENS)] | None = None
    return_documents: bool = False


@dataclass(frozen=True)
class Reranking:
    """A parsed request.

    Attributes:
        documents: to rank.
        top_n: most results; None: all.
        model: its name.
        has_documents: whether the results repeat their documents.
    """

    documents: Sequence[str]
    top_n: int | None
    model: str
    has_documents: bool

    def response(self, scores: Sequence[float], n_tokens: int) -> Record:
        """Return the response: the documents with the highest scores first, equal ones in their order."""
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[: self.top_n]
        results: list[Record] = [{"index": index, "relevance_score": scores[index]} for index in best]
        if self.has_documents:
            results = [result | {"document": {"text": self.documents[result["index"]]}} for result in results]
        usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
        return {"object": "list", "model": self.model, "results": results, "usage": usage}


def reranking(request: RerankRequest, context: RequestContext) -> tuple[list[list[int]], Reranking]:
    """Parse a request; return the token ids of the query with each document, and the request.

    Raises:
        ServeError: a field is invalid, or the model is no reranker.
    """
    words, model = context.prompts, context.prompts.model
    if not model.can_rerank:
        raise wrong("the model is no reranker", "model")
    documents = [document if isinstance(document, str) else document.text for document in request.documents]
    for text in documents:
        words.check_bytes(request.query + text, "documents")
    pairs = [model.tokenizer.encode_pair(request.query, text) for text in documents]
    requests.check_room(pairs, 0, model, "documents")
    return pairs, Reranking(documents, request.top_n, context.model, request.return_documents)
