# SPDX-License-Identifier: MIT
"""Constrained decoding: only tokens that a grammar allows can be sampled. llguidance computes the allowed tokens."""

from __future__ import annotations

import json
import logging
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pyhexagon import extras
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.sampling import Logits
from pyhexagon.llm.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import llguidance


_MOST_CHARACTERS: Final = 64 << 10  # of a grammar; compiling a longer one takes seconds
_MOST_OF_SCHEMA: Final = 512 << 10  # characters: those of all tools of an agent
_MOST_REFERENCES: Final = 1000  # of a schema: llguidance follows a chain of them on the stack
_LOG: Final = logging.getLogger("pyhexagon.llm")
_LONGEST_MESSAGE: Final = 300  # characters
_LOOKS_AROUND: Final = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<")
_VALUES: Final = ("const", "enum", "default", "examples")  # of a JSON schema: they are no schemas
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
        self._compiled: weakref.WeakValueDictionary[str, _Compiled] = weakref.WeakValueDictionary()

    def processor(
        self, *, grammar: str | None = None, json_schema: Mapping[str, Any] | str | None = None
    ) -> GrammarMask:
        """Return a logits processor for one completion; the first tokens that it receives are the prompt.

        Compiling a grammar takes up to seconds, mostly without the GIL. Processors of the same grammar share the
        compiled one, which lives as long as one of them.

        Args:
            grammar: in Lark's form with llguidance's extensions, or in llama.cpp's (GBNF).
            json_schema: the schema of a JSON completion; as a mapping or as text.

        Raises:
            ArgumentError: the grammar or schema is invalid, a grammar is larger than 64 KiB, a schema is larger than
                512 KiB or has more than 1000 references; or both or none are given.
        """
        from llguidance import LLMatcher
        from llguidance.gbnf_to_lark import is_lark_syntax

        if (grammar is None) == (json_schema is None):
            raise ArgumentError("expected either a grammar or a JSON schema")
        what, ignored = "JSON schema" if grammar is None else "grammar", list[str]()
        try:
            text = _schema(json_schema, ignored) if grammar is None else grammar
            most = _MOST_OF_SCHEMA if grammar is None else _MOST_CHARACTERS
            if len(text) > most:
                raise ArgumentError(f"the {what} has {len(text)} characters: expected {most} at most")
            if grammar is None and (n_references := text.count("$ref")) > _MOST_REFERENCES:
                raise ArgumentError(f"the {what} has {n_references} references: expected {_MOST_REFERENCES} at most")
            if grammar is None:
                source = LLMatcher.grammar_from_json_schema(text)
            else:
                source = LLMatcher.grammar_from_lark(text if is_lark_syntax(text) else _lark(text))
            compiled = self._compiled.get(source) or _Compiled(LLMatcher(self._tokenizer, source))
            problem = compiled.matcher.get_error()
        except ArgumentError:
            raise
        except RecursionError:
            problem = "it is nested too deeply"
        except Exception as error:  # the parser of GBNF raises plain Exception if a rule is missing
            problem = str(error)
        if problem:
            raise ArgumentError(f"the {what}: {_shortened(problem)}")
        warnings = [*ignored, *map(_shortened, compiled.matcher.get_grammar_warnings())]
        if source not in self._compiled:
            for warning in warnings:
                _LOG.warning("a part of a %s is ignored: %s", what, warning)
        self._compiled[source] = compiled
        return GrammarMask(compiled, warnings)


def _shortened(problem: str) -> str:
    """Return the first line of an error, and the reason that an error in a regular expression has behind it; the
    parser's state follows."""
    first, *more = problem.splitlines()
    reason = next((f" {line.removeprefix('error: ')}" for line in more if line.startswith("error: ")), "")
    return f"{first}{reason}"[:_LONGEST_MESSAGE]


class _Compiled:
    """A compiled grammar; each completion has a copy of its matcher."""

    def __init__(self, matcher: llguidance.LLMatcher) -> None:
        self.matcher = matcher


def _lark(text: str) -> str:
    """Return a grammar of llama.cpp's form (GBNF) in Lark's form.

    llguidance finds the rules that are terminals in a pass over the whole grammar for each step of a chain of rules: 18
    seconds for a chain in 64 KiB. It needs one pass, because they are marked here.
    """
    from llguidance.gbnf_to_lark import GrammarParser, resolve

    rules = GrammarParser().parse(text)
    _mark_terminals(rules)
    resolve(rules)
    ordered = sorted(rules.values(), key=lambda rule: rule.order)
    return "%llguidance {}\n\n" + "\n\n".join(map(str, ordered)) + "\n"


def _mark_terminals(rules: Mapping[str, Any]) -> None:
    """Mark the rules, except the root, that refer to marked rules only. Linear in the size of the grammar."""
    referring: dict[str, list[str]] = {}  # by rule, the rules that refer to it
    n_open = dict.fromkeys(rules, 0)  # by rule, its references to rules that are not marked yet
    for name, rule in rules.items():
        for other in set(_references(rule)):
            referring.setdefault(other, []).append(name)
            n_open[name] += 1
    ready = [name for name, n in n_open.items() if not n]
    while ready:
        name = ready.pop()
        if name == "root":
            continue
        rules[name].rule_is_terminal = True
        for other in referring.get(name, ()):
            n_open[other] -= 1
            if not n_open[other]:
                ready.append(other)


def _references(rule: Any) -> Iterator[str]:
    """Yield the names of the rules to which a rule refers."""
    from llguidance.gbnf_to_lark import RuleRefNode

    nodes = [rule]
    while nodes:
        node = nodes.pop()
        if isinstance(node, RuleRefNode):
            yield node.name
        nodes += node.children()


def _schema(given: Mapping[str, Any] | str | None, ignored: list[str]) -> str:
    """Return the schema as JSON with llama.cpp's limit on white space: models fill the context with it otherwise.

    A lenient schema loses patterns that no automaton matches, as llguidance ignores other words that it cannot enforce.

    Args:
        ignored: receives what the schema loses.
    """
    schema = json.loads(given) if isinstance(given, str) else given
    if isinstance(schema, Mapping):
        own = schema.get("x-guidance", {})
        if isinstance(own, Mapping) and own.get("lenient") and _LOOKS_AROUND.search(json.dumps(schema)):
            schema = _without_patterns(schema, ignored)
        if isinstance(own, Mapping) and not any(name.startswith("whitespace_") for name in own):
            schema = {**schema, "x-guidance": {**own, "whitespace_pattern": _SPACE}}
    return json.dumps(schema)


def _without_patterns(schema: Any, ignored: list[str]) -> Any:
    """Return a schema without the patterns that look around or refer back; other regular expressions stay."""
    if isinstance(schema, list):
        return [_without_patterns(each, ignored) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {}
    for name, value in schema.items():
        if name == "pattern" and isinstance(value, str) and _LOOKS_AROUND.search(value):
            ignored.append(f"the pattern {_shortened(value)!r} looks around or refers back")
        else:
            made[name] = value if name in _VALUES else _without_patterns(value, ignored)
    return made


class GrammarMask:
    """Masks the tokens that the grammar does not allow next.

    Attributes:
        warnings: what of the grammar or schema is ignored.
    """

    def __init__(self, compiled: _Compiled, warnings: Sequence[str]) -> None:
        self.warnings = warnings
        self._compiled = compiled  # keeps it for the other completions of a request
        self._matcher = compiled.matcher.deep_copy()
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
            raise ArgumentError(f"the grammar: {_shortened(self._matcher.get_error()) or 'nothing can follow'}")
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
