# SPDX-License-Identifier: MIT
"""Load balancing of few weight rows over four threads: threads share tiles, split along K."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from ops.cases import mixed_activations, mixed_bytes
from pyhexagon import Device
from pyhexagon.program.report import OpReport

K = 2048


@pytest.fixture(params=[0, 512 << 10, 2 << 20], ids=["no VTCM", "512 KiB", "2 MiB"])
def vtcm(request: pytest.FixtureRequest, qemu: str, faults: Faults) -> None:
    faults.set("vtcm", request.param)


def product(device: Device, dtype: Q, n: int, m: int, k: int = K) -> tuple[bytes, OpReport]:
    """Return the bytes of a matmul with a fused residual, and what the op cost in its second run."""
    rng = np.random.default_rng(n + m)
    raw, x = mixed_bytes(dtype, n, k, rng), mixed_activations(m, k, rng)
    residual = rng.standard_normal((m, n)).astype(np.float32)
    with device.program() as p:
        y = p.matmul(p.input(x.shape), device.pack(dtype, raw, (n, k)))
        p.output(p.add(y, p.input(residual.shape)))
    program = p.compile()
    program.run(x, residual)
    (y_,), report = program.run_with_report(x, residual)
    return y_.numpy().tobytes(), report.ops[0]


@pytest.mark.parametrize("dtype", [Q.Q4_1, Q.Q4_K, Q.F16], ids=lambda dtype: dtype.name)
@pytest.mark.usefixtures("vtcm")
def test_rows_that_are_taken_apart_keep_their_sums_while_others_end(dtype: Q) -> None:
    """Tiles come in pieces along K, the last of four is not whole, and a row holds NaN: the epilogue of one row must
    not overwrite the sums of the next row."""
    n, m, k = 500, 3, 4096
    rng = np.random.default_rng(5)
    raw, x = mixed_bytes(dtype, n, k, rng), mixed_activations(m, k, rng)
    x[0, 7] = np.nan
    results = []
    for name, threads in (("loopback", 1), ("loopback:qemu", 1), ("loopback:qemu", 4)):
        with Device(name, threads=threads) as device:
            results.append(device.matmul(x, device.pack(dtype, raw, (n, k))).numpy().tobytes())
    assert results[1] == results[0]
    assert results[2] == results[0]


@pytest.mark.parametrize(
    "dtype", [Q.Q4_0, Q.Q8_0, Q.Q4_K, Q.Q6_K, Q.Q2_K, Q.Q3_K, Q.Q5_1, Q.F16], ids=lambda dtype: dtype.name
)
@pytest.mark.usefixtures("vtcm")
def test_sharing_tiles_changes_no_bit_of_a_result_or_of_what_follows(dtype: Q) -> None:
    cases = [(256, 1), (320, 2), (500, 3), (64, 5), (200, 13)]
    with Device("loopback:qemu", threads=1) as one:
        want = [product(one, dtype, n, m) for n, m in cases]
    with Device("loopback:qemu", threads=4) as four:
        for (n, m), (result, _) in zip(cases, want, strict=True):
            shared, report = product(four, dtype, n, m)
            assert shared == result, f"N={n} M={m}"
            assert report.n_threads > 1


def test_four_threads_have_about_as_much_to_do(qemu: str, faults: Faults) -> None:
    """With whole units of four tiles, a thread had 0.99, 0.55 and 0.38 of one thread's packets."""
    faults.set("vtcm", 2 << 20)
    with Device("loopback:qemu", threads=1) as one, Device("loopback:qemu", threads=4) as four:
        limits = {256: 0.328, 512: 0.297, 768: 0.288, 1024: 0.282, 4096: 0.27}
        cases = [(n, 4096, limit) for n, limit in limits.items()] + [(256, 2048, 0.378), (768, 2048, 0.323)]
        for n, k, limit in cases:
            alone = product(one, Q.Q4_0, n, 1, k)[1].packets
            busiest = product(four, Q.Q4_0, n, 1, k)[1].packets_max_thread
            assert alone is not None
            assert busiest is not None
            assert busiest < limit * alone, f"N={n} K={k}: {busiest / alone:.3f}"


@pytest.mark.parametrize(
    ("vtcm", "n", "limit"),
    [(2 << 20, 256, 0.308), (2 << 20, 512, 0.3), (2 << 20, 1024, 0.285), (1 << 20, 256, 0.362), (1 << 20, 1024, 0.345)],
)
def test_four_threads_share_tiles_of_floats(qemu: str, faults: Faults, vtcm: int, n: int, limit: float) -> None:
    """With whole units of four tiles, a thread had 1.19 of one thread's packets at N=256: its share of VTCM has no room
    for longer pieces. With 1 MiB, tiles come one at a time, and their loop is slower than the loop over four tiles."""
    faults.set("vtcm", vtcm)
    with Device("loopback:qemu", threads=1) as one, Device("loopback:qemu", threads=4) as four:
        alone, shared = product(one, Q.F16, n, 1), product(four, Q.F16, n, 1)
    assert shared[0] == alone[0]
    assert alone[1].packets is not None
    assert shared[1].packets_max_thread is not None
    ratio = shared[1].packets_max_thread / alone[1].packets
    assert ratio < limit, f"{ratio:.3f}"


def fused_products(device: Device, dtype: Q, sizes: tuple[int, ...], m: int) -> tuple[list[bytes], OpReport]:
    """Return the bytes of matmuls with the same activations, and what they cost together."""
    rng = np.random.default_rng(m)
    x = mixed_activations(m, 512, rng)
    with device.program() as p:
        rows = p.input(x.shape)
        p.output(*(p.matmul(rows, device.pack(dtype, mixed_bytes(dtype, n, 512, rng), (n, 512))) for n in sizes))
    results, report = p.compile().run_with_report(x)
    return [one.numpy().tobytes() for one in results], report.ops[0]


@pytest.mark.parametrize("dtype", [Q.Q8_0, Q.Q4_K, Q.F16], ids=lambda dtype: dtype.name)
def test_sharing_rows_of_the_last_tiles_changes_no_bit(qemu: str, dtype: Q) -> None:
    """Of 1, 5, 7 and 8 tiles, threads share 1, 1, 3 and none; of the products together 1, 2 and 2 of 5, 10 and 6."""
    with Device("loopback:qemu", threads=1) as one, Device("loopback:qemu", threads=4) as four:
        for n, m, limit in ((64, 70, 0.32), (320, 65, 0.335), (400, 131, 0.315), (512, 66, 0.295)):
            (want, alone), (shared, report) = product(one, dtype, n, m, 512), product(four, dtype, n, m, 512)
            assert shared == want, f"N={n} M={m}"
            assert alone.packets is not None
            assert report.packets_max_thread is not None
            assert report.packets_max_thread < limit * alone.packets, f"N={n} M={m}"
        for sizes in ((64, 64, 192), (384, 128, 128), (64, 320)):
            want_of, _ = fused_products(one, dtype, sizes, 133)
            shared_of, report = fused_products(four, dtype, sizes, 133)
            assert shared_of == want_of, sizes
            assert report.n_threads == 4
