# SPDX-License-Identifier: MIT
"""Kills processes of boards, nodes and heads while a server generates on them: `cd tests; python -m cluster.kills 50`.

Each kind is killed n times, at random moments of a completion. The completion must have the right tokens or end with a
typed error, and after the restart the next one must be right. The program prints one JSON object with the recovery
times, open files and leftovers, also the bytes of Ray's logs in /tmp/ray; it exits with 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, Final

import openai
from serve.serving import model as with_template

from cluster.conftest import Nodes, descendants, is_there, running, until
from cluster.test_served import N_CTX, WILD, Served, served
from pyhexagon import LLM
from pyhexagon.cluster.nodes import status

N: Final = 48  # tokens of a completion
PROMPT: Final = "and he in"
STAGES: Final = 3
KINDS: Final = ("process", "node", "head")
SHM: Final = Path("/dev/shm")
LOGS: Final = Path("/tmp/ray")


@dataclass
class Told:
    """Results of the trials.

    Attributes:
        ends: number of whole completions, and of completions that ended with a typed error, by kind.
        seconds: from the restart of the killed process to the end of the next right completion, by kind.
        files: open files of the server after each trial.
        problems: descriptions of wrong results.
        shared: names that are left in /dev/shm.
        log_bytes: bytes that Ray wrote to /tmp/ray meanwhile.
    """

    ends: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS})
    seconds: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    files: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    log_bytes: int = 0


def whole_text(path: Path) -> str:
    with LLM(path, N_CTX, device="loopback") as llm:
        return llm.generate(PROMPT, N, 1.5, top_p=1.0, seed=3).text


def given(**more: Any) -> dict[str, Any]:
    return {"model": "tiny", "prompt": PROMPT, "max_tokens": N, "seed": 3, **WILD, **more}


class AskedText:
    """A streamed completion that a thread of its own reads."""

    def __init__(self, server: Served) -> None:
        self.pieces: list[str] = []
        self.error = ""
        self._server = server
        self._thread = Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        try:
            for one in self._server.openai.completions.create(**given(), stream=True):
                self.pieces.append(one.choices[0].text)
        except openai.APIError as problem:
            self.error = str(problem.body)

    def end(self) -> str:
        self._thread.join()
        return "".join(self.pieces)


def kill(kind: str, nodes: Nodes, chance: random.Random) -> list[int]:
    """Kill a process, a node or the head, start it again, and return the ids of the processes that must be gone."""
    if kind == "process":
        pids = [chance.choice([board["pid"] for board in status(nodes.address) if "pid" in board])]
        os.kill(pids[0], signal.SIGKILL)
    elif kind == "node":
        pids = nodes.kill_one()
        nodes.add()
        nodes.ready()
    else:
        pids = nodes.pids()
        nodes.kill_head()
        nodes.new_head()
        nodes.add(STAGES)
        nodes.ready()
    return pids


def right_again(server: Served, text: str) -> bool:
    """Return whether a completion is right; False if it ends with a typed error."""
    try:
        return str(server.openai.completions.create(**given()).choices[0].text) == text
    except openai.APIStatusError as problem:
        if "device_lost" not in str(problem.body):
            raise
        return False


class Trials:
    """Kills under a server, and their results."""

    def __init__(self, nodes: Nodes, server: Served, text: str, seed: int) -> None:
        self._nodes, self._server, self._text = nodes, server, text
        self._chance = random.Random(seed)
        self.told = Told()

    def kill(self, kind: str) -> None:
        """Kill a process in the middle of a completion; check the completion's end and the next ones."""
        told, server, text = self.told, self._server, self._text
        asked, n_before = AskedText(server), self._chance.randrange(N // 2)
        until(lambda: len(asked.pieces) >= n_before or bool(asked.error), "a text does not go on")
        time.sleep(self._chance.uniform(0, 0.05))
        gone = kill(kind, self._nodes, self._chance)
        back = time.monotonic()
        said = asked.end()
        if said == text:
            told.ends[kind]["whole"] += 1
        elif "device_lost" in asked.error and text.startswith(said):
            told.ends[kind]["device_lost"] += 1
        else:
            told.problems.append(f"{kind}: {said!r} {asked.error}")
        until(lambda: right_again(server, text), f"after the {kind} was killed no text is right again")
        told.seconds[kind].append(round(time.monotonic() - back, 2))
        until(lambda: not any(map(is_there, gone)), f"a process of the killed {kind} is still there")
        told.files.append(len(os.listdir(f"/proc/{server.process.pid}/fd")))


def kills(nodes: Nodes, path: Path, n: int, seed: int = 8, say: Callable[[str], object] = str) -> Told:
    """Kill each kind n times, in random order."""
    before, text = _log_bytes(), whole_text(path)
    with served(nodes, path, "--stages", str(STAGES)) as server:
        until(lambda: right_again(server, text), "the first text is not right")
        trials = Trials(nodes, server, text, seed)
        told = trials.told
        for kind in random.Random(seed).sample([*KINDS] * n, len(KINDS) * n):
            trials.kill(kind)
            say(f"{kind} {dict(told.ends[kind])} {told.seconds[kind][-1]} s, {told.files[-1]} files")
        pids = descendants([server.process.pid])
    until(lambda: not any(map(is_there, pids)), "a process of the server is still there")
    told.log_bytes = _log_bytes() - before
    return told


def _log_bytes() -> int:
    return sum(one.lstat().st_size for one in LOGS.rglob("*") if one.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, help="of each kind")
    parser.add_argument("--seed", type=int, default=8)
    options = parser.parse_args()
    before = set(os.listdir(SHM))
    with tempfile.TemporaryDirectory() as folder:
        path = with_template(Path(folder), layers=6)
        with running(STAGES) as nodes:
            told = kills(nodes, path, options.n, options.seed, lambda line: print(line, file=sys.stderr, flush=True))
    told.shared = sorted(set(os.listdir(SHM)) - before)
    print(json.dumps(vars(told)))
    return 1 if told.problems or told.shared else 0


if __name__ == "__main__":
    sys.exit(main())
