# SPDX-License-Identifier: MIT
"""The command ``pyhexagon serve --cluster`` with OpenAI's client."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from serve.serving import NAME
from serve.serving import model as with_template
from waiting import LONG

from cluster.conftest import Nodes, free_boards, is_there, until
from pyhexagon import LLM
from pyhexagon.cluster.nodes import status

N_CTX = 256
N = 24
PROMPTS = ["the", "and he in", "th er an", "a", "he he he the in", "in"]
WILD: dict[str, Any] = {"temperature": 1.5, "top_p": 1.0}

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_template(tmp_path_factory.mktemp("model"), layers=6)


@pytest.fixture(scope="module")
def wanted(path: Path) -> tuple[list[str], str, dict[str, int]]:
    """Return the completions of the prompts and of a chat, and the memory that the model takes."""
    with LLM(path, N_CTX, n_sequences=4, device="loopback") as llm:
        memory = llm.memory()
        texts = [llm.generate(text, N, 1.5, top_p=1.0, seed=at).text for at, text in enumerate(PROMPTS)]
        chat = "".join(part.text for part in llm.chat([{"role": "user", "content": "the"}], N, 0.9, seed=5))
        return texts, chat, memory


class Served:
    """The running command."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.http = httpx2.Client(base_url=url, timeout=5 * LONG)
        self.openai = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=5 * LONG)

    def texts(self) -> list[str]:
        """Return the completions of all prompts, which are requested at once; half of them are streams."""

        def ask(at: int) -> str:
            given: dict[str, Any] = {"model": NAME, "prompt": PROMPTS[at], "max_tokens": N, "seed": at, **WILD}
            if at % 2:
                return "".join(one.choices[0].text for one in self.openai.completions.create(**given, stream=True))
            return str(self.openai.completions.create(**given).choices[0].text)

        with ThreadPoolExecutor(len(PROMPTS)) as pool:
            return list(pool.map(ask, range(len(PROMPTS))))

    def figure(self, name: str) -> float | None:
        """Return a value of /metrics; None if it is missing."""
        found = re.search(rf"^pyhexagon_{name} (.*)$", self.http.get("/metrics").text, re.M)
        return None if found is None else float(found[1])

    def health(self) -> int:
        return int(self.http.get("/health").status_code)


@contextmanager
def served(nodes: Nodes, path: Path, *more: str) -> Iterator[Served]:
    """Run the command until the end of a ``with`` statement; SIGTERM ends it, as from systemd, and no process is left.
    """
    command = [sys.executable, "-m", "pyhexagon", "serve", str(path), "--cluster", nodes.address, "-c", str(N_CTX)]
    command += ["--port", "0", "--json", *more]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=buffered) as process:
        try:
            assert process.stdout
            one = Served(json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["url"], process)
            with one.http, one.openai:
                yield one
                pids = [board["pid"] for board in status(nodes.address) if "pid" in board]
            process.send_signal(signal.SIGTERM)
            assert process.wait(5 * LONG) == 0
        finally:
            process.kill()
    until(lambda: free_boards() == 3, "a board is still held")
    until(lambda: not any(map(is_there, pids)), "a process is still there")


def test_replicas(nodes: Nodes, path: Path, wanted: Any) -> None:
    """Completions equal ``LLM``'s, metrics are sums over all boards, and clients do not notice that a board
    dies.
    """
    texts, chat, memory = wanted
    with served(nodes, path) as one:
        assert one.texts() == texts
        message: Any = {"role": "user", "content": "the"}
        made = one.openai.chat.completions.create(model=NAME, messages=[message], max_tokens=N, temperature=0.9, seed=5)
        assert made.choices[0].message.content == chat
        assert made.usage
        assert one.figure("memory_model_bytes") == 3 * memory["model"]
        assert one.figure("memory_context_bytes") == 3 * memory["context"]
        assert one.figure("generated_tokens_total") == N * (len(PROMPTS) + 1)
        assert one.figure("first_token_seconds_count") == len(PROMPTS) + 1
        until(lambda: (one.figure("messages_total") or 0) >= 3 * N, "messages are not counted")
        until(lambda: bool(one.figure("steps_total") and one.figure("dsp_seconds_total")), "work is not counted")
        assert (one.figure("boards"), one.figure("boards_up"), one.figure("dsp_deaths_total")) == (3, 3, 0)
        messages = one.figure("messages_total")

        pid = next(board["pid"] for board in status(nodes.address) if "pid" in board)
        os.kill(pid, signal.SIGKILL)
        assert one.texts() == texts
        until(lambda: one.figure("dsp_deaths_total") == 1, "its death is not told")
        assert one.health() == 200  # two boards are up
        until(lambda: one.figure("boards_up") == 3, "it does not come back")
        assert one.texts() == texts
        assert (one.figure("messages_total") or 0) >= (messages or 0)
        assert one.figure("dsp_deaths_total") == 1


