# SPDX-License-Identifier: MIT
"""The self test: cases of every op, whose results must have the recorded bits.

The arithmetic is fully defined (docs/arithmetic.md, docs/math.md, docs/attention.md), so every device gives the same
bits, and a hash of a result suffices. pyhexagon/op_cases has the cases; selftest.json holds the hashes, which
scripts/record_selftest.py writes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.op_cases.case import Build, Case
from pyhexagon.op_cases.case_builder import CaseBuilder
from pyhexagon.op_cases.entries import recorded_cases
from pyhexagon.op_cases.seeds import digest
from pyhexagon.program.switches import check_stages
from pyhexagon.quants import TILE_ROWS

RECORD: Final = "selftest.json"
TIMEOUT: Final = 30.0
_OTHER_INPUTS: Final = "not tested: this machine derives other operands from the seed than were recorded"
_NOT_RECORDED: Final = "nothing was recorded: scripts/record_selftest.py records the results of the v68 skel"


class Place(NamedTuple):
    """The first element in which the results of hvx and ref differ.

    Attributes:
        result: the index of the case's result.
        at: the index in it; of a matmul, the row of x and the row of the weight.
        bits: in hexadecimal, by kernels.
    """

    result: int
    at: tuple[int, ...]
    bits: dict[str, str]


class RecordedCase(NamedTuple):
    """A case, and its recorded hashes: of the operands and of the results."""

    op: str
    type: str
    name: str
    build: Build
    inputs: str
    result: str

    def __str__(self) -> str:
        return str(Case(*self[:4]))


@dataclass(frozen=True)
class Outcome:
    """The result of a case with one set of kernels.

    Attributes:
        kernels: the kernels that computed it ("hvx", "ref"), or should have.
        problem: the difference found, or an empty string.
        place: the first difference between hvx and ref.
    """

    case: RecordedCase
    transport: str
    kernels: str
    seconds: float
    problem: str = ""
    place: Place | None = None


class CaseResults(NamedTuple):
    """The results of a case by kernels, and their times.

    Attributes:
        inputs: the hash of the operands.
    """

    inputs: str
    results: dict[str, list[npt.NDArray[Any]]]
    seconds: dict[str, float]


def recorded() -> list[RecordedCase]:
    """Return all cases with the hashes of selftest.json, which are empty where nothing was recorded."""
    record = json.loads(resources.files("pyhexagon").joinpath(RECORD).read_text("utf-8"))
    hashes = {(case["op"], case["type"], case["case"]): (case["inputs"], case["result"]) for case in record["cases"]}
    return [RecordedCase(*case[:4], *hashes.get(case[:3], ("", ""))) for case in recorded_cases()]


def run(device: Device, cases: Sequence[RecordedCase]) -> Iterator[Outcome]:
    """Run cases on an exclusive device, with each set of kernels that its skel has, until the device is lost.

    Raises:
        UnsupportedError: the device's switches skip stages.
    """
    check_stages(device.switches)
    transport = device._session.transport.name
    for case in cases:
        start = time.perf_counter()
        try:
            computed = run_case(device, case)
        except HexagonError as error:
            yield Outcome(case, transport, device.kernels, time.perf_counter() - start, str(error))
            if device.lost:
                return
            continue
        place = first_difference(computed.results)
        for kernels in computed.results:
            problem = judge(case, kernels, computed, place)
            yield Outcome(case, transport, kernels, computed.seconds[kernels], problem, place if problem else None)


def run_case(device: Device, case: RecordedCase) -> CaseResults:
    """Run a case with each set of kernels; with "ref" only if the skel has no others."""
    builder = CaseBuilder(device, str(case))
    try:
        builder.add(case.build)
        program = builder.p.compile()
        results, seconds = {}, {}
        for wish in ("hvx", "ref"):
            if wish not in results:
                device.kernels = wish
                start = time.perf_counter()
                tensors, report = program.run_with_report(*builder.inputs, timeout=TIMEOUT)
                kernels = next(op.kernels for op in report.ops if op.op == case.op)
                results[kernels], seconds[kernels] = builder.results(tensors), time.perf_counter() - start
        return CaseResults(digest(*builder.seeded), results, seconds)
    finally:
        builder.close()


def first_difference(results: dict[str, list[npt.NDArray[Any]]]) -> Place | None:
    """Return the first difference between hvx and ref; None if they agree or one of them is missing."""
    got, want = results.get("hvx"), results.get("ref")
    if got is None or want is None:
        return None
    for number, pair in enumerate(zip(got, want, strict=True)):
        one, other = (array.view(f"u{array.itemsize}") for array in pair)
        places = np.argwhere(one != other)
        if len(places):
            index = tuple(places[0].tolist())
            width = 2 * one.itemsize
            return Place(number, index, {"hvx": f"{one[index]:0{width}x}", "ref": f"{other[index]:0{width}x}"})
    return None


def judge(case: RecordedCase, kernels: str, computed: CaseResults, place: Place | None) -> str:
    """Return the problem with a result, or an empty string."""
    if not case.result:
        return _NOT_RECORDED
    if computed.inputs != case.inputs:
        return _OTHER_INPUTS
    if digest(*computed.results[kernels]) == case.result:
        return ""
    others = [name for name in computed.results if name != kernels]
    if not others:
        return f"{kernels} differs from the record, and there are no other kernels to compare with"
    (other,) = others
    right = digest(*computed.results[other]) == case.result
    problem = f"{kernels} differs from the record, {other} {'does not' if right else 'too'}"
    if place is None:
        return f"{problem}; both give the same bits"
    return (
        f"{problem}; the first difference between them is in {_where(case.op, place)}: "
        f"{kernels} has {place.bits[kernels]}, {other} {place.bits[other]}"
    )


def _where(op: str, place: Place) -> str:
    if op == "mul_mat":
        m, n = place.at
        tile, lane = divmod(n, TILE_ROWS)
        return f"row {m} of x and row {n} of the weight (lane {lane} of tile {tile})"
    return f"element {list(place.at)} of result {place.result}"
