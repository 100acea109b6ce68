# SPDX-License-Identifier: MIT
"""The fields of requests for embeddings, by the names of OpenAI, llama.cpp, vLLM and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from pyhexagon.serve.apis.model_request import ModelRequest
from pyhexagon.serve.apis.openai_schema import Input
from pyhexagon.serve.apis.sampling_fields import MOST_TOKENS, Limit
from pyhexagon.serve.http.schema import invalid

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
