# SPDX-License-Identifier: MIT
"""TeX formulas of a model's Markdown as MathML, which browsers typeset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from typing import Final
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

_MOST: Final = 1 << 12  # characters of a formula
_MOST_LINES: Final = 64
_ALIGNED: Final = re.compile(r"(\\(?:begin|end)\{)(?:aligned|gathered)\}")  # split is the one that latex2mathml knows
TAGS: Final = {
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts",
    "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder",
    "munderover",
}  # fmt: skip
ATTRIBUTES: Final = {
    "math": {"display"}, "menclose": {"notation"}, "mfrac": {"linethickness"}, "mi": {"mathvariant"},
    "mo": {"fence", "form", "lspace", "maxsize", "minsize", "rspace", "stretchy"}, "mover": {"accent"},
    "mspace": {"width"}, "mstyle": {"displaystyle", "scriptlevel"}, "mtd": {"columnalign"}, "munder": {"accentunder"},
}  # fmt: skip


def enable(parser: MarkdownIt) -> None:
    r"""Let a parser recognise $...$, $$...$$, \(...\) and \[...\]. Its HTML has TAGS with ATTRIBUTES."""
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    parser.inline.ruler.before("escape", "math_brackets", _brackets)
    parser.block.ruler.before(
        "fence", "math_brackets", _lines_in_brackets, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    for rule in ("math_inline", "math_inline_double", "math_block"):
        parser.add_render_rule(rule, _render)


def _brackets(state: StateInline, silent: bool) -> bool:
    r"""Recognise \(...\), and \[...\] within a line."""
    opening = state.src[state.pos : state.pos + 2]
    if opening not in {r"\(", r"\["}:
        return False
    end = state.src.find(r"\)" if opening == r"\(" else r"\]", state.pos + 2)
    if end < 0:
        return False
    if not silent:
        token = state.push("math_inline" if opening == r"\(" else "math_inline_double", "math", 0)
        token.content = state.src[state.pos + 2 : end]
    state.pos = end + 2
    return True


def _lines_in_brackets(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    r"""Recognise \[...\] from the beginning of a line to the end of one, whatever stands in between."""
    start = state.bMarks[first] + state.tShift[first]
    if not state.src.startswith(r"\[", start):
        return False
    for line in range(first, min(end, first + _MOST_LINES)):
        if state.src[start if line == first else state.bMarks[line] : state.eMarks[line]].rstrip().endswith(r"\]"):
            if not silent:
                token = state.push("math_block", "math", 0)
                token.block = True
                token.content = state.getLines(first, line + 1, state.blkIndent, False).strip()[2:-2]
            state.line = line + 1
            return True
    return False


def _render(_self: object, tokens: Sequence[Token], index: int, _options: object, _env: object) -> str:
    token = tokens[index]
    return as_mathml(token.content, is_block=token.type != "math_inline")


def as_mathml(formula: str, *, is_block: bool) -> str:
    """Return a formula of TeX as MathML; as code if it is not one, has unknown commands, or is too long."""
    if len(formula) <= _MOST:
        try:
            source = _ALIGNED.sub(r"\1split}", formula.strip())
            return _text_of(convert_to_element(source, display="block" if is_block else "inline"))
        except Exception:  # whatever the library raises for text that is no formula
            pass
    return f"<code>{escape(formula)}</code>"


def _text_of(math: Element) -> str:
    """Return MathML as text; the library's own way to it leaves < of the formula as it is."""
    for element in math.iter():
        element.text = unescape(element.text) if element.text else None
    return tostring(math, encoding="unicode")
