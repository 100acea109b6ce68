# SPDX-License-Identifier: MIT
"""The cost of a language model in llama-bench's terms: prompts (pp) and generated tokens (tg) at a context depth.

Times come from ordinary runs. Packets are counted op by op in a separate run: for prompts over the whole prompt, for
generated tokens over the first one. Every program runs once before, because the DSP then allocates the memory it keeps.

The tokens of context are computed only on request: by default the KV cache is filled with random keys and values.
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
from pyhexagon.bench.sensors import EnergyMeter, Sensors
from pyhexagon.bench.timed import CountedTransport, Reports
from pyhexagon.bench.timeline_record import ATTENTION, CacheRead, recorded
from pyhexagon.cache import NO_PAGE, PAGE_TOKENS
from pyhexagon.device import Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.kernels.cycles import QemuLogs
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import prefill_chunks
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage
from pyhexagon.llm.memory import check_fits, planned
from pyhexagon.process.session import Session
from pyhexagon.program.report import Report
from pyhexagon.program.switches import Switches
from pyhexagon.version import VERSION

Record = dict[str, Any]
TIMEOUT: Final = 3600.0  # an emulated DSP takes minutes for a prefill chunk
BETWEEN: Final = "between ops"
_SEED: Final = 0


@dataclass(frozen=True)
class ModelTest:
    """A prompt, or generated tokens: one of the two is 0. ``depth`` tokens of context precede them."""

    n_prompt: int
    n_gen: int
    depth: int

    @property
    def name(self) -> str:
        """The test's name as in llama-bench."""
        name = f"pp{self.n_prompt}" if self.n_prompt else f"tg{self.n_gen}"
        return f"{name} @ d{self.depth}" if self.depth else name

    @property
    def n_tokens(self) -> int:
        """The number of prompt or generated tokens."""
        return self.n_prompt or self.n_gen


@dataclass(frozen=True)
class ModelCases:
    """Every prompt length and every number of generated tokens at every depth.

    Attributes:
        prompts, generated, depths: numbers of tokens.
        repetitions: runs for times; 0 only counts packets.
        is_computed: whether the context is computed.
        is_recorded: whether records have "messages" for ``timeline.simulate``, if packets are counted.
    """

    prompts: Sequence[int]
    generated: Sequence[int]
    depths: Sequence[int]
    repetitions: int
    is_computed: bool
    is_recorded: bool = False

    def tests(self) -> list[ModelTest]:
        """Return all tests."""
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
    """Run the cases, with one session per number of threads.

    Args:
        open_file: opens the model's file.
        name: of the model.
        threads: of the DSP; 0 means all.
        starting: called with the name of each step before it starts.
        cycles: also model cycles by kind of op, if packets are counted; see cycles.py. Each op is then a separate
            message.

    Yields:
        One record per case.

    Raises:
        DspMemoryError: the longest case does not fit; no weight was loaded.
    """
    tests = cases.tests()
    longest = max(test.depth + test.n_tokens for test in tests)
    for n_threads in threads:
        switches = Switches(sync=True) if cycles else None
        with (
            open_file() as file,
            QemuLogs() if cycles else nullcontext() as logs,
            Device(device, transport=transport, threads=n_threads, timeout=TIMEOUT, switches=switches) as opened,
        ):
            can_run = checked(file)
            check_fits(planned(file, can_run, longest), name, opened._memory.placement.max_sessions)
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
                with closing(EngineCore(Stage(model, test.depth + test.n_tokens))) as context:
                    yield facts | measured(context, test, cases, logs)


