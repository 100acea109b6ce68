# SPDX-License-Identifier: MIT
"""Many prompts in a file, and a file of answers that is never half written and can be gone on with."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from pyhexagon.errors import ArgumentError, DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.llm.engine import Running
from pyhexagon.llm.generation import Part
from pyhexagon.llm.language_model import LanguageModel

Record = Mapping[str, Any]
Asked = tuple[int, Sequence[int], Mapping[str, Any]]  # number, ids of a prompt, keyword arguments of ``stream``
Answered = tuple[int, "list[Part] | HexagonError"]
_MOST_DEATHS: Final = 3  # of a device in a row


def prompts_of(path: str | os.PathLike[str]) -> list[Record]:
    """The prompts of a file, a JSON object a line: each has a "prompt" or "messages", perhaps "max_tokens".

    Raises:
        ArgumentError: it cannot be read, or a line is none.
    """
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as problem:
        raise ArgumentError(f"{os.fspath(path)} cannot be read: {problem.strerror}") from None
    lines = lines[:-1] if not lines[-1] else lines
    return [_prompt(line, f"{os.fspath(path)}, line {number}") for number, line in enumerate(lines, 1)]


def _prompt(line: bytes, where: str) -> Record:
    record = _parsed(line)
    is_prompt = isinstance(record, dict) and isinstance(record.get("prompt"), str)
    if not isinstance(record, dict) or is_prompt == isinstance(record.get("messages"), list):
        raise ArgumentError(f'{where}: expected an object with a "prompt", a text, or "messages", a list')
    return record


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


class AnswerFile:
    """Answers, a JSON object a line; each line is written at once, and is on the disk before the next is.

    Args:
        path: of the file; what it has already stays, but for half a line at its end, which a kill left.
        prompts: whose answers it has.

    Attributes:
        done: the numbers of those that are answered.

    Raises:
        ArgumentError: it is of other prompts, another process writes it, or it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], prompts: Sequence[Record]) -> None:
        self._name, self._prompts, self.done = os.fspath(path), prompts, set[int]()
        try:
            self._file = open(path, "a+b")  # noqa: SIM115
        except OSError as problem:
            raise ArgumentError(f"{self._name} cannot be written: {problem.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except OSError as problem:
            self._file.close()
            raise ArgumentError(f"{self._name} is written by another process: {problem.strerror}") from None
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        for at, line in enumerate(content[:whole].splitlines(), 1):
            record = _parsed(line)
            number = record.get("index") if isinstance(record, dict) else None
            if not isinstance(number, int) or not 0 <= number < len(self._prompts) or number in self.done:
                raise ArgumentError(f"{self._name}, line {at}: it is no answer, or a second one to the same prompt")
            if any(record.get(name) != value for name, value in self._prompts[number].items()):
                raise ArgumentError(f"{self._name}, line {at}: it is the answer to another prompt {number}")
            self.done.add(number)
        if whole < len(content):
            self._file.truncate(whole)

    def add(self, number: int, answer: Record) -> None:
        """Writes one.

        Raises:
            HexagonError: the disk does not take it.
        """
        line = json.dumps({**self._prompts[number], "index": number, **answer}, ensure_ascii=False)
        try:
            self._file.write(line.encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as problem:
            raise HexagonError(f"{self._name} cannot be written: {problem.strerror}") from None
        self.done.add(number)

    def __enter__(self) -> AnswerFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def answers(llm: LanguageModel, asked: Iterable[Asked], n_parallel: int) -> Iterator[Answered]:
    """What a model says to prompts, each when it is there; so many share messages.

    A device that is lost is opened again, and texts go on.

    Raises:
        DeviceLostError: it is lost again and again, or cannot be opened.
    """
    engine, waiting, n_deaths = llm.engine(), iter(asked), 0
    numbers: dict[Running[Any], int] = {}
    made: dict[int, list[Part]] = {}
    is_more = True
    while is_more or engine.running:
        while is_more and len(engine.running) < n_parallel:
            one = next(waiting, None)
            is_more = one is not None
            if one is not None:
                number, ids, how = one
                try:
                    running = Running(llm.stream(ids, **how).course)
                except ArgumentError as problem:
                    yield number, problem
                    continue
                numbers[running], made[number] = number, []
                engine.add(running)
        try:
            moved = engine.step()
        except (DeviceLostError, DspTimeoutError):
            n_deaths += 1
            if n_deaths >= _MOST_DEATHS:
                raise
            llm.device.reopen()
            continue
        n_deaths = 0
        for running in moved:
            made[numbers[running]] += running.taken()
            if running.asked is None:
                number = numbers.pop(running)
                error = running.error
                parts = made.pop(number)
                if error is not None and not isinstance(error, HexagonError):
                    raise error
                yield number, parts if error is None else error
