# SPDX-License-Identifier: MIT
"""Find tool calls in a completion, in all formats that models were trained on (``formats/table.py``).

Marks begin most calls. An answer without marks may be calls as a whole: JSON, a list of Python's calls, the name of a
tool with an object, or a code fence at the end of an answer. What is no call of a tool of the request stays text.
"""

from __future__ import annotations

import re
from typing import Final

from pyhexagon.llm.chat.formats.bodies import block, calls_of, may_be_calls
from pyhexagon.llm.chat.formats.calls import KnownTools, Schemas
from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError
from pyhexagon.llm.chat.formats.reader import FENCE, Reader
from pyhexagon.llm.chat.formats.table import BY_BEGIN, CODE, ENDS, FENCES, MARKS
from pyhexagon.llm.chat.formats.tagged_calls import TAGGED
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_MOST_TRIES: Final = 64  # of a block whose text has marks that end nothing; each further one needs a longer text
_BEGINS: Final = tuple(sorted((*BY_BEGIN, *FENCES), key=len, reverse=True))
_BEGIN: Final = re.compile("|".join(map(re.escape, _BEGINS)))
_LONGEST: Final = max(map(len, _BEGINS))
_FIRSTS: Final = frozenset(begin[0] for begin in _BEGINS)
_SHORT: Final = 300  # characters of a block that are read with each chunk: they may say that it is none
# Tags that models write around calls without being trained to, such as <function_invocation>; Command R's "Action:".
_WRAPPER: Final = re.compile(r"(?:<(?=[^<>]{0,40}(?i:tool|func|invo|call))(?!/)[\w:.-]{1,40}>|Action:)\s*\Z")
_WRAPPER_END: Final = re.compile(r"</(?=[^<>]{0,40}(?:tool|func|invo|call))[\w:.-]{1,40}>", re.IGNORECASE)
_MAYBE_WRAPPER: Final = re.compile(r"(?:<[\w:.-]{0,40}|A(?:c(?:t(?:i(?:on?)?)?)?)?)\Z")
_MAYBE_WRAPPER_END: Final = re.compile(r"</[\w:.-]{0,40}\Z")
_SPACE: Final = re.compile(r"\s*")
_TAGGED_ENDS: Final = ("</function>", "</invoke>", *ENDS)


def marks_of(tokenizer: Tokenizer) -> list[int]:
    """Return the control tokens that mark tool calls, whose names a request with tools needs as text."""
    ids = (tokenizer.id_of(name) for name in MARKS)
    return [token for token in ids if token is not None and token in tokenizer.control - tokenizer.ends]


