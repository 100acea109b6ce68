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
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)")
_AMOUNT: Final = re.compile(r"\d[^\\]*\s\(?[A-Za-z]{2,}")  # a price and words: no formula begins so
_ORDINAL: Final = re.compile(r"(?:th|st|nd|rd|s)\b")  # "the $n$th"
_NAMES: Final = frozenset({
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "dim", "exp", "hom", "ker", "lg",
    "ln", "log", "sec", "sin", "sinh", "tan", "tanh",
})  # fmt: skip
_THIN: Final = "0.1667em"  # between the name of a function and its argument, as TeX has it
_ARROWS: Final = re.compile("[\u2190-\u21ff\u27c2\u27f0-\u27ff\u2900-\u297f]")  # latex2mathml has some of them as mi
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
    dollarmath_plugin(parser, allow_labels=False)
    parser.inline.ruler.at("math_inline", _dollars)
    parser.inline.ruler.before("escape", "math_brackets", _brackets)
    parser.block.ruler.before(
        "fence", "math_brackets", _lines_in_brackets, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    for rule in ("math_inline", "math_inline_double", "math_block"):
        parser.add_render_rule(rule, _render)


def _dollars(state: StateInline, silent: bool) -> bool:
    r"""Recognise $$...$$ within a line, and $...$ unless it is prose with amounts and variables.

    A single $ opens a formula if no letter, digit or $ is before it and no space after it; the next $ closes it if
    no space is before it and no letter, digit or $ after it. No formula begins outside of a code span and ends in it.
    """
    source, start = state.src, state.pos
    if source[start] != "$":
        return False
    marks = "$$" if source.startswith("$$", start) else "$"
    end = _unescaped(source, marks, start + len(marks))
    content = source[start + len(marks) : max(end, 0)]
    if not content.strip() or _cuts_code(source, content, end):
        return False
    if marks == "$":
        before, after = source[max(start - 1, 0) : start], source[end + 1 : end + 4]
        is_open = not (before.isalnum() or before == "$" or content[0].isspace() or content[0] in ").,;:!?")
        is_closed = not (content[-1].isspace() or after[:1].isalnum() or after[:1] == "$")
        is_closed = is_closed or (not re.search(r"\s", content) and bool(_ORDINAL.match(after)))
        if not is_open or not is_closed or _AMOUNT.match(content):
            return False
    if not silent:
        token = state.push("math_inline" if marks == "$" else "math_inline_double", "math", 0)
        token.content = content
    state.pos = end + len(marks)
    return True


def _unescaped(source: str, marks: str, start: int) -> int:
    """Return where marks without a backslash before them are; -1 if they are nowhere."""
    found = source.find(marks, start)
    while found >= 0:
        backslashes = found
        while source[backslashes - 1] == "\\":
            backslashes -= 1
        if (found - backslashes) % 2 == 0:
            break
        found = source.find(marks, found + 1)
    return found


def _cuts_code(source: str, content: str, end: int) -> bool:
    """Return whether a code span begins in a formula's content, which ends at ``end``."""
    for found in _CODE.finditer(content):
        if re.compile(rf"(?<!`){found[1]}(?!`)").search(source, end - len(content) + found.end()):
            return True
    return False


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
        if element.tag == "mi" and _ARROWS.fullmatch(element.text or ""):
            element.tag = "mo"  # which has space around it
    for element in list(math.iter()):
        _space_names(element)
    return tostring(math, encoding="unicode")


def _space_names(row: Element) -> None:
    """Put thin spaces between the names of functions in a row and what stands beside them, unless it is an operator."""
    if row.tag not in {"math", "mrow", "mtd", "mstyle"}:
        return  # the children of others are a base and its scripts
    is_name = [_is_name(child) for child in row]
    is_operator = [child.tag in {"mo", "mspace"} or (len(child) > 0 and child[0].tag == "mo") for child in row]
    for index in range(len(row) - 1, 0, -1):
        if (is_name[index - 1] and not is_operator[index]) or (is_name[index] and not is_operator[index - 1]):
            row.insert(index, Element("mspace", {"width": _THIN}))


def _is_name(element: Element) -> bool:
    base = element[0] if element.tag in {"msub", "msup", "msubsup"} and len(element) else element
    return base.tag == "mi" and base.text in _NAMES
