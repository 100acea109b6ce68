# SPDX-License-Identifier: MIT
"""Requests for embeddings in all APIs: their fields, by the names of OpenAI, llama.cpp, vLLM and others; their inputs,
cut to the context where the request allows it; and their dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from pyhexagon.llm.tokens.tokenizer import Tokenizer
from pyhexagon.serve.apis import requests
from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.openai_schema import Input
from pyhexagon.serve.apis.requests import RequestContext
from pyhexagon.serve.apis.sampling_fields import MOST_TOKENS, Limit
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import invalid
from pyhexagon.serve.models.pooled_model import Prompts

Vector = npt.NDArray[np.float32]
_MOST: Final = 2048  # inputs
Dimensions = Annotated[int, Meta(ge=1, le=MOST_TOKENS)]


@dataclass(frozen=True)
class Truncation:
    """How long an input may be.

    Attributes:
        n_tokens: at most; None: as long as the context.
        is_cut: whether a longer one is cut; else it is refused.
        from_start: whether its beginning is cut off, as vLLM does; else its end.
    """

    n_tokens: int | None = None
    is_cut: bool = False
    from_start: bool = False


class EmbeddingRequest(ModelRequest, kw_only=True):
    """A request to ``/v1/embeddings``."""

    input: Input | None = None
    content: Input | None = None
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Dimensions | None = None
    truncate: bool = False
    truncate_prompt_tokens: Limit | None = None

    @property
    def texts(self) -> tuple[str, Any]:
        """The field that has the texts, and its value; llama.cpp's name is ``content``."""
        if self.input is None and self.content is None:
            raise invalid("input", None, "a text, a list of tokens, or a list of these")
        return ("content", self.content) if self.input is None else ("input", self.input)

    @property
    def truncation(self) -> Truncation:
        """How long an input may be."""
        n_tokens = self.truncate_prompt_tokens
        if n_tokens is None:
            return Truncation(is_cut=self.truncate)
        return Truncation(None if n_tokens < 1 else n_tokens, is_cut=True, from_start=True)


def inputs_of(
    body: EmbeddingRequest, context: RequestContext, *, are_tokens_embedded: bool = False
) -> tuple[list[list[int]], tuple[EmbeddingRequest, str]]:
    """Return the token ids of a request's inputs; the request, and the name of the model.

    Args:
        are_tokens_embedded: models that make an embedding of each token can be used, too.

    Raises:
        ServeError: as ``inputs``.
    """
    name, texts = body.texts
    ids = inputs(
        texts, context.prompts, body.truncation, body.dimensions, name, are_tokens_embedded=are_tokens_embedded
    )
    return ids, (body, context.model)


def inputs(
    given: Any,
    words: Prompts,
    truncation: Truncation,
    dimensions: int | None = None,
    name: str = "input",
    *,
    are_tokens_embedded: bool = False,
) -> list[list[int]]:
    """Return the token ids of a request's inputs to embed.

    Args:
        are_tokens_embedded: as of ``inputs_of``.

    Raises:
        ServeError: a field is invalid, an input is too long, or the model makes no embeddings.
    """
    model = words.model
    if dimensions is not None and dimensions > model.embedding_length:
        raise invalid("dimensions", dimensions, f"1 to {model.embedding_length}, the length of the model's vectors")
    n_ctx = model.n_ctx if truncation.n_tokens is None else min(truncation.n_tokens, model.n_ctx)
    if truncation.is_cut:
        given = _bounded(given, words.max_bytes, from_start=truncation.from_start)
    prompts = requests.prompts_of(given, name, words, _MOST)
    if truncation.is_cut:
        prompts = [cut(prompt, n_ctx, model.tokenizer, from_start=truncation.from_start) for prompt in prompts]
    requests.check_room(prompts, 0, model, name, n_ctx)
    if not (model.can_embed or (are_tokens_embedded and model.embeds_tokens)):
        raise wrong("the model does not say how it makes embeddings", "model")
    return prompts


def _bounded(given: Any, max_bytes: int, *, from_start: bool) -> Any:
    """Return texts without what is certainly cut off, so that they are not tokenized for nothing."""
    if isinstance(given, str):
        content = given.encode("utf-8", "surrogatepass")
        content = content[-max_bytes:] if from_start else content[:max_bytes]
        return given if len(given) <= max_bytes else content.decode("utf-8", "ignore")
    is_texts = isinstance(given, list) and any(isinstance(text, str) for text in given)
    return [_bounded(text, max_bytes, from_start=from_start) for text in given] if is_texts else given


def cut(tokens: Sequence[int], n_tokens: int, tokenizer: Tokenizer, *, from_start: bool = False) -> list[int]:
    """Return at most ``n_tokens`` of an input; control tokens at its beginning and its end are kept."""
    if len(tokens) <= n_tokens:
        return list(tokens)
    n_before, n_after = (int(token in tokenizer.control) for token in (tokens[0], tokens[-1]))
    n_left = n_tokens - n_before - n_after
    if n_left < 1:
        return list(tokens[:n_tokens])
    inner = tokens[n_before : len(tokens) - n_after]
    inner = inner[len(inner) - n_left :] if from_start else inner[:n_left]
    return [*tokens[:n_before], *inner, *tokens[len(tokens) - n_after :]]


def shortened(vector: Vector, dimensions: int | None) -> Vector:
    """Return the first dimensions of an embedding, normalized to length 1 again; None: all of them.

    Those of single tokens, (tokens, length), stay as they are.
    """
    if dimensions is None or vector.ndim > 1 or dimensions == len(vector):
        return vector
    head = vector[:dimensions].astype(np.float64)
    length = np.linalg.norm(head)
    return (head / (length or 1.0)).astype(np.float32)
