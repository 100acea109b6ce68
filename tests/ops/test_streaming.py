# SPDX-License-Identifier: MIT
"""Weights streamed through VTCM: every byte is read once, and the results do not depend on it.

The loopback copies as late as possible, or as early as possible: the first finds reads of data that has not arrived,
the second finds buffers that are overwritten while they are still read.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import weights
from conftest import Faults
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from ops.cases import Case, make, mixed_activations, mixed_bytes
from ops.checks import first_difference, recorded_as
from ops.placed import EDGES, Layout
from pyhexagon import Device, quants

DTYPES = pytest.mark.parametrize("dtype", weights.TYPES, ids=lambda dtype: dtype.name)
IN_WAIT, IN_START, NEVER, NEVER_BUT_IDLE, LATE, SOMETIMES = 1, 2, 0, 3, 4, 5
"""When the loopback's DMA copies."""
ROWS = (1, 2, 7)
KINDS = (Q.Q4_0, Q.Q8_0, Q.Q4_K, Q.Q6_K, Q.F16)
"""One type of each form of tiles; the loops over pieces of the others differ in what they unpack."""
CUTS = ((2 << 20, 2, IN_WAIT), (512 << 10, 4, IN_WAIT), (1 << 20, 4, IN_START), (1 << 20, 2, IN_START))
"""Bytes of VTCM, threads, and when the DMA copies: of a late and an early pair, each other type has one."""


@cache
def cases(dtype: Q) -> tuple[Case, ...]:
    """Return cases with six tiles and a remainder, and K short, long and odd."""
    rng = np.random.default_rng(int(dtype))
    step = max(GGML_QUANT_SIZES[dtype][0], 32)
    lengths = (32, 41 * 32, 99 * 32) if step == 32 else (256, 5 * 256, 13 * 256)
    sizes = [(n, k - (dtype in (Q.F32, Q.BF16))) for n, k in zip((65, 390, 200), lengths, strict=True)]
    return tuple(
        make("streamed", dtype, mixed_bytes(dtype, n, k, rng), mixed_activations(ROWS[-1], k, rng)) for n, k in sizes
    )


def products(device: Device, dtype: Q, kernels: str = "hvx") -> list[tuple[int, int, int]]:
    """Compare matmuls with the specification; return M, the bytes moved by DMA and the weight's bytes for each."""
    tried = [(case, m) for case in cases(dtype) for m in ROWS]
    edge = EDGES[device.info().threads % 2]
    layout = Layout(device, edge, [case.rows(m) for case, m in tried])
    results, ran = layout.run(kernels)
    layout.release()
    assert ran == recorded_as(device, kernels)
    for (case, m), got in zip(tried, results, strict=True):
        assert not first_difference(got, case.want[:m]), f"{case.name}, first {m} rows, {edge}"
    return [(m, n, len(case.weight.tiles)) for n, (case, m) in zip(layout.dma_bytes, tried, strict=True)]


@DTYPES
@pytest.mark.parametrize("copies", [IN_WAIT, pytest.param(IN_START, marks=pytest.mark.long)])
def test_every_byte_of_a_weight_comes_by_dma_once(qemu: str, faults: Faults, dtype: Q, copies: int) -> None:
    faults.set("dma", copies)
    faults.set("vtcm", 16 << 20)
    with Device("loopback:qemu", threads=3) as device:
        assert device.info().vtcm_bytes == 16 << 20
        for _, moved, size in products(device, dtype):
            assert moved == size


@DTYPES
def test_tiles_that_are_cut_along_k_give_the_same_bits(qemu: str, faults: Faults, dtype: Q) -> None:
    for vtcm, threads, copies in CUTS if dtype in KINDS else CUTS[int(dtype) % 2 :: 2]:
        faults.set("dma", copies)
        faults.set("vtcm", vtcm)
        with Device("loopback:qemu", threads=threads) as device:
            for m, moved, size in products(device, dtype):
                is_cached = vtcm < 1 << 20 and not moved  # the plan may prefer the cache to so little VTCM
                assert moved == size or is_cached, f"{m} rows, {vtcm >> 10} KiB for {threads} threads"


@DTYPES
def test_without_vtcm_weights_are_read_where_they_are(qemu: str, faults: Faults, dtype: Q) -> None:
    faults.set("vtcm", 0)
    for threads in (1, 2, 4) if dtype in KINDS else (4,):
        with Device("loopback:qemu", threads=threads) as device:
            assert device.info().vtcm_bytes == 0
            assert all(moved == 0 for _, moved, _ in products(device, dtype))


@pytest.mark.parametrize("dtype", [Q.Q4_0, Q.Q4_K, Q.Q5_1, Q.F16])
def test_without_dma_weights_are_read_where_they_are(qemu: str, faults: Faults, dtype: Q) -> None:
    faults.set("vtcm", 4 << 20)
    faults.set("dma", NEVER)
    with Device("loopback:qemu") as device:
        assert device.info().vtcm_bytes == 4 << 20
        assert all(moved == 0 for _, moved, _ in products(device, dtype))


def test_weights_that_an_idle_engine_has_not_brought_are_read_where_they_are(qemu: str, faults: Faults) -> None:
    faults.set("dma", NEVER_BUT_IDLE)
    with Device("loopback:qemu", threads=2) as device, device.program() as p:
        x, w = np.ones((1, 256), np.float32), np.ones((512, 256), np.float32)
        p.output(p.matmul(p.input(x.shape), device.weight(w)))
        (y,), report = p.compile().run_with_report(x)
        assert report.ops[0].dma_bytes == 0
        assert (y.numpy() == 256).all()


