# SPDX-License-Identifier: MIT
"""Every op between matmuls, with every set of optional operands and results absent.

A matmul looks ahead at the ops up to the next one, and fusion looks at their neighbours: both must take an absent
operand of any op. Where only some of the operands that belong together are absent, every engine refuses the op alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pyhexagon import Device, HexagonError
from pyhexagon._ffi import contract, loopback
from pyhexagon._ffi.library import load
from pyhexagon.op_cases import entries
from pyhexagon.op_cases.case import Case, normal
from pyhexagon.op_cases.case_builder import CaseBuilder
from pyhexagon.process import locate
from pyhexagon.program.graph import Node

MODES = ("host", "incoherent", "qemu")
FUSIONS = ("products", "elementwise", "norms", "heads")
RUNS = 2  # a matmul prefetches tiles of a matmul that has run before
Absent = frozenset[int]  # numbers of sources; RESULT of the second result
Run = tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]  # results of the case, and of the matmuls around it
RESULT = -1
MEETINGS = ("mul_mat", "mul_mat_id")  # no case has their optional operand, the CPU's part of the work


def present(node: Node) -> Absent:
    """Return the numbers of a node's optional operands that are there."""
    optional = {i for i, one in enumerate(node.sources) if i >= node.row.least and one is not None}
    return frozenset(optional | ({RESULT} if node.table is not None else set()))


def without(node: Node, absent: Absent) -> Node:
    sources = tuple(None if i in absent else one for i, one in enumerate(node.sources))
    return node._replace(sources=sources, table=None if RESULT in absent else node.table)


def subsets(items: Absent) -> list[Absent]:
    choices = product((False, True), repeat=len(items))
    return [frozenset(one for one, is_in in zip(sorted(items), choice, strict=True) if is_in) for choice in choices]


def variants(device: Device, row: contract.OpRow) -> list[tuple[Case, Absent]]:
    """Return recorded cases of an op with each set of operands that a case has, and the fullest one without others."""
    found: dict[Absent, Case] = {}
    for case in (one for one in entries.cases_of(row) if one.is_recorded):
        builder = CaseBuilder(device, str(case))
        builder.add(case.build)
        for node in builder.p.nodes:
            if node.row is row:
                found.setdefault(present(node), case)
        builder.close()
        if (row.least == row.most or row.name in MEETINGS) and found:
            break
    fullest = max(found, key=len)
    cuts = subsets(fullest) if len(fullest) < 5 else [*(frozenset({one}) for one in fullest), fullest]
    return [(case, frozenset()) for case in found.values()] + [(found[fullest], cut) for cut in cuts if cut]


def compute(device: Device, row: contract.OpRow, case: Case, absent: Absent, *, between: bool) -> list[Run] | int:
    """Return the results of every run, or the status of a refusal."""
    builder = CaseBuilder(device, str(case))
    weights = [device.weight(normal(192, 96, seed=seed)) for seed in range(3 if between else 0)]
    builder.inputs += [normal(2, 96)] * 2  # not by the builder, whose seeds count its operands
    before, behind = (builder.p.input((2, 96)) for _ in range(2))  # matmuls of the same value would run together
    matmuls = [builder.p.matmul(before, weight) for weight in weights[:2]]
    first = len(builder.p.nodes)
    builder.add(case.build)
    nodes = builder.p.nodes
    nodes[first:] = [without(node, absent) if node.row is row else node for node in nodes[first:]]
    matmuls += [builder.p.matmul(behind, weight) for weight in weights[2:]]
    n_own = len(builder.p.outputs)
    builder.p.output(*matmuls)
    try:
        program = builder.p.compile(without=() if between else FUSIONS)
        runs = []
        for _ in range(RUNS):
            found = builder.results(program.run(*builder.inputs))
            end = n_own + len(matmuls)
            runs.append((found[:n_own] + found[end:], found[n_own:end]))
        return runs
    except HexagonError as error:
        if error.code is None or device.lost:
            raise
        return error.code
    finally:
        builder.close()
        for weight in weights:
            weight.close()


def same(got: Sequence[npt.NDArray[Any]], want: Sequence[npt.NDArray[Any]], what: str) -> None:
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one.view(np.uint8), other.view(np.uint8), what)


@pytest.fixture(scope="module")
def alone() -> dict[str, list[tuple[Case, Absent, list[Run] | int]]]:
    """Return the variants of every op with their results on the host engine, unfused and without matmuls."""
    with Device("loopback") as device:
        return {
            row.name: [
                (case, absent, compute(device, row, case, absent, between=False))
                for case, absent in variants(device, row)
            ]
            for row in contract.OPS.values()
        }


@pytest.fixture(scope="module", params=MODES)
def device(request: pytest.FixtureRequest, qemu: str, alone: object) -> Iterator[Device]:
    """Open a device when those that ``alone`` needs are closed: the loopback's options hold for the process."""
    library = load(locate.installed("libcdsprpc.so.1"))
    if request.param == "incoherent":
        loopback.set_option(library, "incoherent", 1)
    with Device("loopback:qemu" if request.param == "qemu" else "loopback") as device:
        yield device
    loopback.reset(library)


@pytest.mark.parametrize("row", contract.OPS.values(), ids=lambda row: row.name)
def test_an_op_without_its_optional_operands_has_the_same_bits(
    device: Device, alone: dict[str, list[tuple[Case, Absent, list[Run] | int]]], row: contract.OpRow
) -> None:
    n_run = 0
    for case, absent, want in alone[row.name]:
        what = f"{case} without {sorted(absent)}"
        got = compute(device, row, case, absent, between=True)
        if isinstance(want, int) or isinstance(got, int):
            assert got == want, what
            continue
        n_run += 1
        for (own, matmuls), (expected, _) in zip(got, want, strict=True):
            same(own, expected, what)
            same(matmuls, got[0][1], what)
    assert n_run > 0
