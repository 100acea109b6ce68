# SPDX-License-Identifier: MIT
"""The processes that render chat templates: reused, limited, replaced after a violation, ended with this process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import check_settled, settled
from waiting import LONG, interrupt_once_waiting

from pyhexagon import workers
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat import templates
from pyhexagon.llm.chat.templates import ChatTemplate

ECHO = "{{ messages[0].content }}"
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
ON_DEMAND = "{% if messages[0].content == 'loop' %}" + LOOP + "{% endif %}" + ECHO
PROGRAM = """
import os, signal, sys
from pyhexagon import workers
from pyhexagon.llm.chat.templates import ChatTemplate
assert ChatTemplate("{{ messages[0].content }}").render([{"role": "user", "content": "x"}]) == "x"
print(workers._idle[0]._process.pid, flush=True)
exec(sys.argv[1])
"""


@pytest.fixture(autouse=True)
def no_worker() -> Iterator[None]:
    workers._close_all()
    yield
    workers._close_all()


def said(source: str, text: str) -> str:
    return ChatTemplate(source).render([{"role": "user", "content": text}])


def pids() -> list[int]:
    return [worker._process.pid for worker in workers._idle]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until_gone(pid: int) -> None:
    end = time.monotonic() + LONG
    while is_alive(pid):
        assert time.monotonic() < end, "the worker lives on"
        time.sleep(0.02)


def test_a_worker_renders_many_texts() -> None:
    assert said(ECHO, "first") == "first"
    (pid,) = pids()
    assert [said(ECHO, str(number)) for number in range(200)] == [str(number) for number in range(200)]
    assert pids() == [pid]


def test_a_template_that_refuses_keeps_its_worker() -> None:
    source = "{% if messages[0].content == 'no' %}{{ raise_exception('refused') }}{% endif %}yes"
    assert said(source, "x") == "yes"
    before = pids()
    with pytest.raises(ArgumentError, match="does not take these messages: refused"):
        said(source, "no")
    assert (said(source, "x"), pids()) == ("yes", before)


def test_each_template_has_its_own_worker_and_few_are_kept() -> None:
    sources = [f"{number}{ECHO}" for number in range(6)]
    assert [said(source, "x") for source in sources] == [f"{number}x" for number in range(6)]
    before = pids()
    assert len(set(before)) == 4
    assert [said(source, "y") for source in sources[:1:-1]] == [f"{number}y" for number in range(5, 1, -1)]
    assert set(pids()) == set(before)


def test_a_worker_has_no_environment_and_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert said(ECHO, "x") == "x"
    (pid,) = pids()
    assert Path(f"/proc/{pid}/environ").read_bytes() == b""
    limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
    (memory,) = (line.split()[-3:] for line in limits if line.startswith("Max address space"))
    assert memory == [str(512 << 20), str(512 << 20), "bytes"]


@pytest.mark.parametrize("is_ignored", [False, True])
def test_the_limit_of_cpu_time_is_each_texts_and_the_worker_is_replaced(
    is_ignored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "_CPU_SECONDS", 2)
    before = signal.signal(signal.SIGPROF, signal.SIG_IGN) if is_ignored else None
    try:
        held = settled()
        assert said(ON_DEMAND, "x") == "x"
        (pid,) = pids()
        with pytest.raises(ArgumentError, match="it takes more than 2 seconds of CPU time"):
            said(ON_DEMAND, "loop")
        assert not is_alive(pid)
        assert pids() == []
        check_settled(held)
        assert said(ON_DEMAND, "y") == "y"
        assert pids() != [pid]
    finally:
        if is_ignored:
            signal.signal(signal.SIGPROF, before)


def test_a_worker_that_ran_out_of_memory_or_is_large_is_replaced() -> None:
    source = "{% set n = messages[0].content | int %}{{ ('a' * n) | length }}"
    assert said(source, "10") == "10"
    (pid,) = pids()
    with pytest.raises(ArgumentError, match="it takes more than 512 MiB"):
        said(source, "600000000")
    assert (pids(), is_alive(pid)) == ([], False)
    assert said(source, "200000000") == "200000000"
    assert pids() == []
    assert said(source, "20") == "20"


def test_a_worker_that_was_killed_is_replaced() -> None:
    assert said(ECHO, "x") == "x"
    (pid,) = pids()
    os.kill(pid, signal.SIGKILL)
    until_gone(pid)
    assert said(ECHO, "y") == "y"
    assert pids() not in ([pid], [])


def test_a_worker_that_is_killed_at_its_first_text_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    makefile = socket.socket.makefile

    def killed(its: socket.socket, mode: Any) -> Any:
        """Kill the worker after the text was sent, before its answer is read."""
        (worker,) = workers._all
        os.kill(worker._process.pid, signal.SIGKILL)
        return makefile(its, mode)

    monkeypatch.setattr(socket.socket, "makefile", killed)
    with pytest.raises(ArgumentError, match="does not end well: Killed"):
        said(ON_DEMAND, "loop")


def test_threads_have_workers_of_their_own() -> None:
    texts = [str(number) * number for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: said(ECHO, text), texts)) == texts
    assert 1 <= len(pids()) <= 4


def test_ctrl_c_ends_the_worker_and_its_answer_is_not_the_next_ones() -> None:
    held = settled()
    assert said(ON_DEMAND, "x") == "x"
    (pid,) = pids()
    interrupter = interrupt_once_waiting()
    with pytest.raises(KeyboardInterrupt):
        said(ON_DEMAND, "loop")
    interrupter.join()
    assert (pids(), is_alive(pid)) == ([], False)
    check_settled(held)
    assert said(ON_DEMAND, "y") == "y"


def test_a_forked_child_leaves_the_parents_worker_alone() -> None:
    assert said(ECHO, "x") == "x"
    (pid,) = pids()
    child = os.fork()
    if not child:
        try:
            is_right = pids() == [] and said(ECHO, "child") == "child" and pids() != [pid]
            workers._close_all()
            os._exit(not is_right)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (said(ECHO, "y"), pids()) == ("y", [pid])


KILL = "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "os._exit(0)", KILL, "os.fork() or os._exit(0)"])
def test_a_worker_ends_with_its_process(end: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, end], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    until_gone(int(done.stdout.split()[0]))
