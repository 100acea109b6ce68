# SPDX-License-Identifier: MIT
"""The self test: products of stored seeds, whose bits must be those that were recorded.

The arithmetic leaves nothing open (docs/arithmetic.md), so every device gives the same bits, and a hash of a result is
enough to know. selftest.json holds the hashes; scripts/record_selftest.py writes it, and tests/cli/test_selftest.py
compares it with an independent implementation.

Weights and activations come from splitmix64 and integer operations only, so no version of NumPy changes them: word i of
seed s is mix(2^32 * s + i), mix being the output function of splitmix64 for the counter (i + 1) * 0x9e3779b97f4a7c15.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.quants import TILE_ROWS
from pyhexagon.quants.layouts import F16_SCALES
from pyhexagon.tensor import Tensor

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]

RECORD: Final = "selftest.json"
TIMEOUT: Final = 30.0
TYPES: Final = (*F16_SCALES, Q.MXFP4, Q.F16, Q.BF16, Q.F32)
_OTHER_INPUTS: Final = "not tested: this machine makes other tiles or activations from the seed than were recorded"


@dataclass(frozen=True)
class Case:
    """A product and the hashes recorded for it; see selftest.json."""

    type: str
    n: int
    k: int
    m: int
    seed: int
    inputs: str
    result: str

    def __str__(self) -> str:
        return f"{self.type} weight ({self.n}, {self.k}), x ({self.m}, {self.k}), seed {self.seed}"


@dataclass(frozen=True)
class Outcome:
    """What became of a case on one kind of kernels.

    Attributes:
        kernels: that computed it ("hvx", "ref"), or were to.
        problem: what is wrong, or an empty string.
        place: the first result that hvx and ref disagree on, as (row of x, row of the weight).
    """

    case: Case
    transport: str
    kernels: str
    seconds: float
    problem: str = ""
    place: tuple[int, int] | None = None


def recorded() -> list[Case]:
    """The cases of selftest.json."""
    record = json.loads(resources.files("pyhexagon").joinpath(RECORD).read_text("utf-8"))
    return [Case(**case) for case in record["cases"]]


def words(seed: int, n: int) -> npt.NDArray[np.uint32]:
    """The first n words of a seed: the upper halves of splitmix64's outputs."""
    counter = np.arange(1, n + 1, dtype=np.uint64) + np.uint64(seed << 32)
    z = counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return np.asarray((z ^ z >> np.uint64(31)) >> np.uint64(32), np.uint32)