def test_a_pipeline(nodes: Nodes, path: Path, wanted: Any) -> None:
    """Completions equal ``LLM``'s. Ray restarts a stage that dies, and sequences continue where they were."""
    texts, _, memory = wanted
    with served(nodes, path, "--stages", "2") as one:
        assert one.texts() == texts
        assert one.figure("memory_context_bytes") == pytest.approx(memory["context"], rel=0.2)
        assert (one.figure("memory_model_bytes") or 0) >= memory["model"]
        assert one.figure("generated_tokens_total") == N * len(PROMPTS)
        assert (one.figure("messages_total") or 0) >= N
        assert one.figure("boards") is None
        given: dict[str, Any] = {"model": NAME, "prompt": PROMPTS[0], "max_tokens": N, "seed": 0, **WILD}
        stream = iter(one.openai.completions.create(**given, stream=True))
        said = next(stream).choices[0].text
        os.kill(next(board["pid"] for board in status(nodes.address) if "pid" in board), signal.SIGKILL)
        said += "".join(part.choices[0].text for part in stream)
        assert said == texts[0]
        assert one.texts() == texts
        assert one.figure("dsp_deaths_total") == 1
        assert one.health() == 200


def test_nodes_die_and_come_back(nodes: Nodes, path: Path, wanted: Any) -> None:
    texts = wanted[0]
    with served(nodes, path) as one:
        nodes.kill_one()
        assert one.texts() == texts
        until(lambda: one.figure("dsp_deaths_total") == 1, "its death is not told")
        assert one.health() == 200
        nodes.kill_one()
        nodes.kill_one()
        until(lambda: one.health() == 503, "that no board is there is not told")
        assert (one.figure("boards_up"), one.figure("up"), one.figure("memory_model_bytes")) == (0, 0, 0)
        nodes.add(3)
        until(lambda: one.health() == 200, "none comes back")
        assert one.texts() == texts
        until(lambda: one.figure("boards_up") == 3, "not all come back")


@pytest.mark.parametrize(
    ("more", "is_quick"),
    [(("--stages", "2"), False), (("--stages", "2"), True), ((), False), ((), True)],
    ids=["pipeline", "pipeline, started again at once", "replicas", "replicas, started again at once"],
)
def test_the_head_dies(nodes: Nodes, path: Path, wanted: Any, more: tuple[str, ...], is_quick: bool) -> None:
    """The head dies during a completion. Requests then end in time; the server continues with the boards of the next
    head, and shuts down as usual.
    """
    texts = wanted[0]
    given: dict[str, Any] = {"model": NAME, "prompt": PROMPTS[0], "max_tokens": N, "seed": 0, **WILD}
    with served(nodes, path, *more) as one:
        stream, said = iter(one.openai.completions.create(**given, stream=True)), ""
        said = next(stream).choices[0].text
        nodes.kill_head()
        if is_quick:
            nodes.new_head()
        try:
            said += "".join(part.choices[0].text for part in stream)
        except openai.APIError as error:
            assert "device_lost" in str(error.body)  # noqa: PT017 - or the text is whole
            assert texts[0].startswith(said)
        else:
            assert said == texts[0]
        if not is_quick:
            nodes.new_head()
        with pytest.raises(openai.APIStatusError) as refused:
            one.openai.completions.create(**given)
        assert refused.value.status_code == 503
        assert one.health() == 503
        nodes.add(3)
        until(lambda: one.health() == 200, "it does not find the next head")
        assert one.texts() == texts
