# SPDX-License-Identifier: MIT
"""What a language model costs, as llama-bench has it: prompts (pp) and generated tokens (tg), after tokens of context.

Times are those of ordinary runs. Packets are counted op by op in a run of their own: of a prompt the whole of it, of
generated tokens the first one. Before it every program runs once, as the DSP allocates then what it keeps.

The tokens of context are not computed, unless that is asked for: random keys and values are put into the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final

import numpy as np

from pyhexagon.bench import estimate
from pyhexagon.bench.cycles import QemuLogs
from pyhexagon.bench.timed import CountedTransport, Reports
from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.device import Device
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.context import Context
from pyhexagon.llm.memory import check_fits, planned
from pyhexagon.llm.model import Model, checked
from pyhexagon.llm.stage import Stage
from pyhexagon.llm.texts import pieces
from pyhexagon.process.session import Session
from pyhexagon.program.report import Report
from pyhexagon.program.switches import Switches
from pyhexagon.version import VERSION

Record = dict[str, Any]
TIMEOUT: Final = 3600.0  # an emulated DSP takes minutes for a piece of a prompt
BETWEEN: Final = "between ops"
_ATTENTION: Final = "flash_attn_ext"
_SEED: Final = 0


@dataclass(frozen=True)
class ModelTest:
    """A prompt, or tokens that are generated: one of the two is 0. Before them are ``depth`` tokens of context."""

    n_prompt: int
    n_gen: int
    depth: int

    @property
    def name(self) -> str:
        """As llama-bench writes it."""
        name = f"pp{self.n_prompt}" if self.n_prompt else f"tg{self.n_gen}"
        return f"{name} @ d{self.depth}" if self.depth else name

    @property
    def n_tokens(self) -> int:
        """Prompt or generated."""
        return self.n_prompt or self.n_gen


@dataclass(frozen=True)
class ModelCases:
    """Each prompt length and each number of generated tokens at each depth.

    Attributes:
        prompts, generated, depths: numbers of tokens.
        repetitions: for times; 0 only counts packets.
        is_computed: whether the context is computed.
    """

    prompts: Sequence[int]
    generated: Sequence[int]
    depths: Sequence[int]
    repetitions: int
    is_computed: bool

    def tests(self) -> list[ModelTest]:
        """All of them."""
        kinds = [*((n, 0) for n in self.prompts if n), *((0, n) for n in self.generated if n)]
        return [ModelTest(*kind, depth) for depth in self.depths for kind in kinds]


def run(
    cases: ModelCases,
    open_file: Callable[[], AbstractContextManager[GGUFFile]],
    name: str,
    *,
    threads: Sequence[int],
    device: str | None,
    transport: str | None,
    starting: Callable[[str], None],
    cycles: bool = False,
) -> Iterator[Record]:
    """Runs the cases, in a session for each number of threads.

    Args:
        open_file: opens the model's file.
        name: of the model.
        threads: of the DSP; 0 are all.
        starting: called with what is done next.
        cycles: models them, too, by kind of op, where packets are counted: see cycles.py. Each op is a message of its
            own then.

    Yields:
        A record a case.

    Raises:
        DspMemoryError: the longest does not fit; nothing was read then.
    """
    tests = cases.tests()
    n_most = max(test.depth + test.n_tokens for test in tests)
    for n_threads in threads:
        switches = Switches(sync=True) if cycles else None
        with (
            open_file() as file,
            QemuLogs() if cycles else nullcontext() as logs,
            Device(device, transport=transport, threads=n_threads, timeout=TIMEOUT, switches=switches) as opened,
        ):
            can_run = checked(file)
            check_fits(planned(file, can_run, n_most), name, opened.memory.placement.max_sessions)
            starting("loading")
            model = Model(opened, file, can_run)
            info = opened.info()
            facts = {
                "model": name,
                "architecture": model.config.architecture,
                "types": model.weights.types(),
                "model_bytes": model.nbytes,
                "device": opened.name,
                "loopback": info.loopback,
                "threads": info.threads,
                "transport": info.transport,
                "version": VERSION,
            }
            for test in tests:
                starting(f"{test.name}, {info.threads} threads")
                with closing(Context(Stage(model, test.depth + test.n_tokens))) as context:
                    yield facts | measured(context, test, cases, logs)


def measured(context: Context[Stage], test: ModelTest, cases: ModelCases, logs: QemuLogs | None = None) -> Record:
    """The record of a test in a context with room for it; with logs of QEMU cycles are modelled."""
    tokens = np.random.default_rng(_SEED).integers(0, context.stages.n_tokens, test.depth + test.n_tokens).tolist()
    _fill(context, tokens[: test.depth], is_computed=cases.is_computed)
    ends = range(test.depth + 1, len(tokens) + 1) if test.n_gen else (len(tokens),)
    warm_up = sum({len(piece) for piece in pieces(tokens[test.depth : ends[0]])})
    context.logits(tokens[: test.depth + warm_up])
    tracer = _traced(context, tokens[: ends[0]], test.depth, logs)
    samples = []
    counted: list[CountedTransport] = []
    for _ in range(cases.repetitions):
        seconds, carried = _timed(context, tokens, test.depth, ends)
        samples.append(test.n_tokens / seconds)
        counted = counted or carried
    if not counted:
        _, counted = _timed(context, tokens, test.depth, ends[:1])
    return {
        "test": test.name,
        "n_prompt": test.n_prompt,
        "n_gen": test.n_gen,
        "n_depth": test.depth,
        "context_was_computed": cases.is_computed,
        "repetitions": cases.repetitions,
        "tokens_per_second": mean(samples) if samples else None,
        "tokens_per_second_deviation": stdev(samples) if len(samples) > 1 else None,
        "samples": samples,
    } | _costs(context, tracer, counted, test)


def _fill(context: Context[Stage], tokens: list[int], *, is_computed: bool) -> None:
    """Makes these tokens those of the context."""
    if is_computed and tokens:
        context.logits(tokens)
        return
    chance = np.random.default_rng(_SEED)
    if not tokens:
        return
    numbers = context.reserve(tokens)
    shapes = [cache.shape[1:] for cache in context.stages.cache.layers]
    rows = {shape: chance.standard_normal((2, PAGE_TOKENS, *shape), np.float32) for shape in dict.fromkeys(shapes)}
    with context.stages.model.device.program() as p:
        positions, pages = p.input((PAGE_TOKENS,), np.int32), p.input((context.n_pages,), np.int32)
        inputs = {shape: (p.input(one[0].shape), p.input(one[1].shape)) for shape, one in rows.items()}
        for cache, shape in zip(context.stages.cache.layers, shapes, strict=True):
            p.cache_append(*inputs[shape], cache, pages=pages, positions=positions)
    program = p.compile()
    for first in range(0, len(tokens), PAGE_TOKENS):
        places = np.arange(first, first + PAGE_TOKENS, dtype=np.int32)
        given = np.where(places < len(tokens), places, -1), numbers
        program.run(*given, *(side for one in rows.values() for side in one))


class _Waits(Reports):
    """Also keeps the cycles that each message waited by the model, which none does without logs."""

    def __init__(self, logs: QemuLogs | None, skel: Path) -> None:
        super().__init__()
        self.stalls: list[int] = []
        self._logs, self._skel = logs, skel
        self._read()

    def request(
        self,
        session: Session,
        marks: tuple[int, int, int, int],
        report: Report,
        describe: Callable[[int], dict[str, object]],
    ) -> None:
        super().request(session, marks, report, describe)
        self.stalls.append(self._read())

    @property
    def is_modelled(self) -> bool:
        return self._logs is not None

    def _read(self) -> int:
        return sum(cost.stalls for cost in self._logs.costs(self._skel).values()) if self._logs else 0


def _traced(context: Context[Stage], tokens: list[int], depth: int, logs: QemuLogs | None) -> _Waits:
    """What each message cost."""
    device = context.stages.model.device
    _forget(context, depth)
    tracer = _Waits(logs, Path(device.info().skel))
    device.tracer = tracer
    try:
        context.logits(tokens)
    finally:
        device.tracer = None
    return tracer


def _timed(
    context: Context[Stage], tokens: list[int], depth: int, ends: Sequence[int]
) -> tuple[float, list[CountedTransport]]:
    """Seconds for going on from ``depth`` to each of the ends, and what carried it."""
    carried = [CountedTransport(session) for session in context.stages.model.device.sessions]
    with ExitStack() as stack:
        for one in carried:
            stack.enter_context(one)
        _forget(context, depth)
        start = time.perf_counter()
        for end in ends:
            context.logits(tokens[:end])
        return time.perf_counter() - start, carried


def _forget(context: Context[Stage], depth: int) -> None:
    """What comes after the context."""
    context.truncate(depth)


def _costs(context: Context[Stage], tracer: _Waits, counted: list[CountedTransport], test: ModelTest) -> Record:
    """What a token costs, by the messages of one run; another's, which may have gone on from there, were counted."""
    reports = tracer.reports
    n_tokens = test.n_prompt or 1
    by_kind: dict[str, Record] = {}
    for report in reports:
        for op in report.ops:
            _add(by_kind, op.op, op.packets, op.packets_max_thread, op.dma_bytes)
    n_messages = sum(len(one.responses) for one in counted)
    are_counted = all(report.packets is not None for report in reports)
    if are_counted:
        between = by_kind[BETWEEN] = {"ops": 0, "packets": 0, "packets_max_thread": 0, "bytes": 0}
        for index, one in enumerate(counted):
            of_session = [report for report in reports if report.ops[0].session == index]
            between["packets"] += sum(response.packets for response in one.responses[: len(of_session)])
        between["packets"] -= sum(op.threads[0].packets or 0 for report in reports for op in report.ops)
        between["packets_max_thread"] = between["packets"]
    if are_counted and tracer.is_modelled:
        for costs in by_kind.values():
            costs["cycles_model"] = costs["packets"]
        for report, stalls in zip(reports, tracer.stalls, strict=True):
            by_kind[report.ops[0].op]["cycles_model"] += stalls
    if _ATTENTION in by_kind:
        by_kind[_ATTENTION]["bytes"] += _cache_bytes(context, test)
    per_token = {
        kind: {name: _divided(value, n_tokens) for name, value in one.items()} for kind, one in by_kind.items()
    }
    totals = {
        name: sum(one[name] for one in by_kind.values()) if are_counted else None
        for name in ("packets", "packets_max_thread")
    }
    messages = len(reports) / n_tokens
    modelled = estimate.of(per_token, messages)
    return {
        "packets": totals["packets"],
        "packets_max_thread": totals["packets_max_thread"],
        "packets_token": _divided(totals["packets"], n_tokens),
        "packets_token_max_thread": _divided(totals["packets_max_thread"], n_tokens),
        "messages_token": messages,
        "request_bytes_token": sum(one.request_bytes for one in counted) / n_messages * messages,
        "response_bytes_token": sum(one.response_bytes for one in counted) / n_messages * messages,
        "memory_bytes_token": sum(one["bytes"] for one in per_token.values()),
        "by_kind": per_token,
        "estimate": None if modelled is None else modelled._asdict(),
    }


def _add(by_kind: dict[str, Record], kind: str, packets: int | None, busiest: int | None, n_bytes: int) -> None:
    one = by_kind.setdefault(kind, {"ops": 0, "packets": 0, "packets_max_thread": 0, "bytes": 0})
    one["ops"] += 1
    one["bytes"] += n_bytes
    for name, value in (("packets", packets), ("packets_max_thread", busiest)):
        one[name] = None if value is None else one[name] + value


def _divided(value: float | None, n_tokens: int) -> float | None:
    return None if value is None else value / n_tokens


def _cache_bytes(context: Context[Stage], test: ModelTest) -> int:
    """What attention reads of the cache: each message all pages that its last token sees."""
    config = context.stages.model.config
    end, n_bytes = test.depth, 0
    for piece in pieces(range(test.n_prompt or 1)):
        end += len(piece)
        for index, cache in enumerate(context.stages.cache.layers):
            window = config.window_of(index)
            n_seen = min(end, window + len(piece)) if window else end
            n_bytes += -(-n_seen // PAGE_TOKENS) * (cache.nbytes // context.n_pages)
    return n_bytes