@pytest.mark.parametrize("dtype", [Q.Q4_0, Q.Q6_K])
def test_copies_that_complete_late_are_polled_until_they_are_done(qemu: str, faults: Faults, dtype: Q) -> None:
    faults.set("dma", LATE)
    with Device("loopback:qemu", threads=3) as device:
        assert all(moved == size for _, moved, size in products(device, dtype))


@pytest.mark.parametrize("dtype", [Q.Q4_0, Q.Q4_K, Q.F16])
def test_some_failed_copies_leave_the_bits_unchanged(qemu: str, faults: Faults, dtype: Q) -> None:
    faults.set("dma", SOMETIMES)
    faults.set("vtcm", 1 << 20)  # several pieces per thread
    with Device("loopback:qemu", threads=2) as device:
        moved = [(moved, size) for _, moved, size in products(device, dtype)]
    assert all(moved <= size for moved, size in moved)
    assert 0 < sum(moved for moved, _ in moved) < sum(size for _, size in moved)


@pytest.mark.parametrize(
    ("copies", "fails_again"), [(NEVER, True), (NEVER_BUT_IDLE, False)], ids=["error", "never completes"]
)
def test_failures_and_fallbacks_of_dma_are_reported_and_logged_once(
    qemu: str, faults: Faults, caplog: pytest.LogCaptureFixture, copies: int, fails_again: bool
) -> None:
    """A copy that never completes may still write to its buffer, so the thread uses DMA no more."""
    x, w = np.ones((1, 256), np.float32), np.ones((4096, 256), np.float32)
    faults.set("dma", copies)
    with Device("loopback:qemu", threads=2) as device, device.program() as p:
        p.output(p.matmul(p.input(x.shape), device.weight(w)))
        program = p.compile()
        reports = []
        for _ in range(3):
            (y,), report = program.run_with_report(x)
            assert (y.numpy() == 256).all()
            reports.append(report)
        info = device.info()
    assert info.n_dma_failures == sum(report.n_dma_failures for report in reports)
    assert info.n_dma_fallbacks == sum(report.n_dma_fallbacks for report in reports)
    assert info.n_requests == len(reports)
    assert [report.n_dma_failures > 0 for report in reports] == [True, fails_again, fails_again]
    assert all(report.n_dma_fallbacks >= 2 for report in reports)  # in both threads
    messages = [record.getMessage() for record in caplog.records if record.name == "pyhexagon.dsp"]
    assert [message for message in messages if "user DMA failed" in message] == messages[:1] != []


def test_without_a_failure_none_is_reported(qemu: str) -> None:
    x, w = np.ones((1, 256), np.float32), np.ones((512, 256), np.float32)
    with Device("loopback:qemu") as device, device.program() as p:
        p.output(p.matmul(p.input(x.shape), device.weight(w)))
        _, report = p.compile().run_with_report(x)
    assert (report.n_dma_failures, report.n_dma_fallbacks) == (0, 0)


def test_the_reference_kernels_take_streamed_weights(qemu: str) -> None:
    with Device("loopback:qemu") as device:
        assert all(moved == size for _, moved, size in products(device, Q.Q4_0, "ref"))


def weight_bytes_moved(device: Device, dtype: Q, n: int, k: int, m: int) -> tuple[int, int]:
    """Return the bytes moved by DMA in a matmul, and the weight's bytes."""
    rng = np.random.default_rng(0)
    raw = mixed_bytes(dtype, n, k, rng)
    with device.program() as p:
        p.output(p.matmul(p.input((m, k)), device.pack(dtype, raw, (n, k))))
    _, report = p.compile().run_with_report(np.ones((m, k), np.float32))
    return report.ops[0].dma_bytes, quants.tile_bytes(dtype, n, k)


@pytest.mark.parametrize(
    ("dtype", "times", "vtcm"),
    [
        (Q.Q4_0, 1, 1 << 20), pytest.param(Q.Q4_0, 1, 8 << 20, marks=pytest.mark.long),
        pytest.param(Q.Q6_K, 1, 1 << 20, marks=pytest.mark.long), (Q.Q6_K, 1, 8 << 20),
        (Q.F16, 2, 1 << 20), (Q.F16, 2, 8 << 20),
    ],
)  # fmt: skip
def test_weights_come_once_for_more_rows_than_the_cache_holds(
    qemu: str, faults: Faults, dtype: Q, times: int, vtcm: int
) -> None:
    """512 rows of 14336 are 9 MB quantised, 16 MB as int16: more than are kept at once."""
    faults.set("vtcm", vtcm)
    with Device("loopback:qemu", threads=2) as device:
        moved, size = weight_bytes_moved(device, dtype, 128, 14336, 512)
        assert moved == times * size


def test_rows_in_parts_and_all_at_once_give_the_same_bits(qemu: str, faults: Faults) -> None:
    """If there are more rows than the cache holds, chunks of them are multiplied with the tiles in VTCM."""
    rng = np.random.default_rng(1)
    n, k, m = 200, 8192, 150
    raw, x = mixed_bytes(Q.Q4_K, n, k, rng), mixed_activations(m, k, rng)
    faults.set("vtcm", 4 << 20)
    with Device("loopback:qemu", threads=2) as device:
        w = device.pack(Q.Q4_K, raw, (n, k))
        together = device.matmul(x, w).numpy().view(np.uint32).copy()
        apart = [device.matmul(rows, w).numpy().view(np.uint32).copy() for rows in np.array_split(x, 3)]
        np.testing.assert_array_equal(together, np.concatenate(apart))
