# SPDX-License-Identifier: MIT
"""Models for the memory tests: chains of weights, and the bits that one unlimited session gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device, Report, Tensor

F32 = npt.NDArray[np.float32]

MIB = 1 << 20
LIMIT = 8 * MIB  # of a session, beside its workspace


@dataclass
class Model:
    """Weights that each multiply the result of the previous one, and the input activations."""

    raws: list[tuple[Q, weights.U8, int, int]]
    x: F32
    tensors: list[Tensor] = field(default_factory=list)

    def load(self, device: Device) -> None:
        self.tensors = [device.pack(dtype, raw.reshape(n, -1), (n, k)) for dtype, raw, n, k in self.raws]

    def run(self, device: Device) -> tuple[list[F32], Report]:
        """Return all results of one program, in order."""
        with device.program() as p:
            ys = [p.input(self.x.shape)]
            for w in self.tensors:
                ys.append(p.matmul(ys[-1], w))
            p.output(*ys[1:])
        results, report = p.compile().run_with_report(self.x)
        return [y.numpy().copy() for y in results], report


def chain(sizes: list[int], k: int = 512, dtype: Q = Q.Q8_0, m: int = 3) -> Model:
    """Return weights of about these sizes in MiB: (n, k) and (k, n) in turn."""
    rng = np.random.default_rng(len(sizes))
    raws: list[tuple[Q, weights.U8, int, int]] = []
    for at, mib in enumerate(sizes):
        n = mib * MIB * 14 // 16 // k // 64 * 64
        shape = (n, k) if at % 2 == 0 else (k, n)
        shape = (shape[0], raws[-1][2]) if raws else shape
        raws.append((dtype, weights.random_bytes(dtype, *shape, rng), *shape))
    return Model(raws, rng.standard_normal((m, k), dtype=np.float32))


@contextmanager
def limited(engine: str, faults: Faults, limit: int = LIMIT, **options: object) -> Iterator[Device]:
    faults.set("map_limit", limit)
    with Device(engine, **options) as device:  # type: ignore[arg-type]
        yield device


def mapped_bytes(device: Device) -> list[int]:
    """Return the bytes that each session has mapped beside its workspace."""
    info = device.info()
    return [mapped - workspace for mapped, workspace in zip(info.sessions, info.workspace_bytes, strict=True)]


def unlimited_bits(model: Model) -> list[F32]:
    with Device("loopback", max_sessions=1) as device:
        model.load(device)
        return model.run(device)[0]


def same_bits(got: list[F32], want: list[F32]) -> None:
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))