def weight_bytes(dtype: Q, n: int, k: int, seed: int) -> U8:
    """GGUF bytes (n, row bytes): any codes; scales and floats of 2^-7 to 2^-4, of either sign."""
    block, size = gguf.GGML_QUANT_SIZES[dtype]
    n_bytes = n * (k // block) * size
    raw = words(2 * seed, -(-n_bytes // 4)).astype("<u4").view(np.uint8)[:n_bytes].reshape(n, -1)
    if dtype == Q.F32:
        bits = raw.view("<u4")
        bits[...] = bits & 0x807FFFFF | (120 + (bits >> 23 & 3)) << 23
    elif dtype == Q.F16:
        _tame(raw.view("<u2"))
    elif dtype == Q.BF16:
        halves = raw.view("<u2")
        halves[...] = halves & 0x807F | (120 + (halves >> 7 & 3)) << 7
    elif dtype == Q.MXFP4:
        scales = raw.reshape(n, -1, size)[:, :, 0]
        scales[...] = 120 + (scales & 3)
    else:
        blocks = raw.reshape(n, -1, size)
        for at in F16_SCALES[dtype]:
            half = np.ascontiguousarray(blocks[:, :, at : at + 2])
            _tame(half.view("<u2"))
            blocks[:, :, at : at + 2] = half
    return raw


def _tame(halves: npt.NDArray[np.uint16]) -> None:
    halves[...] = halves & 0x83FF | (8 + (halves >> 10 & 3)) << 10


def activations(m: int, k: int, seed: int) -> F32:
    """(m, k) float32 of 2^-8 to 2^8, of either sign. Of four rows or more, row 2 is zero, and row 3 has a NaN."""
    bits = words(2 * seed + 1, m * k).reshape(m, k)
    bits[...] = bits & 0x807FFFFF | (119 + (bits >> 23 & 15)) << 23
    if m >= 4:
        bits[2] = 0
        bits[3, k // 2] = 0x7FC00000
    return bits.view(np.float32)


def digest(*arrays: npt.NDArray[np.generic]) -> str:
    """SHA-256 over the bytes, of which 128 bits are kept."""
    together = hashlib.sha256()
    for array in arrays:
        together.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return together.hexdigest()[:32]


def run(device: Device, cases: Sequence[Case]) -> Iterator[Outcome]:
    """Runs cases on a device of one's own, with each kind of kernels that its skel has, until the device is lost."""
    transport = device.session.transport.name
    for case in cases:
        start = time.perf_counter()
        kernels = "hvx"
        results: dict[str, F32] = {}
        seconds: dict[str, float] = {}
        try:
            with upload(device, case) as weight:
                x = activations(case.m, case.k, case.seed)
                same_inputs = digest(weight.buffer.bytes[: weight.nbytes], x) == case.inputs
                for wish in ("hvx", "ref"):
                    kernels = wish
                    start = time.perf_counter()
                    result, kernels = product(device, x, weight, wish)
                    if kernels not in results:  # else it has no HVX kernels
                        results[kernels], seconds[kernels] = result, time.perf_counter() - start
        except HexagonError as error:
            yield Outcome(case, transport, kernels, time.perf_counter() - start, str(error))
            if device.lost:
                return
            continue
        place = first_difference(results)
        for kernels in results:
            problem = judge(case, kernels, results, place) if same_inputs else _OTHER_INPUTS
            yield Outcome(case, transport, kernels, seconds[kernels], problem, place if problem else None)


def upload(device: Device, case: Case) -> Tensor:
    """The weight of a case."""
    dtype = Q[case.type]
    return device.pack(dtype, weight_bytes(dtype, case.n, case.k, case.seed), (case.n, case.k))


def product(device: Device, x: F32, weight: Tensor, kernels: str) -> tuple[F32, str]:
    """``x @ weight.T``, and which kernels computed it: others than asked for where the skel has none of those."""
    device.kernels = kernels
    with device.program() as p:
        p.output(p.matmul(p.input(x.shape), weight))
    (y,), report = p.compile().run_with_report(x, timeout=TIMEOUT)
    return np.array(y), report.ops[0].kernels


def first_difference(results: dict[str, F32]) -> tuple[int, int] | None:
    """Where hvx and ref disagree first; None if they agree, or if there is one of them only."""
    got, want = results.get("hvx"), results.get("ref")
    if got is None or want is None:
        return None
    places = np.argwhere(got.view(np.uint32) != want.view(np.uint32))
    return (int(places[0, 0]), int(places[0, 1])) if len(places) else None


def judge(case: Case, kernels: str, results: dict[str, F32], place: tuple[int, int] | None) -> str:
    """What is wrong with a result, or an empty string."""
    if digest(results[kernels]) == case.result:
        return ""
    others = [name for name in results if name != kernels]
    if not others:
        return f"{kernels} differs from the record, and there are no other kernels to compare it with"
    (other,) = others
    right = digest(results[other]) == case.result
    problem = f"{kernels} differs from the record, {other} {'does not' if right else 'too'}"
    if place is None:
        return f"{problem}; both give the same bits"
    m, n = place
    got, want = (int(results[name][m, n].view(np.uint32)) for name in (kernels, other))
    tile, lane = divmod(n, TILE_ROWS)
    return (
        f"{problem}; the first difference between them is in row {m} of x and row {n} of the weight "
        f"(lane {lane} of tile {tile}): {kernels} has {got:08x}, {other} {want:08x}"
    )
