# SPDX-License-Identifier: MIT
"""Fusion rules: the ops that they fuse, and that no bit of any result changes."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import ArgumentError, Device, ProgramError, Tensor
from pyhexagon.cache import new_pages
from pyhexagon.ops.add import add
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.matmul import matmul
from pyhexagon.ops.mul_mat_id import mul_mat_id
from pyhexagon.ops.rms_norm import rms_norm
from pyhexagon.ops.rope import rope_table
from pyhexagon.ops.set_rows import set_rows
from pyhexagon.program.fusions import RULES, apply_rules
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.report import Report
from pyhexagon.tensor import TensorPart

U32 = npt.NDArray[np.uint32]
WIDTH, FFN = 256, 832  # 4 tiles, and 13
ROWS = (1, 7, 33)
# One type of each kind: with minimums, floats, and rows shorter than a tile.
TYPES = {"q": Q.Q4_0, "k": Q.Q8_0, "v": Q.Q6_K, "out": Q.Q4_1, "gate": Q.Q4_0, "up": Q.Q5_0, "down": Q.F16}
SIZES = {"q": (320, WIDTH), "k": (64, WIDTH), "v": (100, WIDTH), "out": (WIDTH, 320), "gate": (FFN, WIDTH)}
SIZES |= {"up": (FFN, WIDTH), "down": (WIDTH, FFN)}
N_EXPERTS, N_USED = 6, 4
EXPERTS = {"experts' gate": (416, WIDTH), "experts' up": (416, WIDTH), "experts' down": (WIDTH, 416)}  # 6.5 tiles
TYPES |= dict.fromkeys(EXPERTS, Q.Q4_0) | {"experts' down": Q.MXFP4}
SIZES |= EXPERTS
KINDS = ("dense", "experts", "biased experts")


class Block:
    """A layer's matmuls without attention: dense, or a mixture of experts with a router."""

    def __init__(self, device: Device) -> None:
        self.device = device
        random = np.random.default_rng(1)
        self.weights, self.biases = dict[str, Tensor](), dict[str, Tensor]()
        for name, (n, k) in SIZES.items():
            dtype, leading = TYPES[name], (N_EXPERTS,) * (name in EXPERTS)
            values = random.standard_normal((*leading, n, k), dtype=np.float32)
            self.weights[name] = device.pack(dtype, weights.quantize(values, dtype), (*leading, n, k))
            self.biases[name] = device.tensor(random.standard_normal((*leading, n), dtype=np.float32))
        self.xs = {m: random.standard_normal((m, WIDTH), dtype=np.float32) for m in ROWS}
        ids = np.argsort(random.standard_normal((max(ROWS), N_EXPERTS)))[:, :N_USED].astype(np.int32)
        shares = random.random((max(ROWS), N_USED), dtype=np.float32)
        self.chosen, self.shares = device.tensor(ids), device.tensor(shares)

    def build_experts(self, p: Builder, x: Value, *, biased: bool) -> list[Value]:
        """Return the results of all ops of a mixture: gpt-oss has biases, Qwen 3 none."""
        made: list[Value] = []
        m = x.shape[0]
        chosen, shares = p.value(self.chosen)[:m], p.value(self.shares)[:m]

        def linear(x: Value, name: str) -> Value:
            made.append(p.mul_mat_id(x, self.weights[name], chosen))
            if biased:
                made.append(p.add_id(made[-1], self.biases[name], chosen))
            return made[-1]

        gate, up = linear(x, "experts' gate"), linear(x, "experts' up")
        made.append(p.swiglu_oai(gate, up) if biased else p.swiglu(gate, up))
        made.append(p.mul(linear(made[-1], "experts' down"), shares.reshape(m, N_USED, 1)))
        y = made[-1]
        total = y[:, 0]
        for number in range(1, N_USED):
            total = p.add(total, y[:, number])
            made.append(total)
        return [*made, p.add(x, total)]

    def build(self, p: Builder, x: Value, kind: str = "dense") -> list[Value]:
        """Return the results of all ops."""
        if kind != "dense":
            return self.build_experts(p, x, biased=kind == "biased experts")
        made = []

        def linear(x: Value, name: str) -> Value:
            product = p.matmul(x, self.weights[name])
            made.append(product)
            made.append(p.add(product, self.biases[name]))
            return made[-1]

        q, _, _ = (linear(x, name) for name in "qkv")
        x = p.add(x, linear(q, "out"))
        gate, up = p.matmul(x, self.weights["gate"]), p.matmul(x, self.weights["up"])
        made += [x, gate, up, p.swiglu(gate, up)]
        made += [p.matmul(made[-1], self.weights["down"])]
        made += [p.add(x, p.gelu(made[-1]))]
        return made

    def run(
        self, m: int, *, everything: bool, without: tuple[str, ...], kind: str = "dense"
    ) -> tuple[list[U32], Report]:
        with self.device.program() as p:
            made = self.build(p, p.input((m, WIDTH)), kind)
            p.output(*(made if everything else made[-1:]))
        results, report = p.compile(without=without).run_with_report(self.xs[m])
        return [np.array(y.numpy()).view(np.uint32) for y in results], report


