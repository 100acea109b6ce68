# SPDX-License-Identifier: MIT
"""``pyhexagon chat``: a conversation with a language model, on the DSP."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyhexagon import files
from pyhexagon.cli import llm_options
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError, DeviceLostError, HexagonError
from pyhexagon.llm import LLM, Part

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_PROMPT: Final = "> "
_MIB: Final = 1 << 20

Messages = list[dict[str, str]]


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("chat", help="talk to a language model; /help there tells what else it takes")
    llm_options.add_model_options(parser)
    parser.add_argument("--system", metavar="TEXT", help="what the model is told before all else")
    llm_options.add_sampling_options(parser)
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    how = llm_options.sampling(options)
    llm_options.check_template(options.model)
    with llm_options.loaded(options, output, llm_options.draft(options)) as llm:
        chat = _Chat(llm, how, options.system, is_quiet=output.as_json)
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - input() gets its keys and its history
            print(f"{llm.n_ctx} tokens of context; /help tells more", file=sys.stderr)
        chat.run()
        if output.as_json:
            output.json({"model": options.model, "device": llm.device.name, "messages": chat.messages})


class _Chat:
    """A conversation.

    Attributes:
        messages: so far, in OpenAI's form.
    """

    def __init__(self, llm: LLM, sampling: dict[str, Any], system: str | None, *, is_quiet: bool) -> None:
        self._llm, self._sampling, self._is_quiet = llm, sampling, is_quiet
        self._known: list[int] = []  # tokens of the last question, all before it, and the answer
        self.messages: Messages = llm_options.beginning(system)
        self._first = 0  # message that the model sees, beside the system's
        self._is_done = False
        self._interrupted = False  # since the last line
        self._commands: dict[str, tuple[Callable[[str], None], str]] = {
            "/help": (self._help, "tells the commands"),
            "/new": (self._new, "forgets the conversation, but for the system's text"),
            "/undo": (self._undo, "takes the last question and its answer back"),
            "/again": (self._again, "answers the last question anew"),
            "/system": (self._system, "TEXT: what the model is told before all else; the conversation starts anew"),
            "/set": (self._set, "NAME VALUE: temperature, top_k, top_p, min_p, repeat_penalty, seed or max_tokens"),
            "/save": (self._save, "FILE: writes the conversation as JSON"),
            "/load": (self._load, "FILE: goes on with one"),
            "/memory": (self._memory, "tells the memory that the model has, and how full the context is"),
            "/quit": (self._quit, "ends; so do Ctrl-D, and Ctrl-C twice"),
        }

    def run(self) -> None:
        """Until the input ends. A second Ctrl-C in a row raises KeyboardInterrupt."""
        while not self._is_done:
            self._turn()

    def _turn(self) -> None:
        try:
            line = input(_PROMPT if sys.stdin.isatty() else "")
            self._interrupted = False
            self._take(line.strip())
        except EOFError:
            self._is_done = True
        except KeyboardInterrupt:
            if self._interrupted:
                raise
            self._interrupted = True
            print("\n(once more ends)", file=sys.stderr)

    def _take(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        try:
            if name in self._commands:
                self._commands[name][0](rest.strip())
            elif name.startswith("/"):
                raise ArgumentError(f"there is no command {name}; /help tells which there are")
            elif line:
                self._ask(line)
        except DeviceLostError:
            raise
        except HexagonError as error:
            print(f"pyhexagon: error: {error}", file=sys.stderr)

    def _ask(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})
        answer: list[Part] = []
        try:
            prompt = self._with_room()
            n_known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._known, prompt)))  # noqa: B905
            start = first = now = time.perf_counter()
            screen = llm_options.AnswerScreen()
            for part in self._llm.stream(prompt, reasoning_format="auto", **self._sampling):
                now = time.perf_counter()
                first = now if not answer else first
                answer.append(part)
                if not self._is_quiet:
                    screen.show(part)
        finally:  # what was said before Ctrl-C stays
            if answer:
                self.messages.append({"role": "assistant", "content": "".join(part.text for part in answer)})
                self._known = [*prompt, *(part.token for part in answer)]
            else:
                self.messages.pop()
        if not self._is_quiet:
            print(flush=True)
        llm_options.show_rates(max(len(prompt) - n_known, 1), first - start, answer, now - first)
        llm_options.show_whether_cut(self._llm.n_ctx, len(prompt), answer)

    def _with_room(self) -> list[int]:
        """The tokens of the conversation. Where too few are left for an answer, the model no longer sees its oldest
        turns: as many go as half of the context needs, so that what follows need not be computed anew each time."""
        n_ctx = self._llm.n_ctx
        n_answer = min(self._sampling["max_tokens"] or n_ctx, n_ctx // 4)
        tokens = self._tokens()
        if len(tokens) + n_answer > n_ctx:
            turns = [at for at, one in enumerate(self.messages) if one["role"] == "user" and at > self._first]
            for self._first in turns:
                tokens = self._tokens()
                if len(tokens) <= n_ctx // 2:
                    break
            if turns:
                seen = f"the model no longer sees what came before message {self._first + 1}"
                print(f"[ the context is full: {seen} ]", file=sys.stderr)
        return tokens

    def _tokens(self) -> list[int]:
        """Of what the model sees of the conversation."""
        if self._first >= len(self.messages):
            self._first = 0
        system = [one for one in self.messages[: min(1, self._first)] if one["role"] == "system"]
        seen = [*system, *self.messages[self._first :]]
        return self._llm.tokenizer.encode(self._llm.apply_template(seen, parse_special=False), add_special=False)

    # --- Commands ---

    def _help(self, _: str) -> None:
        for name, (_action, what) in self._commands.items():
            print(f"{name:8} {what}")

    def _new(self, _: str) -> None:
        self.messages = [one for one in self.messages[:1] if one["role"] == "system"]
        self._first = 0

    def _undo(self, _: str) -> None:
        self._take_back()

    def _take_back(self) -> str:
        asked = [at for at, one in enumerate(self.messages) if one["role"] == "user"]
        if not asked:
            raise ArgumentError("nothing was asked yet")
        question = self.messages[asked[-1]]["content"]
        del self.messages[asked[-1] :]
        self._first = 0
        return question

    def _again(self, _: str) -> None:
        self._ask(self._take_back())

    def _system(self, text: str) -> None:
        self.messages = [{"role": "system", "content": text}] if text else []
        self._first = 0

    def _set(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        kinds: dict[str, type[int] | type[float]] = dict.fromkeys(("max_tokens", "top_k", "seed"), int)
        kinds |= dict.fromkeys(("temperature", "top_p", "min_p", "repeat_penalty"), float)
        try:
            self._sampling[name] = kinds[name](value)
        except (KeyError, ValueError):
            raise ArgumentError(f"/set {rest}: expected one of {', '.join(kinds)}, and a number") from None

    def _save(self, path: str) -> None:
        content = json.dumps(self.messages, ensure_ascii=False, indent=1)
        files.save(Path(path), lambda file: file.writelines([content.encode()]), is_private=True)

    def _load(self, path: str) -> None:
        try:
            messages = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        good = isinstance(messages, list) and all(
            isinstance(one, dict) and isinstance(one.get("role"), str) and isinstance(one.get("content"), str)
            for one in messages
        )
        if not good:
            raise ArgumentError(f"{path} is no conversation: expected a list of {{'role': ..., 'content': ...}}")
        self.messages, self._first = messages, 0

    def _memory(self, _: str) -> None:
        for name, size in self._llm.memory().items():
            print(f"{name:8} {size / _MIB:9.1f} MiB")
        if self.messages:
            print(f"{len(self._tokens())} of {self._llm.n_ctx} tokens of context")

    def _quit(self, _: str) -> None:
        raise EOFError
