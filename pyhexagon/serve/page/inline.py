# SPDX-License-Identifier: MIT
"""What models write in Markdown beyond CommonMark: bare links, a few HTML tags, task lists, images as links."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# Tags without attributes that format text. All other HTML is shown as text.
TAGS: Final = frozenset({"b", "del", "em", "i", "kbd", "mark", "s", "strong", "sub", "sup", "u"})
_TAG: Final = re.compile(r"<(?:br ?/?|/?(?:" + "|".join(sorted(TAGS)) + "))>", re.IGNORECASE)
_URL: Final = re.compile(r"(?<![\w/@:.-])(?:https?://|www\.(?=\w))[^\s<>\"`\\^{}]+", re.IGNORECASE)
_TASK: Final = re.compile(r"\[([ xX])\]\s+")
_BOXES: Final = {" ": "\N{BALLOT BOX}", "x": "\N{BALLOT BOX WITH CHECK}"}
_BRACKETS: Final = {")": "(", "]": "["}


def enable(parser: MarkdownIt) -> None:
    """Let a parser recognise them. Its HTML has ``TAGS``, and classes of ``li``, ``th`` and ``td`` for the style."""
    parser.inline.ruler.before("autolink", "html_tag", _tag)
    parser.core.ruler.push("models", _rewrite)


def _tag(state: StateInline, silent: bool) -> bool:
    """Recognise a tag; ``_pair`` makes text of one that has no partner."""
    found = _TAG.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "<" else None
    if found is None:
        return False
    if not silent:
        name = found[0].strip("<>/ ").lower()
        token = state.push("hardbreak" if name == "br" else "html_tag", "br" if name == "br" else name, 0)
        token.content = found[0]
    state.pos = found.end()
    return True


def _rewrite(state: StateCore) -> None:
    for index, token in enumerate(state.tokens):
        if token.type == "inline":
            children = _pair(token.children or [])
            token.children = _linked(children, state.md)
            if index >= 2 and state.tokens[index - 2].type == "list_item_open":
                _show_box(state.tokens[index - 2], token.children)
        elif token.type in {"th_open", "td_open"} and "style" in token.attrs:
            token.attrs["class"] = str(token.attrs.pop("style")).rpartition(":")[2]


def _pair(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with HTML for tags that open and close, and with text for the others."""
    opened: list[Token] = []
    for token in tokens:
        if token.type != "html_tag":
            continue
        if not token.content.startswith("</"):
            opened.append(token)
        elif opened and opened[-1].tag == token.tag:
            first = opened.pop()
            first.type = token.type = "html_inline"
            first.content, token.content = f"<{token.tag}>", f"</{token.tag}>"
    for token in tokens:
        if token.type == "html_tag":
            token.type, token.tag = "text", ""
    return list(tokens)


def _linked(tokens: Sequence[Token], parser: MarkdownIt) -> list[Token]:
    """Return the tokens with links for bare URLs and for images, which the page does not load."""
    made: list[Token] = []
    depth = 0  # of links, which have no links in them
    for token in tokens:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "image":
            words = "".join(child.content for child in token.children or [])  # its alternative text
            made += [_text(words)] if depth else _link(str(token.attrs["src"]), words or "image")
        elif token.type == "text" and not depth and ("://" in token.content or "www." in token.content.lower()):
            made += _split(token.content, parser.normalizeLink)
        else:
            made.append(token)
    return made


def _split(text: str, normalized: Callable[[str], str]) -> list[Token]:
    made: list[Token] = []
    done = 0
    for found in _URL.finditer(text):
        url = _trimmed(found[0])
        if len(url) > len("https://"):
            address = url if "://" in url else f"http://{url}"
            made += [_text(text[done : found.start()]), *_link(normalized(address), url)]
            done = found.start() + len(url)
    return [*made, _text(text[done:])]


def _trimmed(url: str) -> str:
    """Return a URL without the punctuation of the sentence and without a bracket that was opened before it."""
    while url:
        last = url[-1]
        if last in ".,:;!?'*_~" or (last in _BRACKETS and url.count(last) > url.count(_BRACKETS[last])):
            url = url[:-1]
        else:
            break
    return url


def _show_box(item: Token, tokens: list[Token]) -> None:
    """Replace the brackets that begin an item of a task list by a box."""
    found = _TASK.match(tokens[0].content) if tokens and tokens[0].type == "text" else None
    if found:
        item.attrs["class"] = "task"
        tokens[0].content = f"{_BOXES[found[1].lower()]} {tokens[0].content[found.end() :]}"


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _link(url: str, words: str) -> list[Token]:
    return [Token("link_open", "a", 1, {"href": url}), _text(words), Token("link_close", "a", -1)]
