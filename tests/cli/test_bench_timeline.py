# SPDX-License-Identifier: MIT
"""The simulator of ``bench model --estimate``: its arithmetic, and the order of ops and packets that QEMU recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from llm import tiny

from pyhexagon.bench import model, silicon_estimate, timeline_record
from pyhexagon.bench.silicon_estimate import Assumptions
from pyhexagon.bench.timeline import ROUND_TRIPS, simulate
from pyhexagon.bench.timeline_record import RecordedMessage, RecordedOp
from pyhexagon.cli import main
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.program.report import OpReport, Report

# a packet takes 1 ns, DMA brings 1 byte a ns, a miss takes four times as long
ASSUMED = Assumptions(
    1.0, 1e9, 1e9, message_seconds=0.0, demand_bytes_per_second=0.25e9, barrier_seconds=0.0, piece_bytes=1000,
    l2_bytes=10_000, cpu_bytes_per_second=1.5e9, combined_bytes_per_second=2e9, meeting_seconds=0.0,
)  # fmt: skip


def op(
    name: str,
    *packets: int,
    dma: int = 0,
    demand: int = 0,
    reads: int = 0,
    writes: int = 0,
    fused: bool = False,
    fetched: bool = False,
) -> RecordedOp:
    return RecordedOp(name, fused, packets, dma, demand, reads, writes, fetched)


def nanoseconds(*ops: RecordedOp, share: float = 0.0, between: int = 0, **assumed: float) -> float:
    found = simulate([RecordedMessage(between, ops)], ASSUMED._replace(**assumed), share)
    assert sum(costs.seconds for costs in found.by_kind.values()) == pytest.approx(found.seconds)
    return found.seconds * 1e9


def test_copies_overlap_with_multiplication() -> None:
    assert nanoseconds(op("mul_mat", 2000, dma=10_000)) == pytest.approx(10_200)  # and the last piece is multiplied
    assert nanoseconds(op("mul_mat", 20_000, dma=10_000)) == pytest.approx(21_000)  # after the first piece
    assert nanoseconds(op("mul_mat", 1000, 1000, dma=10_000)) == pytest.approx(10_200)  # threads share the memory
    assert nanoseconds(op("mul_mat", 0, 2000, dma=10_000)) == pytest.approx(10_200)


def test_the_next_product_is_fetched_ahead() -> None:
    product, norm = op("mul_mat", 2000, dma=10_000), op("rms_norm", 500)
    fused = op("add", 0, fused=True)
    alone = nanoseconds(product)
    assert nanoseconds(product, norm) == pytest.approx(alone + 500)
    # the first piece comes during the last one's multiplication and the norm: 700 ns of it
    assert nanoseconds(product, fused, norm, product) == pytest.approx(2 * alone + 500 - 700)
    both = simulate([RecordedMessage(0, (product, norm)), RecordedMessage(0, (product,))], ASSUMED)
    assert both.seconds * 1e9 == pytest.approx(2 * alone + 500)  # not across messages


def test_misses_stop_a_thread() -> None:
    assert nanoseconds(op("flash_attn_ext", 1000, demand=1000)) == pytest.approx(1000 + 4000)
    assert nanoseconds(op("flash_attn_ext", 500, 500, demand=1000)) == pytest.approx(500 + 4000)
    assert nanoseconds(op("soft_max", 1000, reads=10_000)) == pytest.approx(1000)
    assert nanoseconds(op("soft_max", 1000, reads=10_001)) == pytest.approx(1000 + 40_004)
    writing = op("soft_max", 1000, reads=6000, writes=5000)
    assert nanoseconds(writing) == pytest.approx(1000 + 24_000)  # nothing waits for writes
    assert nanoseconds(writing, op("mul_mat", 10, dma=5000)) == pytest.approx(25_000 + 10_000 + 10, abs=10)
    # misses take a quarter of the memory's rate, the prefetch of the next product gets the rest
    product, attention = op("mul_mat", 10, dma=1000), op("flash_attn_ext", 0, 1000, demand=500)
    assert nanoseconds(product, attention, product) == pytest.approx(1010 + 1000 + 4000 + 10)


def test_fetched_ops_overlap_like_products() -> None:
    attention, states = op("flash_attn_ext", 1000, demand=5000), op("gated_delta_net", 1000, reads=20_000)
    for one, expected in ((attention, 5000 + 200), (states, 20_000 + 50)):
        recorded = RecordedMessage(0, (one._replace(fetched=True),))
        for found in (simulate([RecordedMessage(0, (one,))], ASSUMED, 0.0, {one.op}), simulate([recorded], ASSUMED)):
            assert found.seconds * 1e9 == pytest.approx(expected)
            assert found.by_kind[one.op].misses == 0
        assert simulate([recorded], ASSUMED, 0.0, ()).by_kind[one.op].misses > 0
    product = op("mul_mat", 10, dma=1000)  # the next product's weights arrive first, during the attention
    found = simulate([RecordedMessage(0, (product, attention, product))], ASSUMED, 0.0, {"flash_attn_ext"})
    assert found.seconds * 1e9 == pytest.approx(1000 + 1000 + 5000 + 200 + 10)


@pytest.mark.parametrize("kernels", ["hvx", "ref"])
@pytest.mark.parametrize("cache_fetched", [True, False])
def test_records_tell_which_ops_fetch_ahead(kernels: str, cache_fetched: bool) -> None:
    names = ("gated_delta_net", "rms_norm", "flash_attn_ext")
    one = OpReport("", kernels, 0, 1, 0, 0, 8, 8, 0, 0, 0, 0, ())
    report = Report("", "", 0.0, 0, 0, tuple(one._replace(op=name) for name in names))
    facts, reads = [[{"row_bytes": (4, 4), "slot_bytes": 0}] * 3], [timeline_record.CacheRead(7, cache_fetched)]
    (message,) = timeline_record.recorded([report], [9], facts, iter(reads))
    is_hvx = kernels == "hvx"
    assert [op.fetched for op in message.ops] == [is_hvx, False, is_hvx and cache_fetched]
    assert [op.demand_bytes for op in message.ops] == [0, 0, 7]


def test_dispatch_and_round_trips() -> None:
    norm = op("rms_norm", 100)
    assert nanoseconds(norm, norm, between=40, barrier_seconds=5e-9, message_seconds=1e-6) == pytest.approx(1250)
    found = simulate([RecordedMessage(0, (norm,))] * 3, ASSUMED._replace(message_seconds=1e-6))
    assert found.by_kind[ROUND_TRIPS].ops == 3
    assert found.by_kind["rms_norm"].compute == pytest.approx(300e-9)


@pytest.mark.parametrize("name", ["mul_mat", "mul_mat_id"])
def test_the_cpu_reads_its_share_at_the_same_time(name: str) -> None:
    product = op(name, 2000, dma=12_000)
    # 2 bytes a ns together: 60 % of them for the CPU
    assert nanoseconds(product, share=0.6) == pytest.approx(6000, rel=0.1)
    assert nanoseconds(product, share=0.6, meeting_seconds=7e-9) == pytest.approx(nanoseconds(product, share=0.6) + 7)
    assert nanoseconds(product, share=0.9) > nanoseconds(product, share=0.6)
    assert nanoseconds(op("rms_norm", 100), share=0.9) == pytest.approx(100)
    late = simulate([RecordedMessage(0, (product,))], ASSUMED, 0.9).by_kind[name]
    assert late.meetings > 0


@pytest.fixture(scope="module")
def open_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], GGUFFile]:
    return partial(GGUFFile, tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama"))


def run(open_file: Callable[[], GGUFFile], n_prompt: int, n_threads: int) -> model.Record:
    """Return the record of a prompt, or of a decode step, with the recorded messages."""
    cases = model.ModelCases([n_prompt], [0 if n_prompt else 1], [70], 0, is_computed=False, is_recorded=True)
    where: dict[str, Any] = {"threads": [n_threads], "device": "loopback:qemu", "transport": None}
    (record,) = model.run(cases, open_file, "tiny", **where, starting=lambda _: None)
    return record


@pytest.mark.usefixtures("qemu")
@pytest.mark.parametrize("n_prompt", [0, 6])
def test_order_and_packets_are_those_of_the_run(
    open_file: Callable[[], GGUFFile], monkeypatch: pytest.MonkeyPatch, n_prompt: int
) -> None:
    reports: list[Report] = []

    def recorded(seen: Sequence[Report], *rest: Any) -> list[RecordedMessage]:
        reports.extend(seen)
        return timeline_record.recorded(seen, *rest)

    monkeypatch.setattr(model, "recorded", recorded)
    messages = run(open_file, n_prompt, 2)["messages"]
    assert [[op.op for op in message.ops] for message in messages] == [
        [op.op for op in report.ops] for report in reports
    ]
    ops = [op for message in messages for op in message.ops]
    counted = [op for report in reports for op in report.ops]
    assert [sum(op.packets) for op in ops] == [op.packets for op in counted]
    assert [max(op.packets) for op in ops] == [op.packets_max_thread for op in counted]
    assert [op.dma_bytes for op in ops] == [op.dma_bytes for op in counted]
    assert all(op.demand_bytes for op in ops if op.op == "flash_attn_ext")
    assert {op.op for op in ops if op.fetched} == (set() if n_prompt else {"flash_attn_ext"})
    assert not any(op.demand_bytes for op in ops if op.op != "flash_attn_ext")


@pytest.mark.usefixtures("qemu")
def test_bench_model_estimates_by_simulation(
    open_file: Callable[[], GGUFFile], capsys: pytest.CaptureFixture[str]
) -> None:
    messages = run(open_file, 0, 1)["messages"]
    with open_file() as file:
        command = ["bench", "model", str(file.path), "-d", "70", "--threads", "1", "--device", "loopback:qemu"]
    assert main([*command, "-p", "0", "-n", "1", "-r", "0", "--estimate", "--json"]) == 0
    (estimated,) = json.loads(capsys.readouterr().out)
    expected = {case: 1 / simulate(messages, one).seconds for case, one in silicon_estimate.assumptions().items()}
    assert estimated["estimate_range"] == pytest.approx(expected, rel=0.001)
    assert "messages" not in estimated
