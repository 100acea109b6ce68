# SPDX-License-Identifier: MIT
"""What a user types in ``pyhexagon chat``: one line or several, with history, completion and colour on a terminal."""

from __future__ import annotations

import atexit
import contextlib
import glob
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

_MOST_LINES: Final = 1000  # of the history
_PROMPT: Final = "> "
_MORE: Final = "... "
_QUOTES: Final = '"""'
_BOLD, _NORMAL = "\x1b[1m", "\x1b[0m"


class ChatInput:
    """Reads messages and commands from stdin.

    Args:
        words: the commands, and for each of them the words that may follow it; None: the name of a file.
    """

    def __init__(self, words: Mapping[str, Iterable[str] | None]) -> None:
        self._words = {name: None if more is None else tuple(more) for name, more in words.items()}
        self._is_terminal = sys.stdin.isatty()
        self._is_coloured = self._is_terminal and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline

                self._complete_with(readline)
                _keep_history(readline)

    def read(self) -> str:
        """Return the next message. Lines between three quotation marks, or that end in a backslash, belong together.

        Raises:
            EOFError: the input ended before a message.
        """
        lines = [self._line(_PROMPT)]
        if lines[0].lstrip().startswith(_QUOTES):
            lines[0] = lines[0].lstrip().removeprefix(_QUOTES)
            with contextlib.suppress(EOFError):
                while not lines[-1].rstrip().endswith(_QUOTES):
                    lines.append(self._line(_MORE))
            lines[-1] = lines[-1].rstrip().removesuffix(_QUOTES)
        else:
            with contextlib.suppress(EOFError):
                while lines[-1].endswith("\\"):
                    lines[-1] = lines[-1][:-1]
                    lines.append(self._line(_MORE))
        return "\n".join(lines).strip()

    def end_line(self) -> None:
        """Begin a new line on a terminal, for the shell's prompt after this program."""
        if self._is_terminal:
            print(flush=True)

    def _line(self, prompt: str) -> str:
        if not self._is_coloured:
            return input(prompt if self._is_terminal else "")
        try:
            return input(f"\x01{_BOLD}\x02{prompt}")  # readline does not count what is between \1 and \2
        finally:
            print(_NORMAL, end="", flush=True)

    def _complete_with(self, readline: ModuleType) -> None:
        found: list[str] = []

        def complete(text: str, number: int) -> str | None:
            if number == 0:
                found[:] = self.completions(readline.get_line_buffer()[: readline.get_endidx()], text)
            return found[number] if number < len(found) else None

        readline.set_completer_delims(" ")
        readline.set_completer(complete)
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        if not is_libedit:  # a paste of several lines is one message; Python's readline switches this off
            readline.parse_and_bind("set enable-bracketed-paste on")

    def completions(self, line: str, text: str) -> list[str]:
        """Return the words that may stand in place of ``text``, the last word of the line."""
        name, space, rest = line.partition(" ")
        if not line.startswith("/") or (space and rest != text):
            return []
        words = self._words.get(name, ()) if space else self._words
        if words is None:
            paths = sorted(glob.glob(f"{glob.escape(os.path.expanduser(text))}*"))
            return [f"{path}/" if os.path.isdir(path) else f"{path} " for path in paths]
        return [f"{word} " for word in words if word.startswith(text)]


def _keep_history(readline: ModuleType) -> None:
    """Read the lines of earlier chats, and write them with this one's at the end of the process."""
    path = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "pyhexagon/chat_history"
    readline.clear_history()
    readline.set_history_length(_MOST_LINES)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        readline.read_history_file(str(path))
    atexit.register(_write_history, readline, str(path))


def _write_history(readline: ModuleType, path: str) -> None:
    with contextlib.suppress(OSError):
        readline.write_history_file(path)


@contextlib.contextmanager
def waiting(n_tokens: int) -> Iterator[contextlib.ExitStack]:
    """Show a spinner on stderr, if it is a terminal, until the yielded stack is closed."""
    with contextlib.ExitStack() as stack:
        if sys.stderr.isatty():
            from rich.console import Console

            stack.enter_context(Console(stderr=True).status(f"computing a prompt of {n_tokens} tokens"))
        yield stack
