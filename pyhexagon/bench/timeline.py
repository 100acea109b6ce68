# SPDX-License-Identifier: MIT
"""Simulate the ops of recorded messages on a board, event by event. No board has confirmed the model.

The order of ops, their packets per thread and their bytes come from a run under QEMU (timeline_record.py). The threads
of an op work at the same time and meet at a barrier behind it:

- A product's weights arrive by DMA in pieces, one in flight per thread: a thread starts the next copy when it has the
  piece before, and multiplies meanwhile. Behind its last piece it starts the first one of the message's next product,
  which therefore arrives while the ops between the two run (dsp/ops/matmul/stream.c). A thread has a share of the
  bytes in proportion to its packets.
- An op reads the KV cache from memory, and its rows if those that it reads and writes exceed the L2 cache, as
  activations of long prefill chunks do. If the record says that its kernels fetch these bytes ahead, they come in
  pieces, too, the first one when the op begins. Otherwise they are demand misses: a thread that misses does not
  compute. Nothing waits for writes.
- All copies, misses and writes share the DSP's memory bandwidth; misses are served first.
- The CPU reads its share of the weights of products at the same time. The op ends with a meeting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import ceil, inf
from typing import Final, NamedTuple

from pyhexagon.bench.silicon_estimate import Assumptions
from pyhexagon.bench.timeline_record import RecordedMessage, RecordedOp

ROUND_TRIPS: Final = "round trips"
PARTS: Final = ("compute", "fetches", "misses", "meetings", "dispatch")
CPU: Final = "CPU"
_SHARED: Final = ("mul_mat", "mul_mat_id")

_Track = int | str  # a DSP thread, or ``CPU``


class Span(NamedTuple):
    """What a thread does from ``start`` to ``end``, in seconds. ``part`` is one of ``PARTS``; copies are no spans."""

    track: _Track
    op: str
    part: str
    start: float
    end: float


class Costs(NamedTuple):
    """Seconds of all ops of a kind: those of the thread that ends each op.

    Attributes:
        ops: launched ones; a fused op belongs to the op before it.
        compute, fetches, misses: computing, waiting for bytes that are fetched ahead, and for demand misses.
        meetings: waiting for the CPU, and the meeting itself.
        dispatch: packets between ops, barriers, and round trips.
    """

    ops: int = 0
    compute: float = 0.0
    fetches: float = 0.0
    misses: float = 0.0
    meetings: float = 0.0
    dispatch: float = 0.0

    @property
    def seconds(self) -> float:
        return sum(self[1:])


class Timeline(NamedTuple):
    """Attributes:
    seconds: of all messages.
    by_kind: by name of op, and ``ROUND_TRIPS``; their seconds add up to ``seconds``.
    memory_bytes: that the DSP and the CPU read or write.
    spans: in order of their ends.
    """

    seconds: float
    by_kind: dict[str, Costs]
    memory_bytes: float
    spans: list[Span]


def simulate(
    messages: Sequence[RecordedMessage],
    assumed: Assumptions,
    cpu_share: float = 0.0,
    fetched: Collection[str] | None = None,
) -> Timeline:
    """Return the timeline of recorded messages.

    Args:
        cpu_share: the part of each product's weights that the CPU reads.
        fetched: ops that fetch ahead what they would read by misses; None: as recorded.
    """
    simulator = _Simulator(assumed, cpu_share, fetched)
    for message in messages:
        simulator.send(message)
    by_kind = simulator.by_kind
    return Timeline(simulator.now, by_kind, simulator.memory_bytes, simulator.spans)


class _Flow:
    """Bytes on their way: "fetch" (and writes), "misses" or "cpu"."""

    __slots__ = ("kind", "left")

    def __init__(self, kind: str, n_bytes: float) -> None:
        self.kind = kind
        self.left = n_bytes


_Wait = float | _Flow  # a worker waits until a time, or until a flow has ended


class _Simulator:
    def __init__(self, assumed: Assumptions, cpu_share: float, fetched: Collection[str] | None) -> None:
        self.now = self.memory_bytes = 0.0
        self.by_kind: dict[str, Costs] = {}
        self.spans: list[Span] = []
        self._assumed = assumed
        self._cpu_share = cpu_share
        self._fetched = fetched
        self._n_threads = 1
        self._flows: list[_Flow] = []
        self._ahead: dict[int, _Flow] = {}  # a thread's first piece of the next product

    def send(self, message: RecordedMessage) -> None:
        """Run a message: its round trip, then its ops."""
        self._dispatch(ROUND_TRIPS, self._assumed.message_seconds)
        launched = [op for op in message.ops if not op.fused]
        self._n_threads = max((len(op.packets) for op in launched), default=1)
        between = message.packets_between / max(len(launched), 1) * self._packet_seconds
        following: RecordedOp | None = None
        next_products = []
        for op in reversed(launched):
            next_products.append(following)
            following = op if op.dma_bytes else following
        for op, next_product in zip(launched, reversed(next_products), strict=True):
            self._run(op, next_product, between + self._assumed.barrier_seconds)

    # --- Ops ---

    @property
    def _packet_seconds(self) -> float:
        return self._assumed.cycles_per_packet / self._assumed.cycles_per_second

    def _dsp_share(self, op: RecordedOp) -> float:
        return 1 - self._cpu_share if op.op in _SHARED and op.dma_bytes else 1.0

    def _add(self, name: str, part: str, seconds: float) -> None:
        costs = self.by_kind[name]
        self.by_kind[name] = costs._replace(**{part: getattr(costs, part) + seconds})

    def _dispatch(self, name: str, seconds: float) -> None:
        """Count an op, or a round trip, and let the time pass that it takes to reach the threads."""
        costs = self.by_kind.setdefault(name, Costs())
        self.by_kind[name] = costs._replace(ops=costs.ops + 1)
        self._wait(name, seconds, "dispatch")

    def _wait(self, name: str, seconds: float, part: str) -> None:
        """Let time pass in which no thread works; copies go on."""
        start = self.now
        self._finish([iter([start + seconds])])
        self._add(name, part, self.now - start)
        self.spans.append(Span(0, name, part, start, self.now))

    def _run(self, op: RecordedOp, next_product: RecordedOp | None, dispatch: float) -> None:
        self._dispatch(op.op, dispatch)
        start, first_span = self.now, len(self.spans)
        workers = [self._thread(op, thread, next_product) for thread, n in enumerate(op.packets) if n]
        is_shared = self._dsp_share(op) < 1
        if is_shared:
            workers.append(self._cpu(op))
        self._finish(workers)
        of_threads = [span for span in self.spans[first_span:] if span.track != CPU]
        if of_threads:
            last = of_threads[-1]  # of the thread that ends the op
            for span in of_threads:
                if span.track == last.track:
                    self._add(op.op, span.part, span.end - span.start)
        if is_shared:
            self._add(op.op, "meetings", self.now - (of_threads[-1].end if of_threads else start))
            self._wait(op.op, self._assumed.meeting_seconds, "meetings")

    def _bytes(self, op: RecordedOp, thread: int) -> tuple[float, float, float]:
        """Return the bytes that a thread fetches ahead, those that miss, and those that it writes to memory."""
        part = op.packets[thread] / max(sum(op.packets), 1)
        weights, read, written = op.dma_bytes * self._dsp_share(op) * part, op.demand_bytes * part, 0.0
        if op.read_bytes + op.written_bytes > self._assumed.l2_bytes:
            read, written = read + op.read_bytes * part, op.written_bytes * part
        fetched = op.fetched if self._fetched is None else op.op in self._fetched
        return (weights + read, 0.0, written) if fetched else (weights, read, written)

    def _pieces(self, op: RecordedOp, thread: int) -> tuple[int, float]:
        """Return the number of pieces that a thread fetches ahead, at least one, and the bytes of each."""
        n_bytes = self._bytes(op, thread)[0]
        n_pieces = max(ceil(n_bytes / self._assumed.piece_bytes), 1)
        return n_pieces, n_bytes / n_pieces

    def _thread(self, op: RecordedOp, thread: int, next_product: RecordedOp | None) -> Iterator[_Wait]:
        n_pieces, piece_bytes = self._pieces(op, thread)
        missing, written = (n_bytes / n_pieces for n_bytes in self._bytes(op, thread)[1:])
        computing = op.packets[thread] * self._dsp_share(op) * self._packet_seconds / n_pieces
        arriving = self._ahead.pop(thread, None) if op.dma_bytes else None
        for piece in range(n_pieces):
            start = self.now
            if piece_bytes:
                yield arriving or self._start("fetch", piece_bytes)
                start = self._spent(thread, op, "fetches", start)
                arriving = self._start("fetch", piece_bytes) if piece < n_pieces - 1 else None
                if arriving is None and op.dma_bytes:
                    self._fetch_ahead(next_product, thread)
            yield self.now + computing
            start = self._spent(thread, op, "compute", start)
            if missing:
                yield self._start("misses", missing)
                self._spent(thread, op, "misses", start)
            if written:
                self._start("fetch", written)

    def _fetch_ahead(self, next_product: RecordedOp | None, thread: int) -> None:
        if next_product is not None and thread < len(next_product.packets):
            _, piece_bytes = self._pieces(next_product, thread)
            if piece_bytes:
                self._ahead[thread] = self._start("fetch", piece_bytes)

    def _cpu(self, op: RecordedOp) -> Iterator[_Wait]:
        start = self.now
        yield self._start("cpu", op.dma_bytes * self._cpu_share)
        self._spent(CPU, op, "fetches", start)

    def _spent(self, track: _Track, op: RecordedOp, part: str, start: float) -> float:
        self.spans.append(Span(track, op.op, part, start, self.now))
        return self.now

    # --- Events ---

    def _start(self, kind: str, n_bytes: float) -> _Flow:
        flow = _Flow(kind, n_bytes)
        self._flows.append(flow)
        self.memory_bytes += n_bytes
        return flow

    def _finish(self, workers: Sequence[Iterator[_Wait]]) -> None:
        """Advance the time until all workers have ended."""
        waits = [(worker, wait) for worker in workers if (wait := next(worker, None)) is not None]
        while waits:
            rates = self._rates()
            steps = [wait - self.now for _, wait in waits if isinstance(wait, float)]
            steps += [0.0 for _, wait in waits if isinstance(wait, _Flow) and not wait.left]  # ended before the wait
            steps += [flow.left / rates[flow.kind] for flow in self._flows if rates[flow.kind]]
            step = max(min(steps, default=inf), 0.0)
            assert step < inf, "nothing is under way, but workers wait"
            ended = {flow for flow in self._flows if rates[flow.kind] and flow.left / rates[flow.kind] <= step}
            for flow in self._flows:
                flow.left = 0.0 if flow in ended else flow.left - rates[flow.kind] * step
            self._flows = [flow for flow in self._flows if flow not in ended]
            at = self.now + step
            self.now = at
            going_on = []
            for worker, wait in waits:
                is_over = wait <= at if isinstance(wait, float) else not wait.left
                following = next(worker, None) if is_over else wait
                if following is not None:
                    going_on.append((worker, following))
            waits = going_on

    def _rates(self) -> dict[str, float]:
        """Return the bytes per second of one flow of each kind."""
        assumed, n = self._assumed, Counter(flow.kind for flow in self._flows)
        dsp, cpu = assumed.bytes_per_second, assumed.cpu_bytes_per_second
        if n["cpu"] and n["fetch"] + n["misses"]:
            scale = min(1.0, assumed.combined_bytes_per_second / (dsp + cpu))
            dsp, cpu = dsp * scale, cpu * scale
        miss = min(assumed.demand_bytes_per_second / self._n_threads, dsp / max(n["misses"], 1))
        return {"fetch": max(dsp - n["misses"] * miss, 0.0) / max(n["fetch"], 1), "misses": miss, "cpu": cpu}