def measured(context: EngineCore[Stage], test: ModelTest, cases: ModelCases, logs: QemuLogs | None = None) -> Record:
    """Return the record of a test in a context with room for it; with QEMU logs, cycles are modelled."""
    tokens = np.random.default_rng(_SEED).integers(0, context.stages.n_tokens, test.depth + test.n_tokens).tolist()
    _fill(context, tokens[: test.depth], is_computed=cases.is_computed)
    ends = range(test.depth + 1, len(tokens) + 1) if test.n_gen else (len(tokens),)
    warm_up = sum({len(piece) for piece in prefill_chunks(tokens[test.depth : ends[0]])})
    context.logits(tokens[: test.depth + warm_up])
    tracer = _traced(context, tokens[: ends[0]], test.depth, logs, is_computed=cases.is_computed)
    samples = []
    counted: list[CountedTransport] = []
    sensors = Sensors()
    before, joules = sensors.read(), dict[str, float]()
    for _ in range(cases.repetitions):
        _forget(context, tokens[: test.depth], is_computed=cases.is_computed)
        with EnergyMeter(sensors) as meter:
            seconds, carried = _timed(context, tokens, ends)
        samples.append(test.n_tokens / seconds)
        for name, value in meter.joules.items():
            joules[name] = joules.get(name, 0.0) + value / (cases.repetitions * test.n_tokens)
        counted = counted or carried
    if not counted:
        _forget(context, tokens[: test.depth], is_computed=cases.is_computed)
        _, counted = _timed(context, tokens, ends[:1])
    record = {
        "test": test.name,
        "n_prompt": test.n_prompt,
        "n_gen": test.n_gen,
        "n_depth": test.depth,
        "context_was_computed": cases.is_computed,
        "repetitions": cases.repetitions,
        "tokens_per_second": mean(samples) if samples else None,
        "tokens_per_second_deviation": stdev(samples) if len(samples) > 1 else None,
        "samples": samples,
        "joules_token": joules,
        "sensors": {"before": before, "after": sensors.read()},
    } | _costs(context, tracer, counted, test)
    if cases.is_recorded and record["packets"] is not None:
        responses = [iter(transport.responses) for transport in counted]
        packets = [next(responses[report.ops[0].session]).packets for report in tracer.reports]
        record["messages"] = recorded(tracer.reports, packets, tracer.described, _cache_reads(context, test))
    return record


