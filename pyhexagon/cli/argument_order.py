# SPDX-License-Identifier: MIT
"""The order of a command's arguments: options first, positional arguments last.

argparse gives an optional positional argument away at the first option in some versions of Python (3.10 to 3.13.0), so
that ``run MODEL -n 5 PROMPT`` has no prompt there. With the positional arguments side by side, all versions agree.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Final

_NUMBER: Final = re.compile(r"-\d+|-\d*\.\d+")


def options_first(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments with the options before "--" and the positional arguments; and the unknown options.

    Args:
        parser: of one command, without sub-commands.
        arguments: the words of the command line after the command.
    """
    options: list[str] = []
    positionals: list[str] = []
    unknown: list[str] = []
    at = 0
    while at < len(arguments):
        word, at = arguments[at], at + 1
        if word == "--":
            positionals += arguments[at:]
            break
        action = _action(parser, word)
        if action is None:
            (unknown if _is_option(parser, word) else positionals).append(word)
            continue
        most = _most_values(action) if word in action.option_strings else 0
        stop = at
        while stop < len(arguments) and stop - at < most and not _is_option(parser, arguments[stop]):
            stop += 1
        options += [word, *arguments[at:stop]]
        at = stop
    return [*options, *(["--", *positionals] if positionals else [])], unknown


def short_usage(parser: argparse.ArgumentParser) -> str:
    """Return a usage of one line: the command and its positional arguments."""
    words = [parser.prog, "[OPTION ...]"]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += [str(action.metavar or "COMMAND"), "..."]
        elif not action.option_strings:
            name = str(action.metavar or "|".join(map(str, action.choices or (action.dest,))))
            more = f"{name} ..." if action.nargs in ("*", "+") else name
            words.append(f"[{more}]" if action.nargs in ("*", "?") else more)
    return " ".join(words)


def _is_option(parser: argparse.ArgumentParser, word: str) -> bool:
    """Return whether argparse takes a word for an option, not for a value."""
    is_dashed = word.startswith("-") and len(word) > 1
    return is_dashed and (_action(parser, word) is not None or (" " not in word and not _NUMBER.fullmatch(word)))


def _action(parser: argparse.ArgumentParser, word: str) -> argparse.Action | None:
    """Return the action of an option, of --option=value, and of -ovalue; None if the word is no known option."""
    ours = parser._option_string_actions
    glued = ours.get(word[:2]) if not word.startswith("--") else None
    return ours.get(word) or ours.get(word.partition("=")[0]) or glued


def _most_values(action: argparse.Action) -> int | float:
    """Return the number of words that an option may take after it."""
    if action.nargs is None or action.nargs == "?":
        return 1
    return action.nargs if isinstance(action.nargs, int) else float("inf")
