# SPDX-License-Identifier: MIT
"""Prefetching of states and caches: the l2fetch instructions that QEMU executes, in the order of the functions."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from pyhexagon import Device
from pyhexagon.cache import new_pages
from pyhexagon.kernels.cycles import Functions, Log, QemuLogs
from pyhexagon.ops.gated_delta_net import SCALE_ROWS
from pyhexagon.program.program import Program

HEADS, WIDTH, COLUMNS = 3, 128, 64
FETCH = "l2fetch"
_L2FETCH, _MASK, _PARSE = 0xA6800000, 0xFFE00000, 0xC000  # the parse bits of a duplex, of other meaning, are 0
_INSTRUCTION = re.compile(r"^0x([0-9a-f]{8}):  0x([0-9a-f]{8})\t")
_RUN = re.compile(r"^Trace \d+.*\[[0-9a-f]+/([0-9a-f]+)/")


def steps_of(device: Device, logs: QemuLogs, program: Program, *inputs: np.ndarray, compute: str) -> list[int]:
    """Run a program twice; return how many fetches the second run executed in front of, between and behind the runs of
    functions that compute, whose names match.
    """
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
                if not start:  # perhaps translated before, in another state of a hardware loop
                    start = int(match[1], 16)
                    fetches[start] = 0
                word = int(match[2], 16)
                fetches[start] += word & _MASK == _L2FETCH and word & _PARSE != 0
            elif (match := _RUN.match(line)) and file.tell() > before:
                address = int(match[1], 16)
                steps += [FETCH] * fetches[address] or [functions.name(address) or ""]
    order = groupby(name for name in steps if name == FETCH or re.match(compute, name))
    return [len(list(run)) for name, run in order if name == FETCH]


@pytest.mark.parametrize("in_slots", [False, True])
def test_columns_of_a_state_are_fetched_before_the_previous_ones_are_computed(qemu: str, *, in_slots: bool) -> None:
    rng, ids = np.random.default_rng(0), list[np.ndarray]()
    shapes = [*[(1, HEADS, WIDTH)] * 3, *[(1, HEADS)] * 2, (HEADS, WIDTH, WIDTH)]
    given = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    if in_slots:
        given = [np.stack([one] * 2) for one in given]
        given[-1] = np.zeros((2, HEADS, WIDTH + SCALE_ROWS, WIDTH), np.float32)
        ids = [np.array(one, np.int32) for one in ([1, 0], [1, -1])]  # the second sequence is skipped
    with QemuLogs() as logs, Device("loopback:qemu", threads=1) as device:
        with device.program() as p:
            q, k, v, g, beta, state = (p.input(x.shape) for x in given)
            state = p.cpy(state) if in_slots else state
            slots = (p.input((2,), np.int32), p.input((2,), np.int32)) if in_slots else None
            for result in p.gated_delta_net(q, k, v, g=g, beta=beta, state=state, slots=slots):
                p.output(p.cpy(result))
        fetches = steps_of(device, logs, p.compile(), *given, *ids, compute="(from_floats|step_pair)$")
    # The first columns and the second, then one by one; behind the last ones are the first again, or a skipped state.
    assert fetches == [2, *[1] * (HEADS * WIDTH // COLUMNS - 1 - in_slots)]


def test_weights_and_slots_are_fetched_before_a_sequence_is_convolved(qemu: str) -> None:
    given = [np.ones((4, 3, 1024), np.float32), np.ones((3, 2, 1024), np.float32), np.ones((4, 1024), np.float32)]
    ids = np.array([[0, 1, 0], [2, 3, -1]], np.int32)  # the third sequence is skipped
    with QemuLogs() as logs, Device("loopback:qemu", threads=1) as device:
        with device.program() as p:
            before, x, weight, slots = (p.input(one.shape, one.dtype) for one in (*given, ids))
            p.output(p.ssm_conv(x, weight, state=p.cpy(before), slots=(slots[0], slots[1])))
        fetches = steps_of(device, logs, p.compile(), *given, ids, compute="sum_row$")
    assert fetches == [2, 2]


@pytest.mark.parametrize(
    ("kind", "rows", "group", "dims"),
    [("q8_0", 1, 4, 64), ("q4_0", 1, 3, 96), ("f16", 1, 4, 64), ("q4_0", 3, 2, 128)]
    + [
        pytest.param(*case, marks=pytest.mark.long)
        for case in [
            ("q8_0", 1, 3, 96),
            ("q8_0", 1, 2, 128),
            ("q8_0", 1, 4, 128),
            ("q8_0", 3, 4, 64),
            ("q4_0", 1, 4, 64),
            ("q4_0", 1, 2, 128),
            ("q4_0", 1, 4, 128),
        ]
    ],
)
def test_tiles_of_the_cache_are_fetched_before_they_are_read(
    qemu: str, kind: str, rows: int, group: int, dims: int
) -> None:
    n_tokens, n_tiles, kv_heads = 64 * 5 - 3, 5, 2
    pages, at = np.array([3, 7, 0, 4, 1], np.int32), np.arange(n_tokens - rows, n_tokens, dtype=np.int32)
    q = np.random.default_rng(0).standard_normal((rows, kv_heads * group, dims)).astype(np.float32)
    with QemuLogs() as logs, Device("loopback:qemu", threads=1) as device:
        cache = new_pages(device, 8, kv_heads, dims, kind=kind)
        cache.buffer.bytes[: cache.nbytes] = 0
        with device.program() as p:
            values = [p.input(x.shape, x.dtype) for x in (q, pages, at)]
            p.output(p.flash_attn_ext(values[0], cache, pages=values[1], positions=values[2]))
        fetches = steps_of(device, logs, p.compile(), q, pages, at, compute="hvx_(prepare|weights|finish)$")
    pairs = -(-dims // 64)  # pass 3 takes 64 dims at a time
    if rows == 1 and kind != "f16":
        # a head: keys, before the weights, where the last tile is computed alone; then values
        assert fetches == [(n_tiles - 1 + 2) + (1 + 2), pairs * (n_tiles + 2)] * kv_heads
    else:  # pass 3 touches a vector of each tile
        assert fetches == ([] if kind == "f16" else [pairs * (n_tiles + 2)] * kv_heads * rows)