def _fill(context: EngineCore[Stage], tokens: list[int], *, is_computed: bool) -> None:
    """Fill the context with these tokens."""
    if is_computed and tokens:
        context.logits(tokens)
        return
    chance = np.random.default_rng(_SEED)
    if not tokens:
        return
    tables, stage = context.reserve(tokens), context.stages
    is_windowed = [stage.config.window_of(layer) > 0 for layer in stage.model.blocks if stage.config.has_cache(layer)]
    shapes = [cache.shape[1:] for cache in stage.kv_layers]
    rows = {shape: chance.standard_normal((2, PAGE_TOKENS, *shape), np.float32) for shape in dict.fromkeys(shapes)}
    with context.stages.model.device.program() as p:
        places = [(p.input((PAGE_TOKENS,), np.int32), p.input(table.shape, np.int32)) for table in tables]
        inputs = {shape: (p.input(pair[0].shape), p.input(pair[1].shape)) for shape, pair in rows.items()}
        for cache, shape, which in zip(stage.kv_layers, shapes, is_windowed, strict=True):
            positions, pages = places[which]
            p.cache_append(*inputs[shape], cache, pages=pages, positions=positions)
    program = p.compile()
    for first in range(0, len(tokens), PAGE_TOKENS):
        at = np.arange(first, first + PAGE_TOKENS, dtype=np.int32)
        arguments = []
        for table in tables:
            is_held = (at < len(tokens)) & (table[first // PAGE_TOKENS] != NO_PAGE)
            arguments += [np.where(is_held, at, -1).astype(np.int32), table]
        program.run(*arguments, *(side for pair in rows.values() for side in pair))


class _Waits(Reports):
    """Also records each message's modelled stall cycles; 0 without logs."""

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


def _traced(
    context: EngineCore[Stage], tokens: list[int], depth: int, logs: QemuLogs | None, *, is_computed: bool
) -> _Waits:
    """Return the cost of each message."""
    device = context.stages.model.device
    _forget(context, tokens[:depth], is_computed=is_computed)
    tracer = _Waits(logs, Path(device.info().skel))
    device._tracer = tracer
    try:
        context.logits(tokens)
    finally:
        device._tracer = None
    return tracer


def _timed(
    context: EngineCore[Stage], tokens: list[int], ends: Sequence[int]
) -> tuple[float, list[CountedTransport]]:
    """Return the seconds for computing from the context to each of the ends, and the transports with their counts."""
    carried = [CountedTransport(session) for session in context.stages.model.device._sessions]
    with ExitStack() as stack:
        for transport in carried:
            stack.enter_context(transport)
        start = time.perf_counter()
        for end in ends:
            context.logits(tokens[:end])
        return time.perf_counter() - start, carried


def _forget(context: EngineCore[Stage], tokens: list[int], *, is_computed: bool) -> None:
    """Drop the tokens after the context; fill it again if its window pages were freed meanwhile."""
    context.truncate(len(tokens))
    if tokens and not any(sequence.tokens == tokens for sequence in context.kv_cache.idle):
        _fill(context, tokens, is_computed=is_computed)


def _costs(context: EngineCore[Stage], tracer: _Waits, counted: list[CountedTransport], test: ModelTest) -> Record:
    """Return the cost of a token from the reports of one run and the counts of another, possibly longer run."""
    reports = tracer.reports
    n_tokens = test.n_prompt or 1
    by_kind: dict[str, Record] = {}
    for report in reports:
        for op in report.ops:
            _add(by_kind, op.op, op.packets, op.packets_max_thread, op.dma_bytes)
    n_messages = sum(len(transport.responses) for transport in counted)
    are_counted = bool(reports) and all(report.packets is not None for report in reports)
    if are_counted:
        between = by_kind[BETWEEN] = {"ops": 0, "packets": 0, "packets_max_thread": 0, "bytes": 0}
        for index, transport in enumerate(counted):
            of_session = [report for report in reports if report.ops[0].session == index]
            between["packets"] += sum(response.packets for response in transport.responses[: len(of_session)])
        between["packets"] -= sum(op.threads[0].packets or 0 for report in reports for op in report.ops)
        between["packets_max_thread"] = between["packets"]
    if are_counted and tracer.is_modelled:
        for costs in by_kind.values():
            costs["cycles_model"] = costs["packets"]
        for report, stalls in zip(reports, tracer.stalls, strict=True):
            by_kind[report.ops[0].op]["cycles_model"] += stalls
    if ATTENTION in by_kind:
        by_kind[ATTENTION]["bytes"] += sum(read.n_bytes for read in _cache_reads(context, test))
    per_token = {
        kind: {name: _divided(value, n_tokens) for name, value in costs.items()} for kind, costs in by_kind.items()
    }
    totals = {
        name: sum(costs[name] for costs in by_kind.values()) if are_counted else None
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
        "request_bytes_token": sum(transport.request_bytes for transport in counted) / (n_messages or 1) * messages,
        "response_bytes_token": sum(transport.response_bytes for transport in counted) / (n_messages or 1) * messages,
        "memory_bytes_token": sum(costs["bytes"] for costs in per_token.values()),
        "by_kind": per_token,
        "estimate": None if modelled is None else modelled._asdict(),
    }


def _add(by_kind: dict[str, Record], kind: str, packets: int | None, busiest: int | None, n_bytes: int) -> None:
    costs = by_kind.setdefault(kind, {"ops": 0, "packets": 0, "packets_max_thread": 0, "bytes": 0})
    costs["ops"] += 1
    costs["bytes"] += n_bytes
    for name, value in (("packets", packets), ("packets_max_thread", busiest)):
        costs[name] = None if value is None else costs[name] + value


def _divided(value: float | None, n_tokens: int) -> float | None:
    return None if value is None else value / n_tokens


def _cache_reads(context: EngineCore[Stage], test: ModelTest) -> Iterator[CacheRead]:
    """Yield what each attention op reads of the KV cache: all pages that a message's last token sees."""
    config = context.stages.model.config
    with_cache = [layer for layer in range(config.n_layers) if config.has_cache(layer)]
    caches = dict(zip(with_cache, context.stages.kv_layers, strict=True))
    end = test.depth
    for piece in prefill_chunks(list(range(test.n_prompt or 1))):
        end += len(piece)
        for layer in range(config.n_layers):
            if not config.has_attention(layer):
                continue
            cache = caches[config.kv_layer(layer)]
            window = config.window_of(layer)
            n_seen = min(end, window + len(piece)) if window else end
            n_bytes = -(-n_seen // PAGE_TOKENS) * (cache.nbytes // cache.shape[0])
            yield CacheRead(n_bytes, fetched=len(piece) == 1 and context.stages.cache.kind != "f16")