class ToolCallParser:
    """Splits a completion into content and tool calls, incrementally. Chunks of any length give the same result.

    Args:
        schemas: of the tools' parameters, by name.
        is_call: whether the whole completion is a tool call.
    """

    def __init__(self, schemas: Schemas, *, is_call: bool) -> None:
        self._tools, self._is_call = KnownTools(schemas), is_call
        self._text = ""  # what was neither returned nor read as calls
        self._calls: list[Record] = []
        self._is_bare = True  # the answer may be calls without marks
        self._is_behind_call = False
        self._n_searched, self._n_tries, self._n_least = 0, 0, 0  # of the text of an unfinished block

    def add(self, text: str) -> str:
        """Append text of the completion and return the content that is certain to be no tool call."""
        self._text += text
        return self._advanced(is_final=False)

    def complete(self) -> list[Record]:
        """Return the calls that have become complete since the last time."""
        calls, self._calls = self._calls, []
        return calls

    def rest(self) -> tuple[str, list[Record]]:
        """Return the remaining content and the remaining tool calls, at the end of the completion."""
        return self._advanced(is_final=True), self.complete()

    def _advanced(self, *, is_final: bool) -> str:
        content = ""
        if self._is_bare:
            if self._bare(is_final=is_final):
                return ""
            self._is_bare = False
        while True:
            if self._is_behind_call and not self._skipped(is_final=is_final):
                return content
            found = _BEGIN.search(self._text)
            if found is None:
                n_kept = 0 if is_final else self._n_held()
                content += self._taken(len(self._text) - n_kept)
                return content
            wrapper = _WRAPPER.search(self._text, 0, found.start())
            content += self._taken(found.start() if wrapper is None else wrapper.start())
            end = self._block(found.end() - found.start(), is_final=is_final)
            if end is None:
                return content
            if not end:  # the mark begins no calls
                begin = _BEGIN.search(self._text)
                content += self._taken(len(self._text) if begin is None else begin.end())
                continue
            self._text, self._is_behind_call = self._text[end:], True

    def _taken(self, n: int) -> str:
        taken, self._text = self._text[:n], self._text[n:]
        return taken

    def _bare(self, *, is_final: bool) -> bool:
        """Read an answer that is calls as a whole; return whether it is, or may become one."""
        reader = Reader(self._text, 0, self._tools, is_final=is_final)
        if not is_final:
            return self._is_call or may_be_calls(reader)
        calls: list[Record] = []
        try:
            reader.skip_separators()
            while reader.at < len(self._text):
                mark = _BEGIN.match(self._text, reader.at) if calls else None
                if mark is not None and mark[0] in BY_BEGIN and mark[0] not in TAGGED:
                    reader.at = mark.end()
                    found = block(reader, BY_BEGIN[mark[0]])
                else:
                    found = calls_of(reader)
                if found is None:
                    return False
                calls += found
                reader.skip_separators()
                while reader.literal(ENDS):  # the mark before the calls is missing
                    reader.skip_separators()
        except (IncompleteError, InvalidError):
            return False
        if calls and not _BEGIN.match(self._text.lstrip()):
            self._calls += calls
            self._text = ""
            return True
        return False

    def _block(self, n_mark: int, *, is_final: bool) -> int | None:
        """Return the end of the block at the first mark; 0 if it is none; None if more text decides."""
        found = _BEGIN.search(self._text)
        mark, start = ("", 0) if found is None else (found[0], found.end())
        if mark in FENCES:
            end = self._fenced(start, is_code=mark == CODE, is_final=is_final)
        else:
            end = self._read(start - n_mark if mark in TAGGED else start, mark, is_final=is_final)
        if end is not None:
            self._n_searched = self._n_tries = self._n_least = 0
        return end

    def _read(self, start: int, mark: str, *, is_final: bool) -> int | None:
        row = BY_BEGIN[mark]
        if not is_final and not self._is_worth_a_try(start, _TAGGED_ENDS if mark in TAGGED else row.ends):
            return None
        reader = Reader(self._text, start, self._tools, is_final=is_final)
        try:
            calls = calls_of(reader) if mark in TAGGED else block(reader, row)
        except IncompleteError:
            return 0 if is_final else None
        except InvalidError:
            return 0
        if not calls:
            return 0
        if not is_final and mark not in TAGGED and not row.ends:
            return None  # more calls may follow
        self._calls += calls
        return reader.at

    def _is_worth_a_try(self, start: int, ends: tuple[str, ...]) -> bool:
        """Whether the block may have become complete, as a mark has come that ends one; or is still short."""
        if len(self._text) - start <= _SHORT:
            return True
        begun = max(start, self._n_searched - _LONGEST)
        self._n_searched = len(self._text)
        if len(self._text) < self._n_least or not any(self._text.find(end, begun) >= 0 for end in ends):
            return False
        self._n_tries += 1
        if self._n_tries > _MOST_TRIES:
            self._n_least = len(self._text) * 9 // 8
        return True

    def _fenced(self, start: int, *, is_code: bool, is_final: bool) -> int | None:
        """Read calls in code fences, which nothing follows but white space."""
        reader = Reader(self._text, start, self._tools, is_final=is_final)
        if not is_final:
            if not may_be_calls(reader, is_code=is_code):
                return 0
            if not self._is_worth_a_try(start, (FENCE,)):
                return None
        calls: list[Record] = []
        try:
            while True:
                found = calls_of(reader)
                if found is None:
                    return 0
                calls += found
                reader.skip_separators()
                if reader.literal([FENCE]):
                    reader.skip_separators()
                    reader.literal(FENCES)
                if reader.at == len(self._text):
                    break
        except (IncompleteError, InvalidError) as problem:
            return None if isinstance(problem, IncompleteError) and not is_final else 0
        if not is_final:
            return None
        self._calls += calls
        return reader.at

    def _skipped(self, *, is_final: bool) -> bool:
        """Drop white space and marks behind a call; return whether more text is not needed for that."""
        while True:
            blank = _SPACE.match(self._text)
            at = 0 if blank is None else blank.end()
            if at == len(self._text):
                self._text = "" if is_final else self._text
                return False
            reader = Reader(self._text, at, self._tools, is_final=is_final)
            closed = _WRAPPER_END.match(self._text, at)
            if closed is not None:
                reader.at = closed.end()
            elif reader.may_begin((*ENDS, *_BEGINS)) or (not is_final and _MAYBE_WRAPPER_END.match(self._text, at)):
                return False
            elif not reader.literal(ENDS):
                break
            self._text = self._text[reader.at :]
        found = _BEGIN.search(self._text, at)
        if found is not None:
            if found.start() == at or _WRAPPER.match(self._text, at, found.start()):
                self._text = self._text[at:]
        elif not is_final:
            end = len(self._text) - self._n_begun(at)
            if any(
                pattern.match(self._text, at, behind)
                for pattern, behind in ((_WRAPPER, end), (_WRAPPER, len(self._text)), (_MAYBE_WRAPPER, len(self._text)))
            ):
                return False
        self._is_behind_call = False
        return True

    def _n_held(self) -> int:
        """Return the number of characters at the end that may begin a mark, or belong to a wrapper of one."""
        text, n = self._text, self._n_begun(0)
        for pattern, end in ((_WRAPPER, len(text)), (_WRAPPER, len(text) - n), (_MAYBE_WRAPPER, len(text))):
            wrapper = pattern.search(text, 0, end)
            if wrapper is not None:
                n = max(n, len(text) - wrapper.start())
        return n

    def _n_begun(self, start: int) -> int:
        """Return the number of characters at the end that may begin a mark, behind ``start``."""
        text = self._text
        for at in range(max(start, len(text) - _LONGEST + 1), len(text)):
            if text[at] in _FIRSTS and any(begin.startswith(text[at:]) for begin in _BEGINS):
                return len(text) - at
        return 0
