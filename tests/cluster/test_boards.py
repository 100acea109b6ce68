# SPDX-License-Identifier: MIT
"""``pyhexagon map`` and embeddings on several boards, and boards with limited memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import tiny
from serve.serving import NAME
from waiting import LONG

from cluster.conftest import Nodes, free_boards, is_there, until
from cluster.test_served import served
from pyhexagon import LLM, DspMemoryError
from pyhexagon.cluster import Pipeline
from pyhexagon.cluster.nodes import status
from pyhexagon.process.resources import WORKSPACE_BYTES

N = 60
N_CTX = 256
MIB = 1 << 20

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.mark.parametrize("more", [(), ("--stages", "2")], ids=["replicas", "pipeline"])
def test_map_killed_and_run_again_answers_each_once(
    nodes: Nodes, model: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    prompts, out = tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    lines: list[dict[str, Any]] = [{"prompt": "the " * (1 + number % 5), "max_tokens": 4} for number in range(N)]
    prompts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [sys.executable, "-m", "pyhexagon", "map", str(model), str(prompts), "--out", str(out), "-c", "64"]
    command += ["--cluster", nodes.address, *more]

    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as child:
        until(lambda: out.exists() and out.read_bytes().count(b"\n") >= 3, "nothing is answered")
        pids = [board["pid"] for board in status(nodes.address) if "pid" in board]
        child.send_signal(signal.SIGKILL)
    n_before = out.read_bytes().count(b"\n")
    assert n_before < N
    until(lambda: free_boards() == 3, "a board is still held")
    until(lambda: not any(map(is_there, pids)), "a process is still there")

    done = subprocess.run(command, capture_output=True, text=True, timeout=10 * LONG, check=False)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(one["index"] for one in answers) == list(range(N))
    with LLM(model, 64, device="loopback") as llm:
        for one in answers:
            wanted = llm.generate(lines[one["index"]]["prompt"], 4, temperature=0)
            assert one["text"] == wanted.text
    until(lambda: free_boards() == 3, "a board is still held")


def test_embeddings(nodes: Nodes, tmp_path: Path) -> None:
    """Embeddings have the bits of one device, whichever board computes them."""
    path = tiny.write_encoder(tmp_path / f"{NAME}.gguf", "bert")
    texts = [f"the cat {'a' * n}" for n in range(20)]
    with LLM(path, 128, device="loopback") as llm:
        wanted = llm.embed(texts)
    with served(nodes, path, "-c", "128") as one:
        made = one.openai.embeddings.create(model=NAME, input=texts)
        assert np.array_equal(np.array([row.embedding for row in made.data], np.float32), wanted)
        os.kill(next(board["pid"] for board in status(nodes.address) if "pid" in board), signal.SIGKILL)
        made = one.openai.embeddings.create(model=NAME, input=texts)
        assert np.array_equal(np.array([row.embedding for row in made.data], np.float32), wanted)


def test_boards_with_little_memory(nodes: Nodes, tmp_path: Path) -> None:
    """The boards' capacities are measured: a model that is too large for one board is partitioned over two."""
    path = tiny.write(tmp_path / "model.gguf", "llama", width=512, ffn=2048, layers=6)
    with LLM(path, N_CTX, device="loopback") as llm:
        wanted = llm.logits([1] * 70)
    while nodes.boards:
        nodes.kill_one()
    until(lambda: free_boards() == 0, "a board is still there")
    nodes.add(3, f"map_limit={6 * MIB + WORKSPACE_BYTES}")
    until(lambda: free_boards() == 3, "boards do not come")
    with pytest.raises(DspMemoryError, match="the devices can take"):
        Pipeline(path, N_CTX, n_stages=1, address=nodes.address)
    until(lambda: free_boards() == 3, "a board is still held")
    with Pipeline(path, N_CTX, address=nodes.address) as made:
        assert len(made.device.facts()) == 2
        assert np.array_equal(made.logits([1] * 70), wanted)
    until(lambda: free_boards() == 3, "a board is still held")