@pytest.fixture(scope="module", params=[("loopback", 1), ("loopback", 4), ("loopback:qemu", 1), ("loopback:qemu", 4)])
def block(request: pytest.FixtureRequest, qemu: str) -> Iterator[Block]:
    engine, threads = request.param
    with Device(engine, threads=threads) as device:
        yield Block(device)


@pytest.mark.parametrize("kernels", ["ref", "hvx"])
@pytest.mark.parametrize("m", ROWS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_rule_changes_a_bit(block: Block, kernels: str, m: int, kind: str) -> None:
    block.device.kernels = kernels
    wanted, report = block.run(m, everything=True, without=tuple(RULES), kind=kind)
    assert not any(op.fused for op in report.ops)
    for without in ((), *((name,) for name in RULES if m == ROWS[1])):
        results, report = block.run(m, everything=True, without=without, kind=kind)
        np.testing.assert_array_equal([y.tobytes() for y in results], [y.tobytes() for y in wanted])
        assert any(op.fused for op in report.ops)
    (last,), _ = block.run(m, everything=False, without=(), kind=kind)  # intermediates share memory
    np.testing.assert_array_equal(last, wanted[-1])


TOGETHER = {
    "dense": "mul_mat +mul_mat +mul_mat +add +add +add mul_mat +add +add mul_mat +mul_mat +swiglu mul_mat +gelu +add",
    "experts": "mul_mat_id +mul_mat_id +swiglu mul_mat_id +mul add +add +add +add",
    "biased experts": "mul_mat_id +mul_mat_id +add_id +add_id +swiglu_oai mul_mat_id +add_id +mul add +add +add +add",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_tells_what_ran_together(block: Block, kind: str) -> None:
    _, report = block.run(1, everything=False, without=(), kind=kind)
    joined = " ".join(("+" if op.fused else "") + op.op for op in report.ops)
    assert joined == TOGETHER[kind]
    for op in report.ops:
        assert not op.fused or (op.n_threads, op.nanoseconds, op.packets or 0, op.threads) == (0, 0, 0, ())


@pytest.mark.parametrize("kind", KINDS)
def test_what_runs_together_costs_the_busiest_thread_less(block: Block, kind: str) -> None:
    apart, together = (block.run(1, everything=False, without=rules, kind=kind)[1] for rules in (tuple(RULES), ()))
    if apart.packets is None or block.device.info().threads == 1:
        return  # packets are not counted, or no work is dispatched
    busiest = [sum(op.packets_max_thread or 0 for op in report.ops) for report in (apart, together)]
    assert busiest[1] < busiest[0]


# --- Row by row ---


HEADS = {  # query heads, KV heads, their size, the cache's kind; whether heads are normalised, and rotated
    "llama": (32, 8, 64, "q8_0", False, True),
    "qwen3": (16, 4, 128, "q4_0", True, True),
    "f16": (9, 3, 64, "f16", False, False),
    "one KV head": (33, 1, 128, "f16", True, False),
}


def attend(
    device: Device, case: str, n_tokens: int, without: tuple[str, ...], page: int = 2
) -> tuple[list[bytes], Report]:
    """Return queries, keys and values on their way to attention, its result, and the cache."""
    n_heads, n_kv, size, kind, has_norms, is_rotated = HEADS[case]
    random = np.random.default_rng(3)
    cache = new_pages(device, 3, n_kv, size, kind=kind)
    cache.buffer.bytes[: cache.nbytes] = 0
    heads = (n_heads, n_kv, n_kv)
    given: list[npt.NDArray[Any]] = [random.standard_normal((n_tokens, n, size), dtype=np.float32) for n in heads]
    given += [random.standard_normal(size, dtype=np.float32), rope_table(size).turns]
    given += [np.arange(70, 70 + n_tokens, dtype=np.int32), np.array([0, page, 1], np.int32)]
    p = device.program()
    q, k, v, weight, turns, positions, pages = (p.input(one.shape, one.dtype) for one in given)
    ready = []
    for x in (q, k):
        normal = p.rms_norm(x, weight) if has_norms else x
        ready.append(p.rope(normal, positions, turns, mode="neox"))
    ready.append(v)
    if is_rotated:
        ready = [p.hadamard(x, size) for x in ready]
    held = p.cache_append(ready[1], ready[2], cache, pages=pages, positions=positions)
    p.output(ready[0], p.flash_attn_ext(ready[0], held, pages=pages, positions=positions))
    program = p.compile(without=without)
    program.run(*given)  # the first run also makes the partitions
    results, report = program.run_with_report(*given)
    return [*(y.numpy().tobytes() for y in results), cache.buffer.bytes[: cache.nbytes].tobytes()], report


@pytest.mark.parametrize("kernels", ["ref", "hvx"])
@pytest.mark.parametrize("n_tokens", [1, 5])
@pytest.mark.parametrize("case", HEADS)
def test_heads_on_their_way_to_the_cache_keep_their_bits(block: Block, case: str, n_tokens: int, kernels: str) -> None:
    block.device.kernels = kernels
    wanted, apart = attend(block.device, case, n_tokens, tuple(RULES))
    results, together = attend(block.device, case, n_tokens, ())
    assert results == wanted
    assert not any(op.fused for op in apart.ops)
    joined = [op.fused for op in together.ops]
    assert joined == [n_tokens == 1 and 0 < i < len(joined) - 1 for i in range(len(joined))]
    if joined[1] and HEADS[case][1] > 1 and kernels == "hvx" and apart.packets is not None:
        busiest = [sum(op.packets_max_thread or 0 for op in report.ops[:-1]) for report in (apart, together)]
        assert busiest[1] < busiest[0]


def test_what_fails_among_joined_ops_is_named(block: Block) -> None:
    with pytest.raises(ProgramError, match=r"at op 2 \(CACHE_APPEND\)"):
        attend(block.device, "f16", 1, (), page=7)


@pytest.mark.parametrize("kernels", ["ref", "hvx"])
@pytest.mark.parametrize("shape", [(1, 2304), (4, 640), (5, 4100), (7, 96)], ids=str)
def test_norms_and_what_they_are_added_to_keep_their_bits(block: Block, shape: tuple[int, int], kernels: str) -> None:
    block.device.kernels = kernels
    random = np.random.default_rng(4)
    given = [random.standard_normal(one, dtype=np.float32) for one in (shape, shape, shape[1:])]
    given[0][-1, 3] = np.nan
    results = []
    for without in (tuple(RULES), ()):
        p = block.device.program()
        x, y, weight = (p.input(one.shape) for one in given)
        total = p.add(p.rms_norm(x, weight), y)
        p.output(total, p.l2_norm(total), p.norm(p.mul(x, y), weight))
        made, report = p.compile(without=without).run_with_report(*given)
        results.append([one.numpy().tobytes() for one in made])
    assert results[0] == results[1]
    assert [op.fused for op in report.ops] == [False, True, True, False, True]


def test_joined_ops_that_run_one_after_the_other_report_the_most_threads(block: Block) -> None:
    """One row: by the reference, one thread computes a norm, and all threads add their columns."""
    block.device.kernels = "ref"
    x = np.random.default_rng(5).standard_normal((1, 8192), dtype=np.float32)
    apart: list[int] = []
    together: list[int] = []
    for without, n_threads in ((tuple(RULES), apart), ((), together)):
        p = block.device.program()
        given = p.input(x.shape)
        p.output(p.l2_norm(p.add(p.rms_norm(given), given)))
        n_threads += [op.n_threads for op in p.compile(without=without).run_with_report(x)[1].ops]
    assert apart == [1, block.device.info().threads, 1]
    assert together == [max(apart), 0, 0]


# --- What rules do to a graph ---


HOME: Any = SimpleNamespace(name="nowhere", _memory=SimpleNamespace(dropped=[]))


def weight(n: int, k: int, session: str = "A", experts: int = 0) -> Tensor:
    part: Any = TensorPart(SimpleNamespace(home=session), 0, n)  # type: ignore[arg-type]
    return Tensor(HOME, part.buffer, Q.Q4_0, (experts, n, k) if experts else (n, k), 0, parts=(part,))


def names(graph: Graph, *without: str) -> str:
    """Return the ops by the numbers of their results, with a + before fused ones."""
    numbers = {id(node.result.storage): number for number, node in enumerate(graph.nodes)}
    nodes = apply_rules(graph.nodes, without)
    return " ".join(("+" if node.fused else "") + str(numbers[id(node.result.storage)]) for node in nodes)


def test_products_of_the_same_activations_are_brought_together() -> None:
    graph, keep = Graph(HOME), [weight(64, 32) for _ in range(4)]
    x = graph.input((2, 32))
    for w in keep[:3]:
        add(graph, matmul(graph, x, w), graph.input((64,)))
    matmul(graph, graph.input((2, 32)), keep[3])
    assert names(graph) == "0 +2 +4 +1 +3 +5 6"
    assert names(graph, "elementwise") == "0 +2 +4 1 3 5 6"
    assert names(graph, "products") == "0 +1 2 +3 4 +5 6"
    assert names(graph, *RULES) == "0 1 2 3 4 5 6"


def test_products_in_other_sessions_stay_where_they_are() -> None:
    graph, keep = Graph(HOME), [weight(64, 32, session) for session in "AB"]
    x = graph.input((2, 32))
    for w in keep:
        add(graph, matmul(graph, x, w), graph.input((64,)))
    assert names(graph) == "0 +1 2 +3"


def test_a_product_does_not_move_past_what_writes_its_activations() -> None:
    graph, keep = Graph(HOME), [weight(64, 32) for _ in range(2)]
    x, ids = add(graph, graph.input((2, 32)), graph.input((2, 32))), graph.input((2,), np.int32)
    matmul(graph, x, keep[0])
    set_rows(graph, x, graph.input((2, 32)), ids)
    matmul(graph, x, keep[1])
    assert names(graph) == "2 1 2 3"  # the third op overwrites the result of the first


def test_other_views_of_the_same_memory_are_other_activations() -> None:
    graph, keep = Graph(HOME), [weight(64, 32) for _ in range(3)]
    x = graph.input((4, 32))
    for rows, w in zip((x, x[:2], x), keep, strict=True):
        matmul(graph, rows, w)
    assert names(graph) == "0 +2 1"


def test_only_what_follows_a_product_is_joined_to_it() -> None:
    graph, keep = Graph(HOME), [weight(32, 32)]
    x = graph.input((2, 32))
    y = matmul(graph, x, keep[0])
    add(graph, x, x)  # does not read the result
    add(graph, y, x)
    assert names(graph) == "0 1 2"
    graph.nodes.pop(1)
    assert names(graph) == "0 +1"


def test_products_by_other_ids_are_other_products() -> None:
    graph, keep = Graph(HOME), [weight(64, 32, experts=4) for _ in range(3)]
    x, one, other = graph.input((2, 32)), graph.input((2, 3), np.int32), graph.input((2, 3), np.int32)
    for ids, w in zip((one, other, one), keep, strict=True):
        mul_mat_id(graph, x, w, ids)
    assert names(graph) == "0 +2 1"
    assert names(graph, "products") == "0 1 2"


def test_ops_by_element_are_joined_to_each_other() -> None:
    graph = Graph(HOME)
    x = graph.input((2, 3, 32))
    add(graph, add(graph, x[:, 0], x[:, 1]), x[:, 2])
    add(graph, x, x)
    assert names(graph) == "0 +1 2"
    assert names(graph, "elementwise") == "0 1 2"


def test_norms_are_joined_to_residuals_that_no_product_takes() -> None:
    graph, keep = Graph(HOME), [weight(32, 32)]
    x = graph.input((2, 32))
    y = add(graph, matmul(graph, x, keep[0]), x)
    total = add(graph, rms_norm(graph, y), x)
    rms_norm(graph, total)
    rms_norm(graph, x)  # does not read the result
    assert names(graph) == "0 +1 2 +3 +4 5"
    assert names(graph, "norms") == "0 +1 2 3 4 5"
    rms_norm(graph, add(graph, add(graph, x, x), x))  # sums are partitioned by columns
    assert names(graph) == "0 +1 2 +3 +4 5 6 +7 8"
    assert names(graph, "norms") == "0 +1 2 3 4 5 6 +7 8"


def test_a_rule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no rule 'product': there are products, elementwise, norms, heads"):
        apply_rules([], ["product"])
