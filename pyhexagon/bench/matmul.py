# SPDX-License-Identifier: MIT
"""The cost and accuracy of matmuls on a device: one record per case.

A case runs at least twice. The first run carries activations with outliers and is the warm-up: the DSP allocates the
memory that it keeps, which costs packets. All later runs carry the same normal activations; the packets are those of
the second run, so that two benchmarks agree, and the times are medians over all runs but the first.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.bench import accuracy, blocks
from pyhexagon.bench.timed import TimedTransport
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.kernels.cycles import QemuLogs, costs_of
from pyhexagon.program.program import Program
from pyhexagon.program.report import OpReport
from pyhexagon.program.switches import Stages, check_stages
from pyhexagon.tensor import Tensor
from pyhexagon.trace import Trace
from pyhexagon.version import VERSION

Record = dict[str, Any]
TIMEOUT: Final = 3600.0  # an emulated DSP takes minutes for the largest matmuls
SEED: Final = 0
_CHECKED_WEIGHTS: Final = 1 << 22  # about as many are checked in float64; of larger weights, a sample of rows
_MAX_RUNS: Final = 20
_TIMED_SECONDS: Final = 0.3

_MEASURED: Final = (
    "packets", "packets_max_thread", "macs_per_packet", "packets_request", "cycles_model", "macs_per_cycle",
    "functions", "hvx_instructions", "dma_bytes", "weight_bytes", "gguf_bytes",
    "nmse", "nmse_llama", "nmse_outliers", "nmse_outliers_llama", "nmse_rows", "kernels", "op_threads", "runs",
    "us_total", "us_python", "us_transport", "us_dsp", "us_quantise", "us_upload", "transport", "arch", "versions",
    "error",
)  # fmt: skip

# Summed over the ops of a weight that is split over several sessions, which run one after the other.
_SUMS: Final = ("packets", "packets_max_thread", "hvx_instructions", "dma_bytes", "quantise_nanoseconds")


@dataclass(frozen=True)
class Cases:
    """The cases: every type with every shape (N, K), batch (M) and number of threads."""

    types: Sequence[GGMLQuantizationType]
    shapes: Sequence[tuple[int, int]]
    batches: Sequence[int]
    threads: Sequence[int]

    @property
    def n_cases(self) -> int:
        return len(self.types) * len(self.shapes) * len(self.batches) * len(self.threads)


def check_packets(device: str | None, transport: str | None) -> None:
    """Check that the device counts packets, before hours of work.

    Raises:
        UnsupportedError: the device does not count packets.
    """
    ones = np.ones((1, 32), np.float32)
    with Device(device, transport=transport, timeout=TIMEOUT) as opened, opened.program() as p:
        p.output(p.matmul(p.input(ones.shape), opened.weight(ones)))
        _, report = p.compile().run_with_report(ones)
        if report.ops[0].packets is None:
            raise UnsupportedError(f"{opened.name} does not count packets", hint="use --device loopback:qemu")


def run(
    plan: Cases,
    device: str | None,
    transport: str | None,
    starting: Callable[[str], None],
    trace: Trace | None = None,
    *,
    cycles: bool = False,
) -> Iterator[Record]:
    """Run the cases, with one session per number of threads.

    Args:
        starting: called with a case's name before it starts.
        trace: records the runs.
        cycles: also model cycles, on a device that counts packets; see cycles.py. Times are meaningless then.

    Yields:
        One record per case. If a case does not fit, ``error`` is the reason, and figures are null.
    """
    for n_threads in plan.threads:
        with (
            QemuLogs() if cycles else nullcontext() as traced,
            Device(device, transport=transport, threads=n_threads, timeout=TIMEOUT) as opened,
            trace.of(opened) if trace else nullcontext(),
        ):
            check_stages(opened.switches, Stages.QUEUE)
            versions = _versions(opened)
            for n, k in plan.shapes:
                for dtype in plan.types:
                    for record in _of_weight(opened, dtype, (n, k), plan.batches, starting, traced=traced):
                        yield record | {"versions": versions}


def _of_weight(
    device: Device,
    dtype: GGMLQuantizationType,
    shape: tuple[int, int],
    batches: Sequence[int],
    starting: Callable[[str], None],
    *,
    traced: QemuLogs | None,
) -> Iterator[Record]:
    n, k = shape
    info = device.info()
    facts: Record = {"device": device.name, "loopback": info.loopback, "arch": info.arch}
    facts |= {"threads": info.threads, "transport": info.transport}
    try:
        quants.tile_bytes(dtype, n, k)  # raises if type and shape do not match
        raw = blocks.random_blocks(dtype, n, k, SEED)
        start = time.perf_counter()
        weight = device.pack(dtype, raw, (n, k))
        upload_us = (time.perf_counter() - start) * 1e6
    except (ArgumentError, UnsupportedError, MemoryError) as error:
        for m in batches:
            yield _record(dtype, n, k, m) | facts | {"error": str(error)}
        return
    facts |= {"weight_bytes": weight.nbytes, "gguf_bytes": raw.nbytes, "us_upload": upload_us}
    rows = _sample(n, k)
    dequantized = blocks.dequantize(raw[rows], dtype)
    with weight:
        for m in batches:
            starting(f"{dtype.name} {n}x{k} M={m} threads={info.threads}")
            record = _record(dtype, n, k, m) | facts
            try:
                yield record | _measure(device, weight, m, rows, dequantized, traced=traced)
            except (ArgumentError, MemoryError) as error:
                yield record | {"error": str(error)}


def _record(dtype: GGMLQuantizationType, n: int, k: int, m: int) -> Record:
    return {"type": dtype.name, "n": n, "k": k, "m": m, "macs": n * k * m} | dict.fromkeys(_MEASURED)


def _sample(n: int, k: int) -> npt.NDArray[np.int64]:
    """Return the indices of the rows to check, evenly spaced, including the first and the last."""
    return np.unique(np.linspace(0, n - 1, max(1, min(n, _CHECKED_WEIGHTS // k)), dtype=np.int64))


def _measure(
    device: Device,
    weight: Tensor,
    m: int,
    rows: npt.NDArray[np.int64],
    dequantized: accuracy.F64,
    *,
    traced: QemuLogs | None,
) -> Record:
    k = weight.shape[1]
    outliers, normal = accuracy.outliers(m, k, SEED), accuracy.normal(m, k, SEED)
    with device.program() as p:
        p.output(p.matmul(p.input((m, k)), weight))
    program = p.compile()
    product = _run_once(device, program, outliers)[0]
    outlier_errors = _errors(weight.gguf_type, dequantized, outliers, product[:, rows])
    skel = Path(device.info().skel)
    if traced:
        traced.costs(skel)
    product, op, microseconds, n_packets = _run_once(device, program, normal)
    costs = traced.costs(skel) if traced else {}
    ops, times = [op], [microseconds]
    end = time.perf_counter() + (0 if traced else _TIMED_SECONDS)
    while len(ops) < _MAX_RUNS and time.perf_counter() < end:
        product, again, microseconds, _ = _run_once(device, program, normal)
        ops.append(again)
        times.append(microseconds)
    errors = _errors(weight.gguf_type, dequantized, normal, product[:, rows])
    # Only the op stalls: the code around it is scalar.
    cycles = op.packets + sum(cost.stalls for cost in costs.values()) if costs and op.packets else None
    total, python, transport, dsp = (median(column) for column in zip(*times, strict=True))
    return {
        "kernels": op.kernels,
        "op_threads": op.n_threads,
        "packets": op.packets,
        "packets_max_thread": op.packets_max_thread,
        "macs_per_packet": weight.size * m / op.packets if op.packets else None,
        "packets_request": n_packets,
        "cycles_model": cycles,
        "macs_per_cycle": weight.size * m / cycles if cycles else None,
        "functions": costs_of(costs),
        "hvx_instructions": op.hvx_instructions,
        "dma_bytes": op.dma_bytes,
        "nmse": errors[0],
        "nmse_llama": errors[1],
        "nmse_outliers": outlier_errors[0],
        "nmse_outliers_llama": outlier_errors[1],
        "nmse_rows": len(rows),
        "runs": len(ops),
        "us_total": total,
        "us_python": python,
        "us_transport": transport,
        "us_dsp": dsp,
        "us_quantise": median(op.quantise_nanoseconds for op in ops) / 1e3,
    }


def _run_once(
    device: Device, program: Program, x: accuracy.F32
) -> tuple[accuracy.F32, OpReport, tuple[float, float, float, float], int | None]:
    """Run once; return the result, the op's cost, microseconds (total, Python, transport, DSP), packets per request."""
    with ExitStack() as stack:
        transports = [stack.enter_context(TimedTransport(session)) for session in device._sessions]
        start = time.perf_counter()
        (y,), report = program.run_with_report(x)
        total = (time.perf_counter() - start) * 1e6
    dsp = report.dsp_nanoseconds / 1e3
    carried = sum(transport.microseconds for transport in transports)
    sums: dict[str, Any] = {}
    for name in _SUMS:
        parts = [getattr(part, name) for part in report.ops]
        sums[name] = None if None in parts else sum(parts)
    op = report.ops[0]._replace(**sums)
    return np.array(y), op, (total, total - carried, carried - dsp, dsp), report.packets


def _errors(
    dtype: GGMLQuantizationType, dequantized: accuracy.F64, x: accuracy.F32, product: accuracy.F32
) -> tuple[float, float | None]:
    """Return the NMSE of the product, and of llama.cpp's scheme if that quantizes activations."""
    exact = x.astype(np.float64) @ dequantized.T
    ours = accuracy.nmse(product, exact)
    if not accuracy.has_llama_product(dtype):
        return ours, None
    return ours, accuracy.nmse(accuracy.llama_product(dtype, dequantized, x), exact)


def _versions(device: Device) -> dict[str, str]:
    """Return the versions that the figures belong to; the skel's is a hash of its bytes, as builds have no number."""
    info = device.info()
    return {
        "pyhexagon": VERSION,
        "contract": str(info.contract_version),
        "skel_sha256": hashlib.sha256(Path(info.skel).read_bytes()).hexdigest()[:16],
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
