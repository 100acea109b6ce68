# SPDX-License-Identifier: MIT
"""Compiled programs, run by an interpreter whose sessions have incoherent caches.

Every session has a copy of all memory, in cache lines. It reads stale lines unless the plan makes it invalidate them,
and dirty lines reach memory at any time, or never, unless the plan makes it clean them. So a missing flag, or a line
shared by two values, gives a wrong result.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Q
from hypothesis import given
from hypothesis import strategies as st

from pyhexagon import ArgumentError, ClosedError, Tensor
from pyhexagon._ffi import contract
from pyhexagon.ops.add import add
from pyhexagon.ops.matmul import matmul
from pyhexagon.ops.rms_norm import rms_norm
from pyhexagon.program import fusions
from pyhexagon.program.compile import Operand, Plan
from pyhexagon.program.fusions import apply_rules
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.lifetimes import ALIGNMENT as LINE
from pyhexagon.tensor import TensorPart

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
COLUMNS = (8, 40)  # rows that fill lines, and rows that do not


class FakeBuffer:
    """A part of a weight, or a constant."""

    def __init__(self, home: object, content: F32) -> None:
        self.home = home
        self.second_home: object = None
        self.content = content
        self.pins, self.views = set[object](), set[object]()


class FakeDevice:
    name = "nowhere"

    def __init__(self) -> None:
        self._memory = SimpleNamespace(dropped=[])


DEVICE: Any = FakeDevice()


def weight(matrix: F32, parts: list[tuple[str, int]]) -> Tensor:
    """Return a weight whose parts lie in these sessions, starting at these rows."""
    ends = [*(first for _, first in parts[1:]), len(matrix)]
    placed: Any = [
        TensorPart(FakeBuffer(session, matrix[first:end]), first, end)  # type: ignore[arg-type]
        for (session, first), end in zip(parts, ends, strict=True)
    ]
    return Tensor(DEVICE, placed[0].buffer, Q.F32, matrix.shape, 0, parts=tuple(placed))


def constant(array: F32) -> Tensor:
    buffer: Any = FakeBuffer(None, array)
    return Tensor(DEVICE, buffer, Q.F32, array.shape, array.nbytes)


def computed(name: str, sources: list[F32]) -> F32:
    """Compute a substitute for the ops: integers, so that sums are exact in any order."""
    match name:
        case "mul_mat":
            return np.asarray((sources[1] @ sources[0].T) % 97)
        case "add":
            return np.asarray((sources[0] + sources[1]) % 97)
        case _:
            return np.asarray((3 * sources[0] + (sources[1] if len(sources) > 1 else 1)) % 97)


class Interpreter:
    """Memory, and the caches of each session."""

    def __init__(self, plan: Plan[str], n_bytes: list[int], rng: random.Random) -> None:
        self.plan = plan
        self.rng = rng
        lengths = (*n_bytes, *plan.arenas.values())
        self.memory = [np.full(-(-n // LINE) * LINE, rng.randrange(256), np.uint8) for n in lengths]
        self.caches: dict[str, list[U8]] = {}
        self.dirty: dict[str, list[npt.NDArray[np.bool_]]] = {}
        for session in {op.session for op in plan.ops}:
            self.caches[session] = [np.full(len(one), rng.randrange(256), np.uint8) for one in self.memory]
            self.dirty[session] = [np.zeros(len(one) // LINE, np.bool_) for one in self.memory]

    def run(self) -> None:
        for piece in self.plan.pieces:
            session = piece.session
            for operand, _, flags in piece.tensors:
                if flags & contract.HOST_WRITES:
                    self.drop(session, operand)
            for op, sources, (result,) in piece.ops:
                arrays = [self.read(session, piece.tensors[at][0]) for at in sources if at != contract.NONE]
                self.write(session, piece.tensors[result][0], computed(op.node.row.name, arrays))
            for operand, _, flags in piece.tensors:
                if flags & contract.HOST_READS:
                    self.write_back(session, operand)
            self.evict(session)

    def lines(self, operand: Operand) -> slice:
        reach = sum((n - 1) * step for n, step in zip(operand.ne, operand.nb, strict=True)) + 4
        return slice(operand.offset // LINE, -(-(operand.offset + reach) // LINE))

    def drop(self, session: str, operand: Operand) -> None:
        if isinstance(operand.memory, int):
            self.move(session, operand.memory, self.lines(operand), to_memory=False)

    def write_back(self, session: str, operand: Operand) -> None:
        assert isinstance(operand.memory, int)
        self.move(session, operand.memory, self.lines(operand), to_memory=True)

    def move(self, session: str, at: int, lines: slice, *, to_memory: bool) -> None:
        cache, memory = (one[at].reshape(-1, LINE)[lines] for one in (self.caches[session], self.memory))
        dirty = self.dirty[session][at][lines]
        if to_memory:
            memory[dirty] = cache[dirty]
        else:
            cache[...] = memory
        dirty[...] = False

    def evict(self, session: str) -> None:
        """Write some dirty lines to memory, as a cache may at any time."""
        for at, dirty in enumerate(self.dirty[session]):
            for line in np.flatnonzero(dirty):
                if self.rng.random() < 0.5:
                    self.move(session, at, slice(int(line), int(line) + 1), to_memory=True)

    def array(self, memory: U8, operand: Operand) -> F32:
        array: F32 = np.ndarray(operand.ne[::-1], np.float32, memory.data, operand.offset, operand.nb[::-1])
        return array

    def read(self, session: str, operand: Operand) -> F32:
        if isinstance(operand.memory, int):
            return np.array(self.array(self.caches[session][operand.memory], operand))
        content: F32 = operand.memory.content  # type: ignore[attr-defined]
        if operand.layout == contract.LAYOUT_TILES:
            assert operand.memory.home == session  # type: ignore[comparison-overlap]
            return content
        return self.array(content.view(np.uint8).reshape(-1), operand)

    def write(self, session: str, operand: Operand, array: F32) -> None:
        assert isinstance(operand.memory, int)
        at = operand.memory
        before = self.caches[session][at].copy()
        place = self.array(self.caches[session][at], operand)
        place[...] = 98
        place[...] = array
        del before
        touched = np.zeros(len(self.memory[at]), np.uint8)
        np.ndarray(operand.ne[::-1], np.uint32, touched.data, operand.offset, operand.nb[::-1])[...] = 1
        self.dirty[session][at] |= touched.reshape(-1, LINE).any(axis=1)


class Drawn:
    """A random program with its expected values."""

    def __init__(self, data: st.DataObject) -> None:
        self.rng = random.Random(data.draw(st.integers(0, 1 << 30)))
        self.graph = Graph(DEVICE)
        self.content: dict[object, F32] = {}  # by storage
        self.keep: list[Tensor] = []
        values = [self.graph.input((3, columns)) for columns in COLUMNS]
        for value in values:
            self.content[value.storage] = self.numbers(value.shape)
        for _ in range(data.draw(st.integers(1, 14))):
            values.append(self.op(data, values))
        results = [value for value in values if value.storage.kind.name == "RESULT"]
        n_outputs = data.draw(st.integers(1, len(results)))
        for value in {id(one.storage): one for one in data.draw(st.permutations(results))[:n_outputs]}.values():
            self.graph.output(value)

    def numbers(self, shape: tuple[int, ...]) -> F32:
        return np.array([self.rng.randrange(97) for _ in range(int(np.prod(shape)))], np.float32).reshape(shape)

    def now(self, value: Value) -> F32:
        base = self.content[value.storage]
        array: F32 = np.ndarray(value.shape, np.float32, base.data, value.view.offset, value.view.strides)
        return np.array(array)

    def op(self, data: st.DataObject, values: list[Value]) -> Value:
        graph = self.graph
        x = data.draw(st.sampled_from(values))
        match data.draw(st.sampled_from(["add", "add", "norm", "constant", "matmul", "row"])):
            case "add":
                fitting = [value for value in values if value.shape == x.shape]
                y = data.draw(st.sampled_from(fitting))
                return self.known(add(graph, x, y), "add", [x, y])
            case "norm":
                fitting = [value for value in values if value.shape == x.shape]
                scale = data.draw(st.sampled_from([None, *fitting]))
                return self.known(rms_norm(graph, x, scale), "norm", [x] if scale is None else [x, scale])
            case "constant":
                self.keep.append(constant(self.numbers((1, x.shape[1]))))
                y = graph.value(self.keep[-1])
                self.content[y.storage] = self.keep[-1].buffer.content  # type: ignore[attr-defined]
                return self.known(add(graph, x, y), "add", [x, y.broadcast_to(x.shape)])
            case "row":
                return self.known(add(graph, x, x[1:2]), "add", [x, x[1:2].broadcast_to(x.shape)])
            case _:
                n, k = data.draw(st.sampled_from(COLUMNS)), x.shape[1]
                cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=2)))
                sessions = data.draw(st.permutations("ABC"))
                matrix = self.numbers((n, k))
                self.keep.append(weight(matrix, list(zip(sessions, [0, *cuts], strict=False))))
                y = matmul(graph, x, self.keep[-1])
                self.content[y.storage] = computed("mul_mat", [matrix, self.now(x)])
                return y

    def known(self, result: Value, name: str, sources: list[Value]) -> Value:
        self.content[result.storage] = computed(name, [self.now(source) for source in sources])
        return result

    def plan(self) -> Plan[str]:
        return Plan(self.graph.nodes, self.graph.inputs, self.graph.outputs, "A")


@given(st.data())
def test_sessions_whose_caches_know_nothing_of_each_other_get_every_result_right(data: st.DataObject) -> None:
    drawn = Drawn(data)
    plan = drawn.plan()
    assert [op.number for op in plan.ops] == sorted(op.number for op in plan.ops)
    assert {op.number for op in plan.ops} == set(range(len(drawn.graph.nodes))), "no op is dropped"
    if data.draw(st.booleans()):  # split pieces
        plan.pieces = [plan.piece(at, at + 1) for at in range(len(plan.ops))]
    ports = [*drawn.graph.inputs, *drawn.graph.outputs]
    interpreter = Interpreter(plan, [port.storage.nbytes for port in ports], drawn.rng)
    for _ in range(2):
        for at, port in enumerate(drawn.graph.inputs):
            interpreter.memory[at][: port.storage.nbytes] = drawn.content[port.storage].reshape(-1).view(np.uint8)
        interpreter.run()
        for at, port in enumerate(drawn.graph.outputs, len(drawn.graph.inputs)):
            got = interpreter.memory[at][: port.storage.nbytes].view(np.float32)
            np.testing.assert_array_equal(got, drawn.content[port.storage].reshape(-1))


def chain(n: int, sessions: str) -> tuple[Graph, list[Tensor]]:
    """Chain matmuls whose weights lie in these sessions in turn."""
    graph, keep = Graph(DEVICE), []
    value = graph.input((3, 8))
    for at in range(n):
        keep.append(weight(np.ones((8, 8), np.float32), [(sessions[at % len(sessions)], 0)]))
        value = matmul(graph, value, keep[-1])
    graph.output(value)
    return graph, keep


def test_ops_of_one_session_are_one_piece() -> None:
    for sessions, pieces in (("A", 1), ("AB", 6), ("AAB", 4)):
        graph, _keep = chain(6, sessions)
        plan = Plan(graph.nodes, graph.inputs, graph.outputs, "A")
        assert len(plan.pieces) == pieces
        assert [op.session for op in plan.ops] == list(sessions * 6)[:6]


def test_only_weights_make_a_program_change_the_session() -> None:
    graph = Graph(DEVICE)
    x = graph.input((3, 8))
    ws = [weight(np.ones((8, 8), np.float32), [(session, 0)]) for session in "BC"]
    first = add(graph, x, x)  # before any weight: runs where the first weight lies
    b = matmul(graph, first, ws[0])
    c = matmul(graph, b, ws[1])
    again = add(graph, x, x)  # runs where the op before it runs
    in_b = rms_norm(graph, b)
    graph.output(add(graph, in_b, b), add(graph, c, b), again)
    plan = Plan(graph.nodes, graph.inputs, graph.outputs, "A")
    assert "".join(op.session for op in plan.ops) == "BBCCCCC"


def test_an_op_may_write_over_what_nobody_reads_afterwards() -> None:
    graph = Graph(DEVICE)
    value = add(graph, graph.input((3, 8)), graph.input((3, 8)))
    for _ in range(10):
        value = rms_norm(graph, value)
    graph.output(add(graph, value, value[:1]))  # reads it twice: not in place
    assert Plan(graph.nodes, graph.inputs, graph.outputs, "A").arenas == {"A": 96}


def test_a_program_that_is_too_large_for_one_request_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, _keep = chain(50, "A")
    for name, limit in (("MAX_OPS", 7), ("MAX_TENSORS", 12), ("MAX_BUFFERS", 9)):
        with monkeypatch.context() as patch:
            patch.setattr(contract, name, limit)
            pieces = Plan(graph.nodes, graph.inputs, graph.outputs, "A").pieces
        assert len(pieces) > 1
        assert [op for piece in pieces for op in range(piece.first, piece.end)] == list(range(50))
        sizes = {"MAX_OPS": "ops", "MAX_TENSORS": "tensors", "MAX_BUFFERS": "buffers"}
        assert all(len(getattr(piece, sizes[name])) <= limit for piece in pieces)


def test_buffers_that_many_ops_share_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph(DEVICE)
    value = graph.input((3, 8))
    for _ in range(50):
        value = rms_norm(graph, value)
    graph.output(value)
    monkeypatch.setattr(contract, "MAX_BUFFERS", 3)  # the input, the output and an arena
    assert len(Plan(graph.nodes, graph.inputs, graph.outputs, "A").pieces) == 1


def test_a_weight_that_was_closed_is_noticed() -> None:
    graph, keep = chain(2, "A")
    keep[1].parts[0].buffer.home = None
    with pytest.raises(ClosedError):
        Plan(graph.nodes, graph.inputs, graph.outputs, "A")
    graph, keep = chain(2, "A")
    graph.tensors.clear()
    del keep[1]
    with pytest.raises(ClosedError):
        Plan(graph.nodes, graph.inputs, graph.outputs, "A")


def test_rules_rewrite_in_order_and_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, _keep = chain(4, "A")
    monkeypatch.setattr(fusions, "RULES", {"reversed": lambda nodes: nodes[::-1], "shorter": lambda nodes: nodes[1:]})
    assert apply_rules(graph.nodes) == graph.nodes[::-1][1:]
    assert apply_rules(graph.nodes, ["reversed"]) == graph.nodes[1:]
    with pytest.raises(ArgumentError, match="no rule 'longer': there are reversed, shorter"):
        apply_rules(graph.nodes, ["longer"])
