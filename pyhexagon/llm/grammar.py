# SPDX-License-Identifier: MIT
"""Constrained decoding: only tokens that a grammar allows can be sampled. llguidance computes the allowed tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pyhexagon import extras
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.sampling import Logits, Processor
from pyhexagon.llm.tokenizer import Tokenizer

if TYPE_CHECKING:
    import llguidance


_MOST_CHARACTERS: Final = 64 << 10  # of a grammar; compiling a longer one takes seconds
_LONGEST_MESSAGE: Final = 300  # characters
_SPACE: Final = r"( |\n{1,2}[ \t]{0,20})?"


class Grammars:
    """Makes logits processors for the vocabulary of a model.

    Raises:
        UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        with extras.needed("grammars", "llm"):
            import llguidance
        self._tokenizer = llguidance.LLTokenizer(
            llguidance.TokenizerWrapper(_Tokens(tokenizer)), eos_token=sorted(tokenizer.ends)
        )

    def processor(self, *, grammar: str | None = None, json_schema: Mapping[str, Any] | str | None = None) -> Processor:
        """Return a logits processor for one completion; the first tokens that it receives are the prompt.

        Args:
            grammar: in Lark's form with llguidance's extensions, or in llama.cpp's (GBNF).
            json_schema: the schema of a JSON completion; as a mapping or as text.

        Raises:
            ArgumentError: the grammar or schema is invalid or larger than 64 KiB; or both or none are given.
        """
        from llguidance import LLMatcher
        from llguidance.gbnf_to_lark import any_to_lark

        if (grammar is None) == (json_schema is None):
            raise ArgumentError("expected either a grammar or a JSON schema")
        what = "JSON schema" if grammar is None else "grammar"
        try:
            text = _schema(json_schema) if grammar is None else grammar
            if len(text) > _MOST_CHARACTERS:
                raise ArgumentError(f"the {what} has {len(text)} characters: expected {_MOST_CHARACTERS} at most")
            if grammar is None:
                source = LLMatcher.grammar_from_json_schema(text)
            else:
                source = LLMatcher.grammar_from_lark(any_to_lark(text))
            problem = LLMatcher.validate_grammar(source, self._tokenizer)
        except ArgumentError:
            raise
        except RecursionError:
            problem = "it is nested too deeply"
        except Exception as error:  # any_to_lark() raises plain Exception if a rule is missing
            problem = str(error)
        if problem:
            raise ArgumentError(f"the {what}: {problem.splitlines()[0][:_LONGEST_MESSAGE]}")
        return _GrammarMask(LLMatcher(self._tokenizer, source))


def _schema(given: Mapping[str, Any] | str | None) -> str:
    """Return the schema as JSON with llama.cpp's limit on white space: models fill the context with it otherwise."""
    schema = json.loads(given) if isinstance(given, str) else given
    if isinstance(schema, Mapping) and "x-guidance" not in schema:
        schema = {**schema, "x-guidance": {"whitespace_pattern": _SPACE}}
    return json.dumps(schema)


class _GrammarMask:
    """Masks the tokens that the grammar does not allow next."""

    def __init__(self, matcher: llguidance.LLMatcher) -> None:
        self._matcher = matcher
        self._n_seen: int | None = None

    def __call__(self, tokens: Sequence[int], logits: Logits) -> Logits:
        if self._n_seen is not None:
            self._matcher.consume_tokens(list(tokens[self._n_seen :]))
        self._n_seen = len(tokens)
        bits = np.unpackbits(np.frombuffer(self._matcher.compute_bitmask(), np.uint8), bitorder="little")
        allowed = np.zeros(len(logits), bool)
        n = min(len(bits), len(logits))
        allowed[:n] = bits[:n]
        if self._matcher.is_error() or not allowed.any():
            raise ArgumentError(f"the grammar: {self._matcher.get_error() or 'nothing can follow'}")
        return np.where(allowed, logits, np.float32(-np.inf))


class _Tokens:
    """The tokenizer interface that llguidance expects."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.eos_token_id = min(tokenizer.ends) if tokenizer.ends else tokenizer.eos
        self.bos_token_id = tokenizer.bos
        self.tokens = [tokenizer.token_bytes(token, special=True) for token in range(tokenizer.n_tokens)]
        self.special_token_ids = sorted(tokenizer.control)

    def __call__(self, text: bytes | str) -> list[int]:
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return self._tokenizer.encode_within(text)
