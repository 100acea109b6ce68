# SPDX-License-Identifier: MIT
"""The self test: cases of every op, whose bits must be those that were recorded.

The arithmetic leaves nothing open (docs/arithmetic.md, docs/math.md, docs/attention.md), so every device gives the same
bits, and a hash of a result is enough to know. recipes.py makes the cases; selftest.json holds the hashes, which
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
from pyhexagon.quants import TILE_ROWS
from pyhexagon.selftest import recipes
from pyhexagon.selftest.given import Given, Recipe
from pyhexagon.selftest.seeds import digest

RECORD: Final = "selftest.json"
TIMEOUT: Final = 30.0
_OTHER_INPUTS: Final = "not tested: this machine makes other operands from the seed than were recorded"
_NOT_RECORDED: Final = "nothing was recorded for it: scripts/record_selftest.py records what the v68 skel gives"


class Place(NamedTuple):
    """A number that hvx and ref disagree on.

    Attributes:
        result: which of the case's results.
        at: where in it; of a product, the row of x and the row of the weight.
        bits: in hexadecimal, by kind of kernels.
    """

    result: int
    at: tuple[int, ...]
    bits: dict[str, str]


@dataclass(frozen=True)
class Case:
    """A recipe, and the hashes recorded for it: of what it is made from, and of the results."""

    recipe: Recipe
    inputs: str
    result: str

    def __str__(self) -> str:
        return str(self.recipe)


@dataclass(frozen=True)
class Outcome:
    """What became of a case on one kind of kernels.

    Attributes:
        kernels: that computed it ("hvx", "ref"), or were to.
        problem: what is wrong, or an empty string.
        place: the first that hvx and ref disagree on.
    """

    case: Case
    transport: str
    kernels: str
    seconds: float
    problem: str = ""
    place: Place | None = None


class Made(NamedTuple):
    """Results of a case, by kind of kernels, and how long they took.

    Attributes:
        inputs: the hash of what they were made from.
    """

    inputs: str
    results: dict[str, list[npt.NDArray[Any]]]
    seconds: dict[str, float]


def recorded() -> list[Case]:
    """All cases, with the hashes of selftest.json; empty ones where nothing was recorded."""
    record = json.loads(resources.files("pyhexagon").joinpath(RECORD).read_text("utf-8"))
    hashes = {(one["op"], one["type"], one["case"]): (one["inputs"], one["result"]) for one in record["cases"]}
    return [Case(recipe, *hashes.get(recipe[:3], ("", ""))) for recipe in recipes.all_of_them()]


def run(device: Device, cases: Sequence[Case]) -> Iterator[Outcome]:
    """Runs cases on a device of one's own, with each kind of kernels that its skel has, until the device is lost."""
    transport = device.session.transport.name
    for case in cases:
        start = time.perf_counter()
        try:
            made = make(device, case.recipe)
        except HexagonError as error:
            yield Outcome(case, transport, device.kernels, time.perf_counter() - start, str(error))
            if device.lost:
                return
            continue
        place = first_difference(made.results)
        for kernels in made.results:
            problem = judge(case, kernels, made, place)
            yield Outcome(case, transport, kernels, made.seconds[kernels], problem, place if problem else None)


def make(device: Device, recipe: Recipe) -> Made:
    """Runs a case with each kind of kernels; with "ref" only, where the skel has no others."""
    given = Given(device, str(recipe))
    try:
        outputs = recipe.build(given)
        given.p.output(*([outputs] if not isinstance(outputs, Sequence) else outputs))
        program = given.p.compile()
        results, seconds = {}, {}
        for wish in ("hvx", "ref"):
            if wish not in results:
                device.kernels = wish
                start = time.perf_counter()
                tensors, report = program.run_with_report(*given.inputs, timeout=TIMEOUT)
                kernels = next(op.kernels for op in report.ops if op.op == recipe.op)
                results[kernels], seconds[kernels] = given.results(tensors), time.perf_counter() - start
        return Made(digest(*given.made_from), results, seconds)
    finally:
        given.close()


def first_difference(results: dict[str, list[npt.NDArray[Any]]]) -> Place | None:
    """Where hvx and ref disagree first; None if they agree, or if there is one of them only."""
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


def judge(case: Case, kernels: str, made: Made, place: Place | None) -> str:
    """What is wrong with a result, or an empty string."""
    if not case.result:
        return _NOT_RECORDED
    if made.inputs != case.inputs:
        return _OTHER_INPUTS
    if digest(*made.results[kernels]) == case.result:
        return ""
    others = [name for name in made.results if name != kernels]
    if not others:
        return f"{kernels} differs from the record, and there are no other kernels to compare it with"
    (other,) = others
    right = digest(*made.results[other]) == case.result
    problem = f"{kernels} differs from the record, {other} {'does not' if right else 'too'}"
    if place is None:
        return f"{problem}; both give the same bits"
    return (
        f"{problem}; the first difference between them is in {_where(case.recipe.op, place)}: "
        f"{kernels} has {place.bits[kernels]}, {other} {place.bits[other]}"
    )


def _where(op: str, place: Place) -> str:
    if op == "mul_mat":
        m, n = place.at
        tile, lane = divmod(n, TILE_ROWS)
        return f"row {m} of x and row {n} of the weight (lane {lane} of tile {tile})"
    return f"element {list(place.at)} of result {place.result}"
