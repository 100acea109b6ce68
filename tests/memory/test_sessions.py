# SPDX-License-Identifier: MIT
"""Models that are larger than one DSP process can map: spread over sessions, with the bits of one session."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import trace_format
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from pyhexagon import Device, Tensor
from pyhexagon.report import Report

F32 = npt.NDArray[np.float32]

MIB = 1 << 20
LIMIT = 8 * MIB


@dataclass
class Model:
    """Weights that each read the result of the one before, and the activations that go in."""

    raws: list[tuple[Q, weights.U8, int, int]]
    x: F32
    tensors: list[Tensor] = field(default_factory=list)

    def load(self, device: Device) -> None:
        self.tensors = [device.pack(dtype, raw.reshape(n, -1), (n, k)) for dtype, raw, n, k in self.raws]

    def run(self, device: Device) -> tuple[list[F32], Report]:
        """All results of one batch, in order."""
        with device.batch() as batch:
            ys: list[Tensor] = []
            for w in self.tensors:
                ys.append(batch.matmul(ys[-1] if ys else self.x, w))
            report = batch.run()
            return [y.numpy().copy() for y in ys], report


def chain(sizes: list[int], k: int = 512, dtype: Q = Q.Q8_0, m: int = 3) -> Model:
    """Weights of about so many MiB: (n, k) and (k, n) by turns."""
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


def unlimited_bits(model: Model) -> list[F32]:
    with Device("loopback", max_sessions=1) as device:
        model.load(device)
        return model.run(device)[0]


def same_bits(got: list[F32], want: list[F32]) -> None:
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))


def test_a_trace_and_the_logs_tell_the_sessions_apart(
    engine: str, faults: Faults, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pyhexagon.dsp")
    model = chain([5, 5])
    with limited(engine, faults, log_level="info") as device:
        model.load(device)
        with device.trace(tmp_path / "trace.json"):
            _, report = model.run(device)
    timeline = trace_format.read(tmp_path / "trace.json")
    ops = [one for (_, name), track in timeline.dsp().items() if name == "batches and ops" for one in track]
    packets = [one.args["packets"] for one in ops if one.name == "mul_mat"]
    assert packets == [op.packets for op in report.ops]
    assert len(timeline.about["dsp_clocks"]) == 2
    sent = sorted(timeline.host("transport"), key=lambda one: one.start)
    taken = sorted((one for one in ops if one.name == "batch"), key=lambda one: one.start)
    assert all(outer.holds(inner) for outer, inner in zip(sent, taken, strict=True))
    started = [record for record in caplog.records if record.getMessage().startswith("started: ")]
    assert [vars(record)["dsp_session"] for record in started] == [0, 1]


@pytest.mark.parametrize("n_sessions", [2, 3, 4])
def test_a_model_that_needs_several_sessions_gives_the_bits_of_one(
    engine: str, transport: str, faults: Faults, n_sessions: int
) -> None:
    model = chain([3, 3] * n_sessions)
    want = unlimited_bits(model)
    with limited(engine, faults, transport=transport) as device:
        model.load(device)
        assert len(device.info().sessions) == n_sessions
        assert all(3 * MIB < mapped <= LIMIT for mapped in device.info().sessions)
        for _ in range(2):
            got, report = model.run(device)
            same_bits(got, want)
        assert sorted({op.session for op in report.ops}) == list(range(n_sessions))
        assert [op.op for op in report.ops] == ["mul_mat"] * len(model.tensors)
        assert report.transport == transport


def test_one_session_is_all_that_a_model_that_fits_takes(engine: str, faults: Faults) -> None:
    model = chain([3, 3])
    with limited(engine, faults) as device:
        model.load(device)
        assert len(device.info().sessions) == 1


@pytest.mark.parametrize("n", [40_000, 40_001])
def test_a_weight_larger_than_a_session_is_split_by_rows(engine: str, transport: str, faults: Faults, n: int) -> None:
    rng = np.random.default_rng(n)
    raw = weights.random_bytes(Q.Q8_0, n, 512, rng)
    model = Model([(Q.Q8_0, raw, n, 512)], rng.standard_normal((3, 512), dtype=np.float32))
    want = unlimited_bits(model)
    with limited(engine, faults, transport=transport) as device:
        model.load(device)
        (w,) = model.tensors
        assert w.nbytes > 2 * LIMIT
        got, report = model.run(device)
        same_bits(got, want)
        np.testing.assert_array_equal(w @ model.x[0], got[0][0])
        ran = [op.session for op in report.ops]
        assert len(set(ran)) > 2
        assert ran == sorted(ran), "one message to each session"
        w.close()
        assert max(device.info().sessions) < MIB, "every part is given back"


def test_a_weight_of_many_matrices_is_split_by_the_rows_of_each(engine: str, transport: str, faults: Faults) -> None:
    rng = np.random.default_rng(1)
    shape = 3, 7_001, 512
    raw = weights.random_bytes(Q.Q8_0, shape[0] * shape[1], shape[2], rng)
    x = rng.standard_normal((6, 2, 512), dtype=np.float32)
    ids = np.array([[2, 0], [1, 1], [0, 2]])

    def products(device: Device) -> list[F32]:
        with device.pack(Q.Q8_0, raw, shape) as w:
            assert w.nbytes > LIMIT
            return [np.array(device.matmul(x, w)), np.array(device.mul_mat_id(x[:3], w, ids))]

    with Device("loopback", max_sessions=1) as device:
        want = products(device)
    with limited(engine, faults, transport=transport) as device:
        same_bits(products(device), want)
