# SPDX-License-Identifier: MIT
"""Prefetching of recurrent states: the l2fetch instructions that QEMU executes, in the order of the functions."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from pyhexagon import Device
from pyhexagon.bench.cycles import Functions, Log, QemuLogs
from pyhexagon.program.program import Program

HEADS, WIDTH, COLUMNS = 3, 64, 32
FETCH, COMPUTE = "l2fetch", "step_full"
_L2FETCH, _MASK = 0xA6800000, 0xFFE00000
_INSTRUCTION = re.compile(r"^0x([0-9a-f]{8}):  0x([0-9a-f]{8})\t")
_RUN = re.compile(r"^Trace \d+.*\[[0-9a-f]+/([0-9a-f]+)/")


def steps_of(device: Device, logs: QemuLogs, program: Program, *inputs: np.ndarray) -> list[int]:
    """Run a program twice; return how many fetches the second run executed before each run of blocks that compute."""
    program.run(*inputs)
    (path,) = (path for path in logs.folder.iterdir() if path.stat().st_size)
    before = path.stat().st_size
    program.run(*inputs)
    log = Log(path)
    log.costs()
    functions = Functions(Path(device.info().skel), log.words)
    fetches, start, steps = Counter[int](), 0, list[str]()  # fetches by the address of the translated block
    with path.open(encoding="ascii", errors="replace") as file:
        while line := file.readline():
            if line.startswith("IN:"):
                start = 0
            elif match := _INSTRUCTION.match(line):
                start = start or int(match[1], 16)
                fetches[start] += int(match[2], 16) & _MASK == _L2FETCH
            elif (match := _RUN.match(line)) and file.tell() > before:
                address = int(match[1], 16)
                steps += [FETCH] * fetches[address] or [functions.name(address) or ""]
    order = groupby(name for name in steps if name in (FETCH, COMPUTE))
    return [len(list(run)) for name, run in order if name == FETCH]


@pytest.mark.parametrize("in_slots", [False, True])
def test_columns_of_a_state_are_fetched_before_the_previous_ones_are_computed(qemu: str, *, in_slots: bool) -> None:
    rng, ids = np.random.default_rng(0), list[np.ndarray]()
    shapes = [*[(1, HEADS, WIDTH)] * 3, *[(1, HEADS)] * 2, (HEADS, WIDTH, WIDTH)]
    given = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    if in_slots:
        given = [np.stack([one] * 2) for one in given]
        ids = [np.array(one, np.int32) for one in ([1, 0], [1, -1])]  # the second sequence is skipped
    with QemuLogs() as logs, Device("loopback:qemu", threads=1) as device:
        with device.program() as p:
            q, k, v, g, beta, state = (p.input(x.shape) for x in given)
            state = p.cpy(state) if in_slots else state
            slots = (p.input((2,), np.int32), p.input((2,), np.int32)) if in_slots else None
            for result in p.gated_delta_net(q, k, v, g=g, beta=beta, state=state, slots=slots):
                p.output(p.cpy(result))
        fetches = steps_of(device, logs, p.compile(), *given, *ids)
    # The first columns and the second, then one by one; behind the last ones are the first again, or a skipped state.
    assert fetches == [2, *[1] * (HEADS * WIDTH // COLUMNS - 1 - in_slots)]
