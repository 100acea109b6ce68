# SPDX-License-Identifier: MIT
"""The cost of whole ops in packets, on shapes of language models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from pyhexagon import cache
from pyhexagon._ffi import contract
from pyhexagon.bench.cycles import QemuLogs, costs_of
from pyhexagon.device import Device
from pyhexagon.op_cases import elementwise
from pyhexagon.op_cases.case import Case
from pyhexagon.op_cases.case_builder import CaseBuilder
from pyhexagon.op_cases.products import TYPES
from pyhexagon.ops.rope import Mode, rope_table
from pyhexagon.program.graph import Node, Value
from pyhexagon.program.report import OpReport

Record = dict[str, Any]
Cases = Iterator[tuple[str, str, Callable[[CaseBuilder], Value | Sequence[Value]]]]  # type, name, build

ROUNDS: Final = 3
LANES: Final = 32  # float32 elements per vector
_ROWS: Final = 32
_K: Final = 4096
_VOCABULARY: Final = 128256
_TABLE: Final = 1024  # rows of the table that ops read from or write to


def cases() -> Iterator[Case]:
    """Yield at least one case per op of idl/ops.h, named by the shape of its result and other relevant sizes."""
    for row in contract.OPS.values():
        if row.name in _CASES:
            yield from (Case(row.name, *case) for case in _CASES[row.name]())
        elif row.kind in ("UNARY", "BINARY"):
            yield Case(row.name, "F32", f"{_ROWS}x{_K}", _elementwise(row))
        else:
            raise LookupError(f"_CASES in pyhexagon/ops_report/perf.py lacks {row.name!r}: its shapes to measure")


def run(
    device: str | None,
    transport: str | None,
    threads: Sequence[int],
    pattern: str,
    done: Callable[[], None],
    *,
    cycles: bool = False,
) -> Iterator[Record]:
    """Measure the cases that match a regular expression, on one device per number of threads.

    Args:
        done: called after each case.
        cycles: also model cycles, on a device that counts packets; see bench/cycles.py. Times are meaningless then.

    Yields:
        Records; packets are None where they are not counted.
    """
    chosen = [case for case in cases() if matches(case, pattern)]
    for n_threads in threads:
        with (
            QemuLogs() if cycles else nullcontext() as traced,
            Device(device, transport=transport, threads=n_threads) as opened,
        ):
            for case in chosen:
                yield _measure(opened, case, traced)
                done()


def matches(case: Case, pattern: str) -> bool:
    """Return whether a case matches the regular expression."""
    return re.search(pattern, f"{case.op}({case.type}, {case.name})", re.IGNORECASE) is not None


def _measure(device: Device, case: Case, traced: QemuLogs | None) -> Record:
    builder = CaseBuilder(device, str(case))
    skel = Path(device.info().skel)
    try:
        builder.add(case.build)
        node = next(node for node in reversed(builder.p.nodes) if node.row.name == case.op)
        program = builder.p.compile()
        ops = []
        for _ in range(ROUNDS):
            if traced:
                traced.costs(skel)  # discard the costs of earlier calls
            ops.append(_op(program.run_with_report(*builder.inputs)[1].ops, case.op))
        costs = traced.costs(skel) if traced else {}
    finally:
        builder.close()
    op, elements = ops[-1], _elements(node)
    return {
        "op": case.op,
        "type": case.type,
        "shape": case.name,
        "threads": device.info().threads,
        "kernels": op.kernels,
        "elements": elements,
        "packets": op.packets,
        "packets_max_thread": op.packets_max_thread,
        "packets_per_32": None if op.packets is None else round(op.packets * LANES / elements, 3),
        "cycles_model": op.packets + sum(cost.stalls for cost in costs.values()) if costs and op.packets else None,
        "functions": costs_of(costs),
        "us_dsp": median(one.nanoseconds for one in ops) / 1e3,
    }


def _op(ops: Sequence[OpReport], name: str) -> OpReport:
    return next(op for op in reversed(ops) if op.op == name)


def _elements(node: Node) -> int:
    """Return the unit count to divide the cost by: multiplications, heads times visible tokens, or elements."""
    op, first, result = node.row.name, node.sources[0], node.result
    assert first is not None
    if op in ("mul_mat", "mul_mat_id"):
        return result.size * first.shape[-1]
    if op == "flash_attn_ext":
        pages = node.sources[2]
        assert pages is not None
        return first.shape[0] * first.shape[1] * pages.size * cache.PAGE_TOKENS
    if op == "cache_copy":
        return first.size // first.shape[0] * cache.PAGE_TOKENS
    if op in ("set_rows", "cache_append"):
        return first.size
    return result.size if op in ("get_rows", "concat", "ssm_conv") else max(result.size, first.size)


# --- Cases ---


def _elementwise(row: contract.OpRow) -> Callable[[CaseBuilder], Value]:
    entry = elementwise.entries(row)[0]

    def build(g: CaseBuilder) -> Value:
        operands = [g.floats(_ROWS, _K) for _ in range(row.least)]
        result: Value = getattr(g.p, row.name)(*operands, **entry.params)
        return result

    return build


def _mul_mat() -> Cases:
    def build(dtype: str, m: int) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.matmul(g.floats(m, _K), g.weight(dtype, _K, _K))

    for dtype, m in product(("Q4_0", "Q8_0", "Q4_K", "Q6_K"), (1, 32)):
        yield dtype, f"{m}x{_K}, weight {_K}x{_K}", build(dtype, m)


def _mul_mat_id() -> Cases:
    def build(m: int) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.mul_mat_id(g.floats(m, 1, 1024), g.weight("Q4_K", 8, 1024, 1024), g.ids(m, 2, below=8))

    for m in (1, 32):
        yield "Q4_K", f"{m} tokens, 2 of 8, weight 1024x1024", build(m)


def _add_id() -> Cases:
    yield (
        "F32",
        f"{_ROWS}x4x{_K}",
        lambda g: g.p.add_id(g.floats(_ROWS, 4, _K), g.floats(8, _K), g.ids(_ROWS, 4, below=8)),
    )


def _rms_norm() -> Cases:
    def build(k: int) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.rms_norm(g.floats(_ROWS, k), g.floats(k))

    for k in (_K, 2048):
        yield "F32", f"{_ROWS}x{k}, a weight", build(k)
    yield "F32", f"{_ROWS}x{_K}", lambda g: g.p.rms_norm(g.floats(_ROWS, _K))
    yield "F32", "1x64", lambda g: g.p.rms_norm(g.floats(1, 64))  # the fixed cost of an op


def _of_rows(op: str) -> Callable[[], Cases]:
    def build(g: CaseBuilder) -> Value:
        result: Value = getattr(g.p, op)(g.floats(_ROWS, _K))
        return result

    return lambda: iter([("F32", f"{_ROWS}x{_K}", build)])


def _norm() -> Cases:
    yield "F32", f"{_ROWS}x{_K}", lambda g: g.p.norm(g.floats(_ROWS, _K))
    yield "F32", f"{_ROWS}x{_K}, a weight", lambda g: g.p.norm(g.floats(_ROWS, _K), g.floats(_K))
    yield "F32", f"{_ROWS}x{_K}, a weight, a bias", lambda g: g.p.norm(g.floats(_ROWS, _K), g.floats(_K), g.floats(_K))


def _argmax() -> Cases:
    yield "F32", f"{_VOCABULARY}", lambda g: g.p.argmax(g.floats(1, _VOCABULARY))


def _top_k() -> Cases:
    yield "F32", f"{_VOCABULARY}, k 40", lambda g: g.p.top_k(g.floats(1, _VOCABULARY), 40)
    yield "F32", f"{_ROWS}x128, k 8", lambda g: g.p.top_k(g.floats(_ROWS, 128), 8)


def _argsort() -> Cases:
    yield "F32", f"{_ROWS}x{_K}", lambda g: g.p.argsort(g.floats(_ROWS, _K))


def _concat() -> Cases:
    yield "F32", f"{_ROWS}x{2 * _K}", lambda g: g.p.concat([g.floats(_ROWS, _K), g.floats(_ROWS, _K)])


def _repeat() -> Cases:
    yield "F32", f"{_ROWS}x{_K}", lambda g: g.p.repeat(g.floats(_ROWS // 4, _K), (_ROWS, _K))


def _ssm_conv() -> Cases:
    yield "F32", f"{_ROWS}x{_K}, 4 taps", lambda g: g.p.ssm_conv(g.floats(_ROWS + 3, _K), g.floats(4, _K))


def _gated_delta_net() -> Cases:
    def call(g: CaseBuilder) -> Sequence[Value]:
        q, k, v = (g.floats(1, 32, 128) for _ in range(3))
        decay, beta, state = g.p.neg(g.p.sqr(g.floats(1, 32))), g.floats(1, 32), g.floats(32, 128, 128)
        return [g.p.cpy(one) for one in g.p.gated_delta_net(q, k, v, g=decay, beta=beta, state=state)]

    yield "F32", "1 token, 32 heads of 128x128", call


def _rope() -> Cases:
    def build(mode: Mode) -> Callable[[CaseBuilder], Value]:
        def call(g: CaseBuilder) -> Value:
            turns = g.array(rope_table(128).turns)
            return g.p.rope(g.floats(_ROWS, _K // 128, 128), g.ids(_ROWS, below=4096), turns, mode=mode)

        return call

    modes: tuple[Mode, ...] = ("normal", "neox")
    for mode in modes:
        yield "F32", f"{_ROWS}x{_K // 128}x128, {mode}", build(mode)


def _soft_max() -> Cases:
    yield "F32", f"{_ROWS}x{_K}", lambda g: g.p.soft_max(g.floats(_ROWS, _K), scale=0.125)
    yield (
        "F32",
        f"{_ROWS}x{_K}, mask",
        lambda g: g.p.soft_max(g.floats(_ROWS, _K), g.array(np.zeros((_ROWS, _K), np.float16)), scale=0.125),
    )


def _get_rows() -> Cases:
    def of_rows(dtype: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.get_rows(g.rows(dtype, _TABLE, _K), g.ids(_ROWS, below=_TABLE))

    def of_weight(dtype: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.get_rows(g.weight(dtype, _TABLE, _K), g.ids(_ROWS, below=_TABLE))

    for dtype in ("F32", "F16"):
        yield dtype, f"{_ROWS}x{_K}, rows", of_rows(dtype)
    for dtype in (weight.name for weight in TYPES):
        yield dtype, f"{_ROWS}x{_K}, a weight", of_weight(dtype)


def _set_rows() -> Cases:
    def build(dtype: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.set_rows(
            g.p.cpy(g.floats(_ROWS, _K), dtype), g.floats(_ROWS, _K), g.ids(_ROWS, below=_ROWS)
        )

    for dtype in ("F32", "F16", "Q8_0", "Q4_0"):
        yield dtype, f"{_ROWS}x{_K}", build(dtype)


def _cpy() -> Cases:
    def build(source: str, target: str) -> Callable[[CaseBuilder], Value]:
        return lambda g: g.p.cpy(g.rows(source, _ROWS, _K), target)

    for source, target in (("F32", "F32"), ("F16", "F32"), ("F32", "F16"), ("F32", "Q8_0"), ("F32", "Q4_0"),
                           ("Q8_0", "F32")):  # fmt: skip
        yield source, f"{_ROWS}x{_K}, as {target}", build(source, target)


def _append(g: CaseBuilder, kind: str, n: int, n_heads: int, size: int) -> tuple[Value, Value]:
    pages = g.array(np.arange(n // cache.PAGE_TOKENS, dtype=np.int32))
    kv_cache = g.pages(kind, pages.size, n_heads, size)
    k, v = g.floats(n, n_heads, size), g.floats(n, n_heads, size)
    return g.p.cache_append(k, v, kv_cache, pages=pages, positions=g.array(np.arange(n, dtype=np.int32))), pages


def _flash_attn_ext() -> Cases:
    def build(kind: str, heads: tuple[int, int, int], n: int, m: int) -> Callable[[CaseBuilder], Value]:
        size, kv_heads, group = heads

        def call(g: CaseBuilder) -> Value:
            tokens, pages = _append(g, kind, n, kv_heads, size)
            q, positions = g.floats(m, kv_heads * group, size), g.array(np.arange(n - m, n, dtype=np.int32))
            return g.p.flash_attn_ext(q, tokens, pages=pages, positions=positions)

        return call

    for kind in cache.KINDS:
        for (size, kv_heads, group), n, m in (
            ((64, 1, 4), 2048, 1), ((64, 8, 4), 2048, 1), ((64, 1, 7), 2048, 1), ((64, 1, 1), 2048, 1),
            ((64, 8, 1), 2048, 1), ((64, 3, 4), 1024, 1), ((128, 1, 4), 8192, 1), ((64, 1, 4), 512, 64),
        ):  # fmt: skip
            name = f"head {size}, {kv_heads} KV heads of {group}, {n} tokens, {m} rows"
            yield kind.upper(), name, build(kind, (size, kv_heads, group), n, m)


def _cache_append() -> Cases:
    def build(kind: str, size: int) -> Callable[[CaseBuilder], Sequence[Value]]:
        def call(g: CaseBuilder) -> Sequence[Value]:
            _append(g, kind, 64, 1, size)
            return ()

        return call

    for kind, size in product(cache.KINDS, (64, 128)):
        yield kind.upper(), f"64 tokens, head {size}", build(kind, size)


def _cache_copy() -> Cases:
    def build(kind: str) -> Callable[[CaseBuilder], Sequence[Value]]:
        def call(g: CaseBuilder) -> Sequence[Value]:
            kv_cache = g.pages(kind, 2, 8, 64)
            g.p.cache_copy(kv_cache, kv_cache, g.array(np.array([[0, 1]], np.int32)))
            return ()

        return call

    for kind in cache.KINDS:
        yield kind.upper(), "a page of 8 heads of 64", build(kind)


_CASES: Final[dict[str, Callable[[], Cases]]] = {
    "mul_mat": _mul_mat,
    "mul_mat_id": _mul_mat_id,
    "add_id": _add_id,
    "rms_norm": _rms_norm,
    "l2_norm": _of_rows("l2_norm"),
    "hadamard": _of_rows("hadamard"),
    "sum_rows": _of_rows("sum_rows"),
    "mean": _of_rows("mean"),
    "norm": _norm,
    "argmax": _argmax,
    "top_k": _top_k,
    "argsort": _argsort,
    "concat": _concat,
    "repeat": _repeat,
    "ssm_conv": _ssm_conv,
    "gated_delta_net": _gated_delta_net,
    "rope": _rope,
    "soft_max": _soft_max,
    "get_rows": _get_rows,
    "set_rows": _set_rows,
    "cpy": _cpy,
    "flash_attn_ext": _flash_attn_ext,
    "cache_append": _cache_append,
    "cache_copy": _cache_copy,
}
