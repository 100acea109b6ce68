# SPDX-License-Identifier: MIT
"""``pyhexagon chat``: chat with a language model on the DSP."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import time
from collections.abc import Callable, Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon import files
from pyhexagon.cli import llm_options, sampling_options
from pyhexagon.cli.chat_input import ChatInput, waiting
from pyhexagon.cli.output import Output, printable
from pyhexagon.errors import ArgumentError, DeviceLostError, HexagonError
from pyhexagon.llm import LLM, GenerationChunk
from pyhexagon.llm.engine.embeddings import Embeddings
from pyhexagon.llm.vision.pictures import picture_of

_MIB: Final = 1 << 20
_SETTINGS: Final[dict[str, type[int] | type[float]]] = {
    "max_tokens": int, "temperature": float, "top_k": int, "top_p": float, "min_p": float, "repeat_penalty": float,
    "seed": int,
}  # fmt: skip

_ALIASES: Final = {  # of Ollama's and llama.cpp's chats
    "/bye": "/quit", "/exit": "/quit", "/clear": "/new", "/?": "/help", "/regen": "/again",
}  # fmt: skip

Messages = list[dict[str, Any]]
Picture = npt.NDArray[np.uint8]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    llm_options.add_model_options(parser)
    llm_options.add_template_option(parser)
    parser.add_argument("--system", metavar="TEXT", help="the system prompt")
    parser.add_argument(
        "--image", metavar="FILE", action="append", default=[],
        help="an image for the first message; may be repeated. Needs an mmproj file",
    )  # fmt: skip
    sampling_options.add(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    how = sampling_options.sampling(options)
    llm_options.check_template(options)
    pictures = {path: picture_of(Path(path).expanduser()) for path in options.image}  # an early error
    with llm_options.loaded(options, output, sampling_options.draft(options)) as llm:
        chat = _Chat(llm, how, options.system, pictures, is_quiet=output.as_json)
        for path in options.image:
            chat.add_image(path)
        if sys.stdin.isatty():
            print(f"context length: {llm.n_ctx} tokens; /help lists the commands", file=sys.stderr)
        chat.run()
        if output.as_json:
            output.json({"model": options.model, "device": llm.device_name, "messages": chat.messages})


class _Chat:
    """A chat session.

    Args:
        pictures: of files that were read before, by their paths.

    Attributes:
        messages: the conversation so far, as in OpenAI's API.
    """

    def __init__(
        self, llm: LLM, sampling: dict[str, Any], system: str | None, pictures: dict[str, Picture], *, is_quiet: bool
    ) -> None:
        self._llm, self._is_quiet = llm, is_quiet
        defaults = llm.sampling_defaults
        self._sampling = {name: defaults[name] for name in _SETTINGS if name in defaults} | sampling
        self._known: list[int] = []  # the last prompt and its completion: the KV cache has them
        self.messages: Messages = llm_options.beginning(system)
        self._images: list[str] = []  # paths, for the next message
        self._pictures = pictures  # of this conversation, by their paths
        self._first = 0  # index of the first message that the model sees, besides the system prompt
        self._is_done = False
        self._interrupted = False  # Ctrl-C was pressed at this prompt
        self._was_stopped = False  # Ctrl-C stopped the last answer
        self._commands: dict[str, tuple[Callable[[str], None], str]] = {
            "/help": (self._help, "list the commands"),
            "/new": (self._new, "start a new conversation, keep the system prompt"),
            "/undo": (self._undo, "remove the last user message and its answer"),
            "/again": (self._again, "generate the last answer again"),
            "/continue": (self._continue, "continue the last answer, where it was cut"),
            "/image": (self.add_image, "FILE: add an image to the next message"),
            "/system": (self._system, "TEXT: set the system prompt and start a new conversation"),
            "/set": (self._set, "show the sampling parameters; NAME VALUE: set one of them"),
            "/save": (self._save, "FILE: save the conversation as JSON"),
            "/load": (self._load, "FILE: load a saved conversation"),
            "/memory": (self._memory, "show the memory of the model and the use of the context"),
            "/quit": (self._quit, "quit; so do Ctrl-D, and Ctrl-C twice"),
        }
        words: dict[str, Iterable[str] | None] = dict.fromkeys(self._commands, ())
        self._input = ChatInput(words | {"/set": _SETTINGS, "/save": None, "/load": None, "/image": None})

    def run(self) -> None:
        """Chat until the input ends. Ctrl-C stops an answer; pressed twice at the prompt, it is raised."""
        while not self._is_done:
            self._turn()

    def _turn(self) -> None:
        try:
            if self._was_stopped:  # told here, where another Ctrl-C is handled
                self._was_stopped = False
                print("(stopped)", file=sys.stderr)
            line = self._input.read()
        except EOFError:
            self._is_done = True
            self._input.end_line()
            return
        except KeyboardInterrupt:
            if self._interrupted:
                self._input.end_line()
                raise
            self._interrupted = True
            print("\n(press Ctrl-C again to quit)", file=sys.stderr)
            return
        self._interrupted = False
        try:
            self._take(line)
        except EOFError:
            self._is_done = True
        except KeyboardInterrupt:
            self._was_stopped = True

    def _take(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        name = _ALIASES.get(name, name)
        try:
            if name in self._commands:
                self._commands[name][0](rest.strip())
            elif name.startswith("/"):
                known = self._commands
                raise ArgumentError(f"unknown command {name}; /help lists the commands", hint=_near(name, known))
            elif line:
                self._ask(line)
        except DeviceLostError:
            raise
        except HexagonError as error:
            print(printable(f"pyhexagon: error: {error}"), file=sys.stderr)

    def add_image(self, path: str) -> None:
        """Add an image file to the next message."""
        if not path:
            raise ArgumentError("/image takes a FILE")
        llm_options.check_vision(self._llm)
        self._picture(path)
        self._images.append(path)
        _note(f"{path} goes with the next message")

    def _picture(self, path: str) -> Picture:
        if path not in self._pictures:
            self._pictures[path] = picture_of(Path(path).expanduser())
        return self._pictures[path]

    def _ask(self, text: str) -> None:
        images = [{"type": "image_url", "image_url": {"url": path}} for path in self._images]
        self._ask_content([*images, {"type": "text", "text": text}] if images else text)

    def _ask_content(self, content: Any) -> None:
        self.messages.append({"role": "user", "content": content})
        try:
            self._answer()
            self._images.clear()
        finally:
            if self.messages[-1]["role"] == "user":
                self.messages.pop()

    def _answer(self) -> None:
        """Answer the last message, or continue it if it is an answer."""
        is_begun = self.messages[-1]["role"] == "assistant"
        answer: list[GenerationChunk] = []
        first_seen = self._first
        try:
            prompt, embeddings = self._with_room(is_begun=is_begun)
            n_known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._known, prompt)))  # noqa: B905
            start = first = now = time.perf_counter()
            screen = llm_options.AnswerScreen()
            with waiting(len(prompt) - n_known) as spinner:
                stream = self._llm.stream(prompt, embeddings=embeddings, reasoning_format="auto", **self._sampling)
                for part in stream:
                    spinner.close()
                    now = time.perf_counter()
                    first = now if not answer else first
                    answer.append(part)
                    if not self._is_quiet:
                        screen.show(part)
        finally:  # Ctrl-C keeps the tokens that were generated
            if not answer:
                self._first = first_seen
            else:
                begun = self.messages.pop()["content"] if is_begun else ""
                text = begun + "".join(part.text for part in answer)
                self.messages.append({"role": "assistant", "content": text})
                self._known = [*prompt, *(part.token for part in answer)]
                if not self._is_quiet:
                    print(flush=True)
                llm_options.show_rates(max(len(prompt) - n_known, 1), first - start, answer, now - first)
        llm_options.show_whether_cut(self._llm.n_ctx, len(prompt), answer)

    def _with_room(self, *, is_begun: bool) -> tuple[list[int], Embeddings]:
        """Return the prompt of the conversation, and leave room for an answer.

        If too few tokens are left, drop the oldest turns until half of the context is free: the next prompts then begin
        as this one does, and the KV cache keeps their prefix.

        Raises:
            ArgumentError: the last message alone fills the context.
        """
        n_ctx = self._llm.n_ctx
        n_answer = min(self._sampling["max_tokens"] or n_ctx, n_ctx // 4)
        tokens, embeddings = self._tokens(is_begun=is_begun)
        if len(tokens) + n_answer > n_ctx:
            turns = [at for at, message in enumerate(self.messages) if message["role"] == "user" and at > self._first]
            for self._first in turns:
                tokens, embeddings = self._tokens(is_begun=is_begun)
                if len(tokens) <= n_ctx // 2:
                    break
            if len(tokens) >= n_ctx:
                sizes = f"{len(tokens)} tokens with the chat template, and the context length is {n_ctx}"
                if is_begun:
                    raise ArgumentError(f"the answer cannot be continued: {sizes}", hint="a larger -c")
                raise ArgumentError(
                    f"the message is too long: {sizes}; the conversation goes on without it",
                    hint="a shorter message, or a larger -c",
                )
            if turns:
                seen = f"the model no longer sees the messages before message {self._first + 1}"
                print(f"[ the context is full: {seen} ]", file=sys.stderr)
        return tokens, embeddings

    def _tokens(self, *, is_begun: bool = False) -> tuple[list[int], Embeddings]:
        """Return the prompt of the messages that the model sees; if the answer is begun, it continues the last one."""
        if self._first >= len(self.messages):
            self._first = 0
        system = [message for message in self.messages[: min(1, self._first)] if message["role"] == "system"]
        seen = [*system, *self.messages[self._first :]]
        return self._llm.chat_prompt([self._with_pictures(one) for one in seen], continue_final_message=is_begun)

    def _with_pictures(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message with pictures in place of their paths."""
        if isinstance(message["content"], str):
            return message
        parts = [
            {"type": "image", "image": self._picture(part["image_url"]["url"])} if "image_url" in part else part
            for part in message["content"]
        ]
        return {**message, "content": parts}

    # --- Commands ---

    def _help(self, _: str) -> None:
        for name, (_action, what) in self._commands.items():
            others = ", ".join(alias for alias, meant in _ALIASES.items() if meant == name)
            print(f"{name:9} {what}{f' (also {others})' if others else ''}")
        print('A message of several lines stands between """ and """, or each line but the last ends in \\.')

    def _new(self, _: str) -> None:
        self.messages = [message for message in self.messages[:1] if message["role"] == "system"]
        self._first = 0
        _note("a new conversation")

    def _undo(self, _: str) -> None:
        first_line = _text_of(self._take_back()).partition("\n")[0]
        _note(f"removed: {first_line[:60]}")

    def _take_back(self) -> Any:
        questions = [at for at, message in enumerate(self.messages) if message["role"] == "user"]
        if not questions:
            raise ArgumentError("there is no user message yet")
        question = self.messages[questions[-1]]["content"]
        del self.messages[questions[-1] :]
        self._first = 0
        return question

    def _again(self, _: str) -> None:
        before, first = list(self.messages), self._first
        try:
            self._ask_content(self._take_back())
        finally:
            if len(self.messages) < len(before):  # refused or stopped before its first token
                self.messages, self._first = before, first

    def _continue(self, _: str) -> None:
        if not self.messages or self.messages[-1]["role"] != "assistant":
            raise ArgumentError("there is no answer yet")
        self._answer()

    def _system(self, text: str) -> None:
        self.messages = [{"role": "system", "content": text}] if text else []
        self._first = 0
        _note(f"a new conversation {'with this' if text else 'without a'} system prompt")

    def _set(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        if not rest:
            for name in _SETTINGS:
                print(f"{name:14} {self._sampling[name]}")
            return
        try:
            self._sampling[name] = _SETTINGS[name](value)
        except (KeyError, ValueError):
            expected = f"expected one of {', '.join(_SETTINGS)}, and a number"
            raise ArgumentError(f"/set {rest}: {expected}", hint=_near(name, _SETTINGS)) from None

    def _save(self, path: str) -> None:
        if not path:
            raise ArgumentError("/save takes a FILE")
        content = json.dumps(self.messages, ensure_ascii=False, indent=1)
        files.save(Path(path).expanduser(), lambda file: file.writelines([content.encode()]), is_private=True)
        _note(f"{len(self.messages)} messages saved in {path}")

    def _load(self, path: str) -> None:
        if not path:
            raise ArgumentError("/load takes a FILE")
        try:
            messages = json.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        good = isinstance(messages, list) and all(
            isinstance(message, dict)
            and isinstance(message.get("role"), str)
            and _is_content(message.get("content"))
            for message in messages
        )
        if not good:
            raise ArgumentError(f"{path} is not a conversation: expected a list of {{'role': ..., 'content': ...}}")
        self.messages, self._first = messages, 0
        _note(f"{len(messages)} messages loaded")

    def _memory(self, _: str) -> None:
        for name, size in self._llm.memory().items():
            print(f"{name:8} {size / _MIB:9.1f} MiB")
        if self.messages:
            print(f"context: {len(self._tokens()[0])} of {self._llm.n_ctx} tokens")

    def _quit(self, _: str) -> None:
        raise EOFError


def _note(text: str) -> None:
    print(printable(f"({text})"), file=sys.stderr)


def _text_of(content: Any) -> str:
    """Return the text of a message's content."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _is_content(content: Any) -> bool:
    """Return whether a content is a text, or a list of texts and of images by their paths."""
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_part, content)))


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    image = part.get("image_url")
    return isinstance(image, dict) and isinstance(image.get("url"), str) if image else isinstance(part.get("text"), str)


def _near(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is most like this one, if one is."""
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]}?" if near and near[0] != name else ""
