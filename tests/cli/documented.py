# SPDX-License-Identifier: MIT
"""The pyhexagon commands in README, docs and the help of commands; as a program: parse those of stdin.

``python -m cli.documented`` reads a JSON list of [arguments, whether it is a mention], and prints the refused ones with
the message, and the path of the argparse that it used.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`(pyhexagon [^`]+)`(?!`)")
_OPERATORS = frozenset({"|", "||", "&&", "&", ";", ">", ">>", "<", "2>", ")"})


class Documented(NamedTuple):
    """A command of a page, or one that a sentence mentions, which may lack what the command requires."""

    page: str
    arguments: list[str]
    is_mention: bool


def commands() -> list[Documented]:
    """Return all commands of the pages, and the examples of every ``--help``."""
    found: list[Documented] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for language, block in _FENCE.findall(text):
            for line in block.replace("\\\n", " ").splitlines():
                if language == "sh" or line.startswith("$ "):  # others are output
                    found += [Documented(page.name, words, False) for words in _in_line(line.removeprefix("$ "))]
        for span in _SPAN.findall(_FENCE.sub("", text)):
            found += [Documented(page.name, words, True) for words in _in_line(" ".join(span.split()))]
    return [*found, *_examples()]


def _examples() -> Iterator[Documented]:
    from pyhexagon.cli import complete_parser

    parsers = [complete_parser()]
    for parser in parsers:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
        for line in (parser.epilog or "").splitlines():
            for words in _in_line(re.split(r"\s{2,}", line.strip())[0]):
                yield Documented(f"{parser.prog} --help", words, False)


def _in_line(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each pyhexagon command in a line of a shell."""
    try:
        lexer = shlex.shlex(re.sub(r"(^|\s)#.*", "", line), posix=True, punctuation_chars="|&;<>)")
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:  # prose with an apostrophe
        return
    at = 0
    while at < len(words):
        is_command = words[at].rpartition("/")[2] == "pyhexagon" and not words[at].startswith("-")
        stop = next((i for i in range(at, len(words)) if words[i] in _OPERATORS), len(words))
        arguments = words[at + 1 : stop]
        if is_command and arguments and re.fullmatch(r"[a-z][a-z-]+", arguments[0]) and "pyhexagon" not in arguments:
            yield arguments
            at = stop
        at += 1


def _refusals() -> Iterator[tuple[list[str], str]]:
    from pyhexagon import cli

    for arguments, is_mention in json.load(sys.stdin):
        parser = cli._parser()
        message = io.StringIO()
        try:
            with contextlib.redirect_stderr(message), contextlib.redirect_stdout(io.StringIO()):
                parser.parse_args([*arguments[:1], "--no-config", *arguments[1:]])
        except SystemExit as end:
            last = (message.getvalue().splitlines() or [""])[-1]
            lacks = " required" in last or last.endswith("expected one argument")
            if end.code and not (is_mention and lacks):
                yield arguments, last


if __name__ == "__main__":
    json.dump({"argparse": argparse.__file__, "refused": list(_refusals())}, sys.stdout)
