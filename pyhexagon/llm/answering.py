# SPDX-License-Identifier: MIT
"""Batch inference: reads prompts from a JSON Lines file, and appends completions to one that a later run resumes."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from pyhexagon.errors import ArgumentError, DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.llm.engine.generation import GenerationChunk
from pyhexagon.llm.engine.request import Request, RequestStatus
from pyhexagon.llm.engine.scheduler import Scheduler
from pyhexagon.llm.language_model import LanguageModel

Record = Mapping[str, Any]
# The number of a prompt, its token ids, and keyword arguments of ``stream``.
NumberedPrompt = tuple[int, Sequence[int], Mapping[str, Any]]
Answered = tuple[int, "list[GenerationChunk] | HexagonError"]
_MOST_DEATHS: Final = 3  # consecutive steps in which the device is lost


def prompts_of(path: str | os.PathLike[str]) -> list[Record]:
    """Return the prompts of a JSON Lines file. Each object has a "prompt" or "messages", and perhaps "max_tokens".

    Raises:
        ArgumentError: the file cannot be read, or a line is no such object.
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
    except (ValueError, RecursionError):
        return None


class AnswerFile:
    """A JSON Lines file of completions. Each line is synced to disk before the next one is written.

    Args:
        path: of the file. An existing file is extended; an incomplete last line, which a killed process leaves, is
            removed.
        prompts: that the file answers.

    Attributes:
        done: numbers of the prompts that the file answers already.

    Raises:
        ArgumentError: the file answers other prompts, another process writes it, or it cannot be written.
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
        """Append the answer to a prompt, and sync it to disk.

        Args:
            number: of the prompt.
            answer: further keys of the line, beside the prompt's keys and "index".

        Raises:
            HexagonError: the file cannot be written.
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


def answers(llm: LanguageModel, prompts: Iterable[NumberedPrompt], n_parallel: int) -> Iterator[Answered]:
    """Yield the completion or the error of each prompt, in the order in which the requests finish.

    If the device is lost, it is reopened and the requests resume.

    Args:
        llm: the model.
        prompts: number, token ids and keyword arguments of ``stream`` for each.
        n_parallel: number of requests in a batch.

    Raises:
        DeviceLostError: the device was lost in three consecutive steps, or cannot be reopened.
        DspTimeoutError: the DSP did not answer in three consecutive steps.
    """
    scheduler, waiting, n_deaths = Scheduler(n_parallel), iter(prompts), 0
    numbers: dict[Request, int] = {}
    chunks: dict[int, list[GenerationChunk]] = {}
    is_more = True
    try:
        while is_more or numbers:
            while is_more and len(numbers) < n_parallel:
                prompt = next(waiting, None)
                is_more = prompt is not None
                if prompt is not None:
                    number, ids, options = prompt
                    try:
                        request = llm.stream(ids, **options).request
                    except ArgumentError as problem:
                        yield number, problem
                        continue
                    numbers[request], chunks[number] = number, []
                    scheduler.submit([request])
            try:
                advanced = scheduler.step()
            except (DeviceLostError, DspTimeoutError):
                n_deaths += 1
                if n_deaths >= _MOST_DEATHS:
                    raise
                llm.reopen()
                continue
            n_deaths = 0
            for request in advanced:
                chunks[numbers[request]] += request.take()
                if request.status is RequestStatus.FINISHED:
                    number, error = numbers.pop(request), request.error
                    answer = chunks.pop(number)
                    if error is not None and not isinstance(error, HexagonError):
                        raise error
                    yield number, answer if error is None else error
    finally:
        scheduler.close()
