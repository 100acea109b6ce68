# SPDX-License-Identifier: MIT
"""Rules that rewrite programs: what they join, and that no bit of any result changes."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon import ArgumentError, Device, Tensor
from pyhexagon.ops.add import add
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.matmul import matmul
from pyhexagon.ops.set_rows import set_rows
from pyhexagon.program.fusions import RULES, rewritten
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.report import Report
from pyhexagon.tensor import TensorPart

U32 = npt.NDArray[np.uint32]
WIDTH, FFN = 256, 832  # 4 tiles, and 13
ROWS = (1, 7, 33)
# Of one form, and of another; with minimums, of floats, and of rows that a tile is too long for.
TYPES = {"q": Q.Q4_0, "k": Q.Q8_0, "v": Q.Q6_K, "out": Q.Q4_1, "gate": Q.Q4_0, "up": Q.Q5_0, "down": Q.F16}
SIZES = {"q": (320, WIDTH), "k": (64, WIDTH), "v": (100, WIDTH), "out": (WIDTH, 320), "gate": (FFN, WIDTH)}
SIZES |= {"up": (FFN, WIDTH), "down": (WIDTH, FFN)}


class Block:
    """A layer's products, without its attention."""

    def __init__(self, device: Device) -> None:
        self.device = device
        random = np.random.default_rng(1)
        self.weights, self.biases = dict[str, Tensor](), dict[str, Tensor]()
        for name, (n, k) in SIZES.items():
            dtype = TYPES[name]
            values = random.standard_normal((n, k), dtype=np.float32)
            self.weights[name] = device.pack(dtype, weights.quantize(values, dtype), (n, k))
            self.biases[name] = device.tensor(random.standard_normal(n, dtype=np.float32))
        self.xs = {m: random.standard_normal((m, WIDTH), dtype=np.float32) for m in ROWS}

    def build(self, p: Builder, x: Value) -> list[Value]:
        """All that its ops make."""
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

    def run(self, m: int, *, everything: bool, without: tuple[str, ...]) -> tuple[list[U32], Report]:
        with self.device.program() as p:
            made = self.build(p, p.input((m, WIDTH)))
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
def test_no_rule_changes_a_bit(block: Block, kernels: str, m: int) -> None:
    block.device.kernels = kernels
    wanted, report = block.run(m, everything=True, without=tuple(RULES))
    assert not any(op.joined for op in report.ops)
    for without in ((), *((name,) for name in RULES if m == ROWS[1])):
        results, report = block.run(m, everything=True, without=without)
        np.testing.assert_array_equal([y.tobytes() for y in results], [y.tobytes() for y in wanted])
        assert any(op.joined for op in report.ops)
    (last,), _ = block.run(m, everything=False, without=())  # intermediates share memory
    np.testing.assert_array_equal(last, wanted[-1])


def test_the_report_tells_what_ran_together(block: Block) -> None:
    _, report = block.run(1, everything=False, without=())
    joined = " ".join(("+" if op.joined else "") + op.op for op in report.ops)
    assert joined == (
        "mul_mat +mul_mat +mul_mat +add +add +add mul_mat +add +add mul_mat +mul_mat +swiglu mul_mat +gelu +add"
    )
    for op in report.ops:
        assert not op.joined or (op.n_threads, op.nanoseconds, op.packets or 0, op.threads) == (0, 0, 0, ())


# --- What rules do to a graph ---


HOME: Any = SimpleNamespace(name="nowhere", memory=SimpleNamespace(dropped=[]))


def weight(n: int, k: int, session: str = "A") -> Tensor:
    part: Any = TensorPart(SimpleNamespace(home=session), 0, n)  # type: ignore[arg-type]
    return Tensor(HOME, part.buffer, Q.Q4_0, (n, k), 0, parts=(part,))


def names(graph: Graph, *without: str) -> str:
    """The ops by the number of the value that they make, a + before those that are joined."""
    numbers = {id(node.result.storage): number for number, node in enumerate(graph.nodes)}
    return " ".join(
        ("+" if node.joined else "") + str(numbers[id(node.result.storage)]) for node in rewritten(graph.nodes, without)
    )


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
    assert names(graph) == "2 1 2 3"  # the third one writes what the first one has made


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
    add(graph, x, x)  # reads nothing of it
    add(graph, y, x)
    assert names(graph) == "0 1 2"
    graph.nodes.pop(1)
    assert names(graph) == "0 +1"


def test_a_rule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no rule 'product': there are products, elementwise"):
        rewritten([], ["product"])
